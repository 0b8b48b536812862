"""The reader's binary interface, compared with a golden list: each function with its parameters, each struct with its size and
its members' offsets, each constant's value. A line may be added; one that changes or goes needs a new libseekless.so number.

After adding: `/usr/bin/python3 integration/test_abi.py > tests/runtime/golden/abi.txt`
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tool import TOP

HEADER = TOP / "runtime/include/seekless.h"
GOLDEN = TOP / "tests/runtime/golden/abi.txt"


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)


def functions(text):
    """Returns the declarations, one a line, sorted by name."""
    found = re.findall(r"SKL_API\s+([^;{}]*?\b(skl_\w+)\s*\([^;]*\))\s*(?:\w+\s*(?:\([^)]*\))?\s*)?;", text)
    return [f"function {' '.join(declaration.split())}" for declaration, _ in sorted(found, key=lambda one: one[1])]


def members(body):
    """Yields the names of a struct's members, including function pointers and arrays."""
    for one in re.sub(r"\bunion\b|\bstruct\b", "", body).split(";"):
        name = re.search(r"\(\s*\*\s*(\w+)\s*\)|(\w+)\s*(?:\[[^\]]*\]\s*)*$", one.strip())
        if name:
            yield name[1] or name[2]


def printer(text):
    """Returns the source of a program that prints sizes, offsets and values."""
    lines = ["#include <stddef.h>", "#include <stdio.h>", "#include <seekless.h>", "int main(void) {"]
    for name, body in re.findall(r"typedef struct (skl_\w+) \{([^{}]*)\}", text):
        lines.append(f'printf("struct {name} %zu bytes\\n", sizeof({name}));')
        for member in members(body):
            lines.append(f'printf("struct {name} %zu {member}\\n", offsetof({name}, {member}));')
    for body in re.findall(r"enum \w*\s*\{([^{}]*)\}", text):
        for name in re.findall(r"\b(SKL_\w+)\b(?=\s*(?:=|,|$))", body.strip(), flags=re.MULTILINE):
            lines.append(f'printf("constant {name} %lld\\n", (long long){name});')
    return "\n".join([*lines, "return 0; }"])


def interface():
    text = without_comments(HEADER.read_text())
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "print"
        subprocess.run(["cc", "-std=c99", f"-I{HEADER.parent}", "-x", "c", "-", "-o", program], input=printer(text), text=True, check=True)
        printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return functions(text) + printed.splitlines()


def test_the_binary_interface_is_the_golden_one():
    golden, now = GOLDEN.read_text().splitlines(), interface()
    gone = [line for line in golden if line not in now]
    assert not gone, "programs that are compiled already would break; libseekless.so needs a new number"
    assert now == golden, "something was added: write the golden list anew, as this file's head says"


def test_each_exported_function_is_in_the_list():
    """test_install.py compares the library's exported names with the header."""
    declared = set(re.findall(r"\b(skl_\w+)\(", HEADER.read_text()))
    listed = {re.search(r"\b(skl_\w+) ?\(", line)[1] for line in GOLDEN.read_text().splitlines() if line.startswith("function")}
    symbols = set(re.findall(r"^ (skl_\w+)@Base", (TOP / "debian/libseekless0.symbols").read_text(), flags=re.MULTILINE))
    assert listed == declared == symbols


if __name__ == "__main__":
    sys.stdout.write("\n".join(interface()) + "\n")
