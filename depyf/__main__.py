"""`python -m depyf`: the command line of depyf.cli."""

import sys

from depyf.cli import main

if __name__ == "__main__":
    sys.exit(main())
