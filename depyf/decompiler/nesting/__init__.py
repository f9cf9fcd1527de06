"""Functions, classes and comprehensions inside a code object, put in their place with all that their creation holds."""
