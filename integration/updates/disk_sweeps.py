"""Sweeps on the emulated disk (integration/hdd): of a set as updates have left it on the disk, and of a fresh one.
Needs root and FUSE."""
import pathlib
import shutil
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "hdd"))
import bench as hdd  # noqa: E402

DRIVE = "wd-black-1tb"
DISKS = 5


def install(packs, folder):
    """Installs a set as a client does: changed files are written beside the old ones, and then take their places."""
    folder.mkdir(exist_ok=True)
    staged = folder / "staged"
    staged.mkdir()
    for file in sorted(packs.glob("*.skl")):
        there = folder / file.name
        if not there.exists() or there.read_bytes() != file.read_bytes():
            shutil.copyfile(file, staged / file.name)
    for file in staged.iterdir():
        file.replace(folder / file.name)
    staged.rmdir()
    for file in folder.glob("*.skl"):
        if not (packs / file.name).exists():
            file.unlink()


def sweeps_on_disk(first, kept, fresh, scenarios, work):
    """Maps each set and scenario to (busy seconds, seeks), medians over new disks, because ext4 puts a folder into a
    random part of a disk. `first` is the release that players had at first. The fresh layout is measured twice: as a
    new installation, and after an update from `first`, whose files lie where there was room."""
    found = [sweeps_on_one_disk(first, kept, fresh, scenarios, work) for _ in range(DISKS)]
    return {of: {scenario: tuple(statistics.median(one[of][scenario][i] for one in found) for i in (0, 1)) for scenario in scenarios}
            for of in found[0]}


def sweeps_on_one_disk(first, kept, fresh, scenarios, work):
    found = {"kept": {}, "fresh": {}, "brought": {}}
    with hdd.Disk(work / "disk", "--drive", DRIVE, "--scale", "0.01") as disk:
        install(first, disk.folder / "kept")
        install(kept, disk.folder / "kept")
        install(fresh, disk.folder / "fresh")
        install(first, disk.folder / "brought")
        install(fresh, disk.folder / "brought")
        for name, swept in found.items():
            for scenario in scenarios:
                with disk.cold() as measured:
                    hdd.run(hdd.BIN / "sweep", disk.folder / name, scenario)
                swept[scenario] = (measured["busy_s"], measured["seeks"])
    return found
