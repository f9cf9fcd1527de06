def in_a_loop():
    try:
        a
    except B as b:
        return c
    finally:
        for d in e:
            return f or g


def in_a_try(a):
    try:
        with a as b:
            return {a: b}
    finally:
        for c in d:
            try:
                return e
            except F as f:
                g


def behind_a_test():
    try:
        if a:
            pass
    finally:
        if b:
            return (c for d in e)


def in_two():
    for a in b:
        try:
            if c:
                return d
        finally:
            try:
                if e:
                    return f
            finally:
                for g in h:
                    if i:
                        return j
                k
        l


async def asynchronously():
    async with a:
        try:
            return b
        finally:
            async for c in d:
                async with e:
                    return f


def of_a_new_list():
    x = 1
    try:
        return []
    except A as a:
        b
    finally:
        return c
