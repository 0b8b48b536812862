"""Patches end to end: `diff` agrees with an independent model, `patch` and `apply` give the new set despite kills and
faults, and builds of edited content keep patches small."""
import json
import os
import random
import shutil
import signal
import subprocess
import time

import pytest

from skl_reader import PackSet
from tool import DAMAGED, FAILED, check_schema, tree

numpy = pytest.importorskip("numpy", reason="the models of patches need numpy")
from measure_patch import Builds, Content, chunks, digests, grid, patch_bytes, sizes_of  # noqa: E402

ASSETS, MEGABYTES = 250, 44
KILLS = 67 if os.environ.get("SEEKLESS_LONG") == "1" else 12  # three of each set: 200 in all


class Two:
    """A build and the one after an edit of 2 % of the assets."""

    def __init__(self, binary, folder):
        self.content = Content(folder / "content", sizes_of("log-normal", ASSETS, MEGABYTES * 10**6, 1), 1)
        builds = Builds(binary, self.content, folder)
        builds.build()
        self.old, self.new = folder / "old", builds.packs
        shutil.copytree(self.new, self.old)
        self.edited = self.content.edit(0.02)
        self.content.write("zz/added", 12_345)
        self.content.remove(sorted(self.content.sizes)[3])
        self.result = builds.build()


@pytest.fixture(scope="module")
def two(tool, tmp_path_factory):
    return Two(tool.binary, tmp_path_factory.mktemp("two"))


class SameSizes:
    """Two builds without a lock and the patch between them: assets of the same sizes, so that packs can be edited in place."""

    def __init__(self, tool, folder):
        content = Content(folder / "content", sizes_of("log-normal", ASSETS, MEGABYTES * 10**6, 3), 3)
        builds = Builds(tool.binary, content, folder)
        told = json.loads((folder / "seekless.json").read_text())
        del told["lock"]
        (folder / "seekless.json").write_text(json.dumps(told))
        builds.build()
        self.old, self.new, self.patch = folder / "old", builds.packs, folder / "to-new.skp"
        shutil.copytree(self.new, self.old)
        for path in sorted(content.sizes)[::50]:
            content.write(path, content.sizes[path])
        builds.build()
        tool.ok("patch", self.old, self.new, "-o", self.patch)


@pytest.fixture(scope="module")
def same_sizes(tool, tmp_path_factory):
    return SameSizes(tool, tmp_path_factory.mktemp("same"))


@pytest.fixture(scope="module")
def patch(tool, two, tmp_path_factory):
    file = tmp_path_factory.mktemp("patch") / "to-new.skp"
    two.written = tool.json("patch", two.old, two.new, "-o", file)
    return file


def test_packs_with_holes_pass_every_check(tool, two):
    tool.ok("verify", two.new)
    assert len(PackSet(two.new).packs) >= 2  # an independent reader


def test_diff_counts_assets(tool, two):
    answer = tool.json("diff", two.old, two.new, "--quick")
    assert answer["changed"] == {"assets": 5, "bytes": two.edited}
    assert answer["added"] == {"assets": 1, "bytes": 12_345}
    assert answer["removed"]["assets"] == 1
    assert "patch" not in answer
    *lines, last = tool.ok("diff", two.old, two.new).text.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert last == f"next: seekless patch {two.old} {two.new} -o update.skp"


def test_diff_agrees_with_another_model_of_both_patches(tool, two):
    answer = tool.json("diff", two.old, two.new)["patch"]
    assert answer["grid_bytes"] == patch_bytes(digests(two.old, grid), two.new, grid)[0]
    assert answer["chunk_bytes"] == patch_bytes(digests(two.old, chunks), two.new, chunks)[0]


def test_the_forecast_is_near(tool, two):
    measured = tool.json("diff", two.old, two.new)["clients"]
    for client in ("grid", "chunks", "blocks"):
        figures = two.result["clients"][client]
        assert figures["written_bytes"] == pytest.approx(measured[client]["written_bytes"], rel=0.02)
        assert figures["downloaded_bytes"] == pytest.approx(measured[client]["downloaded_bytes"], rel=0.3)
    result = two.result
    assert result["grid_actual"] * 0.9 <= result["grid_bytes"] <= result["grid_actual"] * 1.1 + (1 << 20)
    assert result["cdc_actual"] * 0.93 <= result["chunk_bytes"] <= result["cdc_actual"] * 1.07


def test_a_build_without_a_change_needs_no_patch(tool, two, tmp_path):
    builds = Builds(tool.binary, two.content, tmp_path)
    shutil.copy(two.new.parent / "layout.lock", builds.lock)
    shutil.copytree(two.new, builds.packs)
    result = builds.build()
    assert tree(builds.packs) == tree(two.new), "a fresh clone keeps the last release's packs"
    assert (result["edited_bytes"], result["chunk_bytes"], result["grid_bytes"]) == (0, 0, 0)
    assert tool.json("diff", two.new, builds.packs)["patch"] == {"grid_bytes": 0, "chunk_bytes": 0}


def test_edits_are_kept_alike_with_and_without_a_state(tool, tmp_path):
    """A farm's machine has the lock and the packs; a machine that has built before also has hashes."""
    content = Content(tmp_path / "content", sizes_of("log-normal", 300, 30_000_000, 5), 5)
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    here = Builds(tool.binary, content, tmp_path / "here")
    here.build()
    there = Builds(tool.binary, content, tmp_path / "there")
    shutil.copy(here.lock, there.lock)
    shutil.copytree(here.packs, there.packs)
    content.edit(0.1)
    for path in content.chance.sample(sorted(content.sizes), 10):
        content.write(path, content.sizes[path])
    known, unknown = here.build(), there.build()
    assert tree(there.packs) == tree(here.packs) and there.lock.read_bytes() == here.lock.read_bytes()
    for figure in ("edited_bytes", "chunk_bytes", "grid_bytes"):
        assert known[figure] == unknown[figure]


def test_one_more_recording_makes_the_same_bytes(tool, tmp_path):
    content = Content(tmp_path / "content", sizes_of("uniform", 120, 6_000_000, 3), 3)
    builds = Builds(tool.binary, content, tmp_path)
    builds.build()
    before, locked = tree(builds.packs), builds.lock.read_bytes()
    lines = (builds.work / "traces/s1.1.strace").read_text().splitlines(keepends=True)
    calls = [lines[i:i + 3] for i in range(0, len(lines), 3)]
    (builds.work / "traces/s1.2.strace").write_text("".join(line for call in reversed(calls) for line in call))
    (builds.work / "traces/boot.1.strace").write_text((builds.work / "traces/s2.1.strace").read_text())
    answer = tool.ok("build", builds.work, "--json", "-").json
    check_schema(answer, "results/build")
    assert tree(builds.packs) == before and builds.lock.read_bytes() == locked
    assert all(answer["patch"][figure] == 0 for figure in ("edited_bytes", "grid_bytes", "chunk_bytes"))
    assert all(not any(answer["patch"]["clients"][client].values()) for client in ("grid", "chunks", "apply", "blocks"))
    assert answer["new_recordings"] == 2 and answer["relayout"]["patch"]["chunk_bytes"] > 0
    assert any("2 recordings are newer, of 'boot', 's1'" in warning for warning in answer["warnings"])
    told = tool.ok("build", builds.work, "--paranoid")
    assert "--relayout makes one" in " ".join(told.err.split())
    assert "a new layout saves" in " ".join(told.text.split())
    assert tool.ok("build", builds.work, "--relayout", "--json", "-").json["new_recordings"] == 0
    assert tree(builds.packs) != before, "the recordings are worth another layout"


def test_a_patch_makes_the_new_set(tool, two, patch, tmp_path):
    assert two.written["bytes"] < 1.3 * (two.edited + 12_345) + 200_000
    tool.json("apply", two.old, patch, "-o", tmp_path / "made")
    assert tree(tmp_path / "made") == tree(two.new)
    shutil.copytree(two.old, tmp_path / "set")
    tool.json("apply", tmp_path / "set", patch)
    assert tree(tmp_path / "set") == tree(two.new)


def test_a_patch_for_another_set_is_refused_with_both_ids(tool, two, patch, made):
    answer = tool.run("apply", made.packs, patch)
    old_id = tool.json("diff", two.old, two.old, "--quick")["old_id"]
    other_id = tool.json("diff", made.packs, made.packs, "--quick")["old_id"]
    assert answer.code == FAILED
    answer.says(old_id, other_id)


def test_a_damaged_patch_is_refused(tool, two, patch, tmp_path):
    data = bytearray(patch.read_bytes())
    for at in (0, 30, len(data) // 2, len(data) - 1):
        damaged = tmp_path / f"damaged-{at}.skp"
        damaged.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
        assert tool.run("apply", two.old, damaged, "-o", tmp_path / "out").code == DAMAGED
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("how", ["in place", "file by file", "beside"])
def test_killed_at_any_moment_it_can_be_called_again(tool, two, patch, same_sizes, tmp_path, how):
    if how == "file by file":  # edited by a journal
        two, patch = same_sizes, same_sizes.patch
    chance = random.Random(how)
    wanted = tree(two.new)
    before = tree(two.old)
    started = time.monotonic()
    shutil.copytree(two.old, tmp_path / "timed")
    tool.ok("apply", tmp_path / "timed", patch)
    whole_s = time.monotonic() - started
    for number in range(KILLS):
        old, new = tmp_path / f"set{number}", tmp_path / f"new{number}"
        shutil.copytree(two.old, old)
        where = {"in place": [], "file by file": ["--file-by-file"], "beside": ["-o", new]}[how]
        for _ in range(3):
            process = subprocess.Popen(tool.command("apply", old, patch, *where),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(chance.uniform(0, whole_s))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
        tool.ok("apply", old, patch, *where)
        assert tree(new if how == "beside" else old) == wanted
        if how == "beside":
            assert tree(old) == before
        shutil.rmtree(old)
        shutil.rmtree(new, ignore_errors=True)


def test_file_by_file_needs_room_for_the_largest_change(tool, same_sizes, small_disk):
    """Tests a disk with free room for half of the largest changed pack only."""
    before, after = tree(same_sizes.old), tree(same_sizes.new)
    largest = max(len(after[name]) for name in after if before.get(name) != after[name])
    place = small_disk(sum(map(len, before.values())) + largest // 2) / "set"
    shutil.copytree(same_sizes.old, place)
    answer = tool.run("apply", place, same_sizes.patch)
    assert answer.code == FAILED
    answer.says("--file-by-file")
    assert tree(place) == before, "the old release stays"
    assert tool.json("apply", place, same_sizes.patch, "--file-by-file")["written_bytes"] < largest
    assert tree(place) == after


def test_many_builds_keep_padding_and_patches_in_bounds(tool, tmp_path):
    content = Content(tmp_path / "content", sizes_of("log-normal", ASSETS, MEGABYTES * 10**6, 2), 2)
    builds = Builds(tool.binary, content, tmp_path)
    builds.build()
    edited = real = 0
    for _ in range(5):
        edited += content.edit(0.02)
        result = builds.build()
        real += result["cdc_actual"]
        assert result["padding"] < 0.06
    assert real < 1.5 * edited + 5 * 100_000
