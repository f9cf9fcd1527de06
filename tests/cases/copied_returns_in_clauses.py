def behind_a_finally(self, level):
    try:
        return self.cache[level]
    except KeyError:
        acquire()
        try:
            if self.disable >= level:
                enabled = self.cache[level] = False
            else:
                enabled = self.cache[level] = level >= self.effective()
        finally:
            release()
        return enabled


def behind_a_with(a):
    try:
        b()
    except C:
        with d:
            if a:
                e = f()
            else:
                e = g()
        return e


def with_a_name(a):
    try:
        b()
    except C as c:
        try:
            if a:
                d = e()
            else:
                d = f(c)
        finally:
            g()
        return d


def in_two_clauses(a):
    try:
        b()
    except C:
        try:
            d()
        except E:
            try:
                if a:
                    f = g()
                else:
                    f = h()
            finally:
                i()
            return f


def in_a_loop(a):
    for b in a:
        try:
            c(b)
        except D:
            try:
                if b:
                    e = f()
                else:
                    e = g()
            finally:
                h()
            return e


def of_a_call(a):
    try:
        b()
    except C:
        try:
            if a:
                d = e()
            else:
                d = f()
        finally:
            g()
        return h(d, a.x)
