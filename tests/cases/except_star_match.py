# since: 3.11
try:
    assert a
except* E:
    match x:
        case C([], x=None):
            from os import path
