# since: 3.15
lazy import os
lazy import package.module as alias
lazy from module import name, other as another
import json


def function():
    import inside
    from inside import something

    return inside, something


try:
    import maybe
except ImportError:
    maybe = None

from everything import *
