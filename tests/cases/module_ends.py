try:
    from _fast import *
    from _fast import __doc__
except ImportError:
    from _slow import *
    from _slow import __doc__
__all__ = ("date", "time")
