# since: 3.11
def plain():
    try:
        work()
    except* ValueError as e:
        handle(e)
    except* (TypeError, KeyError):
        other()
    return 3


def everything():
    try:
        work()
    except* A as e:
        pass
    except* B:
        pass
    else:
        fine()
    finally:
        close()


def inside(groups):
    for group in groups:
        try:
            group.run()
        except* Error as e:
            for one in e.exceptions:
                if one:
                    break
                try:
                    log(one)
                except OSError as problem:
                    raise RuntimeError from problem
            while group:
                group.pop()
        else:
            group.fine()
            continue
        break
    done()


def cleanly(group):
    try:
        with group as g:
            g.run()
    except* Error:
        try:
            raise
        except* Deep as e:
            with e:
                flush()
        finally:
            close()


def branches(x):
    try:
        x()
    except* A if x else B:
        if x.a:
            y = 1
        elif x.b:
            y = 2
        else:
            y = 3
        print(y)


async def waiting(x):
    try:
        await x
    except* Error as e:
        await e.wait()
        result = [i for i in e.exceptions if i]
    return result


try:
    module_level()
except* ImportError:
    fallback = None


class Body:
    try:
        x = find()
    except* LookupError as e:
        x = e
