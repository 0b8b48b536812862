"""`seekless games` on made-up libraries of all launchers."""
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest
from made_up_libraries import Libraries, write
from tool import check_schema


@pytest.fixture
def libraries(tmp_path):
    """Makes libraries whose second disk is another file system, in memory."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else tmp_path) as other_disk:
        yield Libraries(tmp_path / "home", other_disk)


def asked(tool, libraries):
    answer = tool.ok("games", "--json", "-", env=libraries.environment()).json
    check_schema(answer, "results/games")
    return answer, {game["name"]: game for game in answer["games"] if game["from"] != "Debian"}


def test_300_games_of_all_launchers_are_found_with_every_field(tool, libraries):
    libraries.make(each=30)
    answer, found = asked(tool, libraries)
    assert len(libraries.games) == 300 and found.keys() == libraries.games.keys()
    assert answer["faults"] == []
    for name, (source, flatpak, number, folder, kinds) in libraries.games.items():
        game = found[name]
        assert (game["from"], game["is_flatpak"], game["id"], game["folder"]) == (source, flatpak, number, folder), game
        assert {one["kind"] for one in game["content"]} - {"loose"} == kinds - {"loose"}, game
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        assert game["files"] == len(files) and game["bytes"] == sum(path.stat().st_size for path in files), game
        assert game["is_whole"] and Path(game["manifest"]).is_file()
    assert found["Steam 1000"]["told_bytes"] == 1_000_000
    disks = {found[f"Steam {number}"]["disk"]["description"] for number in (1000, 1001)}
    assert len(disks) == 2 or "overlay" in " ".join(disks), disks


def test_the_answer_for_people_begins_with_the_verdict(tool, libraries):
    libraries.make(each=3)
    lines = tool.ok("games", env=libraries.environment()).text.splitlines()
    assert "game" in lines[0] and lines[1] == "" and lines[2].split()[:2] == ["game", "from"]
    assert all(len(line) <= 80 for line in lines if not line.startswith("  ")), lines
    one = tool.ok("games", "steam 1001", env=libraries.environment()).text
    assert f"Steam 1001 (Steam), in {libraries.other_disk}/SteamLibrary/steamapps/common/Game 1001" in one
    assert tool.ok("games", "no such game", env=libraries.environment()).text.startswith("No game found")


def test_broken_files_are_named_and_the_rest_is_found(tool, libraries):
    libraries.make(each=3)
    home = libraries.home
    steam = home / ".local/share/Steam/steamapps"
    write(steam / "appmanifest_1000.acf", '"AppState" { "appid" "1000"')
    write(steam / "appmanifest_1002.acf", b"\0\xff" * 500)
    write(steam / "appmanifest_1004.acf", '"AppState" { "appid" "1004" "installdir" "../../../.." }')
    write(home / ".config/heroic/gog_store/installed.json", '{"installed": [{"appName": ')
    write(home / ".config/heroic/nile_config/nile/installed.json", "17")
    write(home / ".config/heroic/legendaryConfig/legendary/installed.json", "[" * 100_000)
    write(home / ".local/share/bottles/bottles/own/bottle.yml", "Name: [")
    write(home / ".local/share/lutris/pga.db", b"SQLite format 3\0" + bytes(5000))
    write(home / "GOG Games/g0/gameinfo", b"")
    shutil.rmtree(libraries.other_disk / "lutris-flat/g0")
    answer, found = asked(tool, libraries)
    broken = {"Steam 1000", "Steam 1002", "Steam 1004", "GOG 0", "Lutris flat-0"} | {
        name for name in libraries.games if name.startswith(("Heroic own", "Bottles own", "Lutris own"))}
    assert found.keys() == libraries.games.keys() - broken
    faults = "\n".join(answer["faults"])
    for part in ("appmanifest_1000.acf: line 1: expected", "appmanifest_1002.acf: ", "appmanifest_1004.acf: 'installdir'",
                 "gog_store/installed.json: byte", "nile/installed.json: expected a list of installed games",
                 "legendary/installed.json: expected JSON", "own/bottle.yml: line", "pga.db: table 'games'",
                 "GOG Games/g0/gameinfo: line 1", "game 'Lutris flat-0': expected the game's folder"):
        assert part in faults, (part, faults)


def test_forged_files_take_neither_memory_nor_time(tool, libraries):
    home = libraries.home
    steam = home / ".local/share/Steam"
    write(steam / "steamapps/libraryfolders.vdf", '"libraryfolders" {' + '"1" "/"' * 50_000 + "}")
    write(steam / "steamapps/appmanifest_1.acf", '"a" {' * 100_000)
    with open(write(steam / "steamapps/appmanifest_2.acf"), "wb") as file:
        file.truncate(1 << 40)
    write(home / ".local/share/bottles/bottles/a/bottle.yml",
          "a: &a [x, x]\n" + "".join(f"b{i}: &b{i} [*a, *a, *a]\n" for i in range(20_000)))
    data = home / ".local/share/lutris"
    data.mkdir(parents=True)
    database = sqlite3.connect(data / "pga.db")
    database.execute("CREATE VIEW games AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                     "SELECT i AS id, 'x' AS name, 'x' AS slug, 'x' AS runner, '/' AS directory, 1 AS installed, "
                     "'' AS configpath FROM n")
    database.commit()
    database.close()
    done = tool.run("games", "--json", "-", env=libraries.environment(), prefix=["prlimit", "--as=600000000"])
    assert done.code == 0, done
    assert all(game["from"] == "Debian" for game in done.json["games"])
    assert "pga.db: table 'games'" in "\n".join(done.json["faults"]), done.json["faults"]


def test_links_lead_nowhere_out_of_a_game(tool, libraries):
    libraries.steam(libraries.home / ".local/share/Steam", [libraries.home / ".local/share/Steam"], 10, 1)
    folder = Path(libraries.games["Steam 10"][3])
    (folder / "loop").symlink_to(folder)
    (folder / "root").symlink_to("/")
    _, found = asked(tool, libraries)
    assert found["Steam 10"]["files"] == 1


def test_games_that_were_played_are_known(tool, libraries):
    libraries.steam(libraries.home / ".local/share/Steam", [libraries.home / ".local/share/Steam"], 10, 1)
    folder = Path(libraries.games["Steam 10"][3])
    write(folder / "traces/start.1.trace", b"a recording")
    _, found = asked(tool, libraries)
    assert found["Steam 10"]["known"]["recordings"] == [str(folder / "traces/start.1.trace")]
    assert found["Steam 10"]["known"]["loads"] == 0


def test_older_forms_of_steam_s_files_and_any_name_are_read(tool, libraries):
    """Before 2021 a library was only a path, and keys had other capitals; names are UTF-8 with escaped characters."""
    steam = libraries.home / ".local/share/Steam"
    other = libraries.other_disk / "Bücher \"alt\" \\ 1"
    listed = str(other).replace("\\", "\\\\").replace('"', '\\"')
    write(steam / "steamapps/libraryfolders.vdf",
          f'"LibraryFolders"\n{{\n\t"TimeNextStatsReport"\t\t"1600000000"\n\t"ContentStatsID"\t\t"-1"\n\t"1"\t\t"{listed}"\n}}\n')
    names = {7: 'Say "Hi" \\o/', 8: "Übermut – 光の冒険 🎲", 9: "<b>line\nbreak</b> \u202etxt.exe"}
    for number, name in names.items():
        told = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        write(other / f"steamapps/appmanifest_{number}.acf",
              f'"AppState"\n{{\n\t"appID"\t\t"{number}"\n\t"name"\t\t"{told}"\n\t"StateFlags"\t\t"4"\n\t"installDir"\t\t"ö{number}"\n}}\n')
        libraries.fill(other / f"steamapps/common/ö{number}")
    answer, found = asked(tool, libraries)
    assert answer["faults"] == []
    assert {(game["id"], name, game["folder"]) for name, game in found.items()} == {
        (str(number), name, str(other.resolve() / f"steamapps/common/ö{number}")) for number, name in names.items()}
    for part, shown in (("hi", 'Say "Hi"'), ("mut", "Übermut – 光の冒険"), ("break", "<b>line")):
        text = tool.ok("games", part, env=libraries.environment()).text
        assert shown in text and not set("\u202e\x1b") & set(text)


def test_a_library_on_a_removed_disk_is_named(tool, libraries):
    steam = libraries.home / ".local/share/Steam"
    libraries.steam(steam, [steam], 10, 2, written=[steam, "/media/gone/SteamLibrary"])
    answer, found = asked(tool, libraries)
    assert found.keys() == {"Steam 10", "Steam 11"}
    assert len(answer["faults"]) == 1
    for part in ("libraryfolders.vdf: library '/media/gone/SteamLibrary'", "if it is on another disk, mount that"):
        assert part in answer["faults"][0]


def test_a_game_of_10000_folders_is_counted_whole(tool, libraries):
    steam = libraries.home / ".local/share/Steam"
    libraries.steam(steam, [steam], 10, 1)
    folder = Path(libraries.games["Steam 10"][3])
    for number in range(10_000):
        (folder / str(number % 100) / str(number)).mkdir(parents=True)
    _, found = asked(tool, libraries)
    assert found["Steam 10"]["is_whole"] and found["Steam 10"]["files"] == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="once is enough: other users' tests need root")
def test_a_folder_of_another_user_that_cannot_be_read_is_named(tool):
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # every user can reach it
        Path(folder).chmod(0o755)
        libraries = Libraries(Path(folder, "home"), Path(folder, "disk"))
        libraries.steam(libraries.home / ".local/share/Steam", [libraries.home / ".local/share/Steam"], 10, 1)
        libraries.gog(1)
        (libraries.home / ".local/share").chmod(0o700)
        done = tool.run("games", "--json", "-", env=libraries.environment(),
                        prefix=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
    assert done.code == 0, done
    assert {game["name"] for game in done.json["games"] if game["from"] != "Debian"} == {"GOG 0"}
    assert any("Steam" in fault and "Permission denied" in fault for fault in done.json["faults"]), done.json["faults"]
