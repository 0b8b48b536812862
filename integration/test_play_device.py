"""`seekless play` and `doctor` say in one line why FUSE's device can't be opened, and what to do."""
import shutil
import subprocess
import uuid
from pathlib import Path

import pytest

from test_play import ROOT_ONLY, WAIT_S, folder, pytestmark  # noqa: F401
from test_play_start import GAME, runs_unserved
from tool import OWN_MOUNTS, as_nobody, give_to_nobody

pytestmark = [*pytestmark, ROOT_ONLY]
DEVICES = Path("/sys/fs/cgroup/devices")
HAS_FUSE, HAS_NONE = "nodev\tfuse\n", "\text4\n"


def lying_there(script):
    """Returns a prefix for a command: $0 is a folder for devices, `script` mounts something over /dev/fuse."""
    def prefix(place):
        return [*OWN_MOUNTS, "sh", "-c", f'mount -t tmpfs none "$0" && {script} && exec "$@"', place]
    return prefix


def bound(make):
    return lying_there(f'{make} && mount --bind "$0/it" /dev/fuse')


def in_dev(make):
    """Returns a prefix with a /dev that holds the device that `make` makes, and a few others."""
    others = 'for it in null zero full random urandom tty; do touch "$0/dev/$it" && mount --bind "/dev/$it" "$0/dev/$it"; done'
    return lying_there(f'mkdir "$0/dev" && {others} && {make} && mount --rbind "$0/dev" /dev')


def missing(file_systems):
    text = file_systems.replace("\n", "\\n")
    return in_dev(f'printf "{text}" > "$0/file_systems" && mount --bind "$0/file_systems" /proc/filesystems')


def failing(error):
    def prefix(_):
        return ["strace", "-f", "-o", "/dev/null", "-P", "/dev/fuse", "-e", f"inject=openat:error={error}"]
    return prefix


CASES = {
    "a file": (bound('touch "$0/it"'), ["found no device", "number 10:229", "--device /dev/fuse", "mknod -m 666"]),
    "a folder": (in_dev('mkdir "$0/dev/fuse"'), ["found no device", "number 10:229"]),
    "masked by another device": (bound('mknod -m 666 "$0/it" c 1 3'), ["found device 1:3", "number 10:229", "--device /dev/fuse"]),
    "a device without a driver": (bound('mknod "$0/it" c 240 99'), ["found device 240:99", "number 10:229"]),
    "a mount without devices": (lying_there("mount --bind /dev/fuse /dev/fuse && mount -o remount,bind,nodev /dev/fuse"),
                                ["Permission denied", "nodev", "--dev-bind", "--device /dev/fuse"]),
    "no device": (missing(HAS_FUSE), ["No such file", "the kernel has FUSE", "--device /dev/fuse", "mknod -m 666"]),
    "no device and no FUSE": (missing(HAS_NONE), ["No such file", "the kernel has no FUSE", "modprobe fuse"]),
    "no module": (failing("ENODEV"), ["No such device", "the kernel has no FUSE", "modprobe fuse"]),
    "no driver": (failing("ENXIO"), ["No such device", "the kernel has no FUSE", "modprobe fuse"]),
    "a security module": (failing("EACCES"), ["Permission denied", "SELinux or AppArmor"]),
    "a control group, as if": (failing("EPERM"), ["not permitted", "control group", "DeviceAllow=/dev/fuse"]),
    "no more descriptors": (failing("EMFILE"), ["ulimit -n"]),
}


@pytest.mark.skipif(shutil.which("strace") is None, reason="there is no strace")
@pytest.mark.parametrize("case", CASES)
def test_why_the_device_cannot_be_opened(tool, folder, tmp_path, case):
    prefix, words = CASES[case]
    place = tmp_path / "devices"
    place.mkdir()
    done = subprocess.run([*prefix(place), *tool.command("play", "--always", "--state", tmp_path / "state", folder, "--", *GAME)],
                          capture_output=True, timeout=WAIT_S)
    runs_unserved(done, "/dev/fuse", *words)
    assert ("modprobe" in done.stderr.decode()) == ("modprobe fuse" in words)


@pytest.mark.parametrize("mode, words", [(0o600, ["permissions are 600", "isn't yours: as root chmod 666"]),
                                         (0o660, ["permissions are 660", "isn't yours: join its group, or as root chmod 666"])])
def test_permissions_that_keep_the_player_out(tool, folder, tmp_path, mode, words):
    give_to_nobody(folder.parent, folder)
    place = tmp_path / "devices"
    place.mkdir()
    # Gives the device that everyone may usually open other permissions.
    as_player = [str(word).replace("mknod -m 666", f"mknod -m {mode:o}") for word in as_nobody(place)]
    done = subprocess.run([*as_player, *tool.command("play", "--always", "--state", folder.parent / "state", folder, "--", *GAME)],
                          capture_output=True, timeout=WAIT_S)
    runs_unserved(done, "/dev/fuse", "Permission denied", *words)


@pytest.mark.skipif(not (DEVICES / "devices.deny").exists(), reason="there is no control group of devices")
def test_a_control_group_that_refuses_it(tool, folder, tmp_path):
    group = DEVICES / f"seekless-{uuid.uuid4().hex}"
    group.mkdir()
    try:
        (group / "devices.deny").write_text("c 10:229 rwm")
        done = subprocess.run(["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh",
                               *tool.command("play", "--always", "--state", tmp_path / "state", folder, "--", *GAME)],
                              capture_output=True, timeout=WAIT_S)
    finally:
        group.rmdir()
    runs_unserved(done, "/dev/fuse", "not permitted", "control group", "--device /dev/fuse")
