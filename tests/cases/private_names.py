class _Private:
    __a = 3
    __b: int = __a
    import __c
    from module import __d as __e

    def __f(self, __g, *, __h=5, i__=3):
        global __p
        self.__k = [__l for __l in __m if self.__n]
        __p = 5

        def inner():
            nonlocal __g
            __g = 5
            return self.__f

        try:
            inner()
        except Error as __q:
            print(__q, __name__)
        return __g

    class __Inner:
        __x = 1

        def method(self):
            self.__y = _Private__z

    @__f
    def plain(self):
        return self._Other__attribute


class __:
    __x = 5
