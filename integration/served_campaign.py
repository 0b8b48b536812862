"""Faults against `play`, `place`, `apply` and `mount`, on one file system after the other, as root and as a user. Calls
in a folder that `play` serves are compared with those in the plain folder. Each command is killed at random moments,
and meets a failing device, a full disk, few descriptors, and pipes and links in the place of files.

script/campaign served runs all of it; test_served_campaign.py a short form."""
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import apply_faults
import mount_faults
import page_cache
import place_kills
from game import noise
from outcome import Outcome
from own_disks import mounted, program, why_not
from project import Project
from releases import Released
from served_calls import SHARED
from served_compare import compare, kinds_for
from tool import OWN_MOUNTS, as_nobody, tree

sys.path.insert(0, str(Path(__file__).resolve().parent / "hdd"))
import bench  # noqa: E402

MIB = 1 << 20
WAIT_S = 120
PLAYER = 65534
PLACED_ON = ("ext4", "xfs", "btrfs")
PYTHON = ("/usr/bin/python3", "-I", "-S", "-c")


class Missing(Exception):
    """Raised if this machine can't make the file system."""


@contextlib.contextmanager
def on_blocks(parent, name):
    if reason := why_not(name):
        raise Missing(reason)
    with mounted(parent, name, 400) as disk:
        yield disk.folder


@contextlib.contextmanager
def mounted_by(parent, *mount):
    folder = parent / "mounted"
    folder.mkdir()
    done = subprocess.run([*map(str, mount), folder], capture_output=True, text=True)
    if done.returncode != 0:
        raise Missing(done.stderr.strip())
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@contextlib.contextmanager
def on_overlay(parent):
    """Its layers lie in memory, because an overlay on an overlay, such as a container's, isn't allowed everywhere."""
    with mounted_by(parent, "mount", "-t", "tmpfs", "-o", "size=400M", "tmpfs") as memory:
        below = [memory / name for name in ("lower", "upper", "work", "seen")]
        for folder in below:
            folder.mkdir()
        lower, upper, work, seen = below
        subprocess.run(["mount", "-t", "overlay", "-o", f"lowerdir={lower},upperdir={upper},workdir={work}", "overlay", seen], check=True)
        try:
            yield seen
        finally:
            subprocess.run(["umount", seen], check=True)


@contextlib.contextmanager
def on_ntfs(parent, driver="ntfs-3g", options="umask=0"):
    """Mounts NTFS like a game drive that Windows also uses: everything belongs to root, and everybody may write."""
    if program("mkfs.ntfs") is None or program(driver) is None:
        raise Missing("there is no ntfs-3g")
    image = parent / "image"
    with open(image, "wb") as file:
        file.truncate(400 * MIB)
    subprocess.run([program("mkfs.ntfs"), "-q", "-F", "-f", image], check=True, capture_output=True)
    with mounted_by(parent, program(driver), "-o", options, image) as folder:
        yield folder


def on_ntfs_of_any_case(parent):
    """Mounts NTFS with names that ignore case. With `umask` this driver caches names, and then loses files that are
    changed under another spelling."""
    return on_ntfs(parent, "lowntfs-3g", "ignore_case")


MOUNTS = {
    **{name: lambda parent, name=name: on_blocks(parent, name) for name in PLACED_ON},
    "tmpfs": lambda parent: mounted_by(parent, "mount", "-t", "tmpfs", "-o", "size=400M", "tmpfs"),
    "overlayfs": on_overlay,
    "ntfs-3g": on_ntfs,
}


class Served:
    """A folder on some file system, and how to run a program with the folder served."""

    def __init__(self, tool, folder, state, user):
        self.tool, self.folder, self.state, self.user = tool, folder, state, user
        # A folder hides the device file that ordinary machines have.
        self.prefix = as_nobody(tempfile.mkdtemp(dir=state), SHARED) if user else []

    def played(self, *options):
        return [*self.prefix, *self.tool.command("play", "--always", "--state", self.state / "state", *options)]

    def run(self, *program_, options=(), **how):
        return subprocess.run([*self.played(*options), self.folder, "--", *map(str, program_)], capture_output=True, text=True,
                              timeout=WAIT_S, **how)


def calls(served, kinds=None):
    """`kinds`: of served_calls.KINDS; all without them."""
    work = served.folder / "calls"
    work.mkdir()
    owner = PLAYER if served.user else None
    if served.user:
        os.chmod(work, 0o755)
    found = compare(work, served.prefix, [*served.played(), "FOLDER", "--"], owner, kinds)
    shutil.rmtree(work, ignore_errors=True)
    return Outcome(len(kinds or kinds_for(True)),
                   [f"{name}: {text}" for name, apart in found.items() for text in apart])


WRITES_AND_READS = """
import os, random, sys
random.seed(int(sys.argv[1]))
os.chdir(sys.argv[2])
while True:
    name = random.choice(os.listdir('.'))
    try:
        with open(name, 'rb') as file:
            file.seek(random.randrange(1 << 20)), file.read(50000)
        if random.random() < 0.2:
            with open('save.tmp', 'wb') as file: file.write(bytes([65 + random.randrange(26)]) * 30000)
            os.replace('save.tmp', 'save.dat')
    except OSError: pass
"""


def kills(served, count, seed):
    """Kills `play` and its server while the game reads, and saves by renaming as games do. Every file must be unchanged,
    and the save must be one complete save."""
    chosen, outcome = random.Random(seed), Outcome()
    for number in range(6):
        (served.folder / f"data{number}").write_bytes(noise(number, 300_000))
    (served.folder / "save.dat").write_bytes(b"A" * 30_000)
    if served.user:
        for file in served.folder.iterdir():
            shutil.chown(file, PLAYER, PLAYER)
    before = {name: data for name, data in tree(served.folder).items() if not name.startswith("save.")}
    for number in range(count):
        with subprocess.Popen([*served.played("--lay-out"), served.folder, "--", *PYTHON, WRITES_AND_READS, str(number), served.folder],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as child:
            time.sleep(0.1 + 0.5 * chosen.random())
            os.killpg(child.pid, signal.SIGKILL)
        subprocess.run(["pkill", "-KILL", "-f", f"{served.state}/state"], check=False)
        outcome.tried += 1
        now = tree(served.folder)
        save = now.get("save.dat")
        content = (served.folder / "save.dat").read_bytes()
        if len(content) != 30_000 or len(set(content)) != 1:
            outcome.wrong.append(f"kill {number}: the save is no whole save: {len(content)} bytes, {save}")
        if {name: data for name, data in now.items() if not name.startswith("save.")} != before:
            outcome.wrong.append(f"kill {number}: another file changed")
        if outcome.wrong:
            break
    return outcome


def full_disk(served):
    """On a full disk, the game gets the same error as in the plain folder, and everything else continues."""
    room = "d = open(sys.argv[1] + '/fill', 'wb')\ntry:\n while True: d.write(bytes(1 << 20)), d.flush()\nexcept OSError as e: print(e.errno)"
    done = served.run(*PYTHON, "import sys\n" + room, served.folder)
    outcome = Outcome(1)
    if done.stdout.split()[-1:] != ["28"]:
        outcome.wrong.append(f"expected ENOSPC, found {done.stdout!r} {done.stderr[-300:]!r}")
    after = served.run("sh", "-c", 'cat "$0"/data0 | wc -c', served.folder)
    if after.stdout.strip() != "300000":
        outcome.wrong.append(f"on the full disk a file reads as {after.stdout!r} {after.stderr[-300:]!r}")
    (served.folder / "fill").unlink(missing_ok=True)
    return outcome


def few_descriptors(served, limit=256, files=400):
    """The second run, which knows all files, opens one after the other. It needs no more descriptors than the game's
    own."""
    folder = served.folder / "many"
    folder.mkdir()
    for number in range(files):
        (folder / f"f{number}").write_bytes(noise(number, 9000))
    page_cache.write_back(folder)
    reads = "import sys, os\nn = 0\nfor f in os.listdir(sys.argv[1]):\n try: n += len(open(sys.argv[1] + '/' + f, 'rb').read())\n" \
            " except OSError as e: print(f, e)\nprint(n)"
    outcome = Outcome()
    for _ in range(2):
        done = subprocess.run(["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh", *map(str, served.played()), served.folder, "--", *PYTHON,
                               reads, folder], capture_output=True, text=True, timeout=WAIT_S)
        outcome.tried += files
        if done.stdout.split() != [str(9000 * files)]:
            outcome.wrong.append(f"{done.stdout[-300:]!r} {done.stderr[-300:]!r}")
    shutil.rmtree(folder)
    return outcome


SWAPS = """
import os, sys
os.chdir(sys.argv[1])
kinds = [lambda: os.mkfifo('new'), lambda: os.symlink('/etc/passwd', 'new'), lambda: os.mkdir('new'),
         lambda: open('new', 'wb').write(b'regular')]
number = 0
while True:
    name = 'turns%d' % (number // 4 % 8)
    try:
        kinds[number % 4]()
        os.rename(name, 'old')
        os.rename('new', name)
        os.rmdir('old') if os.path.isdir('old') and not os.path.islink('old') else os.unlink('old')
    except OSError: pass
    number += 1
"""
OPENS = """
import os, sys, time
end, count = time.monotonic() + float(sys.argv[2]), 0
while time.monotonic() < end:
    name = sys.argv[1] + '/turns%d' % (count % 8)
    count += 1
    try:
        file = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        data = os.read(file, 100)
        if data not in (b'', b'regular'): print('wrong bytes', data)
        os.close(file)
    except OSError: pass
print(count)
"""


def swapped(served, seconds=2):
    """A file keeps turning into a pipe, a link, a folder and a file again. Nothing may hang, and reads must return the
    file's own bytes."""
    for number in range(8):
        (served.folder / f"turns{number}").write_bytes(b"regular")
    with subprocess.Popen([*PYTHON, SWAPS, str(served.folder)]) as swapper:
        try:
            done = served.run(*PYTHON, OPENS, served.folder, seconds)
        finally:
            swapper.kill()
    words = done.stdout.split()
    outcome = Outcome(int(words[-1]) if words and words[-1].isdigit() else 0)
    if done.returncode != 0 or "wrong" in words:
        outcome.wrong.append(f"exit code {done.returncode}: {done.stdout[-300:]!r} {done.stderr[-300:]!r}")
    for name in ("new", "old", *(f"turns{number}" for number in range(8))):
        path = served.folder / name
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    return outcome


@contextlib.contextmanager
def own_file_system(name):
    """Yields a folder beside the file system, and one on it. Raises Missing if this machine can't make the file
    system."""
    with tempfile.TemporaryDirectory(prefix="seekless-served-") as parent_:
        parent = Path(parent_)
        os.chmod(parent, 0o755)
        for folder in ("disk", "own"):
            (parent / folder).mkdir()
        with MOUNTS[name](parent / "disk") as mount:
            yield parent / "own", mount


def play_on(tool, name, user, kills_each, seed, kinds=None):
    """Runs all parts on one file system: part -> Outcome."""
    with own_file_system(name) as (state, mount):
        folder = mount / "game"
        folder.mkdir()
        if user:
            for path in (folder, state):
                shutil.chown(path, PLAYER, PLAYER)
        served = Served(tool, folder, state, user)
        return {"calls": calls(served, kinds), "kills": kills(served, kills_each, seed), "full disk": full_disk(served),
                "few descriptors": few_descriptors(served), "pipes and links": swapped(served)}


def releases(tool, folder):
    game = Project(tool, folder / "project")
    game.build()
    return Released(tool, game, folder)


def apply_on(tool, name, user, kills_each, seed, _=None):
    with own_file_system(name) as (own, mount):
        folder = mount / "game"
        folder.mkdir()
        applied = apply_faults.Applied(releases(tool, own), folder, PLAYER if user else None, seed)
        return {**applied.killed(kills_each), **applied.faults()}


BY_PAGES = """
import os, sys
bad, file = [], os.open(sys.argv[1], os.O_RDONLY)
for page in range(os.fstat(file).st_size // 4096):
    try:
        if len(os.pread(file, 4096, page * 4096)) != 4096: bad.append('short %d' % page)
    except OSError as error:
        bad.append('%d %d' % (error.errno, page))
print(' '.join(bad))
"""


def mounting(tool, own, mount, user, part, kills_each=0, seed=1):
    """Returns the command that runs a part of mount_faults.py on a set there."""
    released = releases(tool, own)
    packs, shown, expected = mount / "packs", mount / "shown", own / "expected"
    shutil.copytree(released.new, packs)
    shown.mkdir()
    tool.ok("extract", packs, "-o", expected)
    if user:
        for path in (packs, *packs.iterdir(), shown, mount):
            shutil.chown(path, PLAYER, PLAYER)
    told = {"seekless": tool.binary, "packs": str(packs), "expected": str(expected), "shown": str(shown), "kills": kills_each, "seed": seed}
    before = as_nobody(tempfile.mkdtemp(dir=own)) if user else list(OWN_MOUNTS)
    return [*before, *PYTHON[:-1], mount_faults.__file__, part, json.dumps(told)]


def mount_on(tool, name, user, kills_each, seed, _=None):
    with own_file_system(name) as (own, mount):
        folder = mount / "game"
        folder.mkdir()
        done = subprocess.run(mounting(tool, own, folder, user, "all", kills_each, seed), capture_output=True, text=True)
        if done.returncode != 0:
            return {"mount": Outcome(1, [f"exit code {done.returncode}: {done.stderr[-2000:]}"])}
        return {f"mount, {part}": Outcome(**outcome) for part, outcome in json.loads(done.stdout).items()}


@contextlib.contextmanager
def failing_disk():
    """Yields a folder beside the disk, and the emulated disk."""
    with tempfile.TemporaryDirectory(prefix="seekless-served-") as parent_:
        os.chmod(parent_, 0o755)
        own = Path(parent_) / "own"
        own.mkdir()
        with bench.Disk(Path(parent_) / "disk", "--drive", "wd-black-1tb", "--scale", "0", "--size", "8G") as disk:
            (disk.folder / "game").mkdir()
            yield own, disk


def play_on_a_failing_disk(tool, user):
    """For each page the game gets all bytes or an error, and no error if the plain folder has none."""
    with failing_disk() as (state, disk):
        folder = disk.folder / "game"
        for path in (folder, state):
            shutil.chown(path, PLAYER, PLAYER)
        data = folder / "data"
        data.write_bytes(noise(1, 2 * MIB))
        page_cache.write_back(disk.folder)
        served, outcome = Served(tool, folder, state, user), Outcome()
        found = {}
        for way in ("plain", "served", "served, known"):
            disk.hdd("cold"), disk.hdd("fault", "eio", "--file", f"{data}:{MIB}", "--bytes", "12288")
            command = [*PYTHON, BY_PAGES, str(data)]
            done = served.run(*command) if way != "plain" else subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S)
            found[way] = done.stdout.strip() or done.stderr[-300:]
            disk.hdd("fault", "none")
            outcome.tried += 1
        # The plain folder also loses pages of the same read-ahead; the served one may lose fewer.
        bad = "5 256 5 257 5 258"
        if bad not in found["plain"]:
            outcome.wrong.append(f"the plain folder has no bad pages: {found['plain'][:200]}")
        outcome.wrong += [f"{way}: expected {bad} and no more than {found['plain'][:100]}, found {text[:200]}"
                          for way, text in found.items() if bad not in text or text not in found["plain"]]
        return outcome


def apply_on_a_failing_disk(tool, user):
    with failing_disk() as (own, disk):
        applied = apply_faults.Applied(releases(tool, own), disk.folder / "game", PLAYER if user else None)
        return apply_faults.bad_sectors(applied, disk)


def mount_on_a_failing_disk(tool, user):
    """Only files on bad sectors give errors, and only as long as the sectors are bad."""
    with failing_disk() as (own, disk):
        folder = disk.folder / "game"
        with subprocess.Popen(mounting(tool, own, folder, user, "reads"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
            def read():
                page_cache.forget(folder / "packs")
                print(file=reader.stdin, flush=True)
                return {name: found for name, found in json.loads(reader.stdout.readline()).items() if found != 0}

            places, outcome = json.loads(reader.stdout.readline()), Outcome()
            page_cache.write_back(disk.folder)
            for name in random.Random(1).sample(sorted(places), 6):
                pack, begin, size = places[name]
                begin, end = begin // 4096 * 4096, -(-(begin + size) // 4096) * 4096
                disk.hdd("fault", "eio", "--file", f"{folder / 'packs' / pack}:{begin}", "--bytes", str(end - begin))
                found = read()
                page_cache.forget(folder / "packs")
                plain = [int(word) * 4096 for word in subprocess.run([*PYTHON, BY_PAGES, str(folder / "packs" / pack)], capture_output=True,
                                                                     text=True).stdout.split()[1::2]]
                disk.hdd("fault", "none")
                # Bad sectors may also make the kernel lose pages that it reads ahead with them, even in the plain file.
                there = {other for other, (of, at, length) in places.items()
                         if of == pack and any(at < page + 4096 and at + length > page for page in (*plain, *range(begin, end, 4096)))}
                outcome.tried += 1
                if found.get(name) != 5 or not found.keys() <= there or set(found.values()) != {5}:
                    outcome.wrong.append(f"bad sectors under {name}, {pack} {begin}: expected an error of {sorted(there)}, found {found}")
                    outcome.wrong += [f"{other}: {places[other]}" for other in found]
                if later := read():
                    outcome.wrong.append(f"the sectors are good again, but {later}")
        return outcome


def place_on(tool, name, user, kills_each, seed, _=None):
    if name not in PLACED_ON:
        return {}
    with tempfile.TemporaryDirectory(prefix="seekless-place-") as folder:
        Path(folder).chmod(0o755)
        figures = place_kills.campaign(tool, Path(folder), name, kills_each, seed, PLAYER if user else None)
    return {"place, killed": Outcome(figures.kills, figures.wrong)}


COMMANDS = {"play": play_on, "place": place_on, "apply": apply_on, "mount": mount_on}
ON_A_FAILING_DISK = {"play": play_on_a_failing_disk, "apply": apply_on_a_failing_disk,
                     "mount": mount_on_a_failing_disk}
EMULATED = "emulated disk"
WHO = {"root": False, "user": True}


def campaign(tool, kills_each, seed, names=(*MOUNTS, EMULATED), who=WHO, commands=COMMANDS, kinds=None, tell=print):
    """Returns how many outcomes were wrong. Reports missing file systems."""
    wrong = 0

    def run(where, part, *arguments):
        begin = time.monotonic()
        outcomes = part(*arguments)
        for name, outcome in outcomes.items():
            tell(f"{where}, {name}: {outcome.tried} tried, {len(outcome.wrong)} wrong")
            for text in outcome.wrong[:5]:
                tell(f"    {text[:400]}")
        if outcomes:
            tell(f"    {time.monotonic() - begin:.0f} s")
        return sum(bool(outcome.wrong) for outcome in outcomes.values())

    for name in names:
        for person in who:
            where = f"{name}, {person}"
            for command in commands:
                try:
                    if name != EMULATED:
                        wrong += run(where, COMMANDS[command], tool, name, WHO[person], kills_each, seed, kinds)
                    elif command in ON_A_FAILING_DISK:
                        wrong += run(where, lambda *given: {f"{command}, bad sectors": ON_A_FAILING_DISK[command](*given)}, tool, WHO[person])
                except Missing as missing:
                    tell(f"{where}: left out: {missing}")
    return wrong
