def store_item():
    try:
        q
    except E:
        x[b if c else d] = 3


def store_attribute():
    try:
        q
    except E:
        x.y = b if c else d


def call():
    try:
        q
    except E:
        x(b if c else d)


def delete_item():
    try:
        q
    except E:
        del x[b if c else d]
