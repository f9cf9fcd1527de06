# since: 3.10
match a:
    case _ if g:
        b
    case p:
        c
match a:
    case p if g:
        b
    case q:
        c
match a:
    case _ if g:
        b
    case _ if h:
        c
    case {"k": C()}:
        d
match a, b:
    case [C(), _] if False:
        pass
    case {"k": 1} if False:
        pass
    case p if g:
        c
    case 1:
        d
for l in k:
    match a:
        case {"k": 2}:
            b
        case p if h:
            c
        case _ if i:
            continue
        case 1:
            d
    e
for l in k:
    match a:
        case C() if g:
            break
for z in a:
    try:
        b
    except E:
        c
    else:
        match a:
            case 1:
                continue
            case "s":
                d
        e
