# The body of a try ends in a loop with an else: what follows is the else of the try.
try:
    for item in items:
        break
    else:
        one
except Problem as problem:
    two
else:
    three

if a:
    try:
        for item in items:
            break
        else:
            raise
    except Problem as problem:
        one
    else:
        two
