"""seekless emit: every packer that Debian has takes the list, and its output has the files in that order. Files' places
are found by their bytes, which are noise, so that the tests don't depend on packers' own listings."""
import json
import os
import random
import re
import shutil
import subprocess
import zipfile

import pytest

from game import noise
from programs import code_of
from tool import FAILED, TOP, USAGE

ODD = ["with space", " in front", "at the end ", 'a "quote"', "a 'tick'", "back\\slash", "#hash", "-dash", "--option",
       "@at", "[x]", "star*", "tab\there", "Zürich", "sub/-dash", "sub/deep er/.dot", "!not", "^only", "carriage\rreturn"]
LINE_END = "line\nend"
NOT_UTF8 = os.fsdecode(b"bad\xff\xfe")


class Folder:
    """Makes files of noise, some of which a load reads, in an order that neither names nor inodes have."""

    def __init__(self, folder, names, size=3000, unread=()):
        self.folder = folder
        self.bytes = {}
        for number, name in enumerate([*names, *unread]):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            self.bytes[name] = noise(number + 1, size)
            path.write_bytes(self.bytes[name])
        self.read = list(names)
        random.Random(5).shuffle(self.read)

    def trace(self, path, names=None, scenario="boot"):
        lines = [{"seekless": "trace", "version": 1, "scenario": scenario}]
        for number, name in enumerate(names or self.read):
            lines += [{"path": str(self.folder / name)}, {"gap": 1, "open": True},
                      {"gap": 1, "file": number, "at": 0, "read": len(self.bytes[name])}]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def order_in(self, image, names):
        """Finds the order by the first half of each file, because EROFS may rotate its cluster at a place inside a
        file."""
        data = image.read_bytes()

        def find(content):
            half = len(content) // 2
            place = data.find(content[:half])
            return place if place >= 0 else data.find(content[half:])
        places = {name: find(self.bytes[name]) for name in names}
        assert all(place >= 0 for place in places.values()), places
        return sorted(names, key=places.get)


def command_of(name):
    """Returns the packer's command as docs/emit.md shows it: in its table, or for EROFS of a tar in its text."""
    page = (TOP / "docs/emit.md").read_text()
    shown = re.search(r"`(tar -C FOLDER [^`]*mkfs\.erofs [^`]*)`" if name == "erofs of tar" else
                      rf"^\| `{name}` \| `([^`]+)` \|", page, re.MULTILINE)
    assert shown, f"docs/emit.md has no command for {name}"
    return shown[1]


def pack_with(name, folder, made, image):
    """Runs the packer `name` with its list, with the command from docs/emit.md."""
    program = {"erofs": "mkfs.erofs", "erofs of tar": "mkfs.erofs"}.get(name, name)
    if shutil.which(program) is None:
        pytest.skip(f"{program} isn't installed")
    is_old = program == "mkfs.erofs" and "--sort" not in subprocess.run([program, "--help"], capture_output=True, text=True,
                                                                        timeout=20).stdout
    if name == "erofs of tar" and is_old:
        pytest.skip("this mkfs.erofs has no order of a tar: that needs erofs-utils 1.8 (Debian 13)")
    places = {"FOLDER": folder, "LIST": made, "IMAGE": image, "ARCHIVE": image, "COPY": image.with_name("copy")}
    # The page says so for older versions.
    shown = command_of(name).replace(" -C1048576 -Eall-fragments" if is_old else "\n", "")
    command = re.sub(r"\b(" + "|".join(places) + r")\b", r'"$\1"', shown)
    done = subprocess.run(["sh", "-ec", command], cwd=image.parent, capture_output=True, timeout=120,
                          env={**os.environ, **{word: str(path) for word, path in places.items()}})
    assert done.returncode == 0, done.stderr


PACKERS = ["mksquashfs", "gensquashfs", "erofs", "tar", "erofs of tar", "zip"]


@pytest.mark.parametrize("packer", PACKERS)
def test_the_packer_puts_files_in_load_order_whatever_they_are_called(tool, tmp_path, packer):
    names = [f"plain/{number:02}" for number in range(40)] + ODD
    if packer == "erofs":  # from 1.7 on, files of the folder itself come first
        names = [name if "/" in name else f"odd/{name}" for name in names]
    if packer == "zip":
        names.remove("carriage\rreturn")
    game = Folder(tmp_path / "game", names, unread=["plain/aaa", "plain/zzz", "plain/nobody"])
    made = tmp_path / "list"
    answer = tool.json("emit", packer.split()[-1], game.trace(tmp_path / "t.jsonl"), "--content", game.folder, "-o", made)
    assert answer["unsayable"] == []
    # Names that can't be asset paths don't belong to the content: these files lie among the unread ones.
    read = [name for name in game.read if "\\" not in name and not any(c < " " for c in name)]
    assert answer["read_files"] == len(read) and answer["unread_files"] == len(names) - len(read) + 3
    image = tmp_path / "image"
    pack_with(packer, game.folder, made, image)
    image = image if image.exists() else image.with_suffix(".zip")
    found = game.order_in(image, [*names, "plain/aaa", "plain/zzz", "plain/nobody"])
    if packer == "erofs":  # uncompressed files lie rotated in their cluster, so their end may come first
        found = found[found.index(read[0]):] + found[:found.index(read[0])]
    assert found[:len(read)] == read


def test_the_page_begins_with_what_works(tool, tmp_path):
    """Runs its first commands, in an empty folder with the files that they name."""
    if shutil.which("mksquashfs") is None:
        pytest.skip("mksquashfs isn't installed")
    game = Folder(tmp_path / "env", [f"plain/{number:02}" for number in range(9)], unread=["aaa"])
    (tmp_path / "traces").mkdir()
    game.trace(tmp_path / "traces/one.trace")
    subprocess.run(["sh", "-ec", code_of("emit.md", "sh")[0]], cwd=tmp_path, check=True, capture_output=True, timeout=60,
                   env={**os.environ, "PATH": f"{os.path.dirname(tool.binary)}:{os.environ['PATH']}"})
    assert game.order_in(tmp_path / "env.squashfs", [*game.read, "aaa"]) == [*game.read, "aaa"]


def test_what_a_list_cannot_hold_is_told_or_refused(tool, tmp_path):
    game = Folder(tmp_path / "game", ["one", "two", 'a "quote"', "star*", " in front"], unread=[LINE_END, NOT_UTF8])
    trace = game.trace(tmp_path / "t.jsonl")

    def emitted(name):
        return tool.json("emit", name, trace, "--content", game.folder, "-o", tmp_path / name)["unsayable"]

    assert emitted("tar") == emitted("mksquashfs") == emitted("gensquashfs") == emitted("erofs") == emitted("dwarfs") == []
    assert [each["example"] for each in emitted("unreal")] == ['a "quote"']
    assert (tmp_path / "unreal").read_text().count("\n") == 4
    tool.run("emit", "zip", trace, "--content", game.folder, "-o", tmp_path / "zip").says("a line end in its name", "tar")
    assert not (tmp_path / "zip").exists()
    names = (tmp_path / "tar").read_bytes().split(b"\0")
    assert os.fsencode("./" + NOT_UTF8) in names and os.fsencode("./" + LINE_END) in names


def test_lists_of_what_comes_first_hold_what_is_read_and_no_more(tool, tmp_path):
    game = Folder(tmp_path / "game", [f"d{number % 3}/f{number}" for number in range(9)], unread=["nobody"])
    trace = game.trace(tmp_path / "t.jsonl")

    def emitted(name, *words):
        tool.ok("emit", name, trace, "--content", game.folder, "-o", tmp_path / "list", *words)
        return (tmp_path / "list").read_text()

    assert emitted("dwarfs").splitlines() == game.read
    # Unreal's list has the same form as its log, so `import` can read it.
    emitted("unreal", "--prefix", f"../../../{game.folder.name}/")
    order = tmp_path / "GameOpenOrder.log"
    (tmp_path / "list").rename(order)
    tool.ok("emit", "dwarfs", order, "--map", f"game={game.folder}", "--content", game.folder, "-o", tmp_path / "again")
    assert (tmp_path / "again").read_text().splitlines() == game.read


def test_a_layout_gives_the_order_that_packs_have(tool, tmp_path):
    game = Folder(tmp_path / "game", [f"f{number:02}" for number in range(30)], unread=["nobody"])
    menu, level = game.read[:18], game.read[12:]
    traces = [game.trace(tmp_path / "menu.jsonl", menu, "menu"), game.trace(tmp_path / "map.jsonl", level, "map")]
    layout = tmp_path / "layout.json"
    tool.ok("plan", *traces, "--content", game.folder, "-o", layout, "--budget", 2, "--gain", 0)
    laid = json.loads(layout.read_text())
    # Assets of which both packs have copies also lie in the common pack, where neither scenario reads them.
    packs = [[asset["path"] for asset in pack["assets"] if laid["scenario_sets"][asset["set"]]] for pack in laid["packs"]]
    expected = list(dict.fromkeys(path for pack in packs for path in pack))
    answer = tool.json("emit", "dwarfs", layout, "--content", game.folder, "-o", tmp_path / "list")
    assert (tmp_path / "list").read_text().splitlines() == expected
    assert answer["read_files"] == 30 and answer["copies"] == sum(map(len, packs)) - 30 == 6
    tool.ok("emit", "dwarfs", layout, "--content", game.folder, "-o", tmp_path / "list", "--scenario", "menu")
    assert sorted((tmp_path / "list").read_text().splitlines()) == sorted(menu)
    tool.run("emit", "dwarfs", layout, "--content", game.folder, "-o", tmp_path / "x", "--scenario", "credits").says(
        "credits", "leave it out")


def test_an_archive_lies_whole_where_its_first_entry_is_read(tool, tmp_path):
    folder = tmp_path / "game"
    folder.mkdir()
    with zipfile.ZipFile(folder / "pak.pk3", "w") as archive:
        for number in range(5):
            archive.writestr(f"e{number}", noise(number, 500))
    game = Folder(folder, ["first", "last"])
    layout, trace = tmp_path / "layout.json", game.trace(tmp_path / "t.jsonl", ["first", "last"])
    with trace.open("a") as more:
        more.write(json.dumps({"path": str(folder / "pak.pk3")}) + "\n" + json.dumps({"gap": 1, "open": True}) + "\n" +
                   json.dumps({"gap": 1, "file": 2, "at": 600, "read": 500}) + "\n")
    tool.ok("plan", trace, "--content", folder, "-o", layout)
    answer = tool.json("emit", "dwarfs", layout, "--content", folder, "-o", tmp_path / "list")
    assert sorted((tmp_path / "list").read_text().splitlines()) == ["first", "last", "pak.pk3"]
    assert answer["archives"] == 1
    # In recordings, an archive is a file like any other.
    answer = tool.json("emit", "dwarfs", trace, "--content", folder, "-o", tmp_path / "list")
    assert (tmp_path / "list").read_text().splitlines() == ["first", "last", "pak.pk3"] and answer["archives"] == 0


def test_links_are_packed_as_links_and_lead_to_the_file_that_is_read(tool, tmp_path):
    game = Folder(tmp_path / "game", ["lib/a", "lib/b", "lib/c"], unread=["other"])
    (game.folder / "lib64").symlink_to("lib")
    (game.folder / "empty").mkdir()
    trace = game.trace(tmp_path / "t.jsonl")
    trace.write_text(trace.read_text().replace("/lib/b", "/lib64/b"))
    made, image = tmp_path / "list", tmp_path / "image.tar"
    assert tool.json("emit", "tar", trace, "--content", game.folder, "-o", made)["read_files"] == 3
    pack_with("tar", game.folder, made, image)
    assert game.order_in(image, game.read + ["other"])[-1] == "other"
    out = tmp_path / "out"
    out.mkdir()
    subprocess.run(["tar", "-C", out, "-xf", image], check=True)
    assert (out / "lib64").is_symlink() and (out / "empty").is_dir() and (out / "lib/a").read_bytes() == game.bytes["lib/a"]
    assert made.read_bytes().count(b"\0") == 7, "each thing once: four files, two folders, a link"


def test_forty_thousand_files_lie_in_order_with_mksquashfs(tool, tmp_path):
    """Uses more files than there are priorities above the default one; a unit test has 70,000."""
    if shutil.which("mksquashfs") is None:
        pytest.skip("mksquashfs isn't installed")
    count, folder, lines = 40_000, tmp_path / "game", ['{"seekless":"trace","version":1,"scenario":"boot"}']
    for number in range(count):
        if number % 1000 == 0:
            (folder / f"{number // 1000:02}").mkdir(parents=True)
        (folder / f"{number // 1000:02}" / f"{number % 1000:03}").write_bytes(b"file%05d" % number)
    numbers = list(range(count))
    random.Random(7).shuffle(numbers)
    for at, number in enumerate(numbers):
        lines += [f'{{"path":"{folder}/{number // 1000:02}/{number % 1000:03}"}}', '{"gap":1,"open":true}',
                  f'{{"gap":1,"file":{at},"at":0,"read":9}}']
    trace, made, image = tmp_path / "t.jsonl", tmp_path / "list", tmp_path / "image"
    trace.write_text("\n".join(lines) + "\n")
    assert tool.json("emit", "mksquashfs", trace, "--content", folder, "-o", made)["note"] == ""
    subprocess.run(["mksquashfs", folder, image, "-sort", made, "-noappend", "-quiet", "-no-progress", "-noF", "-noI"],
                   check=True, capture_output=True)
    packed = [int(number) for number in re.findall(rb"file(\d{5})", image.read_bytes())]
    assert packed == numbers


def test_wrong_questions_are_answered(tool, made, tmp_path):
    game = Folder(tmp_path / "game", ["a", "b"])
    trace = game.trace(tmp_path / "t.jsonl")
    assert tool.run("emit", "rar", trace, "--content", game.folder, "-o", "x").code == USAGE
    tool.run("emit", "tar", trace, "--content", game.folder / "a", "-o", "x").says("folder for --content", "a file")
    tool.run("emit", "tar", trace, "--content", tmp_path / "no", "-o", "x").says("folder for --content", "nothing")
    tool.run("emit", "tar", trace, "--content", game.folder, "-o", "x", "--prefix", "p").says("--prefix", "tar")
    tool.run("emit", "tar", made.packs, "--content", game.folder, "-o", "x").says("recordings, or a layout")
    tool.run("emit", "tar", made.layout, trace, "--content", game.folder, "-o", "x").says("one layout", "among 2 inputs")
    other = tmp_path / "other"
    other.mkdir()
    (other / "c").write_bytes(b"c")
    assert tool.run("emit", "tar", made.layout, "--content", other, "-o", tmp_path / "x").says("none, but others").code == FAILED
    assert not (tmp_path / "x").exists()
