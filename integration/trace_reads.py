"""Reads the project's own trace format, for tests."""
import json

import lz4.frame

FRAME = b"\x04\x22\x4d\x18"


def reads_by_file(path, with_failures=False):
    """Maps each file, in the order of the trace, to (offset, length) of each read, and "failed" for an open that was
    refused."""
    packed = path.read_bytes()
    text = lz4.frame.decompress(packed) if packed.startswith(FRAME) else packed
    paths, found, position, current = [], {}, {}, 0
    for line in map(json.loads, text.splitlines()[1:]):
        if "path" in line:
            paths.append(line["path"])
            current = len(paths) - 1
        current = line.get("file", current)
        if "open" in line:
            position[current] = 0
            if with_failures and line.get("errno"):
                found.setdefault(paths[current], []).append("failed")
        if "read" in line:
            at = line.get("at", position.get(current, 0))
            for length in line["read"] if isinstance(line["read"], list) else [line["read"]]:
                found.setdefault(paths[current], []).append((at, length))
                at += length
            position[current] = at
    return found
