"""Puts licences into a wheel: of the libraries that auditwheel has copied into it, and of those whose headers were compiled in.
Usage: wheel_licences.py WHEEL OUTPUT PACKAGE...   (packages of Debian; those of the copied libraries are found)
The wheel's entries keep their order and times, and the new ones have the time of the first."""
import base64
import hashlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path


def package_of(path):
    """Packages may say /lib where the system says /usr/lib."""
    for place in (path, path.removeprefix("/usr")):
        told = subprocess.run(["dpkg-query", "-S", place], capture_output=True, text=True).stdout
        for line in told.splitlines():
            if not line.startswith("diversion "):
                return line.split(":")[0]
    sys.exit(f"{path}: expected a package of Debian that has it, found none")


def packages_of_libraries(names):
    """auditwheel calls libzip-5d4b7f0f.so.5.5 what was libzip.so.5.5."""
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    places = {line.split(" => ")[1] for line in known.splitlines() if " => " in line}
    files = {Path(place).resolve().name: place for place in sorted(places)} | {Path(place).name: place for place in sorted(places)}
    for name in names:
        plain = re.sub(r"-[0-9a-f]{8}(?=[.-])", "", name)
        found = files.get(plain) or sys.exit(f"{name}: expected a library {plain} of this system, found none")
        yield package_of(str(Path(found).resolve()))


def main(wheel, output, *packages):
    with zipfile.ZipFile(wheel) as old:
        names = old.namelist()
        information = next(name.split("/")[0] for name in names if name.endswith(".dist-info/RECORD"))
        copied = [name.split("/")[1] for name in names if re.match(r"[^/]+\.libs/[^/]+", name)]
        licences = {}
        for package in sorted({*packages, *packages_of_libraries(copied)}):
            licences[f"{information}/licenses/libraries/{package}.txt"] = Path(f"/usr/share/doc/{package}/copyright").read_bytes()
        record = old.read(f"{information}/RECORD").decode()
        lines = [line for line in record.splitlines() if not line.startswith(f"{information}/RECORD,")]
        for name, text in licences.items():
            sum_of_text = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={sum_of_text},{len(text)}")
        with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as new:
            for entry in old.infolist():
                if entry.filename != f"{information}/RECORD":
                    new.writestr(entry, old.read(entry))
            for name, text in {**licences, f"{information}/RECORD": "\n".join([*lines, f"{information}/RECORD,,", ""]).encode()}.items():
                entry = zipfile.ZipInfo(name, old.infolist()[0].date_time)
                entry.external_attr = 0o100644 << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                new.writestr(entry, text)


if __name__ == "__main__":
    main(*sys.argv[1:])
