"""A folder that `seekless play` serves, as root and as an ordinary user, under tests of file systems: stress-ng's
stressors for file systems, fsx, and some sixty kinds of calls, compared with the plain folder; then other programs'
changes to its files, and faults of the disk.

Short here; by hand, for the long form: SEEKLESS_STRESS="--class filesystem --seq 1 --timeout 30", SEEKLESS_FSX_OPERATIONS=10000000,
and SEEKLESS_FSX, the program of the crate `fsx` (cargo install fsx), without which its test is skipped."""
import errno
import hashlib
import os
import re
import shutil
import subprocess

import pytest

import served_calls
import served_compare
from game import noise
from programs import build_preload
from test_play import pytestmark  # noqa: F401, as what is needed is the same
from tool import DONE, as_nobody, give_to_nobody

SHORT = "access chattr chdir chmod copy-file dentry dir dirdeep fallocate fcntl file-ioctl filename flock fpunch fstat getdent " \
        "hdd inode-flags iomix lease link locka lockf lockofd mknod open rename seek symlink touch utime verity xattr"
STRESS = os.environ.get("SEEKLESS_STRESS") or " ".join(f"--{name} 1" for name in SHORT.split()) + " --timeout 2"
FSX = os.environ.get("SEEKLESS_FSX") or shutil.which("fsx")
LONGEST_S = 7200
HANGS_S = 60
OPERATIONS = int(os.environ.get("SEEKLESS_FSX_OPERATIONS", 20000))
RUN = 2000  # fsx keeps its mappings, so operations of a long run get slower in any file system
PYTHON = ["/usr/bin/python3", "-I", "-S", "-c"]  # every user may run it


class Player:
    """The player: root, or a user in a user name space."""

    def __init__(self, tool, tmp_path, hidden=None):
        self.tool, self.tmp_path = tool, tmp_path
        self.prefix = [] if hidden is None else as_nobody(hidden, served_calls.SHARED)
        self.user = os.geteuid() if hidden is None else served_calls.USER
        self.give(self.make_folder("state"))

    def make_folder(self, name):
        folder = self.tmp_path / name
        folder.mkdir()
        return folder

    def give(self, folder):
        if self.user != os.geteuid():
            give_to_nobody(self.tmp_path, folder, *folder.rglob("*"))
        return folder

    def played(self, folder, *command, options=()):
        return [*self.prefix, *self.tool.command("play", "--always", "--state", self.tmp_path / "state", *options, folder, "--", *command)]

    def plays(self, folder, *command, **how):
        """Returns its output and its exit code; may take hours."""
        return said_of(self.played(folder, *command), **how)


@pytest.fixture(params=["root", "user"])
def player(request, tool, tmp_path, tmp_path_factory):
    if os.geteuid() == 0:
        return Player(tool, tmp_path, None if request.param == "root" else tmp_path_factory.mktemp("fuse"))
    if request.param == "root":
        pytest.skip("only root can play as root")
    return Player(tool, tmp_path)


def said_of(command, **how):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=LONGEST_S, **how)
    return done.stdout + done.stderr, done.returncode


def failing(text):
    """Returns the stressors that found something wrong."""
    return set(re.findall(r"stress-ng: fail: +\[\d+\] ([\w-]+):", text))


@pytest.mark.timeout(LONGEST_S)
@pytest.mark.skipif(shutil.which("stress-ng") is None, reason="there is no stress-ng")
def test_stress_finds_nothing_that_it_does_not_find_in_the_folder_itself(player):
    folders = [player.give(player.make_folder(name)) for name in ("native", "served")]
    native, shown = (["stress-ng", *STRESS.split(), "--verify", "--temp-path", folder] for folder in folders)
    found_natively = failing(said_of([*player.prefix, *native])[0])
    said, _ = player.plays(folders[1], *shown)
    assert "run completed" in said and "seekless: warning" not in said, said[-2000:]
    assert failing(said) <= found_natively, (failing(said), found_natively)


@pytest.mark.timeout(LONGEST_S)
@pytest.mark.skipif(FSX is None, reason="there is no fsx; cargo install fsx, and name it with SEEKLESS_FSX")
def test_fsx_reads_what_it_wrote(player):
    folder = player.give(player.make_folder("served"))
    runs = 'for seed in $(seq "$1"); do "$2" -qq -N "$3" -S "$seed" "$4" || exit; done'
    said, code = player.plays(folder, "sh", "-c", runs, "sh", OPERATIONS // RUN, FSX, RUN, folder / "file")
    assert code == DONE, said[-2000:]
    assert (folder / "file").exists()


@pytest.mark.timeout(LONGEST_S)
def test_every_kind_of_call_does_what_it_does_in_the_folder_itself(player):
    work = player.give(player.make_folder("work"))
    owner = None if player.user == os.geteuid() else player.user
    found = served_compare.compare(work, player.prefix, player.played("FOLDER"), owner)
    assert not found, found


def test_the_first_act_may_be_to_make_a_file(player):
    """No program has listed the folder before."""
    folder = player.make_folder("game")
    (folder / "save.tmp").write_text("saved")
    player.give(folder)
    acts = "import os; os.rename('save.tmp', 'save'); open('new', 'w').write('1'); os.mkdir('shots'); os.unlink('new')"
    said, code = player.plays(folder, *PYTHON, acts, cwd=folder)
    assert code == DONE, said
    assert sorted(os.listdir(folder)) == ["save", "shots"]


# ---- what others do meanwhile -------------------------------------------------------------------

class Meanwhile:
    """A game that waits at each `ask()` until the test has done something outside."""

    def __init__(self, player, folder):
        self.player, self.folder = player, folder
        self.pipes = [player.tmp_path / name for name in ("ask", "go")]
        for pipe in self.pipes:
            os.mkfifo(pipe)
            player.give(pipe)

    def run(self, text, *acts):
        ask, go = map(str, self.pipes)
        begin = f"import os, stat\ndef ask():\n    open({ask!r}, 'w').close(); open({go!r}).close()\n"
        game = subprocess.Popen([str(word) for word in self.player.played(self.folder, *PYTHON, begin + text)], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for act in acts:
            open(ask).close()
            act()
            open(go, "w").close()
        try:
            out, err = game.communicate(timeout=HANGS_S)
        except subprocess.TimeoutExpired:
            game.kill()
            raise
        assert game.returncode == DONE, err
        return out.splitlines()


@pytest.fixture
def shared(player):
    """A folder whose files the test also writes to."""
    folder = player.make_folder("game")
    for name in ("log", "data"):
        (folder / name).write_text("begin\n")
    return Meanwhile(player, player.give(folder))


def append_outside(file, text):
    with open(file, "a") as opened:
        opened.write(text)


@pytest.mark.parametrize("access", ["O_WRONLY", "O_RDWR"])
def test_what_is_appended_goes_to_the_end_that_there_is(shared, access):
    log = shared.folder / "log"
    seen = shared.run(f"""
print(open('log').read())
log = os.open('log', os.{access} | os.O_APPEND); os.write(log, b'game 1\\n'); ask()
os.write(log, b'game 2\\n'); print(repr(open('log').read())); ask()
os.write(log, b'game 3\\n'); print(repr(open('log').read()))
""", lambda: append_outside(log, "outside 1\n"), lambda: append_outside(log, "outside 2, " + "long " * 1000 + "\n"))
    lines = ["begin", "game 1", "outside 1", "game 2", "outside 2, " + "long " * 1000, "game 3"]
    assert log.read_text().splitlines() == lines
    assert seen[-1] == repr(log.read_text())


def test_what_is_opened_ends_where_it_ends(shared):
    """After others have written, one program seeks to the end, and one reads to the end."""
    data = shared.folder / "data"
    seen = shared.run("""
print(os.stat('data').st_size); open('data').read(); ask()
data = os.open('data', os.O_RDWR); print(os.lseek(data, 0, 2)); os.write(data, b'game\\n'); print(repr(open('data').read()))
""", lambda: append_outside(data, "outside\n"))
    assert seen == ["6", "14", repr("begin\noutside\ngame\n")]
    assert data.read_text() == "begin\noutside\ngame\n"


def make_pipe(path):
    os.mkfifo(path)
    return path


def replace_by(path, make):
    path.unlink(missing_ok=True)
    make(path)


@pytest.mark.parametrize("name", ["data", "new"])
def test_a_pipe_in_the_place_of_a_file_holds_up_nobody(shared, name):
    """Tests a known file, and one that is known not to exist. A process that waits at the pipe can be killed, and the
    server ends, too."""
    pipe = shared.folder / name
    seen = shared.run(f"""
import signal, time
print(os.path.exists('{name}') and open('{name}').read()); ask()
waits = os.fork()
if waits == 0: os.open('{name}', os.O_RDONLY | os.O_CREAT)
time.sleep(0.2); os.kill(waits, signal.SIGKILL); os.waitpid(waits, 0)
if os.fork() == 0: os.write(os.open('{name}', os.O_WRONLY | os.O_CREAT), b'through'); os._exit(0)
pipe = os.open('{name}', os.O_RDONLY | os.O_CREAT); print(stat.S_ISFIFO(os.fstat(pipe).st_mode), os.read(pipe, 9), open('log').read())
""", lambda: replace_by(pipe, lambda path: shared.player.give(make_pipe(path))))
    assert "True b'through' begin" in seen


def test_a_link_in_the_place_of_a_file_leads_where_it_leads(shared):
    data = shared.folder / "data"
    (shared.folder / "other").write_text("another")
    seen = shared.run("open('data').read(); ask(); print(open('data').read())", lambda: replace_by(data, lambda path: path.symlink_to("other")))
    assert seen == ["another"]


def test_a_file_that_others_removed_is_made_anew(shared):
    data = shared.folder / "data"
    shared.run("open('data').read(); ask(); open('data', 'w').write('fresh')", data.unlink)
    assert data.read_text() == "fresh"


# ---- what the disk does -------------------------------------------------------------------------

READS_ALL = """
import hashlib, os, sys
for name in sys.argv[1:]:
    file, got, failure = os.open(name, os.O_RDONLY), b'', None
    while failure is None:
        try: piece = os.read(file, 100_000)
        except OSError as error: failure = error.errno
        else:
            if not piece: break
            got += piece
    print(name, len(got), failure, hashlib.sha256(got).hexdigest(), len(os.pread(file, 50_000, 30 * 4096)), os.fstat(file).st_size)
"""
BAD_PAGE = 21  # same as in fail_reads.c


def test_a_bad_sector_is_an_error_and_what_is_read_in_little_pieces_is_read_to_its_end(player):
    library = build_preload("fail_reads", player.tmp_path)
    folder = player.make_folder("game")
    whole = noise(1, 300_000)
    for name in ("bad", "slow"):
        (folder / name).write_bytes(whole)
    player.give(folder)
    game = ["env", "-u", "LD_PRELOAD", *PYTHON, READS_ALL, "bad", "slow"]
    said, code = said_of([*player.prefix, "env", f"LD_PRELOAD={library}", *player.played(folder, *game)[len(player.prefix):]], cwd=folder)
    assert code == DONE, said
    good = BAD_PAGE * 4096
    lines = {line.split()[0]: line.split()[1:] for line in said.splitlines() if line.startswith(("bad ", "slow "))}
    assert lines["bad"] == [str(good), str(errno.EIO), hashlib.sha256(whole[:good]).hexdigest(), "50000", "300000"]
    assert lines["slow"] == ["300000", "None", hashlib.sha256(whole).hexdigest(), "50000", "300000"]
