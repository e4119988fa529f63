"""`python -m neurologic` is the same as the command `neurologic`."""

import sys

from neurologic.cli import main

if __name__ == "__main__":
    sys.exit(main())
