# differs: since 3.14 annotations of attributes and items are not evaluated
import module

module.attribute: int = 4
module.items[0]: str = make()
module.only: int


class A:
    module.other: int = 1
