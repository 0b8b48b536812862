"""Setting a disk up and clearing it away: the program that serves it, its loop device, its mount.

A disk on FOLDER has FOLDER.hdd beside it: state.json, the log, the image if none was named, and the folder `fuse` where
seekless-hdd serves `disk`, `stats` and `control`. Parts of a disk are recognised by the system's own data (the loop
device's backing file, the mount's device, the program's argument), never by stored numbers. So nobody else's devices or
programs are ever touched.
"""
import errno
import fcntl
import json
import os
import select
import signal
import subprocess
import threading
import time
from pathlib import Path

from mounts import LOOP_NAME_BYTES, kept_by, mounts, read_quietly, told_to, unmount

TOP = Path(__file__).resolve().parent.parent.parent
PROGRAM = "seekless-hdd"
WAIT_S = 10
ANSWER_S = 2
BLKFLSBUF = 0x1261
MNT_DETACH = 2
# With these options ext4 doesn't write in the background, and files lie at the same places each time.
MAKE_EXT4 = ["mkfs.ext4", "-q", "-F", "-b", "4096", "-m", "0", "-J", "size=64",
             "-E", "nodiscard,lazy_itable_init=1,lazy_journal_init=1,"
                   "hash_seed=5eec1e55-0000-4000-8000-000000000000"]
TABLES = {
    # Group descriptors, bitmaps and inode tables at the front, so that a file can lie in one piece
    # anywhere; few inodes, since 64 million would take 16 GB there.
    "front": ["-i", "4194304", "-G", "131072", "-O", "sparse_super2,^resize_inode"],
    # Tables all over the disk, as on ordinary disks.
    "usual": [],
}
LEAST_BYTES = 256 * 10**6  # least size of a disk: room for ext4 with its journal, and some more
EXT4_MAGIC = b"\x53\xef"
EXT4_MAGIC_AT = 1024 + 56
MOUNT_OPTIONS = "noatime,noinit_itable,no_prefetch_block_bitmaps"


class Failed(Exception):
    code = 1


class WrongUsage(Failed):
    code = 2


class Disk:
    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        if not self.folder.name:
            raise WrongUsage(f"{folder}: expected a folder to mount on")
        self.beside = self.folder.with_name(self.folder.name + ".hdd")
        self.fuse = self.beside / "fuse"
        self.file = self.fuse / "disk"
        self.log = self.beside / "log"
        self.state_file = self.beside / "state.json"
        self.new_state_file = self.beside / "state.json.new"

    @classmethod
    def found(cls, folder):
        """Returns the disk that is, or was, on the folder."""
        need_root()
        disk = cls(folder)
        if not disk.state_file.exists():
            raise Failed(f"{folder}: expected a disk made by 'hdd up', found none")
        return disk

    def made_folder(self):
        try:
            return json.loads(self.state_file.read_text())["made_folder"]
        except (ValueError, LookupError, TypeError):
            return False  # a damaged state counts as none, so the folder stays

    def loops(self):
        found = []
        for entry in Path("/sys/block").glob("loop*/loop/backing_file"):
            loop = Path("/dev") / entry.parent.parent.name
            backing = read_quietly(entry).rstrip("\n")
            if backing == str(self.file) or (backing == f"/{self.file.name}" and self.was_begun_on(loop)):
                found.append(loop)
        return found

    def was_begun_on(self, loop):
        """Returns True if a loop device whose file no longer has a path (`fuse` was unmounted lazily, by hand) is
        ours. The system keeps the first bytes of the name that losetup was given."""
        ours = os.fsencode(self.file)
        if told_to(loop) != ours[:LOOP_NAME_BYTES - 1]:
            return False
        return len(ours) < LOOP_NAME_BYTES or \
            any(point == str(self.folder) and source == str(loop) for point, source, _ in mounts())

    def loop(self):
        for loop in self.loops():
            return loop
        raise Failed(f"{self.folder}: the disk's loop device is gone; 'hdd down' clears away the rest")

    def is_mounted(self):
        loops = [str(loop) for loop in self.loops()]
        return lies_on_top(self.folder, lambda source, kind: source in loops)

    def is_served(self):
        return lies_on_top(self.fuse, lambda source, kind: kind == f"fuse.{PROGRAM}")

    def programs(self):
        """Returns the pids of programs that have our name and serve our folder."""
        found = []
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            words = read_quietly(entry).split("\0")
            if Path(words[0]).name == PROGRAM and words[1:2] == [str(self.fuse)]:
                found.append(int(entry.parent.name))
        return found

    def stats(self):
        try:
            # One call must read it all, because the text may have grown before the next call.
            with (self.fuse / "stats").open("rb", buffering=0) as file:
                return json.loads(file.read(65536))
        except OSError as error:
            raise Failed(f"{self.folder}: the program that serves the disk has ended ({error.strerror}); "
                         "'hdd down' clears away the rest") from error

    def order(self, line):
        try:
            control = os.open(self.fuse / "control", os.O_WRONLY)  # never makes one
            try:
                os.write(control, line.encode())
            finally:
                os.close(control)
        except OSError as error:
            raise Failed(f"{self.folder}: the disk doesn't take the order '{line}': {error.strerror}") from error

    def mount(self):
        run("mount", "-t", "ext4", "-o", MOUNT_OPTIONS, self.loop(), self.folder)

    def unmount(self):
        error = unmount(self.folder)
        if error:
            raise Failed(f"{self.folder}: unmount: {os.strerror(error)}; {kept_by(self.folder)}")


def lies_on_top(folder, is_ours):
    """Returns True if our mount is on top. Below another program's mount it can't be reached, and that mount must not
    be touched."""
    ours = [is_ours(source, kind) for point, source, kind in mounts() if point == str(folder)]
    if any(ours) and not ours[-1]:
        raise Failed(f"{folder}: something else was mounted over it; unmount that first")
    return any(ours)


def run(*command):
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C", "PATH": search_path()})
    except FileNotFoundError as error:
        raise Failed(f"{command[0]}: no such program; script/bootstrap test installs it") from error
    if done.returncode != 0:
        said = " ".join((done.stderr or done.stdout).split())
        raise Failed(f"{command[0]}: {said or f'exit code {done.returncode}'}")
    return done.stdout.strip()


def search_path():
    return os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin"


def need_root():
    if os.geteuid() != 0:
        raise Failed("mounting needs root")


def program_file():
    named = os.environ.get("SEEKLESS_HDD_BIN")
    places = [Path(named)] if named else [TOP / "build" / preset / "bin" / PROGRAM for preset in ("release", "dev")]
    for place in places:
        if place.exists():
            return place.resolve()
    raise Failed(f"{places[0]}: no such program; build it (it takes libfuse3-dev), or name it with SEEKLESS_HDD_BIN")


def up(arguments):
    need_root()
    if not Path("/dev/fuse").exists():
        raise Failed("/dev/fuse: no such device; FUSE is needed")
    disk = Disk(arguments.folder)
    image = arguments.image.resolve() if arguments.image else disk.beside / "image"
    drive = Path(arguments.drive).resolve() if arguments.drive.endswith(".json") else arguments.drive
    program = program_file()
    is_new = not image.exists() or image.stat().st_size == 0
    if not is_new:
        check_image(image)
    begin_state(disk, image, bool(arguments.image))
    try:
        serve(disk, [program, disk.fuse, "--image", image, "--drive", drive, "--size", arguments.size,
                     "--scale", arguments.scale, "--queue-depth", arguments.queue_depth, "--clock", arguments.clock,
                     *(["--requests", arguments.requests.resolve()] if arguments.requests else [])])
        size = disk.stats()["size_bytes"]
        if size < LEAST_BYTES:
            raise Failed(f"{image}: expected a disk of at least {LEAST_BYTES} bytes, found {size}; see --size")
        attach(disk, arguments.read_ahead_kb)
        if is_new:
            run(*MAKE_EXT4, *TABLES[arguments.tables], disk.loop())
            drop_buffers(disk)
        disk.mount()
        disk.order("reset")
    except BaseException:
        clear_away(disk)
        if is_new:
            image.unlink(missing_ok=True)
        raise


def check_image(image):
    with open(image, "rb") as file:
        file.seek(EXT4_MAGIC_AT)
        if file.read(len(EXT4_MAGIC)) != EXT4_MAGIC:
            raise Failed(f"{image}: expected an image that 'hdd up' made, or none yet; found a file without ext4")


def begin_state(disk, image, is_named):
    if disk.beside.exists():
        raise Failed(f"{disk.folder}: a disk is there, or its rest: {disk.beside}; 'hdd down' clears it away")
    is_made = not disk.folder.exists()
    if not is_made and (not disk.folder.is_dir() or any(disk.folder.iterdir()) or os.path.ismount(disk.folder)):
        raise Failed(f"{disk.folder}: expected an empty folder, or none")
    if is_named and not image.parent.is_dir():
        raise Failed(f"{image}: no such folder: {image.parent}")
    disk.beside.mkdir(mode=0o700)  # if two processes run this at once, only one succeeds
    try:
        state = {"version": 1, "image": str(image), "keeps_image": is_named, "made_folder": is_made}
        disk.new_state_file.write_text(json.dumps(state) + "\n")
        disk.new_state_file.rename(disk.state_file)
        disk.fuse.mkdir()
        if is_made:
            disk.folder.mkdir()
    except OSError:
        remove_files(disk)
        raise


def serve(disk, command):
    with open(disk.log, "wb") as log:
        program = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=log, cwd="/", start_new_session=True)
    until = time.monotonic() + WAIT_S
    while not disk.is_served():
        code = program.poll()
        if code is not None:
            said = " ".join(disk.log.read_text(errors="replace").split()).removeprefix(f"{PROGRAM}: error: ")
            raise (WrongUsage if code == 2 else Failed)(said or f"{PROGRAM} ended with {code}")
        if time.monotonic() > until:
            raise Failed(f"{PROGRAM} doesn't serve {disk.fuse} after {WAIT_S} s")
        time.sleep(0.01)


def attach(disk, read_ahead_kb):
    # Without direct I/O, the image's own page cache would answer instead of the disk.
    loop = Path(run("losetup", "--find", "--show", "--direct-io=on", disk.file))
    block = Path("/sys/block") / loop.name
    if (block / "loop/dio").read_text().strip() != "1":
        raise Failed(f"{loop}: this kernel's loop devices don't do direct I/O on FUSE")
    queue = block / "queue"
    is_disk = disk.stats()["kind"] == "disk"
    (queue / "rotational").write_text(str(int(is_disk)))
    # This is the most that FUSE moves at once; longer requests would arrive in two.
    largest_kb = min(1024, int((queue / "max_hw_sectors_kb").read_text()))
    (queue / "max_sectors_kb").write_text(str(largest_kb))
    if "mq-deadline" in (queue / "scheduler").read_text():
        (queue / "scheduler").write_text("mq-deadline")
    (queue / "read_ahead_kb").write_text(str(read_ahead_kb))  # last, because the other settings reset it


def open_alone(loop):
    """A program that starts or has just ended can hold a copy of the mount for a moment, in a name space of its own."""
    until = time.monotonic() + WAIT_S
    while True:
        try:
            return os.open(loop, os.O_RDONLY | os.O_EXCL)
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > until:
                raise
        time.sleep(0.01)


def drop_buffers(disk):
    device = open_alone(disk.loop())
    try:
        fcntl.ioctl(device, BLKFLSBUF, 0)
    finally:
        os.close(device)


def down(arguments):
    need_root()
    disk = Disk(arguments.folder)
    if disk.beside.is_dir() and set(disk.beside.iterdir()) <= {disk.new_state_file}:
        remove_files(disk)  # `up` was stopped before it made anything
        return
    clear_away(Disk.found(arguments.folder))


def clear_away(disk):
    """Removes all of the disk's parts that exist. Fails if a program keeps one busy; the call may be repeated."""
    made_folder = disk.made_folder()
    release_reads(disk)
    loops = disk.loops()  # asked while the mount still shows them
    if disk.is_mounted():
        disk.unmount()
    for loop in loops:
        run("losetup", "--detach", loop)
    wait_for(lambda: not disk.loops(), f"{disk.folder}: its loop device is still open somewhere")
    if disk.is_served():
        error = unmount(disk.fuse, 0 if disk.programs() else MNT_DETACH)
        if error:
            raise Failed(f"{disk.fuse}: unmount: {os.strerror(error)}; {kept_by(disk.fuse)}")
    try:
        wait_for(lambda: not disk.programs(), "")
    except Failed:
        kill_programs(disk)
    remove_files(disk)
    if made_folder and disk.folder.is_dir() and not any(disk.folder.iterdir()):
        disk.folder.rmdir()


def remove_files(disk):
    """Removes only our files. The state file, which marks a disk, comes last."""
    for file in (disk.beside / "image", disk.log):
        file.unlink(missing_ok=True)
    if disk.fuse.is_dir():
        disk.fuse.rmdir()
    for file in (disk.new_state_file, disk.state_file):
        file.unlink(missing_ok=True)
    if disk.beside.is_dir():
        disk.beside.rmdir()


def release_reads(disk):
    """Ends all faults, because waiting reads would block unmounting. Kills the program if it doesn't answer."""
    answered = threading.Event()

    def ask():
        try:
            disk.order("none")
        except Failed:
            pass
        answered.set()

    threading.Thread(target=ask, daemon=True).start()
    if not answered.wait(ANSWER_S):
        kill_programs(disk)


def kill_programs(disk):
    for pid in disk.programs():
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        if pid in disk.programs():  # still the process that the handle refers to
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            select.select([handle], [], [], WAIT_S)
        os.close(handle)


def wait_for(is_so, message):
    until = time.monotonic() + WAIT_S
    while not is_so():
        if time.monotonic() > until:
            raise Failed(message)
        time.sleep(0.01)


def cold(arguments):
    disk = Disk.found(arguments.folder)
    disk.stats()
    if disk.is_mounted():
        disk.unmount()
    try:
        drop_buffers(disk)
    except OSError as error:
        raise Failed(f"{disk.loop()}: {error.strerror}: it is open elsewhere, maybe mounted in a container") from error
    finally:
        disk.mount()


def reset(arguments):
    Disk.found(arguments.folder).order("reset")


def stats(arguments):
    disk = Disk.found(arguments.folder)
    found = disk.stats()
    if arguments.json:
        print(json.dumps({"device": str(disk.loop()), **found}))
        return
    print(f"drive   {found['drive']}, {found['size_bytes'] / 1e9:.1f} GB, scale {found['scale']:g}, "
          f"queue depth {found['queue_depth']}")
    print(f"busy    {found['busy_s']:12.3f} s")
    print(f"reads   {found['reads']:12,}   {found['bytes'] / 1e6:,.3f} MB, {found['seeks']:,} seeks, "
          f"at most {found['most_waiting']} at once")
    print(f"writes  {found['writes']:12,}   {found['written_bytes'] / 1e6:,.3f} MB, not timed")
    print(f"faults  {found['failed_reads']:12,}   failed, {found['slow_reads']:,} slow")
