def one_try(conn):
    cur = conn.cursor()
    try:
        cur.execute('select 1')
        rows = cur.fetchall()
    except E:
        conn.rollback()
        raise
    else:
        conn.commit()
        return rows
    finally:
        cur.close()


def no_room(lines):
    for number, line in enumerate(lines, 1):
        if line[0] == '[':
            section = line[1:-1]
        elif section is None:
            raise E(number)
        else:
            key, value = line
            yield section, key, value
