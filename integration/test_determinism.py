"""The same input gives the same bytes for any number of threads, locale, time zone, clock, and order in which the file
system lists folders."""
import shutil
import subprocess

import pytest

from tool import tree


def available_locales():
    listed = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split()
    wanted = {"de_DE.utf8", "tr_TR.utf8", "C.utf8", "POSIX"}
    return sorted(wanted & set(listed))


def pack(tool, layout, output, *options, codec="raw", **how):
    tool.ok("pack", layout, "-o", output, "--codec", codec, *options, **how)
    return tree(output)


@pytest.mark.parametrize("codec", ["raw", "lz4"])
def test_threads_do_not_change_packs(tool, made, tmp_path, codec):
    expected = tree(made.packs if codec == "raw" else made.lz4_packs)
    for threads in (1, 2, 8, 8, 33):
        assert pack(tool, made.layout, tmp_path / "packs", "--threads", threads, codec=codec) == expected


@pytest.mark.parametrize("environment", [
    *[{"LC_ALL": name, "LANG": name} for name in available_locales()],
    {"LC_ALL": "no_SUCH.locale"}, {"TZ": "Pacific/Kiritimati"}, {"TZ": "America/St_Johns"},
    {"HOME": "/nonexistent", "TMPDIR": "/nonexistent", "COLUMNS": "7"}], ids=str)
def test_the_environment_does_not_change_anything(tool, made, tmp_path, environment):
    for strace in made.straces[1:]:
        tool.ok("import", strace, "-o", f"{tmp_path}/traces/", "--scenario", "map/one", env=environment)
    tool.ok("import", made.straces[0], "-o", f"{tmp_path}/traces/", env=environment)
    assert tree(tmp_path / "traces") == tree(made.folder / "traces")
    traces = sorted((tmp_path / "traces").iterdir())
    tool.ok("plan", *traces, "--content", made.game.folder, "-o", tmp_path / "layout.json",
            "--block", "256K", "--budget", "1", env=environment)
    assert (tmp_path / "layout.json").read_bytes() == made.layout.read_bytes()
    assert pack(tool, made.layout, tmp_path / "packs", env=environment) == tree(made.packs)


def test_the_working_folder_does_not_change_packs(tool, made, tmp_path):
    (tmp_path / "game").symlink_to(made.game.folder)
    tool.ok("plan", *made.traces, "--content", "game", "-o", "layout.json", "--block", "256K", "--budget", "1", cwd=tmp_path)
    assert pack(tool, "layout.json", tmp_path / "packs", cwd=tmp_path) == tree(made.packs)


def copy_in_order(files, source, target):
    for file in files:
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / file, target / file)


def names_as_listed(folder):
    return [path.name for path in folder.iterdir()]


def test_the_order_of_folders_does_not_change_anything(tool, made, tmp_path, small_disk):
    game = made.game.folder
    files = [path.relative_to(game) for path in sorted(game.rglob("*")) if path.is_file()]
    bind = tmp_path / "game"
    bind.mkdir()
    orders = []
    # One after the other at the same place, so that the layout's paths are the same.
    for source in [small_disk(64 << 20), small_disk(64 << 20)]:
        copy_in_order(files if not orders else files[::-1], game, source)
        orders.append(names_as_listed(source))
        subprocess.run(["mount", "--bind", source, bind], check=True)
        try:
            traces = made.traces
            tool.ok("plan", *traces, "--content", bind, "-o", tmp_path / f"layout{len(orders)}.json",
                    "--block", "256K", "--budget", "1", "--map", f"{game}={bind}")
            assert pack(tool, tmp_path / f"layout{len(orders)}.json", tmp_path / "packs") == tree(made.packs)
        finally:
            subprocess.run(["umount", bind], check=True)
    assert orders[0] != orders[1] and sorted(orders[0]) == sorted(orders[1])
    assert (tmp_path / "layout1.json").read_bytes() == (tmp_path / "layout2.json").read_bytes()
