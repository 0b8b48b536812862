"""Players' commands on Windows, tested with the tool for Windows under Wine: `advise`, `games` on made-up libraries,
the window of `ui` (over HTTP, because no browser runs there), and paths and patterns as Windows users write them."""
import json
import os
import shutil
import subprocess
import time
import zipfile
from pathlib import Path
from urllib.parse import quote

import pytest
from test_same_on_windows import windows  # noqa: F401
from test_ui import ANSWER_S, Window, check_only_this_page_is_answered
from test_windows_names import backslashed
from tool import DONE, USAGE, check_schema, windows_environment

PREFIX = Path(windows_environment()["WINEPREFIX"])


def write(path, data=b""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def recording(path, files):
    """A recording of these files, each read once and whole, in this order."""
    lines = [{"seekless": "trace", "version": 1, "scenario": "start"}]
    for file in files:
        lines += [{"path": str(file)}, {"gap": 1000, "process": 1, "thread": 1, "at": 0, "read": file.stat().st_size}]
    return write(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


# --- advise ---

@pytest.fixture
def game(tmp_path):
    """A game of loose files and an archive, whose load jumps between them."""
    folder = tmp_path / "Quest [GOTY]"
    for number in range(120):
        write(folder / f"data/{number:03}.bin", os.urandom(30_000))
    with zipfile.ZipFile(folder / "base.pk3", "w") as archive:
        for number in range(40):
            archive.writestr(f"{number:02}.tga", os.urandom(20_000))
    files = [folder / f"data/{number * 47 % 120:03}.bin" for number in range(120)]
    return folder, recording(tmp_path / "start.1.trace", [*files, folder / "base.pk3"])


def test_advise_tells_the_ways_that_are_there(windows, game):  # noqa: F811
    folder, trace = game
    advice = windows.json("advise", backslashed(folder), backslashed(trace), "--drive", "wd-black-1tb")
    ways = {way["way"]: way for way in advice["ways"]}
    assert {"nothing", "play", "warm", "repack", "packs"} <= ways.keys() and not {"laid out", "place"} & ways.keys()
    assert advice["known_from"] == "recordings" and advice["best"] in ("play", "warm")
    assert 0 < ways["warm"]["seconds"] < ways["nothing"]["seconds"] == pytest.approx(advice["as_shipped_seconds"])
    # Each command is one for Windows' command prompt.
    assert ways["warm"]["command"].startswith("seekless warm ") and "'" not in ways["warm"]["command"]
    assert ways["repack"]["usable"] and "--in-place" in ways["repack"]["command"]
    text = windows.ok("advise", folder, trace, "--drive", "wd-black-1tb").text
    assert text.startswith("Worth it: ") and "can't be used here" in text  # packs


def test_advise_without_a_recording_says_how_to_make_one(windows, game):  # noqa: F811
    folder, _ = game
    answer = windows.ok("advise", folder, "--drive", "wd-black-1tb")
    assert answer.text.startswith("Nobody has recorded") and "seekless play " in answer.text + answer.err
    assert windows.run().text.startswith("Play a game faster         seekless games, then: seekless advise FOLDER")


def test_analyze_names_a_next_step_that_works(windows, game):  # noqa: F811
    folder, trace = game
    answer = windows.ok("analyze", trace, "--content", folder, "--drive", "wd-black-1tb")
    told = answer.text + answer.err
    step = next(line.strip() for line in told.splitlines() if line.strip().startswith("next: seekless ")).removeprefix("next: ")
    assert step.split()[1] in windows.ok("--help").text
    windows.ok(step.split()[1], "--help")


def test_doctor_tells_what_works(windows, tmp_path):  # noqa: F811
    answer = windows.json("doctor", tmp_path)
    check_schema(answer, "results/doctor")


# --- games ---

def registry(*words):
    return subprocess.run(["wine", "reg", *words], env={**os.environ, **windows_environment()}, check=True, timeout=ANSWER_S,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture
def libraries(windows, tmp_path):  # noqa: F811
    """Libraries of Steam and GOG that the registry names, and of Epic and Heroic in their usual folders. Returns
    name -> (from, folder)."""
    windows.ok("--version")  # makes Wine's folders
    user = next(path for path in (PREFIX / "drive_c/users").iterdir() if (path / "AppData/Roaming").is_dir())
    made = [PREFIX / "drive_c/ProgramData/Epic", user / "AppData/Roaming/heroic"]
    assert not any(path.exists() for path in made)
    steam, other, games = tmp_path / "Steam", tmp_path / "SteamLibrary", {}
    write(steam / "steamapps/libraryfolders.vdf", '"libraryfolders" { "0" { "path" "%s" } "1" { "path" "%s" } }' %
          tuple(backslashed(path).replace("\\", "\\\\") for path in (steam, other)))
    for number, library in ((10, steam), (20, other)):
        write(library / f"steamapps/appmanifest_{number}.acf", f'"AppState" {{ "appid" "{number}" "name" "Steam {number}" '
              f'"StateFlags" "4" "installdir" "Game {number}" }}')
        games[f"Steam {number}"] = ("Steam", library / f"steamapps/common/Game {number}")
    quest = tmp_path / "GOG/Quest [GOTY]"
    write(quest / "bin/quest.exe", b"MZ")
    write(quest / "goggame-1400000001.info", json.dumps({"gameId": "1400000001", "name": "Quest", "playTasks": [
        {"isPrimary": True, "type": "FileTask", "path": "bin\\quest.exe"}]}))
    games["Quest"] = ("GOG", quest)
    write(made[0] / "EpicGamesLauncher/Data/Manifests/1.item", json.dumps(
        {"AppName": "abc", "DisplayName": "Epic One", "InstallLocation": backslashed(tmp_path / "Epic/One")}))
    write(made[0] / "EpicGamesLauncher/Data/Manifests/2.item", '{"AppName": ')
    games["Epic One"] = ("Epic", tmp_path / "Epic/One")
    write(made[1] / "gog_store/installed.json", json.dumps({"installed": [
        {"appName": "7", "install_path": backslashed(tmp_path / "Heroic/Seven"), "is_dlc": False}]}))
    games["Seven"] = ("Heroic", tmp_path / "Heroic/Seven")
    for _, folder in games.values():
        for number in range(80):  # fewer files would be read at once
            write(folder / f"data/{number}.bin", bytes(900))
    key, gog = "HKCU\\Software\\Valve\\Steam", "HKLM\\SOFTWARE\\WOW6432Node\\GOG.com\\Games\\1400000001"
    registry("add", key, "/v", "SteamPath", "/d", f"z:{steam}", "/f")
    registry("add", gog, "/v", "path", "/d", backslashed(quest), "/f")
    yield games
    registry("delete", key, "/f")
    registry("delete", gog, "/f")
    for path in made:
        shutil.rmtree(path)


def test_games_of_launchers_are_found(windows, libraries, tmp_path):  # noqa: F811
    answer = windows.json("games")
    found = {game["name"]: (game["from"], game["folder"]) for game in answer["games"]}
    assert found == {name: (source, f"Z:{folder}") for name, (source, folder) in libraries.items()}
    quest = next(game for game in answer["games"] if game["name"] == "Quest")
    assert quest["next"]["command"] == f'seekless play --auto "Z:{libraries["Quest"][1]}" -- "Z:{libraries["Quest"][1]}/bin/quest.exe"'
    assert len(answer["faults"]) == 1 and "2.item: byte" in answer["faults"][0], answer["faults"]
    text = windows.ok("games").text
    assert "may load faster" in text.splitlines()[0]


# --- the window ---

class NoLibraries:
    def environment(self):
        return {}


@pytest.fixture
def window(windows):  # noqa: F811
    opened = Window(windows, NoLibraries())
    yield opened
    if opened.process.poll() is None:
        end(opened)


def end(window):
    """Ends the window with the page's own button, because Wine's console doesn't pass on signals."""
    status = window.ask(f"/{window.token}/end", "POST", Origin=f"http://127.0.0.1:{window.port}", Content_Length="0")
    assert status == 200
    assert window.process.wait(ANSWER_S) == DONE


def test_the_window_shows_the_games_and_ends(windows, libraries, window):  # noqa: F811
    assert window.ask(f"/{window.token}/") == 200 and b"<title>seekless" in window.body
    deadline = time.monotonic() + ANSWER_S
    while True:
        assert window.ask() == 200
        answer = json.loads(window.body)
        if not answer["is_looking"] and answer["games"]:
            break
        assert time.monotonic() < deadline, answer
        time.sleep(0.2)
    games = {game["name"]: game for game in answer["games"]}
    assert games.keys() == libraries.keys()
    assert games["Quest"]["can_start"] and not games["Steam 10"]["can_start"]
    assert not any(game["can_switch_on"] for game in games.values())
    own = f"http://127.0.0.1:{window.port}"
    do = f"/{window.token}/do?game={quote(games['Quest']['id'])}&what="
    assert window.ask(do + "switch-on", "POST", Origin=own, Content_Length="0") == 409
    # The game's program isn't a real program, and the error reaches the page.
    assert window.ask(do + "record", "POST", Origin=own, Content_Length="0") == 200
    while True:
        assert window.ask(f"/{window.token}/jobs") == 200
        job = json.loads(window.body)["jobs"][games["Quest"]["id"]]
        if job["state"] != "running":
            break
        assert time.monotonic() < deadline, job
        time.sleep(0.2)
    assert job["state"] == "failed" and "quest.exe" in job["line"], job
    end(window)


def test_the_window_answers_this_page_alone(window):
    check_only_this_page_is_answered(window)


# --- paths and patterns ---

def test_brackets_in_a_path_keep_what_is_there(windows, game, tmp_path):  # noqa: F811
    folder, trace = game
    for pattern in (backslashed(folder) + "\\**", f"Z:{folder}/**", backslashed(folder).lower() + "\\DATA\\**"):
        text = trace.read_text().replace(str(folder), backslashed(folder).replace("\\", "\\\\"))
        other = write(tmp_path / "as-windows.jsonl", text + recording(tmp_path / "more", [Path(__file__)]).read_text().split("\n", 1)[1])
        answer = windows.json("import", other, "-o", tmp_path / "kept.jsonl", "--only", pattern)
        assert answer["inputs"][0]["reads"] == (120 if "DATA" in pattern else 121), (pattern, answer)


def test_letters_beyond_ascii_are_the_same_in_either_case(windows, tmp_path):  # noqa: F811
    folder = tmp_path / "Über Ёлка"
    write(folder / "Größe.dat", bytes(5000))
    trace = recording(tmp_path / "load.jsonl", [folder / "Größe.dat"])
    trace.write_text(trace.read_text().replace(str(folder), backslashed(folder).replace("\\", "\\\\").upper()))
    answer = windows.json("import", trace, "-o", tmp_path / "kept.jsonl", "--only", backslashed(folder).lower() + "\\**")
    assert answer["inputs"][0]["reads"] == 1


def test_a_pattern_without_a_drive_takes_backslashes(windows, game, tmp_path):  # noqa: F811
    folder, trace = game
    windows.ok("plan", trace, "--content", folder, "--exclude", "data\\**", "-o", tmp_path / "layout.json")
    text = (tmp_path / "layout.json").read_text()
    assert "00.tga" in text and "000.bin" not in text


@pytest.mark.parametrize("command", ["repack", "advise", "analyze"])
def test_a_quotation_mark_that_a_backslash_swallowed_is_told_of(windows, command):  # noqa: F811
    answer = windows.run(command, 'C:\\Games\\Quest" --in-place')
    assert answer.code == USAGE
    answer.says("a backslash stands before that", '"C:\\Games\\Quest"')


def test_words_of_a_recorded_program_keep_their_quotation_marks(windows, tmp_path):  # noqa: F811
    answer = windows.run("record", "-o", tmp_path / "t.jsonl", "--", "C:\\no such program", 'C:\\x" y')
    assert "a backslash stands before" not in answer.err


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
@pytest.mark.parametrize("slash", ["/", "\\"])
def test_lists_as_powershell_and_notepad_write_them(windows, game, tmp_path, slash, encoding):  # noqa: F811
    folder, _ = game
    write(tmp_path / "boot.txt", f"data{slash}000.bin\r\ndata{slash}001.bin\r\n".encode(encoding))
    answer = windows.json("profile", tmp_path / "boot.txt", "--content", folder, "-o", tmp_path / "profile.json")
    assert [scenario["assets"] for scenario in answer["scenarios"]] == [2]


def test_long_forms_of_paths_are_the_path(windows, game):  # noqa: F811
    folder, trace = game
    written = "\\\\?\\Z:" + str(folder).replace("/", "\\")
    advice = windows.json("advise", written, trace, "--drive", "wd-black-1tb")
    assert advice["paths"] == [f"Z:{folder}"]


def test_a_path_relative_to_a_drives_own_folder(windows, game):  # noqa: F811
    folder, trace = game
    advice = windows.json("advise", "Z:" + folder.name, trace, "--drive", "wd-black-1tb", cwd=folder.parent)
    assert advice["paths"] == [f"Z:{folder}"]
