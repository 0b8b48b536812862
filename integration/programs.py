"""Runs programs, builds programs with the installed package, and extracts the code shown on pages of docs/."""
import os
import re
import subprocess

from tool import TOP


def run(*command, env=None, **how):
    """Returns the program's output; it must succeed."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          env={**os.environ, **(env or {})}, **how)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build_program(source, folder, prefix, flags="-Wall -Wextra -Wno-missing-field-initializers -Werror"):
    """Builds a program with CMake, against the installed package; `source` is a folder, in integration/ if it is
    only a name."""
    run("cmake", "-S", TOP / "integration" / source, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_C_FLAGS={flags}", f"-DCMAKE_CXX_FLAGS={flags}")
    run("cmake", "--build", folder)
    return folder


def build_c_program(name, folder, prefix):
    """Builds one source of c_program/, as strict C99, by pkg-config against the installed package."""
    libraries = next(prefix.rglob("libseekless.so")).parent
    flags = run("pkg-config", "--cflags", "--libs", "seekless", env={"PKG_CONFIG_PATH": str(libraries / "pkgconfig")}).split()
    run("cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", TOP / "integration/c_program" / f"{name}.c", *flags,
        f"-Wl,-rpath,{libraries}", "-o", folder / name)
    return folder / name


def build_preload(name, folder):
    """Builds a library from one source of integration/, for LD_PRELOAD."""
    library = folder / f"{name}.so"
    run("cc", "-shared", "-fPIC", "-O1", "-o", library, TOP / "integration" / f"{name}.c", "-ldl")
    return library


def code_of(page, language):
    """Returns the blocks of code of a page in docs/, in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", (TOP / "docs" / page).read_text(), re.MULTILINE | re.DOTALL)
