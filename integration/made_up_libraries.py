"""Makes the files of launchers in a made-up home folder, with games that exist only there."""
import json
import os
import sqlite3
import zipfile
from pathlib import Path


def write(path, data=b""):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


class Libraries:
    """`games` has the expected answer of 'seekless games': name -> (from, is_flatpak, id, folder, kinds of content)."""

    def __init__(self, home, other_disk):
        self.home = Path(home).resolve()
        self.other_disk = Path(other_disk).resolve()
        self.games = {}
        self.kinds = 0

    def environment(self):
        return {"HOME": str(self.home), "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": ""}

    def fill(self, folder):
        """Each game has one of four kinds of content."""
        folder = Path(folder)
        kind = self.kinds % 4
        self.kinds += 1
        if kind == 0:
            write(folder / "readme.txt", b"loose files " * 1000)
            return {"loose"}
        folder.mkdir(parents=True, exist_ok=True)
        if kind == 1:
            with zipfile.ZipFile(folder / "data.pk3", "w") as archive:
                archive.writestr("a", os.urandom(9000))
            return {"zip"}
        if kind == 2:
            write(folder / "pak0.pak", b"PACK" + (12).to_bytes(4, "little") + (64).to_bytes(4, "little") + bytes(9000))
            return {"archive"}
        write(folder / "game.pck", b"GDPC" + bytes(9000))
        return {"archive"}

    def add(self, name, source, flatpak, number, folder):
        self.games[name] = (source, flatpak, number, str(Path(folder).resolve()), self.fill(folder))

    def steam(self, root, libraries, first, count, flatpak=False, written=None):
        """`written` are the libraries' paths as Steam sees them, if they differ."""
        listed = "".join(f'"{i}" {{ "path" "{path}" "apps" {{ "{first}" "1" }} }}\n'
                         for i, path in enumerate(written or libraries))
        write(root / "steamapps" / "libraryfolders.vdf", f'"libraryfolders"\n{{\n{listed}}}\n')
        for number in range(first, first + count):
            apps = libraries[number % len(libraries)] / "steamapps"
            folder = f"Game {number}"
            write(apps / f"appmanifest_{number}.acf",
                  f'"AppState"\n{{\n\t"appid"\t\t"{number}"\n\t"name"\t\t"Steam {number}"\n\t"StateFlags"\t\t"4"\n'
                  f'\t"installdir"\t\t"{folder}"\n\t"SizeOnDisk"\t\t"{number}000"\n}}\n')
            self.add(f"Steam {number}", "Steam", flatpak, str(number), apps / "common" / folder)

    def heroic(self, config, count, flatpak=False):
        mark = "flat" if flatpak else "own"
        games = self.other_disk / f"heroic-{mark}"
        epic, gog, amazon = {}, [], []
        for number in range(count):
            folder, which = games / f"g{number}", number % 3
            name, identity = f"Heroic {mark} {number}", f"{mark}{number}"
            if which == 0:
                epic[identity] = {"app_name": identity, "title": name, "install_path": str(folder), "install_size": 5}
            elif which == 1:
                gog.append({"appName": identity, "install_path": str(folder), "install_size": "5 B", "is_dlc": False})
            else:
                amazon.append({"id": identity, "path": str(folder), "size": 5})
            self.add(name, "Heroic", flatpak, identity, folder)
        title = lambda entry: f"Heroic {mark} {(entry.get('appName') or entry['id'])[len(mark):]}"
        write(config / "heroic/legendaryConfig/legendary/installed.json", json.dumps(epic))
        write(config / "heroic/gog_store/installed.json", json.dumps({"installed": gog}))
        write(config / "heroic/store_cache/gog_library.json",
              json.dumps({"games": [{"app_name": one["appName"], "title": title(one)} for one in gog]}))
        write(config / "heroic/nile_config/nile/installed.json", json.dumps(amazon))
        write(config / "heroic/nile_config/nile/library.json",
              json.dumps([{"product": {"id": one["id"], "title": title(one)}} for one in amazon]))

    def lutris(self, data, config, count, flatpak=False):
        mark = "flat" if flatpak else "own"
        data.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(data / "pga.db")
        database.execute("CREATE TABLE games (id INTEGER PRIMARY KEY, name TEXT, slug TEXT, runner TEXT, "
                         "directory TEXT, installed INTEGER, configpath TEXT)")
        for number in range(count):
            folder, slug = self.other_disk / f"lutris-{mark}/g{number}", f"{mark}-{number}"
            by_program = number % 2 == 1  # for these, Lutris knows only the program's path
            write(config / f"games/{slug}-1.yml",
                  f"game:\n  exe: {folder}/bin/game.exe\n  prefix: {self.other_disk}/prefix\nwine: {{}}\n")
            database.execute("INSERT INTO games VALUES (NULL, ?, ?, 'wine', ?, 1, ?)",
                             (f"Lutris {slug}", slug, "" if by_program else str(folder), f"{slug}-1"))
            self.add(f"Lutris {slug}", "Lutris", flatpak, slug, folder)
        database.execute("INSERT INTO games VALUES (NULL, 'Removed', 'removed', 'linux', '/gone', 0, '')")
        database.commit()
        database.close()

    def bottles(self, data, count, flatpak=False):
        mark = "flat" if flatpak else "own"
        bottle = data / "bottles" / mark
        programs = ""
        for number in range(count):
            name = f"Bottles {mark} {number}"
            programs += (f"  id{number}:\n    executable: game.exe\n    name: {name}\n"
                         f"    path: C:\\Games\\g{number}\\game.exe\n    removed: false\n")
            self.add(name, "Bottles", flatpak, f"{mark}/{name}", bottle / f"drive_c/Games/g{number}")
        write(bottle / "bottle.yml", f"Name: {mark}\nArch: win64\nExternal_Programs:\n{programs}")

    def gog(self, count):
        for number in range(count):
            folder = self.home / "GOG Games" / f"g{number}"
            write(folder / "gameinfo", f"GOG {number}\n1.0\n1.0.5\nen-US\n14{number:08}\n14{number:08}\n")
            self.add(f"GOG {number}", "GOG", False, f"14{number:08}", folder / "game")
            name = self.games[f"GOG {number}"]
            self.games[f"GOG {number}"] = (*name[:3], str(folder.resolve()), name[4])

    def make(self, each=30):
        """Makes ten libraries of `each` games."""
        home = self.home
        steam = home / ".local/share/Steam"
        (home / ".steam").mkdir(parents=True)
        os.symlink(steam, home / ".steam/root")
        self.steam(steam, [steam, self.other_disk / "SteamLibrary"], 1000, 2 * each)
        inner = home / ".var/app/com.valvesoftware.Steam/.local/share/Steam"
        self.steam(inner, [inner], 5000, each, flatpak=True, written=[home / ".local/share/Steam"])
        self.heroic(home / ".config", each)
        self.heroic(home / ".var/app/com.heroicgameslauncher.hgl/config", each, flatpak=True)
        self.lutris(home / ".local/share/lutris", home / ".config/lutris", each)
        lutris = home / ".var/app/net.lutris.Lutris"
        self.lutris(lutris / "data/lutris", lutris / "config/lutris", each, flatpak=True)
        self.bottles(home / ".local/share/bottles", each)
        self.bottles(home / ".var/app/com.usebottles.bottles/data/bottles", each, flatpak=True)
        self.gog(each)
        return self
