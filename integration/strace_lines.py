"""Lines as strace writes them, for tests that put a recording together."""


def read_of(path, offset, length, at_s):
    """The program opens the file, reads one range of it, and closes it."""
    return [f'7 {at_s}.1 openat(AT_FDCWD</>, "{path}", O_RDONLY) = 3<{path}>',
            f'7 {at_s}.2 pread64(3<{path}>, ""..., {length}, {offset}) = {length}',
            f'7 {at_s}.3 close(3<{path}>) = 0']
