# since: 3.10
# differs: without the mapping for annotations that of an attribute is a statement of its own
match E:
    case "s":
        a.v: int = a
