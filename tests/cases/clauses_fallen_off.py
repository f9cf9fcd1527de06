# differs: `elif` behind a jump is `if`; newer compilers copy the jump that stands behind a clause into it
for a in b:
    try:
        c
    except D as d:
        e
    break

for a in b:
    try:
        c
    except D as d:
        if e:
            break
        elif f:
            continue
    break

while a:
    if b:
        try:
            c
        except D as d:
            e
            if f:
                break
        else:
            g
        break
    else:
        try:
            c
        except D as d:
            e
            if f:
                continue
        except E as e:
            pass
        break
    h

while a:
    with b:
        try:
            c
        except D as d:
            e
        break

for a in b:
    try:
        assert c
    except D as d:
        pass
    finally:
        break

try:
    assert a
except B as b:
    pass
else:
    c
while True:
    pass
