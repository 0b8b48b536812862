"""Each command that takes recordings finds files in the content by any name that a recording gives them: their paths,
paths elsewhere (--map), an archive with an entry in it, or the form of Firefox's jar log."""
import zipfile

import pytest

NAMES = [f"chrome/a{i}.js" for i in range(4)]
READ = [NAMES[3], NAMES[1]]


@pytest.fixture
def content(tmp_path):
    folder = tmp_path / "app"
    folder.mkdir()
    with zipfile.ZipFile(folder / "omni.ja", "w") as archive:
        for name in NAMES:
            archive.writestr(name, name * 2000)
    (folder / "first.bin").write_bytes(bytes(5000))
    return folder


def spans(archive):
    """Returns where the data of each entry lie."""
    with zipfile.ZipFile(archive) as opened:
        return {info.filename: (info.header_offset, 30 + len(info.filename) + info.compress_size)
                for info in opened.infolist()}


RECORDINGS = {
    "jar log by URL": lambda content: "".join(f"jar:file:///usr/lib/app/omni.ja!/ {name}\n" for name in READ),
    "jar log by path": lambda content: "".join(f"/usr/lib/app/omni.ja {name}\n" for name in READ),
    "jar log of the content": lambda content: "".join(f"{content}/omni.ja {name}\n" for name in READ),
    "list of archives and entries": lambda content: "".join(f"{content}/omni.ja/{name}\n" for name in READ),
    "strace": lambda content: "".join(
        '1 1.%d pread64(3</usr/lib/app/omni.ja>, "", %d, %d) = %d\n' % (i, length, offset, length)
        for i, (offset, length) in enumerate(spans(content / "omni.ja")[name] for name in READ)),
}
COMMANDS = {
    "plan": ["plan", "-o", "l.json"],
    "profile": ["profile", "-o", "p.json"],
    "analyze": ["analyze"],
    "repack": ["repack", "--dry-run", "-o", "new/"],
    "repack for good": ["repack", "-o", "new/"],
    "emit": ["emit", "tar", "-o", "order.txt"],
}


@pytest.mark.parametrize("recording", RECORDINGS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_finds_what_was_read(tool, content, tmp_path, command, recording):
    trace = tmp_path / "boot.log"
    trace.write_text(RECORDINGS[recording](content))
    name, *rest = COMMANDS[command]
    positional = [rest.pop(0)] if name == "emit" else []
    answer = tool.ok(name, *positional, trace, "--map", f"/usr/lib/app={content}", "--content", content, *rest, cwd=tmp_path)
    assert "nothing of the content" not in answer.err and "of other files" not in answer.err
    if name == "emit":
        order = (tmp_path / "order.txt").read_text().splitlines()
        assert "omni.ja" in order[0], "it is read, and the other file isn't"
    if command == "repack for good":
        with zipfile.ZipFile(tmp_path / "new" / "omni.ja") as archive:
            assert [info.filename for info in sorted(archive.infolist(), key=lambda info: info.header_offset)][:2] == READ
