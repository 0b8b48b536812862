"""The package's `seekless` program: the command-line tool, run in this process, and `seekless fleet`."""

from __future__ import annotations

import os
import sys

from seekless import _core

__all__ = ["main"]


def main() -> int:
    if sys.argv[1:2] == ["fleet"]:
        from seekless.fleet import cli
        return cli.main(sys.argv[2:])
    return _core.run_as_tool([os.fsencode(word) for word in ["seekless", *sys.argv[1:]]])


if __name__ == "__main__":
    sys.exit(main())
