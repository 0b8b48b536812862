"""`seekless ui` in a real browser: listing, recording, before and after, switching on, undoing. Also requests from
elsewhere: other hosts, other origins, no token, paths, many requests at once."""
import http.client
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser
from made_up_libraries import Libraries, write
from tool import OWN_MOUNTS

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
ANSWER_S = int(os.environ.get("ANSWER_S", 300))  # limit on a busy machine
SHOTS = os.environ.get("SEEKLESS_SHOTS")  # a folder for screenshots


def playable(libraries, name="Playable", seconds=0):
    """Makes a game as GOG's installer does, whose program reads its files and quits."""
    folder = libraries.home / "GOG Games" / name
    for number in range(80):
        write(folder / f"data/{number * 37 % 80:02}.bin", os.urandom(20_000))
    write(folder / "gameinfo", f"{name}\n1.0\n1.0\nen-US\n1400000000\n")
    start = write(folder / "start.sh", f"#!/bin/sh\ncd '{folder}/data'\ncat 4* 1* 7* 0* > /dev/null\nsleep {seconds}\n")
    start.chmod(0o755)
    return folder


class Window:
    """The running server."""

    def __init__(self, tool, libraries, *options, prefix=()):
        self.process = subprocess.Popen([*prefix, *tool.command("ui", "--no-browser", *options)], stderr=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        env=tool.environment(libraries.environment()))
        first = self.process.stderr.readline().decode()
        found = re.search(r"http://\S+", first)
        assert found, f"no address, but {first!r}"
        self.address = found[0]
        self.port, self.token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/(\w+)/", self.address).groups()

    def ask(self, path=None, method="GET", **headers):
        """Returns the status, or None if the connection was closed without an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", int(self.port), timeout=ANSWER_S)
        try:
            connection.putrequest(method, f"/{self.token}/games" if path is None else path,
                                  skip_host="Host" in headers)
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            connection.endheaders()
            answer = connection.getresponse()
            self.body = answer.read()
            return answer.status
        except (ConnectionError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(ANSWER_S)


@pytest.fixture
def libraries(tmp_path):
    return Libraries(tmp_path / "home", tmp_path / "disk")


@pytest.fixture
def opened(tool, libraries):
    """Yields a function that opens the window; at the end all opened windows are closed."""
    windows = []

    def open_window(*options, **how):
        windows.append(Window(tool, libraries, *options, **how))
        return windows[-1]
    yield open_window
    for window in windows:
        window.end()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


def until(browser, script, what):
    deadline = time.monotonic() + ANSWER_S
    while not browser.run(f"Promise.resolve({script}).then(value => !!value)"):
        assert time.monotonic() < deadline, f"{what}: {browser.run('document.body.innerText')[:3000]}"
        time.sleep(0.2)


CARD = "[...document.querySelectorAll('#games .card')].find(card => card.querySelector('h2').textContent === '{}')"


def card(name):
    return CARD.format(name)


def press(browser, name, what):
    """Presses the button by the keyboard."""
    browser.run(f"({card(name)}).querySelector('[data-do=\"{what}\"]').focus()")
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
    browser.call("Input.dispatchKeyEvent", type="keyUp", key="Enter", code="Enter", windowsVirtualKeyCode=13)


def done(browser, name, what):
    until(browser, f"({card(name)}).querySelector('.progress').hidden && ({card(name)}).querySelector('.result.done')", what)


def shoot(browser, name, whole=False):
    if SHOTS:
        browser.screenshot(Path(SHOTS) / f"{name}.png", whole)


def record_served(browser, libraries):
    """Records a second start, in which `play` serves the game, and draws both."""
    press(browser, "Playable", "record")
    until(browser, f"({card('Playable')}).querySelector('.state').textContent.includes('2 recorded starts')", "a second recording")
    done(browser, "Playable", "recording")
    press(browser, "Playable", "pictures")
    until(browser, f"fetch(({card('Playable')}).querySelector('a').href).then(answer => answer.text())"
          ".then(text => text.split('start.00').length > 2 && text.includes('start.002'))", "both pictures")
    done(browser, "Playable", "drawing both")  # its other buttons can't be pressed before


def test_list_record_pictures_switch_on_undo(opened, browser, libraries):
    folder = playable(libraries)
    libraries.steam(libraries.home / ".local/share/Steam", [libraries.home / ".local/share/Steam"], 10, 2)
    window = opened()
    browser.prefer("light")
    browser.visit(window.address)
    until(browser, card("Playable"), "the list")
    facts = browser.run(f"({card('Playable')}).querySelector('.facts').textContent")
    assert facts.startswith("GOG · ") and "loose files" in facts

    press(browser, "Playable", "record")
    done(browser, "Playable", "recording")
    until(browser, f"!({card('Playable')}).querySelector('[data-do=pictures]').hidden", "the button for pictures")
    recordings = list((libraries.home / ".local/state/seekless/recordings").glob("*/start.001.jsonl.lz4"))
    assert len(recordings) == 1

    press(browser, "Playable", "pictures")
    done(browser, "Playable", "drawing")
    until(browser, f"!({card('Playable')}).querySelector('a').hidden", "the link to the pictures")
    link = browser.run(f"({card('Playable')}).querySelector('a').href")
    page = browser.run(f"fetch('{link}').then(answer => answer.text())")
    assert "<canvas" in page or "class=\"frame\"" in page
    assert "40.bin" in page
    policy = browser.run(f"fetch('{link}').then(answer => answer.headers.get('content-security-policy'))")
    assert "sandbox allow-scripts" in policy.split("; "), policy
    browser.visit(link)
    until(browser, "document.querySelector('canvas')", "the pictures, drawn")
    assert browser.run("self.origin") == "null", "they aren't of the window's origin, so that they can't ask the server"
    browser.visit(window.address)
    until(browser, card("Playable"), "the list again")

    entries = libraries.home / ".local/share/applications"
    if not browser.run(f"({card('Playable')}).querySelector('[data-do=switch-on]').hidden"):  # not on an SSD
        press(browser, "Playable", "switch-on")
        until(browser, f"!({card('Playable')}).querySelector('[data-do=undo]').hidden", "switching on")
        done(browser, "Playable", "switching on")
        entry = next(entries.iterdir()).read_text()
        assert "Name=Playable (seekless)" in entry and f'"play" "--auto" "{folder}" "--" "{folder}/start.sh"' in entry
        record_served(browser, libraries)
        press(browser, "Playable", "undo")
        until(browser, f"({card('Playable')}).querySelector('[data-do=undo]').hidden", "undoing")
        assert list(entries.iterdir()) == []
    if not browser.run(f"({card('Steam 10')}).querySelector('[data-do=switch-on]').hidden"):
        press(browser, "Steam 10", "switch-on")
        command = browser.run(f"({card('Steam 10')}).querySelector('.copy input').value")
        assert command.endswith("play --auto --steam %command%")
    assert not browser.complaints(), browser.complaints()
    assert all(address.startswith(window.address) for address in browser.requests())

    browser.run("document.getElementById('end').click()")
    assert window.process.wait(ANSWER_S) == 0
    until(browser, "document.getElementById('verdict').textContent.includes('has ended')", "the last word")


def test_progress_is_live_and_a_game_can_be_stopped(opened, browser, libraries):
    playable(libraries, "Slow", seconds=600)
    window = opened()
    browser.visit(window.address)
    until(browser, card("Slow"), "the list")
    press(browser, "Slow", "record")
    until(browser, f"!({card('Slow')}).querySelector('.progress').hidden", "the progress")
    first = browser.run(f"({card('Slow')}).querySelector('.line').textContent")
    until(browser, f"({card('Slow')}).querySelector('.line').textContent !== {first!r}", "the progress to move")
    shoot(browser, "progress")
    assert window.ask(f"/{window.token}/do?what=record", "POST", Origin=window.address[:-len(window.token) - 2],
                      Content_Length="0") == 409
    press(browser, "Slow", "stop")
    done(browser, "Slow", "stopping")
    assert list((libraries.home / ".local/state/seekless/recordings").glob("*/start.001.jsonl.lz4"))


def test_works_at_every_width_and_in_the_dark(opened, browser, libraries):
    libraries.make(each=30)
    window = opened()
    browser.prefer("light")
    browser.visit(window.address)
    until(browser, "document.querySelectorAll('#games .card').length >= 300", "300 games")
    shoot(browser, "300-games")
    browser.resize(400)
    assert browser.run("document.documentElement.scrollWidth") <= 400
    shoot(browser, "phone")
    browser.prefer("dark")
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)"
    shoot(browser, "dark-phone")
    browser.resize(1280)
    shoot(browser, "dark")
    browser.run("""(() => { const find = document.getElementById('find'); find.value = 'bottles own 7';
                    find.dispatchEvent(new Event('input')); })()""")
    assert browser.run("document.querySelectorAll('#games .card').length") == 1
    browser.prefer("light")


APART = [*OWN_MOUNTS, *([] if os.geteuid() == 0 else ["--map-root-user"])]
WITHOUT_DEBIAN_S_GAMES = """
for folder in /usr/share/games /var/lib/dpkg; do [ ! -d $folder ] || mount -t tmpfs none $folder; done
exec "$@"
"""


def test_an_empty_library_says_so(opened, browser, libraries):
    libraries.home.mkdir(parents=True)
    without = [*APART, "sh", "-ec", WITHOUT_DEBIAN_S_GAMES, "sh"]
    tried = subprocess.run([*without, "true"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        pytest.skip(f"nothing can be mounted here: {tried.stderr.strip()}")
    window = opened(prefix=without)
    browser.visit(window.address)
    until(browser, "document.getElementById('verdict').textContent.startsWith('No games found')", "the verdict")
    assert browser.run("document.querySelectorAll('#games .card').length") == 0
    shoot(browser, "empty")


def test_names_stay_names(opened, browser, libraries):
    evil = "<img src=x onerror=alert(1)> & \"quotes\" \u202eexe.\u2066"
    folder = playable(libraries, "evil\nfolder")
    write(folder / "gameinfo", f"{evil}\n1.0\n")
    browser.visit(opened().address)
    until(browser, "[...document.querySelectorAll('h2')].some(h => h.textContent.startsWith('<img'))", "the list")
    assert browser.run("document.querySelectorAll('img').length") == 0
    texts = browser.run("document.body.innerText + [...document.querySelectorAll('input')].map(each => each.value)")
    assert not set("\u202e\u2066") & set(texts)


def tab(browser, times=1):
    for _ in range(times):
        browser.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        browser.call("Input.dispatchKeyEvent", type="keyUp", key="Tab", code="Tab", windowsVirtualKeyCode=9)


def focused(browser):
    return browser.run("document.activeElement.getAttribute('aria-label') ?? document.activeElement.id")


def test_the_keyboard_is_enough(opened, browser, libraries):
    playable(libraries)
    browser.visit(opened().address)
    until(browser, card("Playable"), "the list")
    tab(browser)
    assert focused(browser) == "find"
    browser.call("Input.insertText", text="playable")
    until(browser, "document.querySelectorAll('#games .card').length === 1", "one game")
    tab(browser, 3)
    assert focused(browser) == "Record a start: Playable"
    assert browser.run("getComputedStyle(document.activeElement).outlineStyle") != "none", "one sees where one is"
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
    browser.call("Input.dispatchKeyEvent", type="keyUp", key="Enter", code="Enter", windowsVirtualKeyCode=13)
    done(browser, "Playable", "recording")
    until(browser, f"!({card('Playable')}).querySelector('[data-do=pictures]').hidden", "the button for pictures")
    for _ in range(3):
        if focused(browser) == "Before and after: Playable":
            break
        tab(browser)
    assert focused(browser) == "Before and after: Playable", "the next button is near"


def test_a_game_whose_program_is_unknown_shows_the_command(opened, browser, libraries):
    (playable(libraries) / "start.sh").unlink()
    browser.visit(opened().address)
    until(browser, card("Playable"), "the list")
    if browser.run(f"({card('Playable')}).querySelector('[data-do=switch-on]').hidden"):
        state = browser.run(f"({card('Playable')}).querySelector('.state').textContent")
        pytest.skip(f"there is no command: {state}")  # on an SSD
    press(browser, "Playable", "switch-on")
    until(browser, f"!({card('Playable')}).querySelector('.copy').hidden", "the command")
    assert browser.run(f"({card('Playable')}).querySelector('.copy input').value").endswith("Playable' -- GAME")
    assert "in place of GAME" in browser.run(f"({card('Playable')}).querySelector('.state').textContent")


def test_of_very_many_games_some_are_shown_and_all_are_found(opened, browser, libraries):
    steam = libraries.home / ".local/share/Steam"
    libraries.steam(steam, [steam], 10000, 700)
    browser.visit(opened().address)
    until(browser, "document.querySelectorAll('#games .card').length === 500", "500 games")
    assert "more games: type" in browser.run("document.getElementById('more').textContent")
    browser.run("""(() => { const find = document.getElementById('find'); find.value = 'steam 10699';
                    find.dispatchEvent(new Event('input')); })()""")
    assert browser.run("document.querySelectorAll('#games .card').length") == 1
    assert browser.run("document.getElementById('more').hidden")


def test_only_this_page_is_answered(opened, libraries):
    libraries.home.mkdir(parents=True)
    check_only_this_page_is_answered(opened())


def check_only_this_page_is_answered(window):
    """Used for the window on each system."""
    own = f"http://127.0.0.1:{window.port}"
    assert window.ask() == 200
    assert window.ask(Host=f"localhost:{window.port}") == 200
    for host in ("evil.example", f"evil.example:{window.port}", "", "127.0.0.1:1"):  # DNS rebinding sends its own name
        assert window.ask(Host=host) in (400, 403), host
    for origin in ("http://evil.example", "null", "https://127.0.0.1:" + window.port, own + ".evil.example"):
        assert window.ask(Origin=origin) == 403, origin
        assert window.ask(f"/{window.token}/end", "POST", Origin=origin, Content_Length="0") == 403, origin
    assert window.ask(f"/{window.token}/end", "POST", Content_Length="0") == 403  # without an Origin
    assert window.ask(Sec_Fetch_Site="cross-site") == 403
    other = "1" if window.token[-1] == "0" else "0"
    for path in ("/", "/games", f"/{window.token}", f"/{window.token[:-1]}{other}/games", f"/x{window.token}/games"):
        assert window.ask(path) == 403, path
    for path in ("../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "pictures?game=../../etc/passwd",
                 "pictures?game=%2fetc%2fpasswd", "window.css/../../../etc/passwd", "pictures"):
        assert window.ask(f"/{window.token}/{path}") in (403, 404), path
        assert b"root:" not in window.body
    for what in ("do?game=../../x&what=record", "do?game=nothing&what=free", "do", "do?what=switch-on"):
        assert window.ask(f"/{window.token}/{what}", "POST", Origin=own, Content_Length="0") == 409, what
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "BREW"):
        assert window.ask(method=method, Content_Length="0") in (400, 403, 404, None), method
    assert window.ask(f"/{window.token}/do", "POST", Origin=own, Content_Length=str(1 << 40)) in (400, 413, None)
    assert window.ask() == 200 and window.process.poll() is None


def test_it_listens_on_the_loopback_alone(opened, libraries):
    libraries.home.mkdir(parents=True)
    window = opened()
    ports = {line.split()[1] for table in ("tcp", "tcp6") for line in
             Path(f"/proc/{window.process.pid}/net/{table}").read_text().splitlines()[1:]
             if line.split()[3] == "0A" and line.split()[1].endswith(f":{int(window.port):04X}")}
    assert ports == {f"0100007F:{int(window.port):04X}"}


def test_1000_requests_at_once_are_answered(opened, libraries):
    libraries.home.mkdir(parents=True)
    window = opened()
    found, lock = [], threading.Lock()

    def ask_often():
        for _ in range(10):
            connection = http.client.HTTPConnection("127.0.0.1", int(window.port), timeout=ANSWER_S)
            try:
                connection.request("GET", f"/{window.token}/jobs")
                status = connection.getresponse().status
            except OSError as error:
                status = type(error).__name__
            connection.close()
            with lock:
                found.append(status)
    threads = [threading.Thread(target=ask_often) for _ in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 1000
    assert set(found) <= {200, "ConnectionRefusedError", "ConnectionResetError"}, set(found)
    assert found.count(200) > 900
    assert window.ask() == 200
    assert len(os.listdir(f"/proc/{window.process.pid}/fd")) < 40


def test_it_ends_by_ctrl_c_and_by_itself(opened, libraries):
    libraries.home.mkdir(parents=True)
    window = opened()
    assert window.ask() == 200
    assert window.end() == 0


def test_it_ends_once_the_browser_has_left(opened, browser, libraries):
    libraries.home.mkdir(parents=True)
    window = opened("--idle", "1")
    browser.visit(window.address)
    until(browser, "document.querySelector('main') !== null", "the page")
    assert window.process.poll() is None
    browser.visit("about:blank")
    assert window.process.wait(ANSWER_S) == 0, "nobody has asked it to end"
