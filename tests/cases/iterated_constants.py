async def awaited(a):
    async for b in {"", 1}:
        c(b)
    return [b async for b in {2, "b"} if b in {3, 4}]
