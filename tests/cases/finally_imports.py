# Imports in a `finally` of a module: its copies may be lazy, the handler may not.
for one in many:
    try:
        if one:
            break
        if other:
            continue
    finally:
        from package import name
        import package.module as alias
    after
last

try:
    one()
except ValueError:
    pass
finally:
    from . import name
