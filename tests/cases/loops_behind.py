# since: 3.11
def grp1(g):
    for _ in range(30):
        try:
            a(g)
        except KeyError:
            break
        except OverflowError:
            if m == 1:
                m = 2
            else:
                raise
    else:
        self.fail()


async def test2():
    async for i in AsyncIter():
        buffer.append(i[0])
        if i[0] == 20:
            break
    else:
        buffer.append('what?')
    buffer.append('end')
