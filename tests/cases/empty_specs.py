def specs(a, b):
    return f"{a!s:}", f"{a!s:}{b!s}", f"{a:}", f"{a!r:}"
