# since: 3.10
# differs: the end of a branch may come out as a return
def kept_apart(*args):
    match a:
        case 0:
            assert z in a == a
        case p16:
            if a and (c := a):
                pass
