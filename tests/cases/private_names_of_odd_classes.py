def lazy():
    class __proxy__:
        def __cast(self):
            return self.__cast()

        class __Inner:
            def __deep(self):
                return self.__deep

    return __proxy__


class A__B:
    def __method(self):
        return self.__method

    @staticmethod
    def __static():
        return A__B.__static()


class ___:
    def __plain(self):
        return self.__plain
