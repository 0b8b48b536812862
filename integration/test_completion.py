"""Man pages and shell completion, made from the option parser's own tables: checked in the install tree, with the
programs that read them."""
import os
import pty
import re
import select
import shutil
import subprocess
import time

import pytest

from tool import tree

COMMANDS = {"record", "import", "plan", "pack", "verify", "drive", "extract"}  # some


def needs(program):
    return pytest.mark.skipif(not shutil.which(program), reason=f"there is no {program} here")


@pytest.fixture(scope="module")
def scripts(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("scripts")
    for shell in ("bash", "zsh", "fish"):
        (folder / {"zsh": "_seekless"}.get(shell, shell)).write_bytes(tool.ok("completion", shell).out)
    return folder


@pytest.fixture(scope="module")
def manual(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("manual")
    tool.ok("manual", folder, "--date", "2026-11-21")
    return folder


def commands_of(tool):
    """Returns the commands as the help lists them, in groups."""
    return set(re.findall(r"^  ([a-z]\w*) ", tool.ok("--help").text, re.MULTILINE))


def options_of(tool, *command):
    return set(re.findall(r"(--[\w-]+)", tool.ok(*command, "--help").text.split("Options:")[1].split("Example")[0]))


def shell_files(folder):
    (folder / "layout.json").touch()
    (folder / "lay out.json").touch()
    (folder / "packs").mkdir()
    return folder


# bash

def in_bash(scripts, folder, *words):
    """Returns what bash offers for the last word; the function runs as if Tab had been pressed."""
    script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _seekless;'
              ' printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["bash", "--norc", "-uc", script, "bash", scripts / "bash", "seekless", *words],
                          cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return set(done.stdout.split("\n")) - {""}


@needs("bash")
class TestBash:
    def test_commands(self, tool, scripts, tmp_path):
        assert in_bash(scripts, tmp_path, "") == commands_of(tool) >= COMMANDS
        assert in_bash(scripts, tmp_path, "pl") == {"place", "plan", "play"}
        assert in_bash(scripts, tmp_path, "drive", "") == {"list", "show", "calibrate", "check", "fit"}

    def test_options_of_every_command(self, tool, scripts, tmp_path):
        for command in commands_of(tool):
            assert options_of(tool, command) <= in_bash(scripts, tmp_path, command, "-"), command
        assert "-o" in in_bash(scripts, tmp_path, "pack", "-")
        assert options_of(tool, "drive", "show") <= in_bash(scripts, tmp_path, "drive", "show", "--")

    def test_values(self, scripts, tmp_path):
        assert in_bash(scripts, tmp_path, "pack", "--codec", "") == {"auto", "raw", "lz4"}
        assert in_bash(scripts, tmp_path, "pack", "x", "--codec", "l") == {"lz4"}
        assert in_bash(scripts, tmp_path, "pack", "--codec", "=", "l") == {"lz4"}
        assert in_bash(scripts, tmp_path, "pack", "--codec", "=") == {"auto", "raw", "lz4"}
        assert {"strace", "blkparse"} <= in_bash(scripts, tmp_path, "import", "--format", "")
        assert in_bash(scripts, shell_files(tmp_path), "pack", "--threads", "") == set()

    def test_files_and_folders(self, scripts, tmp_path):
        shell_files(tmp_path)
        assert in_bash(scripts, tmp_path, "pack", "") == {"layout.json", "lay out.json", "packs"}
        assert in_bash(scripts, tmp_path, "pack", "x", "-o", "p") == {"packs"}
        assert in_bash(scripts, tmp_path, "extract", "--output", "") >= {"packs"}
        assert in_bash(scripts, tmp_path, "record", "--", "lay") == {"layout.json", "lay out.json"}

    def test_a_word_that_is_a_command_elsewhere_is_none_here(self, scripts, tmp_path):
        assert in_bash(scripts, tmp_path, "pack", "list", "--codec", "") == {"auto", "raw", "lz4"}

    def test_tab_completes_in_an_interactive_shell(self, scripts, tmp_path):
        shell_files(tmp_path)
        screen = typed(["bash", "--norc", "--noprofile", "-i"], tmp_path,
                       [f"source {scripts}/bash\n", "echo seekless-done\n", "seekless veri\t--threa\t"],
                       lambda text: "seekless verify --threads" in text)
        assert "seekless verify --threads" in screen


def typed(shell, folder, lines, is_enough, timeout_s=20):
    """Returns what a terminal shows when `lines` are typed one after the other."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.environ.update(PS1="$ ", TERM="dumb", HOME=str(folder))
        os.execvp(shell[0], shell)
    screen = ""

    def read(seconds):
        nonlocal screen
        end = time.monotonic() + seconds
        while time.monotonic() < end and not is_enough(screen):
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    screen += os.read(terminal, 65536).decode("utf-8", "replace")
                except OSError:
                    return

    try:
        for line in lines:
            os.write(terminal, line.encode())
            read(1)
        read(timeout_s)
    finally:
        os.close(terminal)
        os.waitpid(process, 0)
    return screen


# zsh

@needs("zsh")
class TestZsh:
    def offers(self, scripts, folder, line, *expected):
        def is_enough(text):
            shown = text.split(line, 1)[-1]
            return line in text and all(word in shown for word in expected)

        screen = typed(["zsh", "-f", "-i"], folder,
                       [f"fpath=({scripts} $fpath); autoload -U compinit; compinit -u -D; PS1='$ '\n",
                        "setopt no_always_last_prompt no_list_ambiguous\n", line + "\t\t"], is_enough)
        assert is_enough(screen), screen
        return screen

    def test_commands(self, scripts, tmp_path):
        self.offers(scripts, tmp_path, "seekless ", "record", "extract", "simulate")

    def test_commands_of_a_command(self, scripts, tmp_path):
        self.offers(scripts, tmp_path, "seekless drive ", "calibrate", "show")

    def test_options(self, scripts, tmp_path):
        self.offers(scripts, tmp_path, "seekless pack --", "codec", "depfile")

    def test_values(self, scripts, tmp_path):
        self.offers(scripts, tmp_path, "seekless pack --codec ", "auto", "raw", "lz4")

    def test_files(self, scripts, tmp_path):
        self.offers(scripts, shell_files(tmp_path), "seekless pack ", "layout.json", "packs")


# fish

@needs("fish")
class TestFish:
    def offers(self, scripts, folder, line):
        done = subprocess.run(["fish", "--no-config", "-c", f"source {scripts}/fish; complete -C \"{line}\""],
                              cwd=folder, env={**os.environ, "HOME": str(folder)}, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
        return {word.split("\t")[0] for word in done.stdout.splitlines()}

    def test_commands(self, tool, scripts, tmp_path):
        assert self.offers(scripts, tmp_path, "seekless ") == commands_of(tool)
        assert self.offers(scripts, tmp_path, "seekless drive ") == {"list", "show", "calibrate", "check", "fit"}

    def test_options(self, tool, scripts, tmp_path):
        assert self.offers(scripts, tmp_path, "seekless pack --") >= options_of(tool, "pack")
        assert self.offers(scripts, tmp_path, "seekless drive show --") >= options_of(tool, "drive", "show")

    def test_values(self, scripts, tmp_path):
        assert self.offers(scripts, tmp_path, "seekless pack --codec ") == {"auto", "raw", "lz4"}

    def test_files(self, scripts, tmp_path):
        assert {"layout.json", "packs/"} <= self.offers(scripts, shell_files(tmp_path), "seekless pack ")
        assert self.offers(scripts, tmp_path, "seekless pack --packs ") == {"packs/"}


# Man pages

def test_there_is_a_page_for_every_command(tool, manual):
    pages = {path.stem for path in manual.iterdir()}
    assert pages >= {"seekless", *(f"seekless-{command}" for command in commands_of(tool)), "seekless-drive-show"}


def test_pages_name_every_option(tool, manual):
    for command in commands_of(tool):
        page = (manual / f"seekless-{command}.1").read_text().replace("\\-", "-")
        for option in options_of(tool, command):
            assert f"\\fB{option}\\fR" in page, f"{command} {option}"


def test_pages_are_the_same_each_time(tool, manual, tmp_path):
    tool.ok("manual", tmp_path / "again", "--date", "2026-11-21", env={"LC_ALL": "tr_TR.utf8", "TZ": "Asia/Tokyo"})
    assert tree(tmp_path / "again") == tree(manual)


@needs("mandoc")
def test_mandoc_finds_nothing_wrong(manual):
    for page in sorted(manual.iterdir()):
        done = subprocess.run(["mandoc", "-Tlint", "-W", "warning", page], capture_output=True, text=True)
        assert done.returncode == 0 and not done.stdout, done.stdout


@needs("man")
def test_man_formats_them_without_a_warning(manual):
    for page in sorted(manual.iterdir()):
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], capture_output=True,
                              text=True, env={**os.environ, "LC_ALL": "C.utf8", "MANROFFSEQ": ""})
        assert done.returncode == 0 and not done.stderr, f"{page.name}: {done.stderr}"


def test_all_of_them_are_installed(install_prefix):
    share = install_prefix / "share"
    assert (share / "man" / "man1" / "seekless.1").exists() and (share / "man" / "man1" / "seekless-pack.1").exists()
    assert "_seekless" in (share / "bash-completion" / "completions" / "seekless").read_text()
    assert (share / "zsh" / "site-functions" / "_seekless").read_text().startswith("#compdef seekless")
    assert "complete -c seekless" in (share / "fish" / "vendor_completions.d" / "seekless.fish").read_text()
