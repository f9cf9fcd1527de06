# A finally that never ends, in a module: whatever leaves its body by a jump falls off the end or breaks.
try:
    one
except Problem:
    for item in items:
        if item:
            break
    else:
        for other in others:
            pass
finally:
    raise
