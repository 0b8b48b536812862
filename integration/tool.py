"""Runs the product's binary and checks what it answers. Tests get a Tool from conftest.py."""
import atexit
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import jsonschema

TOP = Path(__file__).resolve().parent.parent
SCHEMAS = TOP / "schemas"
DONE, FAILED, USAGE, DAMAGED = 0, 1, 2, 3
TIMEOUT_S = 120
# A name space of mounts. It must let go of what is unmounted outside, since it would keep the disks of tests beside it busy.
OWN_MOUNTS = ("unshare", "--mount", "--propagation", "slave")


def check_schema(instance, name):
    """Checks an answer against a schema; `name` is the schema's file in schemas/, without its extension."""
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    others = jsonschema.RefResolver((SCHEMAS / name).as_uri(), schema)  # one schema refers to another beside it
    jsonschema.Draft202012Validator(schema, resolver=others).validate(instance)


class Answer:
    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr.decode("utf-8", "surrogateescape")

    @property
    def text(self):
        return self.out.decode("utf-8", "surrogateescape")

    def __str__(self):
        """Shown by failing tests. Includes standard output, because Wine reports there what it couldn't start."""
        return f"exit code {self.code}; standard error: {self.err[-4000:]!r}; standard output: {self.text[-1000:]!r}"

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def errors(self):
        return [line for line in self.err.splitlines() if line.startswith("seekless: error: ")]

    def says(self, *parts):
        """Checks that there is one error line, that it contains all of `parts`, and that it says what to do or what was
        found."""
        assert self.code in (FAILED, USAGE, DAMAGED), str(self)
        assert len(self.errors) == 1, self.err
        for part in parts:
            assert str(part) in self.errors[0], f"{part!r} isn't in: {self.err}"
        return self


def windows_environment():
    """Returns the environment in which Wine runs the tests' programs, with its own files, some of which
    script/test-windows has made. Wine's messages are off, except those about ending programs; otherwise a program with
    a stack overflow or without a DLL would end silently."""
    prefix = os.environ.get("WINEPREFIX", str(TOP / "build" / "wine"))
    return {"WINEPREFIX": prefix, "WINEDEBUG": "-all,err+virtual,err+seh,err+process,err+module",
            "WINEDLLOVERRIDES": "mscoree,mshtml=",
            "LC_ALL": "C.UTF-8"}  # names of files are UTF-8 to Wine, too


def run_by_wine(binary):
    """Returns a program that runs the Windows program and gets its signals. Keeps Wine's server running, instead of
    starting and ending it with each program."""
    subprocess.run(["wineserver", "--persistent=60"], env={**os.environ, **windows_environment()},
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # it keeps them open
    folder = Path(tempfile.mkdtemp(prefix="seekless-wine-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    program = folder / Path(binary).stem
    settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in windows_environment().items())
    program.write_text(f'#!/bin/sh\nexec env {settings} wine {shlex.quote(str(binary))} "$@"\n')
    program.chmod(0o755)
    return str(program)


def run_into_pipes(command, **how):
    return subprocess.run(command, capture_output=True, **how)


def run_into_files(command, **how):
    """Writes output to files. Wine's services start with the first program and keep its output open, so a pipe wouldn't
    end while they run."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        done = subprocess.run(command, stdout=out, stderr=err, **how)
        for file in (out, err):
            file.seek(0)
        done.stdout, done.stderr = out.read(), err.read()
    return done


class Tool:
    """Runs the tool; a Windows program, recognised by its extension, is run with Wine. `binary` is a program that this
    machine can run."""

    def __init__(self, binary):
        self.is_windows = str(binary).endswith(".exe")
        self.binary = run_by_wine(binary) if self.is_windows else str(binary)

    def command(self, *arguments):
        return [self.binary, *map(str, arguments)]

    def environment(self, more=None):
        return {**os.environ, **(windows_environment() if self.is_windows else {}), **(more or {})}

    def run(self, *arguments, cwd=None, env=None, prefix=(), input=None):
        """Accepts any exit code, but a signal or a timeout fails the test."""
        done = (run_into_files if self.is_windows else run_into_pipes)(
            [*map(str, prefix), *self.command(*arguments)], cwd=cwd, env=self.environment(env), input=input,
            stdin=subprocess.DEVNULL if input is None else None, timeout=TIMEOUT_S)
        assert 0 <= done.returncode < 128, (
            f"ended by signal {signal.Signals(-done.returncode).name if done.returncode < 0 else done.returncode}"
            f": {done.stderr[-2000:]!r}")
        for mistake in (b"terminate called", b"a mistake of its own", b"ERROR: AddressSanitizer"):
            assert mistake not in done.stderr, done.stderr[-2000:]
        return Answer(done)

    def ok(self, *arguments, **how):
        answer = self.run(*arguments, **how)
        assert answer.code == DONE, f"{arguments}: {answer}"
        return answer

    def json(self, *arguments, **how):
        """Runs with --json -, checks the answer's form, and returns it."""
        answer = self.ok(*arguments, "--json", "-", **how).json
        check_schema(answer, f"results/{arguments[0]}")
        assert answer["command"] == arguments[0]
        return answer


def as_nobody(place, group=None):
    """Returns a prefix for a command that runs as root: the command then runs as nobody, who may open /dev/fuse, as
    udev allows on ordinary machines. `place`: a folder that may be hidden from the command. `group`: a group that it
    also belongs to."""
    groups = "--clear-groups" if group is None else f"--groups={group}"
    script = ('mount -t tmpfs none "$0" && mknod -m 666 "$0/fuse" c 10 229 && mount --bind "$0/fuse" /dev/fuse && '
              f'exec setpriv --reuid=65534 --regid=65534 {groups} "$@"')
    return [*OWN_MOUNTS, "sh", "-c", script, place]


def give_to_nobody(folder, *paths):
    """Gives the paths to nobody, who may also enter their folders."""
    for path in paths:
        os.chown(path, 65534, 65534, follow_symlinks=False)
    for each in (folder, *folder.parents):
        if not each.stat().st_mode & 0o005:
            each.chmod(each.stat().st_mode | 0o755)


def tree(folder):
    """Maps every file below `folder` from relative path to bytes; empty folders map to None."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir():
            if not any(path.iterdir()):
                found[name] = None
        else:
            found[name] = path.read_bytes()
    return found


def strace_can_inject():
    if shutil.which("strace") is None:
        return False
    done = subprocess.run(["strace", "-o", "/dev/null", "-e", "inject=getpid:retval=1", "true"],
                          capture_output=True)
    return done.returncode == 0
