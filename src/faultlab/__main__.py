"""`python -m faultlab` is the `faultlab` command."""

import sys

from faultlab.cli import main

sys.exit(main())
