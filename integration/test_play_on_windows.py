"""`seekless play` for Windows, run by Wine: it learns what a game reads, reads it ahead in later runs, and never gets in
the game's way.

SEEKLESS_WINDOWS_BIN         the tool for Windows [build/windows/bin/seekless.exe]
SEEKLESS_PLAY_KILLS=N        ends the tool at N moments instead of 5 while a game runs"""
import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from test_record_on_windows import COMPILER, wine_has_32_bits
from test_same_on_windows import windows  # noqa: F401
from tool import FAILED, TOP, USAGE, check_schema, run_into_files, tree

COMPILERS = {64: COMPILER, 32: "i686-w64-mingw32-gcc-posix"}
GAME_CODE = 7
KILLS = int(os.environ.get("SEEKLESS_PLAY_KILLS", 5))


def built(bits, folder):
    if shutil.which(COMPILERS[bits]) is None:
        pytest.skip(f"needs {COMPILERS[bits]} (script/bootstrap windows)")
    program = folder / "planned_reads.exe"
    subprocess.run([COMPILERS[bits], "-O1", "-municode", "-static", TOP / "integration/windows/planned_reads.c", "-o",
                    program], check=True)
    return program


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    return built(64, tmp_path_factory.mktemp("program"))


class Played:
    """A game of some files, and what is kept of it."""

    def __init__(self, tool, folder, program):
        self.tool, self.program, self.work = tool, program, folder
        self.folder, self.state, self.plan = folder / "Some Game", folder / "state", folder / "plan"
        chance = random.Random(3)
        for number in range(40):
            path = self.folder / "data" / f"{number:02} é.dat"
            path.parent.mkdir(parents=True, exist_ok=True)
            # Under Wine no places are known, and of such files only larger ones are read ahead.
            path.write_bytes(chance.randbytes(2_000_000 if number == 39 else 60_000))
        self.reads = [(0, path.stat().st_size, path) for path in sorted(self.folder.rglob("*.dat"))]
        self.plans(*self.reads)

    def plans(self, *lines):
        self.plan.write_text("".join(line if isinstance(line, str) else f"{line[0]} {line[1]} {line[2]}\n" for line in lines),
                             encoding="utf-8")

    def crash_notes(self):
        return [path for path in self.state.rglob("crashed")]

    def command(self, *options, more=()):
        return ["play", "--always", "--state", self.state, *options, self.folder, "--", self.program, self.plan, *more]

    def play(self, *options, code=GAME_CODE, more=(), env=None):
        answer = self.tool.run(*self.command("--json", self.work / "r.json", *options, more=more), env=env)
        assert answer.code == code, str(answer)
        result = json.loads((self.work / "r.json").read_text())
        check_schema(result, "results/play")
        return result, answer


@pytest.fixture
def game(windows, reader, tmp_path):  # noqa: F811
    return Played(windows, tmp_path, reader)


def test_a_game_is_learned_and_read_ahead_of(game):
    before = tree(game.folder)
    first, _ = game.play()
    assert first["exit_code"] == GAME_CODE and first["was_served"]
    assert first["foreseen"]["reads"] == len(game.reads) and first["foreseen"]["fetched_bytes"] == 0
    second, answer = game.play(more=["20", game.program, game.plan])
    assert second["foreseen"]["fetched_bytes"] > 0
    assert second["scenarios"] == 1
    assert answer.text.count("sum ") == 2
    status = game.tool.json("play", "--status", "--state", game.state, game.folder)
    assert (status["scenarios"], status["files"]) == (1, len(game.reads))
    assert game.tool.json("play", "--list", "--state", game.state)["kept"][0]["folder"].endswith("/Some Game")
    assert tree(game.folder) == before
    game.tool.ok("play", "--forget", "--state", game.state, game.folder)
    assert tree(game.state) == {}


def test_what_is_learned_has_the_games_own_names(game):
    game.play()
    kept, = game.state.rglob("learned.json")
    learned = json.loads(kept.read_text(encoding="utf-8"))
    # A name's bytes are characters there.
    names = [name.encode("latin-1").decode() for name in learned["files"]]
    assert sorted(names) == [path.relative_to(game.folder).as_posix() for _, _, path in game.reads]


def test_a_folder_may_be_named_in_any_case_and_with_any_slash(game):
    name = "Z:" + str(game.folder).replace("/", "\\").upper()
    folder, game.folder = game.folder, name
    game.play()
    game.folder = folder
    assert game.tool.json("play", "--status", "--state", game.state, game.folder)["scenarios"] == 1


def test_children_are_watched(game):
    result, _ = game.play(more=["20", game.program, game.plan])
    assert result["foreseen"]["reads"] == 2 * len(game.reads)


def test_games_of_32_bits_are_watched(windows, reader, tmp_path):  # noqa: F811
    if not wine_has_32_bits():
        pytest.skip("needs a Wine with 32 bits (Debian's wine32)")
    (tmp_path / "program").mkdir()
    game = Played(windows, tmp_path, built(32, tmp_path / "program"))
    child = shutil.copy(reader, tmp_path / "program" / "reader_of_64_bits.exe")
    result, _ = game.play(more=["0", child, game.plan])
    assert result["foreseen"]["reads"] == 2 * len(game.reads)


def test_protected_games_run_without_hooks(game):
    (game.folder / "EasyAntiCheat").mkdir()
    result, answer = game.play()
    assert not result["was_served"] and not game.state.exists()
    assert "Easy Anti-Cheat (EasyAntiCheat)" in answer.err and "without being watched" in answer.err
    assert len(answer.err.splitlines()) == 1


def test_games_with_protection_in_another_folder_run_without_hooks(game):
    other = game.work / "Other Game"
    (other / "BattlEye").mkdir(parents=True)
    answer = game.tool.run("play", "--always", "--state", game.state, game.folder, other, "--", game.program, game.plan)
    assert answer.code == GAME_CODE and "BattlEye (BattlEye)" in answer.err and "without being watched" in answer.err
    assert not game.state.exists()


def test_a_game_that_debugs_its_child_does_not_wait_for_it(game):
    """The DLL's thread in the child would wait for the debugger, the game for the recorder, and that for the thread."""
    child = shutil.copy(game.program, game.program.with_name("debugged.exe"))
    child.with_name("debugged.exe.plan").write_text("tell -\n")
    game.plans(f"catch {child}\n")
    waited_ms = []
    for _ in range(3):  # a busy machine may take its time
        _, answer = game.play()
        assert "hooks 0" in answer.text
        waited_ms.append(int(answer.text.split("started in ")[1].split()[0]))
        if waited_ms[-1] < 2000:
            return
    raise AssertionError(waited_ms)


def test_protected_children_are_not_watched(game):
    """The launcher's own folder isn't looked through before it starts, only that of the game."""
    launcher = game.work / "launcher"
    child = launcher / "games" / "quest" / "bin" / "quest.exe"
    child.parent.mkdir(parents=True)
    for program in [launcher / "launcher.exe", child]:
        shutil.copy(game.program, program)
    game.program = launcher / "launcher.exe"
    result, _ = game.play(more=["20", child, game.plan])
    assert result["foreseen"]["reads"] == 2 * len(game.reads)
    (child.parent.parent / "EasyAntiCheat").mkdir()
    result, answer = game.play(more=["20", child, game.plan])
    assert result["foreseen"]["reads"] == len(game.reads)
    assert answer.text.count("sum ") == 2


def test_what_lies_below_a_store_is_not_its_own(game):
    store = game.work / "store"
    child = store / "other" / "other.exe"
    child.parent.mkdir(parents=True)
    for program in [store / "Steam.exe", store / "helper.exe", child]:
        shutil.copy(game.program, program)
    game.program = store / "helper.exe"
    result, _ = game.play(more=["20", child, game.plan])
    assert result["foreseen"]["reads"] == len(game.reads)


def test_a_store_itself_runs_without_hooks(game):
    store = game.program.with_name("Steam.exe")
    shutil.copy(game.program, store)
    game.program = store
    result, answer = game.play()
    assert not result["was_served"] and answer.text.count("sum ") == 1
    assert "a launcher, which also starts games with protection" in answer.err and "without being watched" in answer.err


def test_protection_above_the_program_keeps_hooks_out_of_it(game):
    """It lies neither in the watched folder nor beside the program."""
    program = game.work / "shooter" / "bin" / "win64" / "shooter.exe"
    program.parent.mkdir(parents=True)
    shutil.copy(game.program, program)
    (game.work / "shooter" / "EasyAntiCheat").mkdir()
    game.program = program
    result, answer = game.play()
    assert not result["was_served"] and "Easy Anti-Cheat (EasyAntiCheat)" in answer.err


def test_a_game_that_takes_no_hooks_runs_all_the_same(game, tmp_path):
    home = tmp_path / "local"
    home.mkdir()
    (home / "seekless").write_text("no folder, so that the hooks have no place")
    result, answer = game.play(env={"XDG_STATE_HOME": str(home)})
    assert not result["was_served"] and "without being watched" in answer.err
    assert "sum " in answer.text


def test_the_game_may_free_the_result_of_a_read_as_soon_as_it_knows_it(game):
    """That may be before the call has returned on the other thread."""
    game.plans(*[f"free {game.reads[0][2]}\n"] * 5)
    result, _ = game.play()
    assert result["foreseen"]["reads"] == 10_000


def in_drive_z(path):
    return "Z:" + str(path).replace("/", "\\")


def test_the_game_gets_its_command_line_as_it_was_typed(game):
    """Many engines take it apart by themselves."""
    game.plans("tell -\n")
    program, plan = in_drive_z(game.program), in_drive_z(game.plan)
    echo = game.work / "echo.bat"
    echo.write_bytes(b"@echo got %1 %2\r\n")
    typed = f'{plan} 0 "{program}" {plan} -user="John Smith"  -map=\\"x "a""b"'
    tool = Path(os.environ.get("SEEKLESS_WINDOWS_BIN", TOP / "build/windows/bin/seekless.exe")).resolve()
    play = f'"{in_drive_z(tool)}" play --always --state {in_drive_z(game.state)} "{in_drive_z(game.folder)}"'
    lines = [f"@{play} -- {program} {typed}", f'@{play} -- {in_drive_z(echo)} "a&b" c']
    (game.work / "run.bat").write_bytes("\r\n".join(lines).encode())
    answer = run_into_files(["wine", "cmd", "/c", in_drive_z(game.work / "run.bat")], stdin=subprocess.DEVNULL,
                            env=game.tool.environment())
    out = answer.stdout.decode()
    told = [line.removeprefix("line ").strip() for line in out.splitlines() if line.startswith("line ")]
    assert told[0] == f"{program} {typed}", out + answer.stderr.decode()
    assert 'got "a&b" c' in out, out + answer.stderr.decode()


def test_the_game_may_have_its_files_for_itself_and_replace_them_while_they_are_swept(game):
    large = game.folder / "large.pak"
    with open(large, "wb") as file:
        file.truncate(400 << 20)
    pieces = [(at, 4 << 20, large) for at in range(0, 400 << 20, 4 << 20)]
    game.plans(*pieces)
    game.play()
    game.plans(*[f"want {large}\n"] * 300, f"save {large}\n")
    result, _ = game.play()
    assert result["foreseen"]["fetched_bytes"] > 0
    assert large.stat().st_size == 4096


def test_a_game_that_crashes_with_hooks_runs_without_from_then_on(game):
    game.plans("dies -\n")
    crash = 0xc0000005 & 0xff
    assert game.play(code=crash)[0]["was_served"]
    command = [word for word in game.command() if word != "--always"]
    game.plans("tell -\n")
    answer = game.tool.run(*command)
    assert answer.code == GAME_CODE and "hooks 0" in answer.text and "crashed" in answer.err
    assert "hooks 1" in game.play()[1].text
    # The game ran with them, so they weren't to blame.
    assert game.crash_notes() == []
    game.plans("dies -\n")
    game.play(code=crash)
    assert len(game.crash_notes()) == 1
    game.tool.run(*command)
    assert game.crash_notes() == [], "it crashes without them, too"


def test_what_is_not_on_windows_yet_says_so(game):
    game.play()
    answer = game.tool.run("play", "--lay-out", "--state", game.state, game.folder)
    assert answer.code == FAILED and "isn't there yet" in answer.err and len(answer.err.splitlines()) == 1
    result, answer = game.play("--lay-out")
    assert result["was_served"] and "--lay-out" in answer.err
    assert game.tool.run("play", game.folder).code == USAGE


def test_programs_that_cannot_start_say_why(game):
    answer = game.tool.run("play", "--always", "--state", game.state, game.folder, "--", "no-such-game.exe")
    assert answer.code == FAILED and "no-such-game.exe" in answer.err and "can't be started" in answer.err


def test_the_game_goes_on_whenever_the_tool_is_ended(game):
    """The first runs are killed while they learn, the others while they sweep, too."""
    chance = random.Random(8)
    game.plans(*game.reads * 5)
    ended = 0
    for number in range(KILLS):
        if number == KILLS // 2:
            game.play()
        log = game.work / f"log-{number}"
        with open(log, "wb") as out:
            tool = subprocess.Popen(game.tool.command(*game.command(more=["2"])), env=game.tool.environment(), stdin=subprocess.DEVNULL,
                                    stdout=out, stderr=subprocess.DEVNULL, start_new_session=True)
            until = time.monotonic() + 60
            while b"begun" not in log.read_bytes() and time.monotonic() < until:
                time.sleep(0.005)
            time.sleep(chance.random() * 0.5)
            ended += tool.poll() is None
            tool.send_signal(signal.SIGKILL)
            tool.wait()
        while b"sum " not in log.read_bytes():
            assert time.monotonic() < until, f"the game didn't end: {log.read_bytes()}"
            time.sleep(0.02)
        assert len(log.read_bytes().splitlines()) == 2
    print(f"{ended} of {KILLS} were ended while the game ran")
    assert ended > 0
    game.play()


def test_the_game_goes_on_beside_a_tool_that_is_stuck(game):
    large = game.folder / "large.pak"
    large.write_bytes(random.Random(1).randbytes(64 << 20))
    game.plans(*[(at, 4096, large) for at in range(0, 64 << 20, 65536)])
    game.play()
    for number in range(3):
        log = game.work / f"log-{number}"
        with open(log, "wb") as out:
            tool = subprocess.Popen(game.tool.command(*game.command(more=["1"])), env=game.tool.environment(),
                                    stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL, start_new_session=True)
            until = time.monotonic() + 60
            while b"begun" not in log.read_bytes() and time.monotonic() < until:
                time.sleep(0.005)
            time.sleep(0.05 * number)
            tool.send_signal(signal.SIGSTOP)
            while b"sum " not in log.read_bytes():
                assert time.monotonic() < until, f"the game didn't end: {log.read_bytes()}"
                time.sleep(0.02)
            tool.kill()
            tool.wait()


def test_a_sweep_is_in_nobodys_way_after_the_game_has_given_up_on_a_stuck_tool(game):
    large = game.folder / "large.pak"
    with open(large, "wb") as file:
        file.truncate(1600 << 20)
    game.plans(*[(at, 4 << 20, large) for at in range(0, 1600 << 20, 4 << 20)])
    game.play()
    # More reads than the memory holds that the game shares with the tool.
    game.plans(*[(0, 16, game.reads[0][2])] * 300_000, "tell -\n", *[f"want {large}\n"] * 50)
    log = game.work / "log"
    with open(log, "wb") as out:
        tool = subprocess.Popen(game.tool.command(*game.command()), env=game.tool.environment(), stdin=subprocess.DEVNULL,
                                stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        until = time.monotonic() + 60
        while b"begun" not in log.read_bytes() and time.monotonic() < until:
            time.sleep(0.005)
        time.sleep(0.05)
        tool.send_signal(signal.SIGSTOP)
        while b"hooks" not in log.read_bytes() and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.5)
        tool.send_signal(signal.SIGCONT)
        assert tool.wait(timeout=120) == GAME_CODE, log.read_bytes()
