# A clause whose end is another clause: its name is deleted before the handler is left.
for item in items:
    try:
        raise
    except Problem as problem:
        try:
            raise
        except Other:
            look(item)
