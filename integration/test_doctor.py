"""`seekless doctor` really tries what works on a machine, ends soon, and leaves nothing."""
import os
import subprocess
from pathlib import Path

import pytest

from tool import DONE, FAILED, OWN_MOUNTS, as_nobody, check_schema, tree

IS_ROOT = os.geteuid() == 0


def findings(tool, *words, prefix=()):
    done = tool.run("doctor", *words, "--json", "-", prefix=list(prefix))
    assert done.code == DONE, str(done)
    check_schema(done.json, "results/doctor")
    return {finding["name"]: finding for finding in done.json["findings"]}, done.json


@pytest.fixture
def folder(tmp_path):
    game = tmp_path / "a game's folder"
    game.mkdir()
    (game / "data.bin").write_bytes(bytes(100_000))
    return game


def test_the_verdict_comes_first_and_the_next_command_last(tool, folder):
    answer = tool.ok("doctor", folder)
    lines = answer.text.splitlines()
    assert str(folder) in lines[0] and "here" in lines[0]
    rows = [line.split()[0] for line in lines[2:] if line.startswith("  ")]
    assert len(rows) >= 10 and set(rows) <= {"works", "limited", "fails", "unknown"}
    if lines[-1].startswith("next: "):
        quoted = "'" + str(folder).replace("'", "'\\''") + "'"
        assert lines[-1] == f"next: seekless advise {quoted}"


def test_what_it_says_is_what_can_be_done(tool, folder, tmp_path):
    found, answer = findings(tool, folder)
    can_record = tool.run("record", "-o", tmp_path / "t.trace", "--", "true").code == DONE
    assert answer["commands"]["record"] == can_record
    enters = subprocess.run(["unshare", "-rm", "--propagation", "slave", "true"], capture_output=True).returncode == 0
    assert (found["user_name_spaces"]["outcome"] == "works") == enters
    tells = tool.run("where", folder / "data.bin").code == DONE
    assert (found["places_of_files"]["outcome"] == "works") == tells


def test_it_leaves_nothing(tool, folder, tmp_path, tmp_path_factory):
    others = f" {tmp_path_factory.getbasetemp().parent}/"  # tests that run beside this one mount file systems there

    def mounts():
        lines = Path("/proc/self/mounts").read_text().splitlines()
        return [line for line in lines if others not in line or str(tmp_path) in line]

    before = tree(folder), mounts()
    findings(tool, folder)
    assert (tree(folder), mounts()) == before


def test_scripts_ask_for_a_command(tool, folder, tmp_path):
    nowhere = {"HOME": "/nowhere", "XDG_STATE_HOME": ""}
    assert tool.run("doctor", folder, env=nowhere).code == DONE
    refused = tool.run("doctor", folder, "--need", "warm", "--need", "play", env=nowhere)
    assert refused.code == FAILED
    refused.says("--need", "'play'", "what_is_learned")
    assert tool.run("doctor", folder, "--need", "warm", env=nowhere).code == DONE
    assert tool.run("doctor", folder, "--need", "dancing").code == 2


def test_a_folder_that_is_none_is_an_error(tool, tmp_path):
    tool.run("doctor", tmp_path / "gone").says("gone", "folder", "nothing")


@pytest.mark.skipif(not IS_ROOT, reason="only root can take the device away")
def test_without_the_device_it_says_what_to_do(tool, folder, tmp_path):
    masked = 'mount -t tmpfs none "$0" && mknod "$0/none" c 1 3 && mount --bind "$0/none" /dev/fuse && exec "$@"'
    place = tmp_path / "devices"
    place.mkdir()
    found, answer = findings(tool, folder, prefix=[*OWN_MOUNTS, "sh", "-c", masked, place])
    assert found["fuse"]["outcome"] == "fails" and "--device /dev/fuse" in found["fuse"]["advice"]
    assert found["serving_folders"]["outcome"] == "limited"
    assert found["serving_folders"]["found"] == "it needs fuse" and "beside the game" in found["serving_folders"]["advice"]
    assert answer["commands"]["play"] and not answer["commands"]["mount"]


@pytest.mark.skipif(not IS_ROOT, reason="only root can become somebody else")
def test_another_user_is_told_their_own_lacks(tool, tmp_path):
    found, answer = findings(tool, "/usr/share", prefix=[*as_nobody(tmp_path)])
    assert found["moving_files"]["outcome"] == "fails"
    assert not answer["commands"]["place"]
