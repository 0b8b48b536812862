"""`seekless play`: a folder that is served behaves as the folder itself, the game's exit code comes back, what it
reads becomes a trace, and nothing that happens to the server changes a byte."""
import contextlib
import hashlib
import json
import os
import pty
import random
import resource
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import page_cache
from game import noise
from programs import build_preload
from tool import DONE, as_nobody, give_to_nobody, tree

PYTHON = [sys.executable, "-I", "-S"]
WAIT_S = 60


def why_not():
    """Returns what is missing to mount FUSE in an own name space."""
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "there is no /dev/fuse that may be opened"
    if subprocess.run(["unshare", "-rm", "--propagation", "slave", "true"], capture_output=True).returncode != 0:
        return "user name spaces aren't allowed here"
    return None


pytestmark = [pytest.mark.skipif(why_not() is not None, reason=why_not() or "")]
ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user needs root")


@pytest.fixture
def folder(tmp_path):
    served = tmp_path / "game"
    (served / "sub").mkdir(parents=True)
    (served / "data").write_bytes(noise(1, 3_000_001))
    (served / "sub" / "note").write_text("hello")
    (served / "link").symlink_to("sub/note")
    return served


def play(tool, folder, *command, options=(), **how):
    return tool.run("play", "--always", *options, folder, "--", *command, **how)


def script(tool, folder, text, code=DONE, options=(), **how):
    """Runs Python in the game's folder."""
    answer = play(tool, folder, *PYTHON, "-c", text, options=options, cwd=folder, **how)
    assert answer.code == code, answer.err
    return answer


def same_inside_and_outside(tool, folder, text):
    """Checks that a program prints the same whether the folder is served or not; it works on a copy each time."""
    other = folder.with_name("other") / "game"
    shutil.copytree(folder, other, symlinks=True)
    plain = subprocess.run([*PYTHON, "-c", text], cwd=other, capture_output=True, check=True).stdout
    served = script(tool, folder, text).out
    assert served == plain
    assert tree(folder) == tree(other)
    return served.decode()


def test_a_program_sees_its_folder_at_the_same_place(tool, folder):
    answer = script(tool, folder, "import os; print(os.getcwd()); print(open('/proc/mounts').read())")
    lines = answer.text.splitlines()
    assert lines[0] == str(folder)
    assert [line for line in lines if line.startswith(f"seekless {folder} fuse.seekless ")]
    assert f"seekless {folder} " not in Path("/proc/mounts").read_text()


@pytest.mark.parametrize("code", [0, 1, 3, 77])
def test_the_exit_code_is_the_games(tool, folder, code):
    assert play(tool, folder, "sh", "-c", f"exit {code}").code == code


def test_a_game_that_a_signal_ends_gives_128_and_its_number(tool, folder):
    done = subprocess.run(tool.command("play", "--always", folder, "--", "sh", "-c", "kill -SEGV $$"), timeout=WAIT_S)
    assert done.returncode == 128 + signal.SIGSEGV


def test_what_cannot_start_is_told(tool, folder):
    play(tool, folder, "no-such-game").says("no-such-game", "No such file")


@ROOT_ONLY
def test_nobody_needs_root(tool, folder, tmp_path_factory):
    give_to_nobody(folder.parent, folder, *folder.rglob("*"))
    answer = play(tool, folder, "sh", "-c", "id -u; cat sub/note; echo mine > sub/new; mkdir d; stat -c %u sub/new d",
                  prefix=as_nobody(tmp_path_factory.mktemp("fuse")), cwd=folder)
    assert answer.code == DONE, answer.err
    assert answer.text == "65534\nhello65534\n65534\n"
    assert (folder / "sub" / "new").read_text() == "mine\n"
    assert (folder / "sub" / "new").stat().st_uid == 65534


@ROOT_ONLY
def test_a_folder_that_nobody_may_look_at_is_not_called_missing(tool, folder, tmp_path_factory):
    give_to_nobody(folder.parent, folder)
    folder.parent.chmod(0o700)
    answer = play(tool, folder, "true", prefix=as_nobody(tmp_path_factory.mktemp("fuse")))
    assert answer.code == 0  # the game's own
    assert f"{folder}: cannot look at: found Permission denied; the game is run without being served" in answer.err


def test_every_byte_reads_the_same_by_every_call(tool, folder):
    text = """
import hashlib, mmap, os
print(hashlib.sha256(open('data', 'rb').read()).hexdigest())
fd = os.open('data', os.O_RDONLY)
print(hashlib.sha256(mmap.mmap(fd, 0, mmap.MAP_SHARED, mmap.PROT_READ)).hexdigest())
print(hashlib.sha256(mmap.mmap(fd, 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)).hexdigest())
print(os.pread(fd, 100, 2_999_990), os.pread(fd, 10, 4_000_000), os.readlink('link'), open('link').read())
print(sorted(os.listdir('.')), os.stat('data').st_size, oct(os.stat('data').st_mode), os.stat('sub').st_nlink)
print(os.statvfs('.').f_blocks, os.path.exists('no'), os.access('data', os.X_OK))
buffer = mmap.mmap(-1, 8192)
direct = os.open('data', os.O_RDONLY | os.O_DIRECT)
print(os.preadv(direct, [buffer], 4096), hashlib.sha256(buffer).hexdigest())
"""
    assert "sub/note" in same_inside_and_outside(tool, folder, text)


def test_what_is_written_is_the_truth_at_once(tool, folder):
    text = f"""
import os, subprocess
with open('save', 'wb') as f:
    f.write(b'one'); f.flush()
    print(open('save').read(), os.stat('save').st_size)
    os.fsync(f.fileno())
with open('save', 'ab') as f: f.write(b' two')
with open('save', 'r+b') as f:
    f.seek(4); f.write(b'TWO'); f.flush(); print(open('save').read())
    f.truncate(5); print(open('save').read())
os.truncate('save', 3); print(open('save').read())
os.rename('save', 'sub/save2'); print(os.path.exists('save'), open('sub/save2').read())
os.replace('sub/save2', 'sub/note'); print(open('link').read())
os.mkdir('new'); os.rmdir('new'); os.symlink('data', 'new'); print(os.readlink('new')); os.unlink('new')
"""
    assert "one TWO" in same_inside_and_outside(tool, folder, text)
    assert (folder / "sub" / "note").read_text() == "one"


def test_links_modes_times_and_attributes(tool, folder):
    text = """
import os, stat
os.link('data', 'sub/twin'); a, b = os.stat('data'), os.stat('sub/twin')
print(a.st_ino == b.st_ino, a.st_nlink, b.st_nlink)
with open('sub/twin', 'r+b') as f: f.write(b'changed')
print(open('data', 'rb').read(7)); os.unlink('data'); print(open('sub/twin', 'rb').read(9), os.stat('sub/twin').st_nlink)
os.chmod('sub/note', 0o640); os.utime('sub/note', ns=(5, 7_000_000_001)); s = os.stat('sub/note')
print(oct(s.st_mode), s.st_atime_ns, s.st_mtime_ns)
os.utime('link', ns=(1, 2), follow_symlinks=False); print(os.lstat('link').st_mtime_ns, os.stat('link').st_mtime_ns)
os.mkfifo('pipe'); print(stat.S_ISFIFO(os.stat('pipe').st_mode)); os.unlink('pipe')
try:
    os.setxattr('sub/note', 'user.seekless', b'value'); print(os.getxattr('sub/note', 'user.seekless'))
    print(os.listxattr('sub/note')); os.removexattr('sub/note', 'user.seekless'); print(os.listxattr('sub/note'))
except OSError as error: print(error.errno)
for call in (lambda: os.rmdir('sub'), lambda: os.mkdir('sub'), lambda: os.unlink('no'), lambda: os.rename('no', 'x'),
             lambda: open('sub'), lambda: os.readlink('sub/note'), lambda: open('link/x')):
    try: call(); print('done')
    except OSError as error: print(error.errno)
"""
    same_inside_and_outside(tool, folder, text)


def test_files_that_are_gone_can_still_be_used(tool, folder):
    text = """
import os, tempfile
f = open('data', 'r+b'); os.unlink('data')
f.seek(2_000_000); a = f.read(5); f.seek(0); f.write(b'still'); f.flush(); f.seek(0)
print(a, f.read(5), os.fstat(f.fileno()).st_nlink, os.path.exists('data'))
g = open('sub/note'); os.rename('link', 'sub/note'); print(g.read(), os.readlink('sub/note')); os.unlink('sub/note')
os.ftruncate(f.fileno(), 3); print(os.fstat(f.fileno()).st_size)
os.mkdir('w'); open('w/x', 'w').write('1'); os.rename('w', 'v'); print(open('v/x').read(), os.listdir('v'))
"""
    same_inside_and_outside(tool, folder, text)


def test_shared_memory_of_a_file_reaches_it(tool, folder):
    text = """
import mmap, os
fd = os.open('data', os.O_RDWR); m = mmap.mmap(fd, 0); m[100:105] = b'memry'; m.flush()
print(os.pread(fd, 7, 99)); m.close()
private = mmap.mmap(fd, 0, mmap.MAP_PRIVATE); private[0:4] = b'mine'; print(os.pread(fd, 4, 0))
"""
    same_inside_and_outside(tool, folder, text)


def test_locks_hold_between_processes_of_the_game(tool, folder):
    text = """
import fcntl, os, sys
f = open('data', 'r+b'); fcntl.flock(f, fcntl.LOCK_EX)
g = open('sub/note', 'r+b'); fcntl.lockf(g, fcntl.LOCK_EX)
if os.fork() == 0:
    for name, lock in (('data', fcntl.flock), ('sub/note', fcntl.lockf)):
        try: lock(open(name, 'r+b'), fcntl.LOCK_EX | fcntl.LOCK_NB); print('taken')
        except OSError as error: print(error.errno)
    sys.stdout.flush(); os._exit(0)
os.wait()
"""
    assert same_inside_and_outside(tool, folder, text).split() == ["11", "11"]


def test_holes_stay_holes_and_can_be_found(tool, folder):
    text = """
import os
fd = os.open('holes', os.O_RDWR | os.O_CREAT); os.pwrite(fd, b'x' * 4096, 10 << 20); os.ftruncate(fd, 20 << 20)
print(os.lseek(fd, 0, os.SEEK_DATA), os.lseek(fd, 10 << 20, os.SEEK_HOLE), os.stat('holes').st_blocks < 100)
os.posix_fallocate(fd, 0, 1 << 20); print(os.fstat(fd).st_size)
"""
    same_inside_and_outside(tool, folder, text)


def test_names_in_any_encoding_and_many_in_one_folder(tool, folder):
    text = r"""
import os
for name in (b'\xff\xfe caf\xe9', b'\xe3\x81\x82', b'new\nline', b'x' * 255): open(name, 'w').write('1')
os.mkdir('many')
for i in range(3000): open(f'many/{i}', 'w').close()
print(len(os.listdir('many')), sorted(os.listdir(b'.'))[:9])
with os.scandir('many') as found: print(sum(entry.stat().st_size == 0 and entry.is_file() for entry in found))
for i in range(0, 3000, 2): os.unlink(f'many/{i}')
print(len(os.listdir('many')))
"""
    same_inside_and_outside(tool, folder, text)


def test_what_others_change_shows_when_it_is_opened(tool, folder, tmp_path):
    """The game asks a process outside to write, through files that aren't served."""
    ask, go = tmp_path / "ask", tmp_path / "go"
    os.mkfifo(ask), os.mkfifo(go)
    text = f"""
print(len(open('data', 'rb').read()), open('sub/note').read())
open({str(ask)!r}, 'w').close(); open({str(go)!r}).close()
print(open('data', 'rb').read(3), open('sub/note').read(), open('sub/fresh').read())
"""
    child = subprocess.Popen(tool.command("play", "--always", folder, "--", *PYTHON, "-c", text), cwd=folder,
                             stdout=subprocess.PIPE)
    open(ask).close()
    with open(folder / "data", "r+b") as file:
        file.write(b"new")
    (folder / "sub" / "note").write_text("olleh")
    (folder / "sub" / "fresh").write_text("fresh")
    open(go, "w").close()
    assert child.communicate(timeout=WAIT_S)[0].decode().splitlines() == ["3000001 hello", "b'new' olleh fresh"]


def test_children_that_stay_are_waited_for(tool, folder, tmp_path):
    answer = play(tool, folder, "sh", "-c",
                  f"(sleep 1; cat sub/note > {tmp_path}/seen) >/dev/null 2>&1 & exit 5", cwd=folder)
    assert answer.code == 5
    assert (tmp_path / "seen").read_text() == "hello"


def test_programs_start_from_the_folder(tool, folder):
    shutil.copy(shutil.which("cat"), folder / "cat")
    assert play(tool, folder, folder / "cat", "sub/note", cwd=folder).text == "hello"
    assert play(tool, folder, "sh", "-c", "cp cat dog && ./dog sub/note", cwd=folder).text == "hello"


# ---- what it learns -----------------------------------------------------------------------------

LOAD = """
import hashlib, os
for name in sorted(os.listdir('many')): print(name, hashlib.sha256(open('many/' + name, 'rb').read()).hexdigest())
"""


@pytest.fixture
def many(folder):
    (folder / "many").mkdir()
    for number in range(60):
        (folder / "many" / f"{number:02}").write_bytes(noise(number, 20_000 + 1_000 * number))
    return folder


@pytest.fixture
def played(tool, many, tmp_path):
    """Runs the load, and returns the messages and the output."""
    def run(*options):
        answer = script(tool, many, LOAD, options=["--state", tmp_path / "state", "--json", tmp_path / "r.json", *options])
        return json.loads((tmp_path / "r.json").read_text()), answer
    return run


def status(tool, folder, tmp_path, *options):
    return tool.json("play", folder, "--state", tmp_path / "state", "--status", *options)


def test_steam_tells_the_folder(tool, tmp_path):
    """Steam starts a native game and one under Proton like this: its own programs first, options without '--' before
    them."""
    game = tmp_path / "library 2" / "steamapps" / "common" / "My Game"
    proton = tmp_path / "steamapps" / "common" / "Proton 9.0"
    for folder in (game, proton):
        folder.mkdir(parents=True)
    (game / "run").write_text("#!/bin/sh\nexec cat data\n")
    (game / "run").chmod(0o755)
    (proton / "proton").write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    (proton / "proton").chmod(0o755)
    (game / "data").write_text("the game's own")
    state = ["--state", tmp_path / "state", "--always", "--json", tmp_path / "answer"]
    for command in ([game / "run"], [proton / "proton", "--verb=run", "--", game / "run"]):
        answer = tool.run("play", *state, "--steam", *command, cwd=game)
        assert (answer.code, answer.text) == (0, "the game's own"), answer.errors
        assert json.loads((tmp_path / "answer").read_text())["folder"] == str(game)
    environment = {**os.environ, "STEAM_COMPAT_INSTALL_PATH": str(game)}
    assert tool.run("play", *state, "--steam", "cat", "data", cwd=game, env=environment).text == "the game's own"
    tool.run("play", "--status", "--steam", "true", cwd=tmp_path).says("--steam", "steamapps/common", "name the folder")


def test_the_second_run_is_foreseen_and_reads_the_same(tool, played, many, tmp_path):
    first, one = played()
    assert first["scenarios"] == 1 and first["foreseen"]["fetched_bytes"] == 0
    second, two = played()
    assert second["scenarios"] == 1
    assert one.out == two.out
    known = status(tool, many, tmp_path)
    load, = known.pop("loads")
    assert known == {"command": "play", "folder": str(many), "scenarios": 1, "files": 60, "shadow_bytes": 0}
    assert load["runs"] == 2 and load["likely_bytes"] > 0 and load["laid_out_bytes"] == 0
    assert load["first_waited_s"] > 0 and load["last_waited_s"] > 0
    assert "1 scenario learned, of 60 files" in tool.ok("play", many, "--state", tmp_path / "state", "--status").text


def limited_to(megabytes):
    """Limits the address space of a child before it starts."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    return limit


@pytest.mark.parametrize("megabytes", [60, 120, 200, 260])
def test_without_memory_for_more_threads_it_goes_on(tool, many, tmp_path, megabytes):
    """A thread of the server that has no room for its first call must not end the others."""
    command = tool.command("play", "--always", "--state", tmp_path / "state", many, "--", "sh", "-c", "cat many/* | wc -c")
    done = subprocess.run(command, cwd=many, capture_output=True, text=True, preexec_fn=limited_to(megabytes), timeout=WAIT_S)
    assert "was ended" not in done.stderr
    if done.returncode == DONE and "Cannot allocate memory" not in done.stderr:
        assert int(done.stdout) == sum(path.stat().st_size for path in (many / "many").iterdir())
    assert "take calls" not in done.stderr
    assert "Transport endpoint" not in done.stderr and "Software caused connection abort" not in done.stderr


@pytest.mark.parametrize("megabytes", [80, 100, 120])
def test_nothing_is_used_once_its_last_call_is_answered(tool, many, tmp_path, megabytes):
    """One thread may close a folder before the one that reported its names goes on. With little room, returned
    memory is unmapped, so using it ends the server."""
    library = build_preload("pause_after_answers", tmp_path)
    names = "ls -f many > /dev/null; for i in 1 2 3; do : > new; ls -f . > /dev/null; rm new; ls -f . > /dev/null; done"
    command = tool.command("play", "--always", "--state", tmp_path / "state", many, "--", "env", "-u", "LD_PRELOAD", "sh", "-c", names)
    done = subprocess.run(command, cwd=many, capture_output=True, text=True, preexec_fn=limited_to(megabytes), timeout=WAIT_S,
                          env={**os.environ, "LD_PRELOAD": str(library)})
    assert done.returncode == DONE and "was ended" not in done.stderr, done.stderr


def test_it_steps_aside_where_memory_holds_what_is_known(tool, many, tmp_path):
    def was_served(*options):
        answer = tool.run("play", "--state", tmp_path / "state", "--json", tmp_path / "r.json", *options, many, "--", *PYTHON, "-c", LOAD,
                          cwd=many)
        assert answer.code == DONE, answer.err
        if "lie on a rotating disk" in answer.err:
            pytest.skip("the files lie on solid state")
        served = json.loads((tmp_path / "r.json").read_text())["was_served"]
        assert served or "in memory" in answer.err
        return served

    tree(many)
    assert not was_served()  # all of the folder is in memory
    page_cache.forget(many)
    if tool.json("where", many / "many" / "59").get("cached_bytes"):
        pytest.skip("this file system forgets nothing")
    assert was_served()
    (many / "data").read_bytes()  # the load reads nothing of this file
    assert not was_served()
    assert was_served("--always")
    assert was_served("--lay-out")
    assert not was_served("--lay-out")
    page_cache.forget(many / "many")
    assert was_served("--lay-out")


def test_what_is_known_follows_the_game_by_its_name(tool, played, many, tmp_path):
    _, one = played("--game", "quake")
    moved = many.with_name("moved")
    many.rename(moved)
    page_cache.forget(moved)
    known = status(tool, moved, tmp_path, "--game", "quake")
    assert known["scenarios"] == 1 and known["loads"][0]["runs"] == 1
    assert status(tool, moved, tmp_path)["scenarios"] == 0
    told = script(tool, moved, LOAD, options=["--state", tmp_path / "state", "--game", "quake", "--json", tmp_path / "r.json"])
    assert told.out == one.out
    assert json.loads((tmp_path / "r.json").read_text())["foreseen"]["fetched_bytes"] >= 60 * 20_000


@pytest.fixture
def own_disk(many, tmp_path):
    """The folder on a file system of its own, which nobody else reads or writes."""
    image = tmp_path / "image"
    with open(image, "wb") as file:
        file.truncate(64 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", image], check=True)
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    subprocess.run(["mount", "-o", "loop,noatime,noinit_itable", image, mounted], check=True)
    try:
        shutil.copytree(many, mounted / "game")
        page_cache.write_back(mounted)
        yield mounted / "game"
    finally:
        subprocess.run(["umount", "--lazy", mounted], check=True)


@ROOT_ONLY
def test_what_usually_comes_next_is_fetched_while_nothing_is_read(tool, own_disk, tmp_path):
    """A start, a pause in a menu, and a map: the third time the map is fetched in the pause, and the game ends
    without it."""
    (own_disk / "start").write_bytes(noise(100, 2_000_000))
    (own_disk / "map").write_bytes(noise(101, 3_000_000))
    page_cache.write_back(own_disk)
    menu_s = 5.5
    loads = f"import time; open('start', 'rb').read(); time.sleep({menu_s}); open('map', 'rb').read()"
    for _ in range(2):
        script(tool, own_disk, loads, options=["--state", tmp_path / "state"])
    text = tool.ok("play", own_disk, "--state", tmp_path / "state", "--status").text
    assert "start: 2 runs" in text and "then usually map" in text
    page_cache.forget(own_disk)
    def waits(more_s):
        return f"import time; open('start', 'rb').read(); time.sleep({menu_s + more_s})"

    # It is long, because the drive must be idle for two seconds of it, and a busy machine writes now and then.
    script(tool, own_disk, waits(8), options=["--state", tmp_path / "state", "--json", tmp_path / "r.json"])
    foreseen = json.loads((tmp_path / "r.json").read_text())["foreseen"]
    assert foreseen["fetched_next"] == ["map"]
    assert foreseen["fetched_bytes"] >= 5_000_000
    # A load that was seen only once isn't fetched.
    tool.ok("play", own_disk, "--state", tmp_path / "state", "--forget")
    script(tool, own_disk, loads, options=["--state", tmp_path / "state"])
    script(tool, own_disk, waits(3), options=["--state", tmp_path / "state", "--json", tmp_path / "r.json"])
    assert json.loads((tmp_path / "r.json").read_text())["foreseen"]["fetched_next"] == []


PIECES, APART_BYTES = 40, 1 << 20


def pieces_far_apart(folder):
    """A load that needs a little of each megabyte of a file."""
    (folder / "archive").write_bytes(noise(1, PIECES * APART_BYTES))
    return f"""
import os
file = os.open('archive', os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
for number in range({PIECES}): os.pread(file, 4096, number * {APART_BYTES})
"""


def test_laying_out_is_offered_where_it_pays(tool, many, tmp_path):
    loads = pieces_far_apart(many)
    state = ["--state", tmp_path / "state", "--json", tmp_path / "r.json"]
    assert "--lay-out" not in script(tool, many, loads, options=state).err  # one run tells little
    assert "--lay-out would save" in script(tool, many, loads, options=state).err
    assert json.loads((tmp_path / "r.json").read_text())["laying_out_saves_s"] > 0.2
    for answer, is_laid_out in (("n", False), ("", False), ("y", True)):
        main, side = pty.openpty()
        child = subprocess.Popen(tool.command("play", "--always", *state, many, "--", *PYTHON, "-c", loads), cwd=many,
                                 stdin=side, stdout=subprocess.DEVNULL, stderr=side)
        os.close(side)
        os.write(main, f"{answer}\n".encode())
        assert child.wait(WAIT_S) == DONE
        shown = os.read(main, 65536).decode(errors="replace")
        os.close(main)
        assert "[y/N]" in shown
        assert ("laid out:" in shown) == is_laid_out
    assert status(tool, many, tmp_path)["shadow_bytes"] >= PIECES * 4096
    again = script(tool, many, loads, options=state)
    assert "--lay-out" not in again.err
    assert json.loads((tmp_path / "r.json").read_text())["foreseen"]["shadow_reads"] >= PIECES


def test_the_shadow_is_copied_anew_only_where_it_lacks_something(played, many, tmp_path):
    played("--lay-out")
    def shadow():
        return next((tmp_path / "state").rglob("shadow-*"))
    before = shadow().name
    size = played("--lay-out")[0]["shadow_bytes"]
    assert shadow().name == before and size == shadow().stat().st_size
    for number in range(20):
        (many / "many" / f"{number:02}").write_bytes(noise(500 + number, 20_000))
    played("--lay-out")
    assert shadow().name != before
    before = shadow().name
    whole = bytearray(shadow().read_bytes())
    whole[1000] ^= 1
    shadow().write_bytes(whole)
    played("--lay-out")
    assert shadow().name != before
    assert played()[0]["foreseen"]["damaged_chunks"] == 0


def test_laid_out_its_reads_come_from_the_shadow_byte_for_byte(played, many):
    before = tree(many)
    _, one = played("--lay-out")
    laid_out, two = played()
    assert laid_out["foreseen"]["shadow_reads"] >= 60
    assert laid_out["foreseen"]["damaged_chunks"] == 0
    assert two.out == one.out
    assert tree(many) == before


def test_the_shadow_keeps_to_its_room(played, tmp_path):
    told, answer = played("--lay-out", "--room", 100_000)
    assert told["shadow_bytes"] == 0
    assert "laid out: nothing;" in answer.err and "--room" in answer.err
    size = played("--lay-out")[0]["shadow_bytes"]
    assert size == sum(-(-(20_000 + 1_000 * number) // 4096) * 4096 for number in range(60))
    assert sum(path.stat().st_size for path in (tmp_path / "state").rglob("shadow-*")) == size
    played("--lay-out")
    assert len(list((tmp_path / "state").rglob("shadow-*"))) == 1


def test_a_file_that_changed_is_read_from_its_original(played, many):
    played("--lay-out")
    file = many / "many" / "07"
    stat = file.stat()
    file.write_bytes(noise(1000, stat.st_size))
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    told, answer = played()
    assert hashlib.sha256(file.read_bytes()).hexdigest() in answer.text
    assert told["foreseen"]["shadow_reads"] >= 50


def test_what_the_game_writes_is_never_read_from_the_shadow(tool, played, many, tmp_path):
    played("--lay-out")
    text = """
a = open('many/07', 'r+b'); b = open('many/07', 'rb'); a.write(b'fresh'); a.flush(); print(b.read(9)[:5])
open('many/08', 'wb').write(b'short'); print(open('many/08', 'rb').read())
"""
    answer = script(tool, many, text, options=["--state", tmp_path / "state"])
    assert answer.text == "b'fresh'\nb'short'\n"


def test_a_damaged_shadow_costs_no_byte(played, tmp_path):
    _, one = played("--lay-out")
    shadow = next((tmp_path / "state").rglob("shadow-*"))
    whole = bytearray(shadow.read_bytes())
    whole[1000] ^= 1
    shadow.write_bytes(whole)
    told, two = played()
    assert told["foreseen"]["damaged_chunks"] == 1
    assert two.out == one.out
    shadow.write_bytes(whole[:5000])
    assert played()[1].out == one.out
    shadow.unlink()
    assert played()[1].out == one.out


def test_what_was_learned_may_be_damaged_or_forgotten(tool, played, many, tmp_path):
    _, one = played("--lay-out")
    learned = next((tmp_path / "state").rglob("learned.json"))
    learned.write_bytes(learned.read_bytes()[:1000])
    told, two = played()
    assert two.out == one.out and "--forget" in two.err and told["scenarios"] == 1
    played("--lay-out")
    assert status(tool, many, tmp_path)["scenarios"] == 1
    assert "forgotten" in tool.ok("play", many, "--state", tmp_path / "state", "--forget").text
    assert [path for path in (tmp_path / "state").rglob("*") if path.name == "learned.json"] == []
    assert status(tool, many, tmp_path)["scenarios"] == 0


def test_a_second_game_on_the_folder_is_served_without_learning(tool, folder, tmp_path):
    (folder / "twice").write_text("1")
    inner = " ".join(map(str, tool.command("play", "--always", "--state", tmp_path / "state", folder, "--", "cat",
                                           folder / "twice")))
    for run in (1, 2):  # the first makes the state at its end, and finds that the inner one was faster
        answer = play(tool, folder, "sh", "-c", f"cat {folder}/data > /dev/null; {inner}", options=["--state", tmp_path / "state"])
        assert answer.code == DONE and answer.text == "1"
        told = "no other run that plays this game or lays it out" if run == 1 else "nothing is prefetched or learned this time"
        assert told in answer.err
        assert ("what both write may be lost: end one" in answer.err) == (run == 2)


# ---- what happens to the server -----------------------------------------------------------------

def server_of(process):
    """The child of `seekless play` that answers the kernel."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        for entry in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError, IndexError):
                name, _, rest = entry.read_text().partition("(")[2].rpartition(")")
                if name == "seekless-serve" and int(rest.split()[1]) == process.pid:
                    return int(entry.parent.name)
        time.sleep(0.01)
    raise AssertionError("there is no server")


READS_ON = """
import os, random, sys, time
random.seed(int(sys.argv[1])); end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    try:
        with open('data', 'rb') as f: f.seek(random.randrange(3_000_000)); f.read(50_000)
        with open('sub/note') as f: f.read()
    except OSError: pass
"""


def test_a_server_that_is_killed_costs_no_byte_and_is_told(tool, folder):
    before = tree(folder)
    child = subprocess.Popen(tool.command("play", "--always", folder, "--", *PYTHON, "-c", READS_ON + """
os.chdir('/'); os.chdir(sys.argv[3])
print(len(open('data', 'rb').read()), open('sub/note').read())
""", 1, 2, folder), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    server = server_of(child)
    time.sleep(0.7)
    os.kill(server, signal.SIGKILL)
    out, err = child.communicate(timeout=WAIT_S)
    assert child.returncode == 0, err
    assert out.decode() == "3000001 hello\n"
    assert f"{folder}: the process that served it was ended (signal 9)" in err.decode()
    assert tree(folder) == before


def test_killed_at_random_moments_it_changes_no_byte(tool, folder):
    before = tree(folder)
    for round_ in range(int(os.environ.get("SEEKLESS_PLAY_KILLS", 8))):
        child = subprocess.Popen(tool.command("play", "--always", folder, "--", *PYTHON, "-c", READS_ON, round_, 0.4), cwd=folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server = server_of(child)
        time.sleep(random.Random(round_).random() * 0.4)
        with contextlib.suppress(ProcessLookupError):
            os.kill(server, signal.SIGKILL)
        child.wait(timeout=WAIT_S)
        assert tree(folder) == before


SAVES_LATER = """
import os, sys, time
for at in range(0, 3_000_000, 50_000): open('data', 'rb').read(at)
open('begun', 'w').close(); time.sleep(0.4)
open('save.tmp', 'wb').write(open('data', 'rb').read()); os.replace('save.tmp', 'save')
"""


def wait_for(file):
    end = time.monotonic() + WAIT_S
    while not file.exists():
        assert time.monotonic() < end, f"there is no {file}"
        time.sleep(0.01)


def test_killed_itself_at_random_moments_it_leaves_a_game_that_goes_on(tool, folder, tmp_path):
    words = tool.command("play", "--always", "--state", tmp_path / "state", folder, "--", *PYTHON, "-c", SAVES_LATER)
    saves = 0
    for round_ in range(int(os.environ.get("SEEKLESS_PLAY_KILLS", 6))):
        ended, others = os.pipe()  # the game and the server hold it open
        child = subprocess.Popen(words, cwd=folder, stdout=others, stderr=subprocess.DEVNULL)
        os.close(others)
        if round_ % 2 == 0:  # on a busy machine, the others may all be killed before
            wait_for(folder / "begun")
        time.sleep(random.Random(round_).random() * (0.4 if round_ % 2 == 0 else 0.8))
        child.kill()
        child.wait()
        with open(ended, "rb") as waiting:
            assert select.select([waiting], [], [], WAIT_S)[0] and waiting.read() == b"", "something of it is left"
        assert str(folder) not in Path("/proc/mounts").read_text()
        if (folder / "begun").exists():
            assert (folder / "save").read_bytes() == (folder / "data").read_bytes()
            saves += 1
        for name in ("begun", "save", "save.tmp"):
            (folder / name).unlink(missing_ok=True)
    assert saves > 0
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=WAIT_S)
    assert done.returncode == 0 and "no other play" not in done.stderr, done.stderr


def test_a_server_that_is_stopped_is_woken(tool, folder):
    child = subprocess.Popen(tool.command("play", "--always", folder, "--", *PYTHON, "-c", READS_ON, 1, 1), cwd=folder,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    os.kill(server_of(child), signal.SIGSTOP)
    assert child.wait(timeout=WAIT_S) == 0
    assert b"warning" not in child.stderr.read()


def test_who_started_it_may_end_it(tool, folder):
    child = subprocess.Popen(tool.command("play", "--always", folder, "--", "sleep", "100"), start_new_session=True)
    server_of(child)
    time.sleep(0.5)
    child.terminate()
    assert child.wait(timeout=WAIT_S) == 128 + signal.SIGTERM


def test_ctrl_c_is_the_games(tool, folder):
    child = subprocess.Popen(tool.command("play", "--always", folder, "--", "sh", "-c", "trap 'exit 9' INT; sleep 100"),
                             start_new_session=True)
    server = server_of(child)
    time.sleep(0.5)
    os.killpg(child.pid, signal.SIGINT)
    assert child.wait(timeout=WAIT_S) == 9
    assert not Path(f"/proc/{server}").exists()
