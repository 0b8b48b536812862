"""Lines as strace writes them, for tests that put a recording together."""


def read_of(path, offset, length, at_s):
    """Returns lines of a program that opens the file, reads one range of it, and closes it."""
    return [f'7 {at_s}.1 openat(AT_FDCWD</>, "{path}", O_RDONLY) = 3<{path}>',
            f'7 {at_s}.2 pread64(3<{path}>, ""..., {length}, {offset}) = {length}',
            f'7 {at_s}.3 close(3<{path}>) = 0']


def load_of(files, text):
    """Writes a load that reads these files from front to back, one after the other, to `text`, and returns `text`."""
    lines, clock = [], 1_700_000_000.0
    for file in files:
        size = file.stat().st_size
        for call in [f'openat(AT_FDCWD</tmp>, "{file}", O_RDONLY) = 3<{file}>',
                     *[f'pread64(3<{file}>, ""..., 65536, {at}) = {min(65536, size - at)}' for at in range(0, size, 65536)],
                     f"close(3<{file}>) = 0"]:
            clock += 0.001
            lines.append(f"7 {clock:.6f} {call} <0.0001>")
    text.write_text("\n".join(lines) + "\n")
    return text
