"""The state that `seekless play` stores about games is private to the user, doesn't grow with each session, and can be
found and removed when the game is gone. Remains of killed runs are cleared."""
import json
import os
import random
import shutil
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest

import page_cache
from game import noise
from test_play import PYTHON, ROOT_ONLY, WAIT_S, folder, many, play, played, pytestmark, script, server_of, status, LOAD  # noqa: F401
from tool import DONE, FAILED, USAGE

NOBODY = 65534


def learned_of(tmp_path):
    return next((tmp_path / "state").rglob("learned.json"))


def test_it_is_the_users_alone_whatever_the_mask(tool, many, tmp_path):
    for mask in (0, 0o22, 0o77):
        state = tmp_path / f"state {mask:o}"
        for _ in range(2):
            command = tool.command("play", "--always", "--lay-out", "--state", state, many, "--", *PYTHON, "-c", LOAD)
            done = subprocess.run(command, cwd=many, capture_output=True, umask=mask, timeout=WAIT_S)
            assert done.returncode == DONE, done.stderr
        kept = [state, *state.rglob("*")]
        assert {path.name.split("-")[0] for path in kept if path.is_file()} == {"learned.json", "game", "shadow"}
        for path in kept:
            assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_variables_for_the_game_move_nothing_of_what_is_kept(tool, many, tmp_path):
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "XDG_STATE_HOME"}
    command = tool.command("play", "--always", many, "--", f"HOME={other}", f"XDG_STATE_HOME={other}", *PYTHON, "-c",
                           LOAD + "\nimport os\nprint(os.environ['HOME'])")
    done = subprocess.run(command, cwd=many, capture_output=True, text=True, timeout=WAIT_S, env={**environment, "HOME": str(home)})
    assert done.returncode == DONE and done.stdout.endswith(f"{other}\n"), done.stderr
    assert list(home.rglob("learned.json")) and not other.exists()


def test_what_the_game_makes_has_the_games_own_mask(tool, folder, tmp_path):
    text = "import os; os.umask(0o027); open('made', 'w').close(); os.mkdir('made too'); os.umask(0); os.mkfifo('pipe', 0o666)"
    script(tool, folder, text, options=["--state", tmp_path / "state"])
    modes = [stat.S_IMODE((folder / name).stat().st_mode) for name in ("made", "made too", "pipe")]
    assert modes == [0o640, 0o750, 0o666]


SPOILED = {
    "its folder": lambda state: state.chmod(0o777),
    "the group's": lambda state: state.chmod(0o770),
    "the place": lambda state: state.parent.chmod(0o777),
    "a link": lambda state: (state.rename(state.with_name("else")), state.symlink_to(state.with_name("else"))),
    "a link above": lambda state: (state.parent.rename(f"{state.parent} else"), state.parent.symlink_to(f"{state.parent} else")),
    "learned.json": lambda state: (state / "learned.json").chmod(0o666),
    "a linked file": lambda state: ((state / "learned.json").rename(state / "else"), (state / "learned.json").symlink_to("else")),
    "another's": lambda state: os.chown(state, NOBODY, NOBODY),
    "another's file": lambda state: os.chown(state / "learned.json", NOBODY, NOBODY),
    "another's place": lambda state: os.chown(state.parent, NOBODY, NOBODY),
}


@pytest.mark.parametrize("way", SPOILED)
def test_what_others_may_have_written_is_not_used(played, tmp_path, way):
    if way.startswith("another") and os.geteuid() != 0:
        pytest.skip("giving files away needs root")
    _, one = played("--lay-out")
    assert played()[0]["foreseen"]["shadow_reads"] > 0
    SPOILED[way](learned_of(tmp_path).parent)
    told, two = played()
    assert two.out == one.out
    assert "foreseen" not in told or told["foreseen"]["shadow_reads"] == 0
    warning, = [line for line in two.err.splitlines() if "warning" in line]
    assert "yours" in warning and "--state" in warning


def test_a_shadow_that_others_may_write_is_not_used_and_made_anew(played, tmp_path):
    _, one = played("--lay-out")
    shadow = next((tmp_path / "state").rglob("shadow-*"))
    shadow.chmod(0o666)
    told, two = played("--lay-out")
    assert told["foreseen"]["shadow_reads"] == 0 and two.out == one.out
    assert shadow.name in two.err
    assert not shadow.exists()
    assert played()[0]["foreseen"]["shadow_reads"] > 0


def test_where_it_steps_aside_it_says_so_too(tool, many, played, tmp_path):
    played()
    learned_of(tmp_path).parent.chmod(0o777)
    answer = tool.run("play", "--state", tmp_path / "state", many, "--", "true")
    assert answer.code == DONE
    if "lie on a rotating disk" not in answer.err:
        assert "yours" in answer.err


# ---- how much it is -----------------------------------------------------------------------------

def test_files_that_are_only_made_or_written_are_forgotten(tool, many, tmp_path):
    sizes = []
    for number in range(4):
        text = LOAD + f"""
for i in range(2000):
    path = 'cache-{number}-%d.tmp' % i
    with open(path, 'w') as file: file.write('1')
    os.unlink(path)
with open('log-{number}', 'a') as file: file.write('x' * 100_000)
"""
        script(tool, many, text, options=["--state", tmp_path / "state"])
        sizes.append(learned_of(tmp_path).stat().st_size)
        assert "cache-" not in learned_of(tmp_path).read_text()
    assert max(sizes[1:]) < min(sizes) * 1.2
    assert status(tool, many, tmp_path)["files"] == 60


def test_names_that_are_gone_from_the_folder_are_forgotten(tool, many, played, tmp_path):
    played()
    for number in range(30):
        (many / "many" / f"{number:02}").unlink()
    played()
    assert status(tool, many, tmp_path)["files"] == 30


def test_what_claims_more_than_was_ever_learned_is_refused_at_once(tool, many, played, tmp_path):
    played()
    path = learned_of(tmp_path)
    learned = json.loads(path.read_text())
    one = learned["scenarios"][0]
    learned["scenarios"] = [{**one, "name": f"s{number}", "pages": [[0, 1 << 26, 1]], "next": []} for number in range(3)]
    path.write_text(json.dumps(learned))
    command = ["/usr/bin/env", "time", "-f", "%M", *tool.command("play", many, "--state", tmp_path / "state", "--status")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S)
    assert done.returncode == DONE and "more pages" in done.stderr
    assert int(done.stderr.splitlines()[-1]) < 100_000, "kilobytes"


@pytest.mark.parametrize("options", [["--status"], ["--forget"]])
def test_a_name_with_line_ends_stays_in_its_line(tool, many, played, tmp_path, options):
    played()
    path = learned_of(tmp_path)
    learned = json.loads(path.read_text())
    name = "evil\nseekless: forged\r\x1b[31m\x7f"
    learned["scenarios"][0]["name"] = name
    path.write_text(json.dumps(learned))
    text = tool.ok("play", many, "--state", tmp_path / "state", *options).text
    assert len(text.splitlines()) == (2 if options == ["--status"] else 3), text
    assert "evil\\x0aseekless: forged\\x0d\\x1b[31m\\x7f" in text


# ---- what killed runs leave ---------------------------------------------------------------------

def test_what_killed_lay_outs_left_is_cleared_by_the_next_run(tool, many, played, tmp_path):
    (many / "big").write_bytes(noise(7, 20_000_000))
    text = "import os; open('big', 'rb').read()"
    script(tool, many, text, options=["--state", tmp_path / "state"])
    chance = random.Random(5)
    for _ in range(8):
        (tmp_path / "state").exists()
        page_cache.forget(many)
        child = subprocess.Popen(tool.command("play", "--always", "--lay-out", "--state", tmp_path / "state", many, "--", *PYTHON, "-c", text),
                                 cwd=many, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server = server_of(child)
        time.sleep(chance.random() * 0.5)
        for process in (server, child.pid):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        child.wait(WAIT_S)
    script(tool, many, "pass", options=["--state", tmp_path / "state"])
    left = [path.name for path in (tmp_path / "state").rglob("*") if path.is_file()]
    assert [name for name in left if name.startswith(".seekless")] == []
    assert len([name for name in left if name.startswith("shadow-")]) <= 1
    tool.ok("play", many, "--state", tmp_path / "state", "--forget")
    assert [path for path in (tmp_path / "state").rglob("*") if path.is_file()] == []


def test_nothing_is_copied_once_nobody_waits_for_it(tool, many, tmp_path):
    """If only `play` is killed, its server still serves the game, but doesn't go on to write gigabytes."""
    ask = tmp_path / "ask"
    os.mkfifo(ask)
    child = subprocess.Popen(tool.command("play", "--always", "--lay-out", "--state", tmp_path / "state", many, "--", *PYTHON, "-c",
                                          LOAD + f"\nopen({str(ask)!r}).read()"), cwd=many, stdout=subprocess.DEVNULL)
    server = server_of(child)
    with open(ask, "w"):
        child.kill()
        child.wait(WAIT_S)
    end = time.monotonic() + WAIT_S
    while Path(f"/proc/{server}").exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert learned_of(tmp_path).exists() and list((tmp_path / "state").rglob("shadow-*")) == []


# ---- which games are kept -----------------------------------------------------------------------

def test_a_game_that_was_uninstalled_is_listed_and_forgotten(tool, many, played, tmp_path):
    state = ["--state", tmp_path / "state"]
    played("--lay-out")
    other = tmp_path / "other game"
    other.mkdir()
    (other / "data").write_bytes(noise(3, 100_000))
    play(tool, other, "cat", other / "data", options=[*state, "--game", "other"])
    kept = tool.json("play", "--status", *state)["kept"]
    assert [(one["folder"], one["name"], one["is_gone"]) for one in kept] == [(str(many), "", False), (str(other), "other", False)]
    assert kept[0]["bytes"] > 60 * 20_000 and abs(kept[0]["used_unix_s"] - time.time()) < 3600
    shutil.rmtree(many)
    shutil.rmtree(other)
    text = tool.ok("play", "--status", *state).text
    assert f"{many}: " in text and f"the folder is gone: seekless play --forget {many} --state {tmp_path}/state" in text
    assert f"the folder is gone: seekless play --forget --game other --state {tmp_path}/state" in text
    assert tool.json("play", "--status", many, *state)["scenarios"] == 1
    assert "forgotten" in tool.ok("play", "--forget", f"{many}/", *state).text
    assert "forgotten" in tool.ok("play", "--forget", "--game", "other", *state).text
    assert tool.json("play", "--status", *state)["kept"] == []
    assert [path for path in (tmp_path / "state").rglob("*")] == []
    tool.run("play", "--forget", many, *state).says(many, "--status")
    tool.run("play", "--forget", "--game", "other", *state).says("other", "--status")


def test_what_is_kept_by_a_name_is_found_by_the_folder(tool, many, played, tmp_path):
    played("--game", "quake")
    shutil.rmtree(many)
    assert status(tool, many, tmp_path)["scenarios"] == 1
    tool.ok("play", "--forget", many, "--state", tmp_path / "state")
    assert tool.json("play", "--status", "--state", tmp_path / "state")["kept"] == []


def test_to_look_makes_nothing(tool, many, tmp_path):
    state = ["--state", tmp_path / "state"]
    assert tool.json("play", "--status", *state)["kept"] == []
    assert status(tool, many, tmp_path)["scenarios"] == 0
    tool.ok("play", many, "--forget", *state)
    assert not (tmp_path / "state").exists()
    assert tool.run("play", "--forget", *state).code == USAGE
    assert tool.run("play", "--status", tmp_path / "nowhere", *state).code == FAILED


def test_a_state_of_before_it_was_noted_whose_it_is_is_listed(tool, many, played, tmp_path):
    played()
    (learned_of(tmp_path).parent / "game").unlink()
    kept, = tool.json("play", "--status", "--state", tmp_path / "state")["kept"]
    assert kept["folder"] == "" and kept["state"] == str(learned_of(tmp_path).parent) and not kept["is_gone"]


@ROOT_ONLY
def test_others_cannot_read_what_was_private(tool, many, played, tmp_path):
    """A file that only its owner may read is copied into the shadow."""
    secret = many / "many" / "00"
    secret.chmod(0o600)
    played("--lay-out")
    for parent in (tmp_path, *tmp_path.parents):
        if not parent.stat().st_mode & 0o005 and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)
    reading = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", f"cat {tmp_path}/state/*/* 2>/dev/null | wc -c"]
    assert subprocess.run(reading, capture_output=True, text=True).stdout.strip() == "0"
