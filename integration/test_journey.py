"""The whole journey on a small game that holds every kind of content: import, profile, plan, pack, verify, list, info,
cat, extract. The extracted files are compared with those that Python reads."""
import json

import pytest

from game import Game
from tool import DAMAGED, FAILED, check_schema, tree


def ascii_fold(path):
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in path)


def journey(tool, made, folder, *plan_options):
    """Runs plan, pack, verify and extract; returns the resulting tree."""
    tool.ok("plan", *made.traces, "--content", made.game.folder, "-o", folder / "layout.json",
            *plan_options)
    tool.ok("pack", folder / "layout.json", "-o", folder / "packs")
    tool.ok("verify", folder / "packs")
    tool.ok("extract", folder / "packs", "-o", folder / "out")
    return tree(folder / "out")


def test_extract_gives_back_every_asset_and_nothing_else(tool, made, tmp_path):
    answer = tool.json("extract", made.packs, "-o", tmp_path / "out")
    expected = made.game.one_name_space()
    assert tree(tmp_path / "out") == expected
    assert answer["assets"] == len(expected)
    assert answer["bytes"] == sum(map(len, expected.values()))


def test_extract_gives_back_every_asset_of_compressed_packs(tool, made, tmp_path):
    tool.ok("extract", made.lz4_packs, "-o", tmp_path / "out")
    assert tree(tmp_path / "out") == made.game.one_name_space()
    sizes = [sum(path.stat().st_size for path in folder.iterdir())
             for folder in (made.lz4_packs, made.packs)]
    assert sizes[0] < sizes[1]


def test_keep_archives_keeps_names_apart(tool, made, tmp_path):
    out = journey(tool, made, tmp_path, "--keep-archives")
    assert out == made.game.kept_apart()
    assert out["base.wz/readme.txt"] != out["readme.txt"]


def test_fold_case_lets_the_later_spelling_win(tool, made, tmp_path):
    expected = made.game.one_name_space(fold=ascii_fold)
    assert len(expected) < len(made.game.one_name_space())
    assert journey(tool, made, tmp_path, "--fold-case") == expected
    assert tool.ok("extract", "-o", "-", tmp_path / "packs", "TEXTURES/WALL.PNG").out == expected["textures/wall.png"]
    tool.run("extract", "-o", "-", made.packs, "TEXTURES/WALL.PNG").says("TEXTURES/WALL.PNG")


def test_opaque_archives_stay_whole(tool, made, tmp_path):
    out = journey(tool, made, tmp_path, "--opaque", "mods/**")
    assert out["mods/extra.wz"] == (made.game.folder / "mods" / "extra.wz").read_bytes()


def test_excluded_assets_are_left_out(tool, made, tmp_path):
    out = journey(tool, made, tmp_path, "--exclude", "features/**")
    expected = made.game.one_name_space()
    assert out == {p: c for p, c in expected.items() if not p.startswith("features/")}


def test_globs_choose_what_is_extracted(tool, made, tmp_path):
    tool.ok("extract", made.packs, "-o", tmp_path / "out", "textures/**", "*.map")
    expected = {p: c for p, c in made.game.one_name_space().items()
                if p.startswith("textures/") or p.endswith(".map")}
    assert len(expected) == 3
    assert tree(tmp_path / "out") == expected


def test_globs_that_match_nothing_are_an_error(tool, made, tmp_path):
    assert tool.run("extract", made.packs, "-o", tmp_path / "out", "*.dds").says("expected").code == FAILED
    assert tool.run("info", "--assets", made.packs, "*.dds").says("expected").code == FAILED


def test_extract_replaces_files_only_when_told(tool, made, tmp_path):
    (tmp_path / "readme.txt").write_text("mine")
    refused = tool.run("extract", made.packs, "-o", tmp_path, "readme.txt")
    assert refused.says("readme.txt", "--overwrite").code == FAILED
    assert tree(tmp_path) == {"readme.txt": b"mine"}
    tool.ok("extract", made.packs, "-o", tmp_path, "readme.txt", "--overwrite")
    assert tree(tmp_path) == {"readme.txt": b"new words, of a loose file"}


def test_cat_writes_one_asset(tool, made):
    content = made.game.one_name_space()
    for path in ["maps/Zürich.map", "sounds/café.wav", "empty.bin", "music/theme.ogg", "mods/copy.png"]:
        for packs in (made.packs, made.lz4_packs):
            assert tool.ok("extract", "-o", "-", packs, path).out == content[path]
    assert tool.ok("extract", "-o", "-", made.packs / "menu.skl", "music/theme.ogg").out == content["music/theme.ogg"]


def test_list_names_every_asset_in_the_order_it_lies(tool, made):
    answer = tool.json("info", "--assets", made.packs)
    content = made.game.one_name_space()
    assert {a["path"]: a["bytes"] for a in answer["assets"]} == {p: len(c) for p, c in content.items()}
    assert tool.ok("info", "--assets", made.packs).text.splitlines() == [a["path"] for a in answer["assets"]]
    of_menu = [(a["block"], a["offset"]) for a in answer["assets"] if a["pack"] == "menu.skl"]
    assert of_menu == sorted(of_menu) and len(of_menu) == len(Game.MENU) - 1
    long_line = tool.ok("info", "--assets", made.packs, "-l", "nothing").text.split()
    assert long_line[0] == "0" and long_line[-2:] == ["cold.skl", "nothing"]


def test_info_tells_packs_and_scenarios(tool, made):
    answer = tool.json("info", made.packs)
    assert [(p["file"], p["kind"]) for p in answer["packs"]] == [
        ("common.skl", "common"), ("map-one.skl", "sub"), ("menu.skl", "sub"), ("cold.skl", "cold")]
    content = made.game.one_name_space()
    needed = {"menu": Game.MENU, "map/one": [*Game.MAP, "mods/script.js"]}
    assert {s["name"]: (s["assets"], s["bytes"]) for s in answer["scenarios"]} == {
        name: (len(paths), sum(len(content[p]) for p in paths)) for name, paths in needed.items()}
    assert all(p["block_bytes"] == 262144 and not p["compressed"] for p in answer["packs"])
    for scenario in answer["scenarios"]:
        assert scenario["bytes"] - 140_000 <= scenario["read_bytes"] < scenario["bytes"] * 1.1 + 300_000
    assert any(p["compressed"] for p in tool.json("info", made.lz4_packs)["packs"])
    single = tool.json("info", made.packs / "menu.skl")
    assert single["packs"][0]["kind"] == "single" and single["scenarios"] == []


def test_verify_finds_nothing_wrong(tool, made):
    answer = tool.json("verify", made.packs, made.lz4_packs)
    assert answer["damages"] == [] and answer["packs"] == 8
    assert answer["assets"] == 2 * len(made.game.one_name_space())
    assert answer["bytes"] == sum(p.stat().st_size for folder in (made.packs, made.lz4_packs)
                                  for p in folder.iterdir())


def test_import_tells_what_it_read(tool, made, tmp_path):
    answer = tool.json("import", *made.straces, "-o", f"{tmp_path}/traces/",
                       "--only", f"{made.game.folder}/**")
    by_name = {i["output"].rsplit("/", 1)[1]: i for i in answer["inputs"]}
    assert sorted(by_name) == ["map.1.jsonl.lz4", "map.2.jsonl.lz4", "menu.1.jsonl.lz4"]
    menu = by_name["menu.1.jsonl.lz4"]
    assert (menu["scenario"], menu["dialect"], menu["unparsed_lines"]) == ("menu", "strace", 0)
    assets = sum(made.game.place(path)[2] for path in Game.MENU)
    directories = [made.game.directory(name) for name in ("base.wz", "mods/extra.wz", "mp.wz")]
    assert menu["bytes"] == assets + sum(length + 30 * len(headers) for _, length, headers in directories)
    assert menu["paths"] == 5
    assert by_name["map.2.jsonl.lz4"]["scenario"] == "map"


def test_traces_validate_line_by_line(tool, made, tmp_path):
    tool.ok("import", made.straces[0], "-o", tmp_path / "menu.jsonl")
    lines = (tmp_path / "menu.jsonl").read_text().splitlines()
    assert len(lines) > 100
    for line in lines:
        check_schema(json.loads(line), "trace")


def test_profile_says_what_was_read_in_which_order(tool, made, tmp_path):
    answer = tool.json("profile", *made.traces, "--content", made.game.folder,
                       "-o", tmp_path / "profile.json")
    profile = json.loads((tmp_path / "profile.json").read_text())
    check_schema(profile, "profile")
    order = {run["trace"]: [profile["assets"][i] for i in run["assets"]]
             for scenario in profile["scenarios"] for run in scenario["runs"]}
    assert order["menu.1"] == Game.MENU
    assert order["map.1"] == Game.MAP
    assert order["map.2"] == [*Game.MAP[:30], "mods/script.js", *Game.MAP[30:]]
    assert {s["name"]: (s["runs"], s["assets"]) for s in answer["scenarios"]} == {
        "menu": (1, len(Game.MENU)), "map/one": (2, len(Game.MAP) + 1)}
    assert answer["assets"] == len(profile["assets"]) == len(set(Game.MENU + Game.MAP)) + 1


def test_plan_from_a_profile_is_the_plan_from_its_traces(tool, made, tmp_path):
    tool.ok("profile", *made.traces, "--content", made.game.folder, "-o", tmp_path / "p.json")
    tool.ok("plan", "--profile", tmp_path / "p.json", "--content", made.game.folder,
            "-o", tmp_path / "l.json", "--block", "256K", "--budget", 1)
    assert (tmp_path / "l.json").read_bytes() == made.layout.read_bytes()


def test_plan_puts_each_asset_where_its_readers_are(tool, made, tmp_path):
    answer = tool.json("plan", *made.traces, "--content", made.game.folder,
                       "-o", tmp_path / "layout.json", "--block", "256K", "--budget", 1)
    layout = json.loads((tmp_path / "layout.json").read_text())
    check_schema(layout, "layout")
    assert layout == json.loads(made.layout.read_text())
    paths = {pack["name"]: [a["path"] for a in pack["assets"]] for pack in layout["packs"]}
    assert paths["common"] == ["stats/rules.json"]
    assert paths["menu"] == Game.MENU[1:]
    # No recording reads the wall, but it equals one of the map's assets, so it takes no extra room.
    assert set(paths["map-one"]) == {*Game.MAP[1:], "mods/script.js", "Textures/Wall.png"}
    read = {*Game.MENU, *Game.MAP, "mods/script.js", "Textures/Wall.png"}
    content = made.game.one_name_space()
    assert set(paths["cold"]) == set(content) - read
    assert answer["assets"] == len(content) and answer["bytes"] == sum(map(len, content.values()))
    hidden = {(s["path"], s["source"].rsplit("/", 1)[1], s["hidden_by"].rsplit("/", 1)[1])
              for s in answer["shadowed"]}
    assert hidden == {("stats/rules.json", "base.wz", "mp.wz"), ("readme.txt", "base.wz", "readme.txt")}
    assert answer["gone"] == [] and answer["sources"] == 6


def test_plan_warns_of_shadowed_entries(tool, made, tmp_path):
    answer = tool.ok("plan", *made.traces, "--content", made.game.folder, "-o", tmp_path / "l.json")
    assert "seekless: warning: " in answer.err and "2 entries are hidden" in answer.err


def test_traces_of_another_place_are_mapped(tool, made, tmp_path):
    elsewhere = made.straces[0].read_text().replace(str(made.game.folder), "/opt/game")
    (tmp_path / "menu.strace").write_text(elsewhere)
    refused = tool.run("plan", tmp_path / "menu.strace", "--content", made.game.folder,
                       "-o", tmp_path / "l.json")
    assert refused.says("menu.strace", "--map").code == DAMAGED
    tool.ok("plan", tmp_path / "menu.strace", "--content", made.game.folder, "-o",
            tmp_path / "l.json", "--map", f"/opt/game={made.game.folder}")
    layout = json.loads((tmp_path / "l.json").read_text())
    assert [a["path"] for a in layout["packs"][0]["assets"]] == Game.MENU


def test_alignment_rules_place_assets(tool, made, tmp_path):
    journey(tool, made, tmp_path, "--align", "*.pie=4096")
    assets = tool.json("info", "--assets", tmp_path / "packs")["assets"]
    pies = [a for a in assets if a["path"].endswith(".pie")]
    assert len(pies) == 300
    assert all(a["offset"] % 4096 == 0 and a["alignment"] == 4096 for a in pies)
    assert all(a["offset"] % a["alignment"] == 0 and a["alignment"] <= 64
               for a in assets if a not in pies)


def test_pack_counts_its_bytes(tool, made, tmp_path):
    answer = tool.json("pack", made.layout, "-o", tmp_path / "packs")
    for pack in answer["packs"]:
        assert pack["file_bytes"] == (tmp_path / "packs" / pack["file"]).stat().st_size
        assert pack["file_bytes"] == (pack["table_bytes"] + pack["content_bytes"] -
                                      pack["duplicate_bytes"] - pack["saved_bytes"] + pack["padding_bytes"])
    assert answer["bytes"] == sum(p["file_bytes"] for p in answer["packs"])
    duplicates = {p["file"]: p["duplicate_bytes"] for p in answer["packs"]}
    assert duplicates["map-one.skl"] == 66_000 + 70_000 and duplicates["menu.skl"] == 0
    lz4 = tool.json("pack", made.layout, "-o", tmp_path / "lz4", "--codec", "lz4")
    assert sum(p["saved_bytes"] for p in lz4["packs"]) > 100_000


@pytest.mark.parametrize("command", ["info --assets", "info", "verify"])
def test_json_goes_to_a_file_beside_the_text(tool, made, tmp_path, command):
    answer = tool.ok(*command.split(), made.packs, "--json", tmp_path / "answer.json")
    assert answer.text != ""
    check_schema(json.loads((tmp_path / "answer.json").read_text()), f"results/{command.split()[0]}")


def test_packing_again_replaces_the_set(tool, made, tmp_path):
    tool.ok("pack", made.layout, "-o", tmp_path / "packs")
    tool.ok("plan", made.traces[-1], "--content", made.game.folder, "-o", tmp_path / "l.json")
    tool.ok("pack", tmp_path / "l.json", "-o", tmp_path / "packs")
    assert sorted(p.name for p in (tmp_path / "packs").iterdir()) == ["catalog.skl", "cold.skl", "menu.skl"]
    tool.ok("verify", tmp_path / "packs")
