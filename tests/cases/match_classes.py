# since: 3.10
def classes(x):
    match x:
        case int():
            return 1
        case str(text):
            return text
        case Point(x=0, y=0):
            return "origin"
        case Point(a, y=b) as point if a > b:
            return a, b, point
        case geometry.Line(Point(x1, y1), Point(x2, y2), width=1 | 2):
            return x1, y1, x2, y2
        case Tree(left=Tree() as left, right=None) | Tree(left=None, right=left):
            return left


class Inside:
    match value:
        case Point(x, y):
            pass
        case [x] | (_, x):
            y = x


match argument:
    case list([Point() as p, *_]):
        print(p)
    case global_name:
        print(global_name)
