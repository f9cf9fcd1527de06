# since: 3.11
class Imports:
    try:
        if not a:
            import y
    except* E:
        b()


class Nested:
    try:
        try:
            b()
        except E:
            c()
        else:
            r = y
    except* E:
        b()


class Loops:
    try:
        for x in a:
            if b:
                break
        else:
            r = y if z else w
    except* E:
        b()


class InClause:
    try:
        b()
    except E as e:
        try:
            b()
        except* E as e:
            y()
        except* F:
            c()


class Raises:
    try:
        if a and y:
            raise z
    except* E:
        b()
