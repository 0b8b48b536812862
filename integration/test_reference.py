"""The reference that Doxygen makes of the headers: it has no warnings, and lacks none of the library's exports. Skipped
where doxygen is missing."""
import html
import os
import re
import shutil
import subprocess

import pytest

from tool import TOP

pytestmark = pytest.mark.skipif(shutil.which("doxygen") is None, reason="doxygen isn't installed")
HEADER = TOP / "runtime/include/seekless.h"


def text_of(page):
    text = re.sub(r"<[^>]+>", " ", page.read_text())
    return re.sub(r"\s+", " ", html.unescape(text))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    done = subprocess.run(["doxygen", "docs/reference/Doxyfile"], cwd=TOP, capture_output=True, text=True,
                          env={**os.environ, "SEEKLESS_REFERENCE": str(folder)})
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return folder / "html"


def test_every_function_and_struct_is_there(pages):
    text = text_of(pages / "seekless_8h.html")
    header = HEADER.read_text()
    functions = re.findall(r"^SKL_API [^(]*\b(skl_\w+)\(", header, re.MULTILINE)
    assert len(functions) > 20
    for name in [*functions, *re.findall(r"^typedef struct (skl_\w+) \{", header, re.MULTILINE)]:
        assert name in text, name


def test_comments_reach_what_they_belong_to(pages):
    text = text_of(pages / "seekless_8h.html")
    assert re.search(r"skl_result_name \( skl_result result \) A short name for a result",
                     text.split("Function Documentation")[1])
    assert re.search(r"SKL_DAMAGED\s+bytes don't match their checksum", text)


def test_the_page_for_engines_is_the_first(pages):
    assert "How to put this in your engine" in text_of(pages / "index.html")
