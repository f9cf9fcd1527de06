# since: 3.9
# A display that takes in a choice, returned out of a clause, a `with` or a `finally`.
def clause():
    try:
        one()
    except ValueError as error:
        return {**given, "key": one if low < middle < high else other}


def clause_first():
    try:
        one()
    except ValueError as error:
        if error:
            return [*given, one if low not in middle is high else other]
        return 3


def manager():
    with context:
        if given:
            return {**given, "key": one if low < middle < high else other}


def cleanup():
    try:
        if given:
            return {*given, one if low < middle < high else other}
    finally:
        close()


def empty(items):
    try:
        return {}
    finally:
        [one for item in items]


def empty_in_loop(items):
    for item in items:
        try:
            if item:
                return []
            if one:
                return {}
            two
        finally:
            found = [one for item in items if other]
            close()
