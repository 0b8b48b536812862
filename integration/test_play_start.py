"""`seekless play` and `record` start a program that inherits the same as without them, gets signals that are sent to
it, and starts in any case."""
import json
import os
import resource
import shutil
import signal
import subprocess

import pytest

import page_cache
from test_play import PYTHON, ROOT_ONLY, WAIT_S, folder, play, pytestmark  # noqa: F401
from tool import DONE, OWN_MOUNTS, USAGE, as_nobody, give_to_nobody

# Prints what the program sees of itself. Numbers of processes and of the descriptor that lists descriptors differ each
# time.
SELF = """
import ctypes, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def fields(path, *names):
    return {line.split(':')[0]: line.split(':')[1].strip() for line in open(path) if line.split(':')[0] in names}
def descriptors():
    found = {}
    for name in sorted(os.listdir('/proc/self/fd'), key=int):
        try: found[name] = os.readlink('/proc/self/fd/' + name)
        except OSError: pass
    return found
print(json.dumps({
    'status': fields('/proc/self/status', 'SigBlk', 'SigIgn', 'SigPnd', 'Umask', *(['NoNewPrivs', 'Seccomp'] if len(sys.argv) < 2 else [])),
    'limits': open('/proc/self/limits').read(), 'descriptors': descriptors(), 'cwd': os.getcwd(),
    'nice': os.nice(0), 'ioprio': libc.syscall(252 if os.uname().machine == 'x86_64' else 31, 1, 0), 'policy': os.sched_getscheduler(0),
    'cpus': sorted(os.sched_getaffinity(0)), 'oom': open('/proc/self/oom_score_adj').read(), 'environment': dict(os.environ),
    'personality': open('/proc/self/personality').read(), 'groups': os.getgroups(),
    'ids': [os.getresuid(), os.getresgid()]}))
"""


def unusual():
    """A parent with unusual settings everywhere, so that nothing is the same only because it is the default."""
    os.umask(0o137)
    os.nice(3)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGQUIT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTERM, signal.SIGRTMIN})
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, 1000))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.close(0)


def no_input():
    os.close(0)


WAYS = {
    "served": ["play", "--always"],
    "aside": ["play"],
    "unserved": ["play", "--always"],
    "traced": ["play", "--always", "--trace", "t.jsonl"],
    "recorded": ["record", "-o", "r.jsonl"],
}


@pytest.mark.parametrize("how", [unusual, no_input, None])
@pytest.mark.parametrize("way", WAYS)
def test_a_program_inherits_what_it_would_without_us(tool, folder, tmp_path, way, how):
    # The recorder stops the program at calls by a filter, and such a program may gain no rights.
    command = [*PYTHON, "-c", SELF, *(["recorded"] if way == "recorded" else [])]
    elsewhere = tmp_path / "cwd"
    elsewhere.mkdir()
    environment = {**os.environ, "LD_BIND_NOW": "1", "SOMETHING": "of its own"}
    prefix = []
    if way == "unserved":
        prefix = without_device()
    files = {"cwd": elsewhere, "env": environment, "preexec_fn": how, "capture_output": True, "timeout": WAIT_S}
    plain = subprocess.run(prefix + command, **files)
    state = ["--state", tmp_path / "state"] if way != "recorded" else []
    words = tool.command(*WAYS[way], *state, *([folder] if way != "recorded" else []), "--", *command)
    if way == "aside":
        [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    done = subprocess.run(prefix + words, **files)
    assert done.returncode == 0 and plain.returncode == 0, done.stderr
    before, after = json.loads(plain.stdout), json.loads(done.stdout)
    for one in (before, after):  # pipes differ each time
        one["descriptors"] = {number: "pipe" if to.startswith("pipe:") else to for number, to in one["descriptors"].items()}
    if way in ("served", "traced") and os.geteuid() != 0:
        before["groups"] = after["groups"]  # a user name space knows one
    assert after == before


def without_device():
    """Returns a prefix for a command that runs as root: it finds no /dev/fuse that can be opened."""
    if os.geteuid() != 0:
        pytest.skip("hiding a device needs root")
    return [*OWN_MOUNTS, "sh", "-c", 'mount --bind /dev/fuse /dev/fuse && mount -o remount,bind,nodev /dev/fuse && exec "$@"', "sh"]


# ---- what is sent to it -------------------------------------------------------------------------

TRAP = "trap 'echo heard; exit 7' TERM HUP INT QUIT USR1 USR2; echo ready; while :; do sleep 0.05; done"


@pytest.mark.parametrize("name", ["TERM", "HUP", "INT", "QUIT", "USR1", "USR2"])
@pytest.mark.parametrize("options", [["--always"], []], ids=["served", "aside"])
def test_what_is_sent_to_play_reaches_the_game(tool, folder, tmp_path, options, name):
    [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    # A shell can't trap signals that it was started to ignore, and background programs ignore INT and QUIT.
    heeds = ["env", f"--default-signal={name}"]
    child = subprocess.Popen([*heeds, *tool.command("play", *options, "--state", tmp_path / "state", folder, "--", "sh", "-c", TRAP)],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    assert child.stdout.readline() == b"ready\n"
    child.send_signal(getattr(signal, f"SIG{name}"))
    out, err = child.communicate(timeout=WAIT_S)
    assert (child.returncode, out) == (7, b"heard\n"), err


def test_what_the_first_process_left_behind_hears_it_too(tool, folder, tmp_path):
    text = ("(trap 'echo heard; exit' TERM; while kill -0 $$ 2>/dev/null; do sleep 0.05; done; echo ready; "
            "while :; do sleep 0.05; done) & exit 3")
    child = subprocess.Popen(tool.command("play", "--always", "--state", tmp_path / "state", folder, "--", "sh", "-c", text),
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    assert child.stdout.readline() == b"ready\n"
    child.terminate()
    assert child.communicate(timeout=WAIT_S)[0] == b"heard\n"
    assert child.returncode == 3


# ---- where it can't be served -------------------------------------------------------------------

def runs_unserved(done, *words):
    """Checks that the game ran, with its own exit code, and that one line says why it wasn't served. Others may tell what was
    learned: on a busy machine, what is in memory may seem to be read by the game that is watched."""
    assert done.returncode == 5, done.stderr
    assert done.stdout == b"the game runs\n"
    line, = [line for line in done.stderr.decode().splitlines() if "the game is run without being served" in line]
    assert line.startswith("seekless: ")
    for word in words:
        assert word in line


GAME = ["sh", "-c", "echo the game runs; exit 5"]


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="there is no bwrap (Debian: bubblewrap)")
@pytest.mark.parametrize("sandbox, words", [
    (["--disable-userns", "--dev-bind", "/", "/"], ["user name space", "seekless warm"]),
    (["--bind", "/", "/", "--dev", "/dev"], ["/dev/fuse", "seekless warm"]),
], ids=["no user name spaces", "no device"])
def test_in_a_sandbox_the_game_runs(tool, folder, tmp_path, sandbox, words):
    prefix = ["bwrap", "--unshare-user", *sandbox]
    if os.geteuid() == 0:
        give_to_nobody(folder.parent, folder, folder.parent)
        prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *prefix]
    if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
        pytest.skip("bwrap can make no such sandbox here")
    binary = folder / "seekless"
    shutil.copy(tool.binary, binary)
    binary.chmod(0o755)
    done = subprocess.run([*prefix, str(binary), "play", "--always", "--state", folder.parent / "state", str(folder), "--", *GAME],
                          capture_output=True, timeout=WAIT_S)
    runs_unserved(done, *words)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="there is no bwrap (Debian: bubblewrap)")
def test_in_a_sandbox_that_lets_it_the_game_is_served(tool, folder, tmp_path):
    prefix = ["bwrap", "--unshare-user", "--dev-bind", "/", "/"]
    state = tmp_path / "state"
    state.mkdir()
    if os.geteuid() == 0:
        give_to_nobody(folder.parent, folder, state)
        (tmp_path / "fuse").mkdir()
        prefix = [*as_nobody(tmp_path / "fuse"), *prefix]
    if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
        pytest.skip("bwrap can make no such sandbox here")
    answer = tool.run("play", "--always", "--state", state / "s", "--json", state / "r.json", folder, "--", *GAME, prefix=prefix)
    assert (answer.code, answer.text) == (5, "the game runs\n"), answer.err
    assert json.loads((state / "r.json").read_text())["was_served"]


@pytest.mark.parametrize("home", [".", "game/home"], ids=["around the game", "within it"])
def test_the_home_may_lie_around_the_game_or_within_it(tool, tmp_path, home):
    game, home = tmp_path / "game", tmp_path / home
    game.mkdir()
    home.mkdir(exist_ok=True)
    (game / "data").write_bytes(bytes(100_000))
    environment = {"HOME": str(home), "XDG_STATE_HOME": ""}
    script = 'cat data | wc -c; date +%N >> "$HOME/save"; wc -l < "$HOME/save"; exit 5'
    for number in (1, 2):
        page_cache.forget(game)
        answer = tool.run("play", "--always", "--json", tmp_path / "r.json", game, "--", "sh", "-c", script, cwd=game, env=environment)
        assert (answer.code, answer.text) == (5, f"100000\n{number}\n"), answer.err
        assert json.loads((tmp_path / "r.json").read_text())["was_served"], answer.err
        assert "warning" not in answer.err
        learned, = home.rglob("learned.json")
        assert "data" in json.loads(learned.read_text())["files"]
    assert len((home / "save").read_text().splitlines()) == 2


# Runs a program in a user name space that has all of root's users; util-linux's unshare asks newuidmap for that.
MAPPED = """
import ctypes, os, sys
ready, go = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    ctypes.CDLL(None).unshare(0x10000000)
    os.write(ready[1], b'.'), os.read(go[0], 1)
    os.execvp(sys.argv[1], sys.argv[1:])
os.read(ready[0], 1)
for kind in ('uid', 'gid'):
    with open(f'/proc/{child}/{kind}_map', 'w') as file: file.write('0 0 65536')
os.write(go[1], b'.')
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@ROOT_ONLY
@pytest.mark.parametrize("limit", [0, 1])
def test_without_name_spaces_that_it_may_make_the_game_runs(tool, folder, tmp_path, limit):
    """Runs as another user, in a user name space in which no further one may be made, or one."""
    give_to_nobody(folder.parent, folder)
    script = f'echo {limit} > /proc/sys/user/max_mnt_namespaces; exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"'
    prefix = ["/usr/bin/python3", "-I", "-c", MAPPED, "sh", "-c", script, "sh"]
    done = subprocess.run([*prefix, *tool.command("play", "--always", "--state", folder.parent / "state", folder, "--", *GAME)],
                          capture_output=True, timeout=WAIT_S)
    if limit == 0:
        runs_unserved(done, "name space")
    else:
        assert (done.returncode, done.stdout) == (5, b"the game runs\n"), done.stderr


@pytest.mark.parametrize("words, environment, said", [
    (["FOLDER/gone", "--"], {}, ["FOLDER/gone", "nothing", "seekless play FOLDER -- COMMAND"]),
    (["/dev/null", "--"], {}, ["/dev/null", "neither", "seekless play FOLDER -- COMMAND"]),
    (["/", "--"], {}, ["a game's own folder", "seekless play FOLDER -- COMMAND"]),
    (["", "--"], {}, ["the folder that the game lies in", "seekless play FOLDER -- COMMAND"]),
    (["--steam"], {"STEAM_COMPAT_INSTALL_PATH": "FOLDER/gone"}, ["FOLDER/gone", "nothing", "seekless play FOLDER -- COMMAND"]),
    (["--steam"], {"STEAM_COMPAT_INSTALL_PATH": ""}, ["--steam", "steamapps/common", "seekless play FOLDER -- COMMAND"]),
], ids=["gone", "a device", "the whole system", "an empty name", "Steam's is gone", "not of Steam"])
def test_where_there_is_no_folder_the_game_runs(tool, folder, words, environment, said):
    def filled(text):
        return text.replace("FOLDER/", f"{folder}/")
    done = subprocess.run(tool.command("play", *map(filled, words), *GAME), capture_output=True, timeout=WAIT_S, cwd=folder,
                          env={**os.environ, **{name: filled(value) for name, value in environment.items()}})
    runs_unserved(done, *map(filled, said))


def test_from_a_folder_that_is_gone_the_game_runs(tool, folder, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    script = 'cd "$0" && rmdir "$0" && exec "$@"'
    for words in ([folder, "--"], [".", "--"], ["--steam"]):
        elsewhere.mkdir(exist_ok=True)
        done = subprocess.run(["sh", "-c", script, elsewhere, *tool.command("play", "--always", "--state", tmp_path / "state", *words, *GAME)],
                              capture_output=True, timeout=WAIT_S)
        assert (done.returncode, done.stdout) == (5, b"the game runs\n"), done.stderr


@pytest.mark.parametrize("words", [
    ["--steam", "--always"],
    ["--steam", "--state", "STATE", "--always", "--"],
    ["--auto", "--steam", "--room=1G", "--state", "STATE"],
    ["--steam", "VARIABLE=a b=c"],
    ["--steam", "VARIABLE=a b=c", "--always"],
    ["--steam", "--", "VARIABLE=a b=c"],
    ["FOLDER", "--", "OTHER=", "VARIABLE=a b=c"],
], ids=" ".join)
def test_options_behind_steam_and_variables_before_the_game_keep_it_from_nothing(tool, folder, tmp_path, words):
    """Players write these into a game's launch options."""
    game = tmp_path / "library" / "steamapps" / "common" / "Game"
    game.mkdir(parents=True)
    told = tmp_path / "told.json"
    words = [word.replace("STATE", str(tmp_path / "state")).replace("FOLDER", str(game)) for word in words]
    done = subprocess.run(tool.command("play", "--json", told, *words, "sh", "-c", 'echo "$VARIABLE $*"; exit 5', "--", "--steam", "A=1", "--always"),
                          capture_output=True, timeout=WAIT_S, cwd=game, text=True, env={**os.environ, "XDG_STATE_HOME": str(tmp_path)})
    variable = "a b=c" if "VARIABLE=a b=c" in words else ""
    assert (done.returncode, done.stdout) == (5, f"{variable} --steam A=1 --always\n"), done.stderr
    answer = json.loads(told.read_text())
    assert answer["folder"] == str(game)
    assert answer["was_served"] or "--always" not in words, "it is obeyed"


def test_options_behind_steam_that_are_not_understood_are_named(tool, folder):
    answer = tool.run("play", "--steam", "--no-such-option", *GAME, cwd=folder)
    assert (answer.code, answer.text) == (USAGE, "")
    answer.says("--no-such-option", "the game (sh) isn't started")


@pytest.mark.parametrize("words", [["--no-such-option"], ["--room", "much"]])
def test_options_that_are_not_understood_start_nothing_and_say_so(tool, folder, words):
    answer = tool.run("play", *words, folder, "--", *GAME)
    assert (answer.code, answer.text) == (USAGE, "")
    answer.says(words[0], "the game (sh) isn't started")
    assert "isn't started" not in tool.run("play", *words, folder).err


@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace")
@pytest.mark.parametrize("is_known", [False, True], ids=["unknown", "known"])
def test_of_many_files_few_are_asked_for_before_the_game_starts(tool, tmp_path, is_known):
    many, state, log = tmp_path / "many", tmp_path / "state", tmp_path / "log"
    for number in range(5000):
        file = many / f"d{number % 50}" / f"f{number}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x" * 100)
    game = shutil.which("true")
    if is_known:
        reads = "import os\nfor folder, _, names in os.walk('.'):\n for name in names: open(folder + '/' + name, 'rb').read()"
        play(tool, many, *PYTHON, "-c", reads, options=["--state", state], cwd=many)
    [path.read_bytes() for path in many.rglob("f*")]
    command = ["strace", "-f", "-o", log, *tool.command("play", "--state", state, many, "--", game)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S)
    if "lie on a rotating disk" in done.stderr:
        pytest.skip("on no rotating disk nothing is asked")
    assert done.returncode == DONE and "in memory" in done.stderr
    lines = log.read_text(errors="replace").splitlines()
    calls = next(number for number, line in enumerate(lines) if f'execve("{game}"' in line and number > 0)
    opened = sum('/f' in line and "openat" in line for line in lines[:calls])
    assert 100 <= opened <= 1100 and calls < 12_000, (opened, calls)


@ROOT_ONLY
def test_without_the_device_the_game_runs(tool, folder):
    done = subprocess.run([*without_device(), *tool.command("play", "--always", folder, "--", *GAME)],
                          capture_output=True, timeout=WAIT_S)
    runs_unserved(done, "/dev/fuse")


@pytest.mark.parametrize("processes", [1, 2, 3])
@ROOT_ONLY
def test_without_processes_for_a_server_the_game_runs(tool, folder, tmp_path, processes):
    """If the tool itself is the only process allowed, it becomes the game."""
    give_to_nobody(folder.parent, folder, folder.parent)
    text = f"""
import os, resource, sys
resource.setrlimit(resource.RLIMIT_NPROC, ({processes}, {processes}))
os.setgroups([]); os.setgid(54321); os.setuid(54321); os.execv(sys.argv[1], sys.argv[1:])
"""
    folder.parent.chmod(0o777)
    done = subprocess.run([*PYTHON, "-c", text, *tool.command("play", "--always", "--state", tmp_path / "s", folder, "--", "sh", "-c",
                                                              "echo the game runs; exit 5")], capture_output=True, timeout=WAIT_S)
    assert (done.returncode, done.stdout) == (5, b"the game runs\n"), done.stderr


@pytest.mark.parametrize("megabytes", [80, 100, 120, 160, 200])
def test_without_memory_for_the_server_the_game_runs(tool, folder, tmp_path, megabytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    command = tool.command("play", "--always", "--state", tmp_path / "state", folder, "--", *GAME)
    started = subprocess.run(tool.command("--version"), capture_output=True, preexec_fn=limit, timeout=WAIT_S)
    if started.returncode != 0:
        pytest.skip("the tool itself doesn't start in so little memory")
    done = subprocess.run(command, capture_output=True, preexec_fn=limit, timeout=WAIT_S)
    assert (done.returncode, done.stdout) == (5, b"the game runs\n"), done.stderr


@pytest.mark.parametrize("options", [["--always"], [], ["--lay-out"], ["--lay-out", "--always"]])
def test_without_a_home_the_game_runs(tool, folder, options):
    environment = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_STATE_HOME")}
    done = subprocess.run(tool.command("play", *options, folder, "--", *GAME), capture_output=True, env=environment, timeout=WAIT_S)
    assert (done.returncode, done.stdout) == (5, b"the game runs\n"), done.stderr
    if "--always" in options:
        assert b"nothing is prefetched or learned this time" in done.stderr


def test_where_nothing_can_be_kept_the_game_runs(tool, folder, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for state in (tmp_path / "file" / "state", tmp_path / "file", "/proc/state"):
        game = ["sh", "-c", "cat data > /dev/null; echo the game runs; exit 5"]
        done = subprocess.run(tool.command("play", "--always", "--lay-out", "--state", state, folder, "--", *game), capture_output=True,
                              cwd=folder, timeout=WAIT_S)
        assert (done.returncode, done.stdout) == (5, b"the game runs\n"), done.stderr
        assert str(state) in done.stderr.decode() and b"learned this time" in done.stderr


@pytest.mark.parametrize("way", ["served", "aside", pytest.param("unserved", marks=ROOT_ONLY)])
def test_where_nobody_reads_what_it_says_the_game_runs(tool, folder, tmp_path, way):
    [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    read, written = os.pipe()
    os.close(read)
    prefix = without_device() if way == "unserved" else []
    command = tool.command(*WAYS[way], "--state", tmp_path / "state", folder, "--", *GAME)
    done = subprocess.run([*prefix, *command], stdout=subprocess.PIPE, stderr=written, timeout=WAIT_S)
    os.close(written)
    assert (done.returncode, done.stdout) == (5, b"the game runs\n")


@ROOT_ONLY
def test_on_a_full_disk_the_game_runs(tool, folder, tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", full], check=True)
    try:
        (full / "fill").write_bytes(b"x" * (56 << 10))
        for _ in range(2):
            command = tool.command("play", "--always", "--lay-out", "--state", full / "state", "--trace", full / "t.trace", folder, "--", "sh",
                                   "-c", "cat data data > /dev/null; echo the game runs; exit 5")
            done = subprocess.run(command, cwd=folder, capture_output=True, timeout=WAIT_S)
            assert (done.returncode, done.stdout) == (5, b"the game runs\n"), done.stderr
    finally:
        subprocess.run(["umount", full], check=True)


def test_a_trace_that_cannot_be_written_keeps_no_game(tool, folder, tmp_path):
    answer = play(tool, folder, *GAME, options=["--state", tmp_path / "state", "--trace", tmp_path / "none" / "t.trace"])
    assert (answer.code, answer.text) == (5, "the game runs\n")
    assert "nothing is recorded this time" in answer.err and "make its folder first" in answer.err


# ---- few descriptors ----------------------------------------------------------------------------

OPENS = """
import sys
for number in range(int(sys.argv[2])):
    with open(sys.argv[1] % number, 'rb') as file: file.read()
print('all')
"""


@pytest.mark.parametrize("options", [[], ["--lay-out"]], ids=["learned", "laid out"])
@pytest.mark.parametrize("name", ["f%d", "d%d/f"], ids=["files", "folders"])
def test_with_few_descriptors_it_opens_more_files_than_it_has(tool, folder, tmp_path, name, options):
    count = 400
    for number in range(count):
        file = folder / (name % number)
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(bytes([number % 256]) * 9000)
    state = tmp_path / "state"
    state.mkdir()
    # Root could raise the limit again.
    prefix = ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh"]
    if os.geteuid() == 0:
        give_to_nobody(folder.parent, folder, state, *folder.rglob("*"))
        (tmp_path / "fuse").mkdir()
        prefix += as_nobody(tmp_path / "fuse")
    for _ in range(3):
        page_cache.forget(folder)
        answer = tool.run("play", "--always", *options, "--state", state, folder, "--", *PYTHON, "-c", OPENS, folder / name, count,
                          prefix=prefix)
        assert (answer.code, answer.text) == (DONE, "all\n"), answer.err[-2000:]
        assert "warning" not in answer.err


# Opens files until it can't, or has as many as it wants, and reads each.
HOLDS = """
import sys
held = []
try:
    for number in range(int(sys.argv[2])):
        held.append(open(sys.argv[1] % number, 'rb'))
        held[-1].read()
except OSError: pass
print(len(held))
"""


@pytest.mark.parametrize("most, is_served", [(7, False), (10, False), (16, False), (40, False), (64, False), (255, False), (256, True)])
def test_with_few_descriptors_it_holds_as_many_files_open_as_without_it(tool, folder, tmp_path, most, is_served):
    count = 200
    state = tmp_path / "state"
    state.mkdir()
    for number in range(count):
        (folder / f"f{number}").write_bytes(bytes(9000))
    prefix = ["sh", "-c", f'ulimit -n {most}; exec "$@"', "sh"]
    # Root could raise the limit again.
    if os.geteuid() == 0:
        give_to_nobody(folder.parent, folder, state, *folder.rglob("*"))
        (tmp_path / "fuse").mkdir()
        prefix = [*as_nobody(tmp_path / "fuse"), *prefix]
    holds = [*PYTHON, "-c", HOLDS, folder / "f%d", count]
    plain = subprocess.run([*prefix, *map(str, holds)], capture_output=True, text=True, timeout=WAIT_S)
    assert plain.returncode == 0 and 0 < int(plain.stdout) <= count, plain.stderr
    for _ in range(2):
        page_cache.forget(folder)
        answer = tool.run("play", "--always", "--state", state / "s", folder, "--", *holds, prefix=prefix)
        assert (answer.code, answer.text) == (DONE, plain.stdout), answer.err[-2000:]
        assert ("without being served" not in answer.err) == is_served, answer.err[-2000:]


def test_processes_that_together_open_more_than_the_server_may_get_errors_and_go_on(tool, folder, tmp_path):
    """In folders below the served one, of which the server holds some open to save time."""
    state = tmp_path / "state"
    state.mkdir()
    for number in range(220):
        (folder / f"d{number}").mkdir()
        (folder / f"d{number}" / "f").write_bytes(bytes(9000))
    prefix = ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh"]
    if os.geteuid() == 0:
        give_to_nobody(folder.parent, folder, state, *folder.rglob("*"))
        (tmp_path / "fuse").mkdir()
        prefix = [*as_nobody(tmp_path / "fuse"), *prefix]
    answer = tool.run("play", "--always", "--state", state / "s", folder, "--", *PYTHON, "-c", "import os\nos.fork()\n" + HOLDS + "import time; time.sleep(3)",
                      folder / "d%d/f", 220, prefix=prefix)
    assert answer.code == DONE and len(answer.text.split()) == 2, answer.err[-2000:]
    assert "without being served" not in answer.err
    held = sorted(map(int, answer.text.split()))
    assert 150 < sum(held) < 440, held


# ---- programs with rights of their own -----------------------------------------------------------------

OTHERS = 65533  # a group that nobody is in


@pytest.fixture
def scorer(tmp_path, folder):  # noqa: F811
    """A program that appends to the scores with the rights of their group, as many old games do."""
    program, scores = tmp_path / "scorer", folder / "scores"
    shutil.copy(shutil.which("tee"), program)
    scores.write_text("")
    for path, mode in ((program, 0o2755), (scores, 0o664)):
        os.chown(path, 0, OTHERS)
        path.chmod(mode)
    give_to_nobody(tmp_path, folder)
    return program


def as_player(tool, tmp_path_factory, *words):  # noqa: F811
    state = tmp_path_factory.mktemp("state")
    give_to_nobody(state, state)
    return subprocess.run([*as_nobody(tmp_path_factory.mktemp("fuse")), *tool.command("play", "--always", "--state", state / "s", *words)],
                          input="7\n", capture_output=True, text=True, timeout=WAIT_S)


@ROOT_ONLY
def test_a_program_with_a_groups_rights_runs_with_them(tool, folder, scorer, tmp_path_factory):  # noqa: F811
    done = as_player(tool, tmp_path_factory, folder, "--", scorer, "-a", folder / "scores")
    assert (done.returncode, (folder / "scores").read_text()) == (0, "7\n"), done.stderr
    assert f"{scorer}: expected a program with nobody's rights but yours, found those of the group {OTHERS}" in done.stderr
    assert "the game is run without being served" in done.stderr


@ROOT_ONLY
def test_a_program_that_is_found_in_path_keeps_its_groups_rights(tool, folder, scorer, tmp_path_factory, monkeypatch):  # noqa: F811
    monkeypatch.setenv("PATH", f"{scorer.parent}:{os.environ['PATH']}")
    done = as_player(tool, tmp_path_factory, folder, "--", scorer.name, "-a", folder / "scores")
    assert (done.returncode, (folder / "scores").read_text()) == (0, "7\n"), done.stderr


@ROOT_ONLY
def test_a_program_that_gets_no_rights_plainly_is_served(tool, folder, scorer, tmp_path_factory):  # noqa: F811
    script = folder / "script"
    script.write_text("#!/bin/sh\ncat\n")
    os.chown(script, 0, OTHERS)
    script.chmod(0o2755)
    done = as_player(tool, tmp_path_factory, folder, "--", script)
    assert (done.returncode, done.stdout) == (0, "7\n")
    assert "without being served" not in done.stderr


@pytest.fixture
def app_image(tmp_path, folder):  # noqa: F811
    """A shell with an AppImage's mark: mounting needs rights that no program has in a user name space."""
    image = tmp_path / "Game.AppImage"
    shutil.copy("/bin/sh", image)
    with open(image, "r+b") as file:
        file.seek(8)
        file.write(b"AI\2")
    image.chmod(0o755)
    give_to_nobody(tmp_path, folder)
    return image


@ROOT_ONLY
def test_an_appimage_runs_where_it_can_mount_itself(tool, folder, app_image, tmp_path_factory):  # noqa: F811
    done = as_player(tool, tmp_path_factory, folder, "--", app_image, "-c", "grep -c '^seekless ' /proc/self/mounts; exit 7")
    assert (done.returncode, done.stdout) == (7, "0\n"), done.stderr
    assert "an AppImage, which mounts its content by fusermount3" in done.stderr


@ROOT_ONLY
def test_an_appimage_that_mounts_nothing_is_served(tool, folder, app_image, tmp_path_factory, monkeypatch):  # noqa: F811
    monkeypatch.setenv("APPIMAGE_EXTRACT_AND_RUN", "1")
    done = as_player(tool, tmp_path_factory, folder, "--", app_image, "-c", "grep -c '^seekless ' /proc/self/mounts; exit 7")
    assert (done.returncode, done.stdout) == (7, "1\n"), done.stderr


@ROOT_ONLY
def test_a_program_that_the_game_starts_without_its_groups_rights_is_told(tool, folder, scorer, tmp_path_factory):  # noqa: F811
    done = as_player(tool, tmp_path_factory, folder, "--", "sh", "-c", f"'{scorer}' -a '{folder}/scores'; cat '{folder}/scores'")
    assert done.stdout == "7\n", "tee says all the same what it was given"
    assert f"the folder refused something to a program: {scorer}: expected" in done.stderr
    assert f"those of the group {OTHERS}" in done.stderr


@ROOT_ONLY
@pytest.mark.parametrize("where", ["in the folder", "outside"])
def test_for_whom_root_plays_programs_keep_their_rights(tool, folder, scorer, where):  # noqa: F811
    program = folder / "scorer" if where == "in the folder" else scorer
    if program != scorer:
        shutil.copy(scorer, program)
        os.chown(program, 0, OTHERS)
        program.chmod(0o2755)
    answer = play(tool, folder, "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program, "-a", folder / "scores", input=b"7\n")
    assert (answer.code, (folder / "scores").read_text()) == (DONE, "7\n"), answer.err


BOUND = [*OWN_MOUNTS, "sh", "-c", 'mount --bind "$0" "$0" && mknod "$0/dev/fuse" c 10 229 && exec "$@"']


@ROOT_ONLY
@pytest.mark.parametrize("is_bound, lacks", [(False, "chroot"), (True, "/proc")])
def test_in_a_chroot_the_game_starts_and_a_line_says_what_to_do(tool, tmp_path, is_bound, lacks):
    root = tmp_path / "root"
    programs = [str(tool.binary), "/bin/cat"]
    listed = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=True).stdout
    for library in {word for word in listed.split() if word.startswith("/") and not word.endswith(":")}:
        (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, root / library[1:])
    for name in ("bin", "dev", "game", "proc", "tmp"):
        (root / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(programs[0], root / "bin/seekless")
    shutil.copy(programs[1], root / "bin/cat")
    (root / "game/data").write_bytes(b"of the game")
    command = [*([*BOUND, root] if is_bound else []), "chroot", root, "/bin/seekless", "play", "--always",
               "--state", "/tmp/state", "/game", "--", "/bin/cat"]
    if not is_bound:  # otherwise /proc is looked for first
        command[:0] = [*OWN_MOUNTS, "sh", "-c", 'mount -t proc proc "$0/proc" && exec "$@"', root]
    done = subprocess.run([*command, "/game/data"], capture_output=True)
    assert (done.returncode, done.stdout) == (DONE, b"of the game")
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1 and "without being served" in lines[0] and lacks in lines[0]
    (root / "dev/fuse").unlink(missing_ok=True)
    assert subprocess.run([*command, "/game/none"], capture_output=True).returncode == 1
