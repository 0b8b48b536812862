"""`seekless` of the package: the command-line tool, in this process."""

from __future__ import annotations

import os
import sys

from seekless import _core

__all__ = ["main"]


def main() -> int:
    return _core.run_as_tool([os.fsencode(word) for word in ["seekless", *sys.argv[1:]]])


if __name__ == "__main__":
    sys.exit(main())
