"""The unpacked zip for Windows, and programs that mingw-w64 builds against it alone and Wine runs.

SEEKLESS_WINDOWS_PACKAGE  a folder with the zip, or where one is made [build/windows-package]"""
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tool import TOP, windows_environment  # noqa: E402

TOOLCHAIN = TOP / "cmake" / "mingw-w64.cmake"
TOOL = TOP / "build/windows/bin/seekless.exe"


def why_not():
    if shutil.which("wine") is None or not TOOL.exists():
        return "needs Wine and build/windows (script/test windows)"
    return None


def unpacked(into):
    folder = Path(os.environ.get("SEEKLESS_WINDOWS_PACKAGE", TOP / "build/windows-package"))
    if not list(folder.glob("*.zip")):
        subprocess.run(["cpack", "-B", folder], cwd=TOP / "build/windows", check=True, capture_output=True)
    with zipfile.ZipFile(next(folder.glob("*.zip"))) as archive:
        archive.extractall(into)
    return next(Path(into).iterdir())


def built(package, source, folder):
    """Builds a program. The compiler finds only the package's files and its own; PhysFS comes from the libraries'
    folder."""
    libraries = os.environ.get("SEEKLESS_WINDOWS_LIBRARIES", TOP / "build/windows-libraries")
    env = {**os.environ, "SEEKLESS_WINDOWS_LIBRARIES": str(libraries)}
    for command in (["cmake", "-S", source, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                     f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}", f"-DCMAKE_PREFIX_PATH={package}",
                     f"-DCMAKE_FIND_ROOT_PATH={package}"],
                    ["cmake", "--build", folder]):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stdout + done.stderr
    shutil.copy(package / "bin" / "seekless.dll", folder)
    return folder


def run(program, *arguments, before=()):
    return subprocess.run([*before, "wine", program, *map(str, arguments)], capture_output=True, text=True, timeout=600,
                          encoding="utf-8", env={**os.environ, **windows_environment()}, stdin=subprocess.DEVNULL)
