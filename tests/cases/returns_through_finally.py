def out_of_a_loop():
    try:
        for y in b:
            if p:
                return z and c
    finally:
        e


def out_of_a_clause():
    try:
        g
    except a:
        for y in b:
            return z or c
    finally:
        e


def compares():
    try:
        return a < b < c
    finally:
        e


def in_a_manager():
    with m:
        return z and c


def chosen_in_clause():
    try:
        raise problem
    except Problem:
        try:
            return one and two
        finally:
            if three == four:
                pass


def into_try():
    try:
        return one
    finally:
        try:
            two
        except Problem:
            try:
                three
            finally:
                del four[0]
        else:
            five
