def lists():
    try:
        a
    finally:
        try:
            b
        except E:
            c
        return [*d, f if g else h]


def dicts():
    try:
        a
    finally:
        try:
            b
        except E:
            c
        return {**d, e: f if g else h}


def returned_in_with():
    with a:
        try:
            b
        finally:
            try:
                c
            except E:
                d
        return {}


def returned_behind_finally():
    try:
        a
    except E as e:
        return None
    finally:
        b
    return {}
