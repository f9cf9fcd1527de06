def lines_in_lines(n, nl):
    return a(f"""
    first {n}(x{''.join(f", {i}" for i in range(n * 2))}) {{
        w = 0;
        {''.join(f'''
        w = {1 - (i + 1) / n} + (x / {n});
        r += c{i} * w;''' for i in range(n))}
        return r;
    }}
    {''.join(f'''
    t{i} = first{n}(k, f.x{''.join(f",{nl} s({-n + 1 + j}, {-n + i})" for j in range(n))});''' for i in range(n))}
    """)


def lines_beside_others(n):
    return f"""
    {n['a']}, {n["b"]}, {f'''
    {''.join(f"{i}" for i in n)}
    '''}
    and the rest of it
    """
