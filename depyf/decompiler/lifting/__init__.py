"""From blocks to expressions and effects: symbolic execution, with values that are decided late."""
