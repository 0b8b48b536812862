"""An overlay is an additional archive with the entries that recordings read, over unchanged archives. It holds the
bytes that the engine would have used, or leaves a path out and says so."""
import os
import signal
import subprocess
import time
import zipfile

import pytest

import zips
from game import noise, prose
from strace_lines import read_of
from tool import DONE, FAILED, USAGE, tree
from zips import Entry, archive

pytestmark = pytest.mark.skipif(not zips.have_readers(), reason="needs unzip, bsdtar and libzip")
NAME = "zz_seekless.pk3"
KILLS = 100 if "SEEKLESS_LONG" in os.environ else 15


class Home:
    """A folder of archives, and a trace that names entries."""

    def __init__(self, tool, folder):
        self.tool, self.folder, self.home = tool, folder, folder / "home"
        self.home.mkdir()
        self.trace = folder / "load.strace"
        self.lines = []

    def add(self, name, *entries, **how):
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(archive(list(entries), **how))
        return path

    def read(self, name, *entries):
        """Returns lines that open the archive for each entry and read its data."""
        path = (self.home / name).resolve()
        places = {}
        with zipfile.ZipFile(path) as opened:
            for info, offset in zip(opened.infolist(), zips.data_offsets(path)):
                places[info.orig_filename] = (offset, info.compress_size)
        for entry in entries:
            offset, size = places[entry]
            self.lines += read_of(path, offset, size, at_s=len(self.lines))
        self.trace.write_text("\n".join(self.lines) + "\n")

    def arguments(self, *options, name=NAME):
        return ("repack", self.trace, "--content", self.home, "--overlay", name, "--force", *options)

    def overlay(self, *options, name=NAME):
        return self.tool.json(*self.arguments(*options, name=name))

    def refused(self, *options, name=NAME):
        return self.tool.run(*self.arguments(*options, name=name))

    def content(self, name=NAME):
        with zipfile.ZipFile(self.home / name) as opened:
            return {info.filename: opened.read(info) for info in opened.infolist()}


@pytest.fixture
def home(tool, tmp_path):
    return Home(tool, tmp_path)


def reasons(answer):
    return {of["example"]: of["reason"] for of in answer["overlay"]["left_out"]}


def two_archives(home):
    home.add("pak0.pk3", Entry("a.txt", prose(1, 9000), 8), Entry("b.bin", noise(2, 70_000)),
             Entry("never.bin", noise(3, 5000)))
    home.add("pak1.pk3", Entry("c.txt", prose(4, 9000), 8), Entry("b.bin", noise(5, 60_000)))
    home.read("pak1.pk3", "c.txt", "b.bin")
    home.read("pak0.pk3", "a.txt")


def test_one_archive_more_in_load_order_and_no_other_touched(home):
    two_archives(home)
    before = tree(home.home)
    stamps = {path: path.stat() for path in home.home.iterdir()}
    answer = home.overlay()
    after = tree(home.home)
    assert {name: bytes_ for name, bytes_ in after.items() if name != NAME} == before
    assert {path: path.stat() for path in stamps} == stamps
    assert home.content() == {"a.txt": prose(1, 9000), "b.bin": noise(5, 60_000), "c.txt": prose(4, 9000)}
    assert sorted(zips.names_by_place(home.home / NAME)) == ["a.txt", "b.bin", "c.txt"]
    overlay = answer["overlay"]
    assert overlay["entries"] == 3 and overlay["left_out"] == [] and not overlay["replaces"]
    assert overlay["bytes"] == (home.home / NAME).stat().st_size
    assert overlay["path"] == str(home.home / NAME)
    assert answer["verified"] and not any(of["repacked"] for of in answer["archives"])
    assert [of["read_entries"] for of in answer["archives"]] == [1, 2]
    for reader in (zips.by_zipfile, zips.by_libzip):
        assert reader(home.home / NAME)
    assert zips.by_unzip(home.home / NAME)[0] == 0


def test_lists_of_files_keep_their_order(home):
    """An engine that lists the archives from the last one on finds files in the same order as before."""
    home.add("pak0.pk3", *(Entry(f"s/{n}", noise(n, 3000)) for n in (5, 3, 4)))
    home.add("pak1.pk3", *(Entry(f"s/{n}", noise(n, 3000)) for n in (9, 1)))
    home.read("pak0.pk3", "s/3", "s/5", "s/4")
    home.read("pak1.pk3", "s/1", "s/9")
    home.overlay()
    with zipfile.ZipFile(home.home / NAME) as opened:
        assert [info.filename for info in opened.infolist()] == ["s/9", "s/1", "s/5", "s/3", "s/4"]


def test_deleting_it_undoes_it_and_so_does_restore(home):
    two_archives(home)
    before = tree(home.home)
    home.overlay()
    (home.home / NAME).unlink()
    assert tree(home.home) == before
    home.overlay()
    answer = home.tool.json("restore", home.home)
    assert answer["overlays"] == [NAME] and answer["restored"] == []
    assert tree(home.home) == before
    assert home.tool.json("restore", home.home)["overlays"] == []


def test_a_second_run_gives_the_same_and_reads_of_the_overlay_count(home):
    two_archives(home)
    home.overlay()
    first = (home.home / NAME).read_bytes()
    answer = home.overlay()
    assert answer["overlay"]["replaces"]
    assert (home.home / NAME).read_bytes() == first
    # This is a recording of the game with the overlay, in the same order.
    home.lines = []
    home.read(NAME, "c.txt", "b.bin", "a.txt")
    answer = home.overlay()
    assert answer["overlay"]["entries"] == 3 and answer["overlay"]["left_out"] == []
    assert (home.home / NAME).read_bytes() == first
    # This recording also reads an entry of an archive.
    home.read("pak0.pk3", "never.bin")
    assert home.overlay()["overlay"]["entries"] == 4


def test_the_forecast_is_of_the_reads_that_go_to_it(home):
    home.add("pak0.pk3", *(Entry(f"{n}.bin", noise(n, 200_000)) for n in range(30)))
    home.add("pak1.pk3", *(Entry(f"{n}.bin", noise(n, 200_000)) for n in range(30, 60)))
    for n in range(0, 30, 3):
        home.read("pak0.pk3", f"{29 - n}.bin")
        home.read("pak1.pk3", f"{30 + n}.bin")
    places = ["--drive", "wd-black-1tb", "--place", "pak0.pk3=100G", "--place", "pak1.pk3=400G",
              "--place", f"{NAME}=200G"]
    load = home.overlay("--dry-run", *places)["forecast"]["scenarios"][0]
    assert not (home.home / NAME).exists()
    assert load["before"]["seeks"] >= 20 and load["after"]["seeks"] <= 3
    assert load["after"]["seconds"] < load["before"]["seconds"] / 3
    home.overlay(*places)
    # For a recording with the overlay, the forecast says that a new overlay changes nothing.
    home.lines = []
    for n in range(0, 30, 3):
        home.read(NAME, f"{29 - n}.bin", f"{30 + n}.bin")
    again = home.overlay("--dry-run", *places)["forecast"]["scenarios"][0]
    assert again["after"]["seconds"] == pytest.approx(again["before"]["seconds"], rel=0.02)


@pytest.mark.parametrize("name, others, better", [
    ("aa.pk3", ["pak0.pk3"], "zz_aa.pk3"), ("zz_s.pk3", ["pak0.pk3", "z_map.pk3"], "z_zz_s.pk3"),
    ("PAK0.pk3", ["pak0.pk3"], "zz_PAK0.pk3"), ("zz.zip", ["pak0.pk3"], "*.pk3"),
    ("sub/zz.pk3", ["pak0.pk3"], "-o FOLDER"), ("../zz.pk3", ["pak0.pk3"], "-o FOLDER"),
    (".zz.pk3", ["pak0.pk3"], "-o FOLDER")])
def test_a_name_that_would_not_win_is_refused(home, name, others, better):
    for other in others:
        home.add(other, Entry("a", noise(1, 5000)))
    home.read(others[0], "a")
    before = tree(home.home)
    assert home.refused(name=name).says(better).code == USAGE
    assert tree(home.home) == before


def test_where_the_first_name_wins(home):
    home.add("a.pk3", Entry("x", noise(1, 50_000)))
    home.add("b.pk3", Entry("x", noise(2, 50_000)), Entry("y", noise(3, 5000)))
    home.read("a.pk3", "x")
    home.read("b.pk3", "y")
    assert home.refused("--overlay-first", name="c.pk3").code == USAGE
    home.overlay("--overlay-first", name="!.pk3")
    assert home.content("!.pk3") == {"x": noise(1, 50_000), "y": noise(3, 5000)}


def test_recordings_that_read_another_copy_than_the_rule_says_are_believed(home):
    """Tests an engine in which the first name wins, without --overlay-first."""
    home.add("a.pk3", Entry("x", noise(1, 50_000)), Entry("z", noise(4, 5000)))
    home.add("b.pk3", Entry("x", noise(2, 50_000)))
    home.read("a.pk3", "x", "z")
    answer = home.overlay()
    assert "recordings read that of a.pk3, though b.pk3 should win" in reasons(answer)["x"]
    assert home.content() == {"z": noise(4, 5000)}


def test_what_another_archive_hides_is_no_read(home):
    """Engines read pages, so a read of a wanted entry also covers its short neighbours, which another archive also
    has."""
    home.add("pak0.pk3", Entry("hidden", noise(1, 300)), Entry("x", noise(2, 300)))
    home.add("pak1.pk3", Entry("hidden", noise(3, 300)))
    home.read("pak0.pk3", "hidden", "x")
    answer = home.overlay()
    assert home.content() == {"x": noise(2, 300)} and answer["overlay"]["left_out"] == []


def unclear(home, kind):
    """Adds an archive or file that makes the winner of "x" uncertain; returns the messages."""
    if kind == "case of archives":
        home.add("PAL.pk3", Entry("x", noise(9, 40_000)))
        return "isn't certain"
    if kind == "case of entries":
        home.add("pal.pk3", Entry("X", noise(9, 40_000)))
        return "spell its path in several ways"
    if kind == "duplicate name":
        home.add("pal.pk3", Entry("x", noise(9, 40_000)), Entry("x", noise(8, 40_000)))
        return "isn't certain"
    if kind == "loose file":
        (home.home / "X").write_bytes(b"loose")
        return "a loose file has the same path"
    assert kind == "excluded"
    home.add("pal.pk3", Entry("x", noise(9, 40_000)))
    return "pal.pk3 holds it, too"


@pytest.mark.parametrize("kind", ["case of archives", "case of entries", "duplicate name", "loose file", "excluded"])
def test_entries_whose_winner_is_not_clear_are_left_out(home, kind):
    home.add("pak.pk3", Entry("x", noise(1, 40_000)), Entry("y", noise(2, 5000)))
    home.read("pak.pk3", "x", "y")
    why = unclear(home, kind)
    answer = home.overlay(*(["--exclude", "pal.pk3"] if kind == "excluded" else []))
    assert why in reasons(answer)["x"]
    assert home.content() == {"y": noise(2, 5000)}


def test_equal_copies_are_clear(home):
    home.add("pak.pk3", Entry("x", noise(1, 40_000)))
    home.add("PAL.pk3", Entry("x", noise(1, 40_000)))
    home.read("pak.pk3", "x")
    assert home.overlay()["overlay"]["left_out"] == []
    assert home.content() == {"x": noise(1, 40_000)}


def test_archives_in_folders_below_are_left_alone(home):
    home.add("pak.pk3", Entry("y", noise(2, 5000)))
    home.add("sub/pak.pk3", Entry("x", noise(1, 5000)))
    home.read("pak.pk3", "y")
    home.read("sub/pak.pk3", "x")
    assert "a folder of its own" in reasons(home.overlay())["x"]
    assert home.content() == {"y": noise(2, 5000)}


def test_a_later_folder_wins_and_gets_the_overlay(home, tmp_path):
    home.add("pak9.pk3", Entry("x", noise(1, 40_000)), Entry("y", noise(2, 5000)))
    base, home.home = home.home, tmp_path / "mod"
    home.add("a.pk3", Entry("x", noise(3, 40_000)))
    home.read("a.pk3", "x")
    home.home = base
    home.read("pak9.pk3", "y")
    home.tool.json("repack", home.trace, "--content", base, tmp_path / "mod", "--overlay", "b.pk3", "--force")
    home.home = tmp_path / "mod"
    assert home.content("b.pk3") == {"x": noise(3, 40_000), "y": noise(2, 5000)}
    assert sorted(os.listdir(base)) == ["pak9.pk3"]


def test_it_can_be_written_elsewhere(home, tmp_path):
    two_archives(home)
    before = tree(home.home)
    home.overlay("-o", tmp_path / "new" / "folder")
    assert tree(home.home) == before
    assert sorted(os.listdir(tmp_path / "new" / "folder")) == [NAME]


def test_archives_of_every_kind(home):
    """Odd names, descriptors, zip64 and extra fields stay unchanged."""
    kinds = [Entry("plain", noise(1, 5000)), Entry("deflated", prose(2, 50_000), 8), Entry("empty", b""),
             Entry("comment", noise(3, 100), comment=b"of it"), Entry("zip64", noise(4, 4000), zip64=True),
             Entry("descriptor", noise(5, 4000), descriptor="signed"),
             Entry("extra", noise(6, 4000), extra=zips.field(0x7777, b"abc"), local_extra=zips.field(0x7777, b"ab")),
             Entry("dir/", b""), Entry("dir/café", noise(8, 4000), flags=0x800),
             Entry(b"odd\xffname", noise(9, 4000), made_by=0x0314)]
    home.add("pak0.pk3", *kinds, prefix=b"MZ" * 100, comment=b"PK", zip64_end=True)
    path = (home.home / "pak0.pk3").resolve()
    with zipfile.ZipFile(path) as opened:
        names = [info.orig_filename for info in opened.infolist() if info.file_size > 0]
    home.read("pak0.pk3", *names)
    answer = home.overlay("--keep-compression")
    old = {of[0]: of[1:] for of in zips.by_zipfile(home.home / "pak0.pk3")[:-1]}
    new = {of[0]: of[1:] for of in zips.by_zipfile(home.home / NAME)[:-1]}
    assert set(new) == set(names) and answer["overlay"]["left_out"] == []
    for name in names:
        kept = [value for number, value in enumerate(old[name]) if number != 8 or name != "descriptor"]
        assert kept == [value for number, value in enumerate(new[name]) if number != 8 or name != "descriptor"], name


def test_encrypted_entries_stay_readable(home):
    (home.folder / "secret.txt").write_bytes(prose(1, 5000))
    subprocess.run(["zip", "-q", "-P", "word", home.home / "a.pk3", "secret.txt"], cwd=home.folder, check=True)
    home.add("b.pk3", Entry("strong", noise(1, 4000), flags=0x41), Entry("x", noise(2, 4000)))
    home.read("a.pk3", "secret.txt")
    home.read("b.pk3", "strong", "x")
    answer = home.overlay()
    assert "encrypted with its place" in reasons(answer)["strong"]
    (secret,) = [of for of in zips.by_zipfile(home.home / NAME, b"word")[:-1] if of[0] == "secret.txt"]
    assert secret[-1] == prose(1, 5000)
    assert zips.by_unzip(home.home / NAME, "word")[0] == 0


def test_another_file_of_that_name_is_kept(home):
    two_archives(home)
    (home.home / NAME).write_bytes(archive([Entry("mine", noise(1, 100))]))
    before = tree(home.home)
    home.refused().says("give the overlay another name")
    assert tree(home.home) == before


def test_a_second_overlay_is_refused(home):
    two_archives(home)
    home.overlay()
    home.refused(name="zzz.pk3").says(NAME, "delete it")
    assert sorted(os.listdir(home.home)) == ["pak0.pk3", "pak1.pk3", NAME]


def test_repack_leaves_an_overlay_as_it_is(home, tmp_path):
    two_archives(home)
    home.overlay()
    overlay = (home.home / NAME).read_bytes()
    home.read(NAME, "a.txt")
    answer = home.tool.json("repack", home.trace, "--content", home.home, "-o", tmp_path / "out")
    said = {of["name"]: of for of in answer["archives"]}
    assert not said[NAME]["repacked"] and "it is an overlay" in said[NAME]["reason"]
    assert (tmp_path / "out" / NAME).read_bytes() == overlay


def test_options_that_do_not_go_together(home):
    two_archives(home)
    for option in ("--in-place", "--sort-directory"):
        assert home.refused(option).says(option).code == USAGE
    for option in ("--overlay-first", "--overlay-last"):
        done = home.tool.run("repack", home.trace, "--content", home.home, "-o", home.folder / "o", option)
        assert done.says("--overlay NAME").code == USAGE


def test_it_is_whole_or_not_there_whenever_it_is_killed(home):
    home.add("pak0.pk3", *(Entry(f"{n}", noise(n, 2_000_000)) for n in range(20)))
    home.read("pak0.pk3", *(f"{n}" for n in range(20)))
    before = tree(home.home)
    home.overlay()
    whole = (home.home / NAME).read_bytes()
    start = time.monotonic()
    home.overlay()
    seconds = time.monotonic() - start
    command = home.tool.command(*home.arguments())
    for number in range(KILLS):
        if number % 2:
            (home.home / NAME).unlink(missing_ok=True)
        else:
            (home.home / NAME).write_bytes(whole)
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds * (number + 0.5) / KILLS)
        child.send_signal(signal.SIGKILL)
        child.wait()
        now = {name: bytes_ for name, bytes_ in tree(home.home).items() if not name.startswith(".seekless-originals")}
        assert now in ({**before, NAME: whole}, before)
        if number % 2 == 0:
            assert now == {**before, NAME: whole}
    home.overlay()
    assert tree(home.home) == {**before, NAME: whole}


def test_a_full_disk_leaves_nothing(home, small_disk):
    two_archives(home)
    disk = small_disk(40_000)
    home.refused("-o", disk / "out").says("No space left on device")
    assert tree(disk) in ({}, {"out": None})


def test_a_closed_standard_error_changes_nothing(home):
    two_archives(home)
    done = subprocess.run(["sh", "-c", 'exec "$@" 2>&- >&-', "sh", *home.tool.command(*home.arguments())])
    assert done.returncode in (DONE, FAILED)
    assert home.content()["b.bin"] == noise(5, 60_000)


def test_damaged_entries_are_named_and_nothing_is_written(home):
    two_archives(home)
    path = home.home / "pak1.pk3"
    raw = bytearray(path.read_bytes())
    raw[zips.data_offsets(path)[1] + 1000] ^= 1
    path.write_bytes(raw)
    before = tree(home.home)
    home.refused().says("pak1.pk3", "CRC-32")
    assert tree(home.home) == before
