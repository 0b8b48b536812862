"""By default, packs are compressed if their content is deflated in its archives."""
import zipfile

from game import info, prose


def planned(tool, folder, method):
    """A layout of a zip whose entries a recording reads."""
    content = folder / "content"
    content.mkdir(parents=True)
    names = [f"text/{number:02}.txt" for number in range(40)]
    with zipfile.ZipFile(content / "game.pk3", "w") as archive:
        for number, name in enumerate(names):
            archive.writestr(info(name, method), prose(number, 60_000))
    trace = folder / "load.1.list"
    trace.write_text("".join(name + "\n" for name in names))
    layout = folder / "layout.json"
    return layout, tool.ok("plan", trace, "--content", content, "-o", layout, "--verbose")


def saved_share(tool, layout, output, *words):
    packs = tool.json("pack", layout, "-o", output, *words)["packs"]
    return sum(pack["saved_bytes"] for pack in packs) / sum(pack["content_bytes"] for pack in packs)


def test_what_was_deflated_is_compressed_and_is_said_to_be(tool, tmp_path):
    layout, plan = planned(tool, tmp_path / "a", zipfile.ZIP_DEFLATED)
    assert "packs compressed with LZ4" in " ".join(plan.text.split())
    assert saved_share(tool, layout, tmp_path / "packs") > 0.4
    assert saved_share(tool, layout, tmp_path / "raw", "--codec", "raw") == 0
    tool.ok("verify", tmp_path / "packs")
    tool.ok("extract", tmp_path / "packs", "-o", tmp_path / "unpacked")
    for number in range(40):
        assert (tmp_path / f"unpacked/text/{number:02}.txt").read_bytes() == prose(number, 60_000)


def test_what_was_stored_stays_raw(tool, tmp_path):
    layout, plan = planned(tool, tmp_path / "a", zipfile.ZIP_STORED)
    assert "packs compressed with LZ4" not in " ".join(plan.text.split())
    assert saved_share(tool, layout, tmp_path / "packs") == 0
    assert saved_share(tool, layout, tmp_path / "lz4", "--codec", "lz4") > 0.4


def test_each_pack_alone_is_as_in_the_whole_set(tool, tmp_path):
    layout, _ = planned(tool, tmp_path / "a", zipfile.ZIP_DEFLATED)
    tool.ok("pack", layout, "-o", tmp_path / "packs")
    for pack in sorted((tmp_path / "packs").glob("*.skl")):
        if pack.name != "catalog.skl":
            tool.ok("pack", layout, "--only", pack.stem, "-o", tmp_path / "alone.skl")
            assert (tmp_path / "alone.skl").read_bytes() == pack.read_bytes()
