"""`seekless play` with several folders: one state and one sweep for all of them; Steam's variables name the folders."""
import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from game import noise
from test_play import PYTHON, ROOT_ONLY, WAIT_S, play, pytestmark  # noqa: F401
from tool import DONE, as_nobody, give_to_nobody

SIZE = 3_000_000


@pytest.fixture
def places(tmp_path):
    """A game, a Wine prefix and Wine, each with one file to read."""
    files = {"game": "data", "prefix": "drive_c/b", "wine": "lib/c"}
    for number, (name, file) in enumerate(files.items()):
        path = tmp_path / name / file
        path.parent.mkdir(parents=True)
        path.write_bytes(noise(number, SIZE))
    return [tmp_path / name / file for name, file in files.items()]


@pytest.fixture
def played(tool, tmp_path, places):
    """Plays a game that reads all places, with the given folders; returns the result and the output."""
    def run(*folders, options=(), command=None):
        read = "import hashlib, sys\nfor name in sys.argv[1:]: print(hashlib.sha256(open(name, 'rb').read()).hexdigest())"
        command = command or [*PYTHON, "-c", read, *places]
        answer = tool.run("play", "--always", "--state", tmp_path / "state", "--json", tmp_path / "r.json", *options,
                          *folders, "--", *command, cwd=tmp_path)
        return json.loads((tmp_path / "r.json").read_text()), answer
    return run


def plain(places):
    return "".join(hashlib.sha256(path.read_bytes()).hexdigest() + "\n" for path in places)


def test_all_are_served_learned_and_laid_out_as_one(played, places, tmp_path):
    folders = [tmp_path / name for name in ("game", "prefix", "wine")]
    first, answer = played(*folders)
    assert answer.text == plain(places) and first["folders"] == list(map(str, folders))
    learned = json.loads(next((tmp_path / "state").glob("*/learned.json")).read_text())
    assert learned["files"] == ["data", "../prefix/drive_c/b", "../wine/lib/c"]
    laid, _ = played(*folders, options=["--lay-out"])
    assert laid["shadow_bytes"] >= 3 * SIZE
    swept, answer = played(*folders)
    assert answer.text == plain(places)
    assert swept["foreseen"]["fetched_bytes"] >= 3 * SIZE and swept["foreseen"]["shadow_reads"] > 50
    assert swept["scenarios"] <= 2 and "unread_folders" not in swept


def test_what_is_in_another_folder_is_served_by_the_outer_one(played, places, tmp_path):
    nested = tmp_path / "wine" / "lib"
    told, answer = played(nested, tmp_path / "wine", tmp_path / "game", tmp_path / "game")
    assert answer.text == plain(places)
    assert told["folders"] == [str(tmp_path / "wine"), str(tmp_path / "game")] and told["folder"] == str(nested)
    assert told["foreseen"]["reads"] > 40
    # What was learned about the inner folder is kept, because its files have separate names.
    learned = json.loads(next((tmp_path / "state").glob("*/learned.json")).read_text())
    assert set(learned["files"]) == {"c", "../../game/data"}
    again, _ = played(nested, options=["--lay-out"])
    assert again["shadow_bytes"] >= SIZE


def test_writes_go_to_the_files_of_each_and_renames_between_them_fail_as_between_disks(played, tmp_path):
    text = ("import errno, os\nopen('game/save', 'w').write('one'); open('prefix/save', 'w').write('two')\n"
            "try: os.rename('game/save', 'prefix/other')\nexcept OSError as error: print(error.errno == errno.EXDEV)")
    _, answer = played(tmp_path / "game", tmp_path / "prefix", command=[*PYTHON, "-c", text])
    assert answer.text == "True\n"
    assert [(tmp_path / name / "save").read_text() for name in ("game", "prefix")] == ["one", "two"]


def test_one_that_cannot_be_served_is_told_and_the_others_are(played, places, tmp_path):
    told, answer = played(tmp_path / "game", tmp_path / "gone", "/")
    assert answer.text == plain(places) and told["was_served"] and "folders" not in told
    warned = [line for line in answer.err.splitlines() if "this folder isn't served, but the others are" in line]
    assert len(warned) == 2 and "gone" in warned[0] and "whole system" in warned[1]


@ROOT_ONLY
def test_one_that_may_not_be_entered_is_told_and_the_others_are(tool, places, tmp_path, tmp_path_factory):
    give_to_nobody(tmp_path, tmp_path, *tmp_path.rglob("*"))
    (tmp_path / "prefix").chmod(0)
    os.chown(tmp_path / "prefix", 0, 0)
    done = tool.run("play", "--always", "--state", tmp_path / "state", "--json", tmp_path / "r.json", tmp_path / "game",
                    tmp_path / "prefix", tmp_path / "wine", "--", "cat", places[0], prefix=as_nobody(tmp_path_factory.mktemp("fuse")))
    assert done.code == DONE and done.out == places[0].read_bytes(), done.err
    assert json.loads((tmp_path / "r.json").read_text())["foreseen"]["reads"] > 0


def test_a_trace_has_the_files_of_all(tool, played, places, tmp_path):
    played(tmp_path / "game", tmp_path / "prefix", options=["--trace", tmp_path / "t.jsonl"])
    paths = [json.loads(line)["path"] for line in (tmp_path / "t.jsonl").read_text().splitlines() if '"path"' in line]
    assert paths == list(map(str, places[:2]))


def test_a_game_that_reads_nothing_of_its_folder_is_told(played, places, tmp_path):
    told, answer = played(tmp_path / "game", tmp_path / "prefix", command=["cat", places[1]])
    assert told["unread_folders"] == [str(tmp_path / "game")]
    assert f"the game read nothing of {tmp_path / 'game'}" in answer.err and "wineserver -k" in answer.err
    told, answer = played(tmp_path / "game", tmp_path / "prefix", command=["cat", places[0]])
    assert told["unread_folders"] == [str(tmp_path / "prefix")] and "read nothing" not in answer.err


def test_words_after_the_dashes_are_the_games(played, tmp_path):
    _, answer = played(tmp_path / "game", command=["echo", "--steam", "--", "-x", tmp_path / "prefix"])
    assert answer.text == f"--steam -- -x {tmp_path / 'prefix'}\n"


# ---- Steam and Wine -----------------------------------------------------------------------------

def test_steam_tells_the_prefix_proton_and_the_shaders(tool, tmp_path):
    library = tmp_path / "library 2" / "steamapps"
    game, proton, runtime = (library / "common" / name for name in ("My Game", "Proton 9.0", "SteamLinuxRuntime_sniper"))
    data, shaders = library / "compatdata" / "7", library / "shadercache" / "7"
    for folder in (game, proton, runtime, data, shaders):
        folder.mkdir(parents=True)
        (folder / "file").write_text(folder.name)
    script = '#!/bin/sh\nshift\ncd "${1%/*}" && exec cat file "$STEAM_COMPAT_DATA_PATH/file" "${0%/*}/file" "$STEAM_COMPAT_SHADER_PATH/file"\n'
    (proton / "proton").write_text(script)
    (proton / "proton").chmod(0o755)
    (runtime / "_v2-entry-point").write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    (runtime / "_v2-entry-point").chmod(0o755)
    environment = {**os.environ, "STEAM_COMPAT_INSTALL_PATH": str(game), "STEAM_COMPAT_DATA_PATH": str(data),
                   "STEAM_COMPAT_SHADER_PATH": str(shaders), "STEAM_COMPAT_TOOL_PATHS": f"{proton}:{runtime}"}
    command = [runtime / "_v2-entry-point", "--verb=waitforexitandrun", "--", proton / "proton", "waitforexitandrun", game / "game.exe"]
    answer = tool.run("play", "--state", tmp_path / "state", "--always", "--json", tmp_path / "r.json", "--steam", *command,
                      env=environment, cwd=tmp_path)
    assert answer.text == "My Game7Proton 9.07", answer.err
    told = json.loads((tmp_path / "r.json").read_text())
    assert told["folders"] == list(map(str, (game, data, proton, shaders))) and "unread_folders" not in told
    # A game may lack some of these variables, and a folder may be added.
    del environment["STEAM_COMPAT_TOOL_PATHS"]
    shutil.rmtree(shaders)
    environment["STEAM_COMPAT_SHADER_PATH"] = str(shaders)
    answer = tool.run("play", "--state", tmp_path / "state", "--always", "--json", tmp_path / "r.json", runtime, "--steam", "cat", game / "file",
                      env=environment, cwd=tmp_path)
    assert answer.text == "My Game" and not answer.err.count("warning"), answer.err
    assert json.loads((tmp_path / "r.json").read_text())["folders"] == list(map(str, (game, runtime, data)))


WINE = shutil.which("wine")


@pytest.mark.skipif(WINE is None, reason="there is no Wine: script/bootstrap windows")
def test_a_windows_program_runs_with_its_prefix_and_wine_served(tool, tmp_path):
    libraries = next(path for path in (*Path("/usr/lib").glob("*/wine"), Path("/usr/lib/wine"), Path("/opt/wine-stable")) if path.is_dir())
    game, prefix = tmp_path / "game", tmp_path / "prefix"
    game.mkdir()
    (game / "note.txt").write_text("read by Windows")
    environment = {**os.environ, "WINEPREFIX": str(prefix), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}
    # Wine's services keep inherited descriptors open, so pipes would never reach their end.
    quiet = {"env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "timeout": 5 * WAIT_S}
    prefix.mkdir()
    subprocess.run([WINE, "wineboot", "--init"], **quiet, check=True)
    subprocess.run(["wineserver", "-k"], **quiet)
    subprocess.run(["wineserver", "-w"], **quiet)
    for _ in range(2):
        done = subprocess.run(tool.command("play", "--always", "--state", tmp_path / "state", "--json", tmp_path / "r.json", game, prefix,
                                           libraries, "--", WINE, "cmd", "/c", "type note.txt > copy.txt & exit 7"), cwd=game, **quiet)
        assert done.returncode == 7 and (game / "copy.txt").read_text() == "read by Windows"
        told = json.loads((tmp_path / "r.json").read_text())
        assert told["was_served"] and "unread_folders" not in told
    assert told["foreseen"]["fetched_bytes"] > 0 or told["foreseen"]["reads"] > 0
