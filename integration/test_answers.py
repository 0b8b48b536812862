"""What commands answer to people: in few lines, the one that matters first, and of what they were asked for."""
import os
import re

import pytest

from game import noise
from tool import USAGE

# What any program reads beside a game's content; none of it needs to be there.
OF_THE_SYSTEM = ["/etc/ld.so.cache", "/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/share/X11/locale/locale.alias",
                 "/home/me/.cache/mesa_shader_cache/0a/71c", "/usr/share/drirc.d/00-mesa-defaults.conf",
                 "/usr/share/glvnd/egl_vendor.d/50_mesa.json", "/var/cache/fontconfig/a.cache-7",
                 "/usr/share/fonts/truetype/a.ttf", "/usr/share/icons/hicolor/index.theme",
                 "/home/me/.config/pulse/client.conf", "/proc/cpuinfo", "/usr/share/alsa/alsa.conf",
                 "/sys/devices/system/cpu/online", "/home/me/.local/share/recently-used.xbel"]


def strace_of(reads):
    """(path, bytes) one after the other, as strace prints them."""
    lines = []
    for number, (path, length) in enumerate(reads):
        lines += [f'7 {number}.000000 openat(AT_FDCWD, "{path}", O_RDONLY) = 3<{path}> <0.000010>',
                  f'7 {number}.100000 read(3<{path}>, ""..., {length}) = {length} <0.000010>',
                  f"7 {number}.200000 close(3<{path}>) = 0 <0.000010>"]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def loose(tmp_path_factory):
    """A game of loose files, and two recordings that read as much of the system as of it."""
    folder = tmp_path_factory.mktemp("loose")
    content = folder / "content"
    content.mkdir()
    for number in range(40):
        (content / f"a{number:02}.dat").write_bytes(noise(number, 9000))
    for run in (1, 2):
        reads = [(content / f"a{number:02}.dat", 9000) for number in range(30)]
        reads[7:7] = [(path, 4096) for path in OF_THE_SYSTEM]
        (folder / f"menu.{run}.strace").write_text(strace_of(reads))
    return folder


def journey(loose, tmp_path):
    given = (*sorted(loose.glob("*.strace")), "--content", loose / "content")
    return {"profile": ("profile", *given, "-o", tmp_path / "p.json"),
            "plan": ("plan", *given, "-o", tmp_path / "l.json"),
            "repack": ("repack", *given, "--dry-run", "--in-place")}


@pytest.mark.parametrize("command", ["profile", "plan", "repack"])
def test_what_isnt_content_is_one_line(tool, loose, tmp_path, command):
    arguments = journey(loose, tmp_path)[command]
    answer = tool.ok(*arguments)
    assert answer.err == ""  # all of it is the system's own, so that nothing is to be mended
    told = [line for line in answer.text.splitlines() if "not of the content" in line]
    assert told == [f"not of the content: {len(OF_THE_SYSTEM)} files, 0.1 MB in 2 recordings; --verbose lists them"]
    assert answer.text.splitlines()[0] != told[0]
    assert not any(path in answer.text for path in OF_THE_SYSTEM)
    verbose = tool.ok(*arguments, "--verbose").text
    assert all(re.search(rf"^ +8192 bytes in +2 reads  {re.escape(path)}$", verbose, re.MULTILINE)
               for path in OF_THE_SYSTEM)


def test_where_all_is_content_nothing_is_said_of_other_files(tool, loose, tmp_path):
    (tmp_path / "menu.strace").write_text(strace_of([(loose / "content/a00.dat", 9000)]))
    answer = tool.ok("profile", tmp_path / "menu.strace", "--content", loose / "content", "-o", tmp_path / "p.json")
    assert "not of the content" not in answer.text


def test_warm_reads_content_only(tool, tmp_path):
    """A library and a cache of drivers are no content, whatever the recorded program read of them."""
    (tmp_path / ".cache").mkdir()
    (tmp_path / "game").mkdir()
    files = {"game/a.dat": 300_000, "game/b.dat": 200_000, "other.dat": 90_000, "lib.so.1": 50_000, ".cache/c": 70_000}
    for name, size in files.items():
        (tmp_path / name).write_bytes(noise(size, size))
    trace = tmp_path / "menu.strace"
    trace.write_text(strace_of([(tmp_path / name, size) for name, size in files.items()]))

    def warmed(*options):
        answer = tool.json("warm", trace, *options)
        return answer["files"], answer["wanted_bytes"], [os.path.relpath(path, tmp_path) for path in answer["left_out"]]

    def bytes_of(*names):
        return sum(files[name] for name in names)

    games = ("game/a.dat", "game/b.dat")
    assert warmed() == (3, bytes_of(*games, "other.dat"), [".cache/c", "lib.so.1"])
    assert warmed("--content", tmp_path / "game") == (2, bytes_of(*games), [".cache/c", "lib.so.1", "other.dat"])
    relative = os.path.relpath(tmp_path / "game" / "b.dat")
    assert warmed("--content", relative) == (
        1, bytes_of("game/b.dat"), [".cache/c", "game/a.dat", "lib.so.1", "other.dat"])
    assert warmed("--all") == (5, bytes_of(*files), [])
    text = tool.ok("warm", trace).text
    assert "left out: 2 files that aren't content; --all reads them, too" in text
    tool.run("warm", trace, "--content", tmp_path / "nowhere").says("nowhere", "No such file")
    assert tool.run("warm", trace, "--content", tmp_path / ".cache" / "c", "--all").code == USAGE
    only_system = tmp_path / "only.strace"
    only_system.write_text(strace_of([(tmp_path / "lib.so.1", 50_000)]))
    tool.run("warm", only_system).says("reads of content", "lib.so.1", "--all")
