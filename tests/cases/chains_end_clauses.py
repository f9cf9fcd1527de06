# A chain of comparisons at the end of a clause: each early end drops its operand, and leaves the clause.
try:
    one
except Problem:
    if low < middle < high < top:
        pass
