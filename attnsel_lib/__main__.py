"""``python -m attnsel_lib``, the same as ``attnsel``."""

import sys

from attnsel_lib.cli import main

sys.exit(main())
