# since: 3.8
def g():
    [d for x in y]
def g():
    try:
        [d for x in y]
        {d for x in y if c}
        {d:e for x in y for z in t}
        [d for x in y if c or d]
    except E:
        [a or b or d for x in y]
[d for x in y]
class C:
    [d for x in y]
async def f():
    [d for x in y]
