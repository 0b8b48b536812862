"""A served folder whose names ignore case: a change that the game makes under one spelling shows at once under all
others, as in the plain folder. The file system is NTFS with Windows' rules, which Debian mounts with `lowntfs-3g -o
ignore_case`; ext4 with casefold, vfat and exFAT behave alike."""
import os
import subprocess
import tempfile
from pathlib import Path

import pytest

import served_campaign
from test_play import WAIT_S, pytestmark as needs_fuse
from tool import DONE

pytestmark = [*needs_fuse, pytest.mark.skipif(os.geteuid() != 0, reason="mounting file systems needs root")]

BEGIN = """
import os
def said(*names): return [os.path.exists(name) and (open(name).read(), os.stat(name).st_size) for name in names]
def write(name, text):
    with open(name, 'w') as file: file.write(text)
"""
GAMES = {
    "a save that another spelling replaces": """
for text, name in ('one', 'Slot1'), ('three', 'slot1'):
    write('s.tmp', text); os.replace('s.tmp', name); print(said('Slot1', 'slot1', 'SLOT1'))
""",
    "a save under its first name": """
write('s.tmp', 'one'); os.replace('s.tmp', 'Slot1'); write('s.tmp', 'three'); os.replace('s.tmp', 'slot1'); print(open('Slot1').read())
""",
    "a name that is asked for before it is there": """
print(said('Save.dat', 'SAVE.DAT')); write('save.dat', 'saved'); print(said('Save.dat'))
""",
    "a file that another spelling removes": """
write('Gone', 'there'); print(said('GONE', 'Gone')); os.unlink('gone')
print(said('Gone', 'GONE', 'gone')); write('GONE', 'again'); print(said('Gone'))
""",
    "what is open stays what it is": """
write('Open', 'before'); kept = open('oPEN'); write('o.tmp', 'after'); os.replace('o.tmp', 'OPEN')
print(kept.read(), os.fstat(kept.fileno()).st_size, said('Open', 'oPEN'))
""",
    "folders": """
os.makedirs('Maps/First'); write('maps/FIRST/a', 'a'); os.chdir('MAPS'); print(said('first/A')); os.rename('first', 'Second')
print(said('FIRST/a', 'SECOND/a')); os.chdir('..'); os.rename('maps', 'Levels'); print(said('Maps/second/a', 'LEVELS/second/A'))
os.unlink('levels/SECOND/A'); os.rmdir('levels/second'); print(said('Levels/Second')); os.mkdir('LEVELS/second')
""",
    "names of digits alone, and beyond ASCII": """
os.mkdir('1'); print(said('1/É', '1/2')); write('1/é', 'e'); write('1/2', '2'); print(said('1/É', '1/2'))
os.replace('1/2', '1/É'); print(said('1/é', '1/2'))
""",
    "one name, written another way": """
write('Case', 'text'); os.rename('Case', 'CASE'); print(said('case')); os.rename('case', 'Other'); print(said('CASE', 'OTHER'))
""",
}


@pytest.fixture(scope="module", params=[False, True], ids=["root", "user"])
def served(request, tool):
    with tempfile.TemporaryDirectory(prefix="seekless-case-") as parent:
        os.chmod(parent, 0o755)
        state = Path(parent) / "own"
        state.mkdir()
        if request.param:
            os.chown(state, served_campaign.PLAYER, served_campaign.PLAYER)
        try:
            with served_campaign.on_ntfs_of_any_case(Path(parent)) as disk:
                yield served_campaign.Served(tool, disk, state, request.param)
        except served_campaign.Missing as missing:
            pytest.skip(str(missing))


def fresh(served, name):
    folder = served.folder / name
    folder.mkdir()
    (folder / "Data.pak").write_bytes(b"x" * 10_000)
    return folder


@pytest.mark.parametrize("what", GAMES)
def test_all_spellings_lead_to_what_is_there(served, what):
    seen = []
    for way in ("plain", "served"):
        folder = fresh(served, f"{list(GAMES).index(what)} {way}")
        game = [*served_campaign.PYTHON, BEGIN + GAMES[what]]
        command = [*served.prefix, *game] if way == "plain" else [*served.played(), folder, "--", *game]
        done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=WAIT_S)
        assert done.returncode == DONE, (way, done.stdout, done.stderr)
        seen.append((done.stdout, sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))))
    assert seen[1] == seen[0]
