# SPDX-License-Identifier: Apache-2.0
"""The documentation says what the headers and sources say: no code, entry, capability or variable is missing, and none
is described that does not exist."""

import pathlib
import re
import shutil
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import spoc_test  # noqa: E402

DOCS = ROOT / "docs"
BACKEND_H = ROOT / "abi" / "include" / "spoc" / "backend.h"
ERROR_H = ROOT / "core" / "include" / "spoc" / "error.h"
CODES_CPP = ROOT / "core" / "src" / "codes.cpp"
ENV_CPP = ROOT / "core" / "src" / "env.cpp"


def read(path):
    return path.read_text(encoding="utf-8")


def source(path):
    """A source's text as if no line had been broken or aligned: a formatter's taste must not matter here."""
    return re.sub(r"[ \t]+", " ", read(path).replace("\\\n", " "))


def defines(path, pattern):
    """Names and numbers of the constants whose names fit the whole pattern."""
    found = re.findall(r"^#define (\w+) \(?(?:UINT32_C\()?(-?\d+)\)*", source(path), re.MULTILINE)
    return {name: int(number) for name, number in found if re.fullmatch(pattern, name)}


def rows(path, heading):
    """Cells of the rows of the first table after a heading, without backquotes; the table's own head left out."""
    text = read(path)
    start = re.search(rf"^#+ {re.escape(heading)}$", text, re.MULTILINE)
    if not start:
        raise AssertionError(f"{path} has no heading {heading}")
    lines = text[start.end():].lstrip("\n").split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("|"))
    table = []
    for line in lines[first + 2:]:
        if not line.startswith("|"):
            break
        table.append([cell.strip().replace("`", "") for cell in line.strip("|").split("|")])
    return table


def statuses():
    """Names and numbers of the plugin's status codes: the constants between two comments of the header."""
    text = source(BACKEND_H)
    part = text[text.index("Status codes."):text.index("Why a backend cannot be used")]
    found = re.findall(r"^#define (SPOC_BE_\w+) \(?(-?\d+)\)?$", part, re.MULTILINE)
    return {name: int(number) for name, number in found}


class Errors(unittest.TestCase):
    def documented(self, heading):
        return {row[0]: int(row[1]) for row in rows(DOCS / "errors.md", heading) if row[0].startswith("SPOC_")}

    def test_classes(self):
        classes = defines(ERROR_H, r"SPOC_(?!SUB_)\w+")
        self.assertEqual(len(classes), 7)
        self.assertEqual(self.documented("Classes"), classes)

    def test_sub_codes(self):
        codes = defines(ERROR_H, r"SPOC_SUB_\w+")
        self.assertGreater(len(codes), 25)
        self.assertEqual(self.documented("Sub-codes"), codes)

    def test_sub_codes_stand_under_their_class(self):
        names = {0: "any", 1: "invalid argument", 3: "backend error", 4: "unavailable", 5: "host pointer refused"}
        for row in rows(DOCS / "errors.md", "Sub-codes"):
            self.assertEqual(row[2], names[int(row[1]) // 100], row[0])

    def test_plugin_statuses(self):
        self.assertEqual(len(statuses()), 20)
        self.assertEqual(self.documented("What becomes of a plugin's status"), statuses())

    def test_reasons(self):
        reasons = defines(BACKEND_H, r"SPOC_BE_REASON_\w+")
        self.assertEqual(len(reasons), 35)
        self.assertEqual(self.documented("Reasons"), reasons)

    def test_reasons_have_the_state_and_sub_code_that_the_core_gives_them(self):
        core = {f"SPOC_BE_REASON_{name}": (state.lower(), f"SPOC_SUB_{sub}")
                for name, state, sub in re.findall(r"\bROW\((\w+),\s+(\w+),\s+(\w+),\s+\"", source(CODES_CPP))}
        documented = {row[0]: (row[2], row[3]) for row in rows(DOCS / "errors.md", "Reasons")}
        self.assertEqual(documented, core)

    def test_each_reason_has_a_paragraph(self):
        paragraphs = re.findall(r"^- \*\*([A-Z_]+)\*\*:", read(DOCS / "errors.md"), re.MULTILINE)
        wanted = [name.removeprefix("SPOC_BE_REASON_") for name in defines(BACKEND_H, r"SPOC_BE_REASON_\w+")]
        self.assertEqual(paragraphs, wanted)

    def test_no_code_is_named_that_does_not_exist(self):
        known = set(defines(ERROR_H, r"SPOC_\w+")) | set(defines(BACKEND_H, r"SPOC_BE_\w+"))
        named = set(re.findall(r"`(SPOC_(?:BE|SUB)_[A-Z0-9_]+)`", read(DOCS / "errors.md")))
        self.assertEqual(named - known, set())


class Contract(unittest.TestCase):
    def test_entries(self):
        header = re.findall(r"/// (\d+), (required|optional)\b[^.]*?class (\w)\b.*?\(\*(\w+)\)\(",
                            source(BACKEND_H), re.DOTALL)
        self.assertEqual(len(header), 43)
        wanted = [(number, name, kind == "required", letter) for number, kind, letter, name in header]
        documented = [(row[0], row[1], row[2] == "yes", row[3]) for row in rows(DOCS / "abi.md", "Entries")]
        self.assertEqual(documented, wanted)

    def test_entry_list_agrees_with_the_comments(self):
        comments = re.findall(r"/// (\d+), (required|optional)\b.*?\(\*(\w+)\)\(", source(BACKEND_H), re.DOTALL)
        listed = re.findall(r"X\((\d+), (\w+), ([01])\)", source(BACKEND_H))
        self.assertEqual(listed, [(n, name, "1" if kind == "required" else "0") for n, kind, name in comments])

    def test_capabilities(self):
        found = defines(BACKEND_H, r"SPOC_BE_CAP_\w+")
        header = {name.removeprefix("SPOC_BE_CAP_"): bit for name, bit in found.items()}
        self.assertEqual(len(header), 39)
        documented = {row[1]: int(row[0]) for row in rows(DOCS / "abi.md", "Capabilities")}
        self.assertEqual(documented, header)

    def test_the_driver_map_has_every_entry(self):
        text = read(DOCS / "adr" / "0003-driver-map.md")
        documented = dict(re.findall(r"^\| (\d+) `(\w+)`", text, re.MULTILINE))
        listed = {number: name for number, name, _ in re.findall(r"X\((\d+), (\w+), ([01])\)", source(BACKEND_H))}
        self.assertEqual(documented, listed)

    def test_the_driver_map_has_a_cell_for_every_driver(self):
        for line in read(DOCS / "adr" / "0003-driver-map.md").split("\n"):
            if re.match(r"\| (\d+ |formats|capability|`\w+_|`queues)", line) and "what it does" not in line:
                cells = [cell.strip() for cell in line.strip("|").split("|")]
                if len(cells) > 3:  # not the table of host services
                    self.assertEqual(len(cells), 8, line)
                    self.assertNotIn("", cells, line)


class Environment(unittest.TestCase):
    def test_variables(self):
        read_by_core = set(re.findall(r'\{\s*"(SPOC_[A-Z_]+)",', source(ENV_CPP)))
        self.assertGreater(len(read_by_core), 10)
        documented = set(re.findall(r"\bSPOC_[A-Z]+(?:_[A-Z]+)*\b(?!_)", read(DOCS / "environment.md")))
        documented -= {"SPOC_DISABLE", "SPOC_INVALID_ARGUMENT", "SPOC_SUB_NAME"}
        self.assertEqual(documented, read_by_core)


class Prose(unittest.TestCase):
    def files(self):
        return [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]

    def test_links_lead_somewhere(self):
        for path in self.files():
            for target in re.findall(r"\]\(([^)\s]+)\)", read(path)):
                if re.match(r"https?:", target):
                    continue
                name, _, anchor = target.partition("#")
                linked = path if not name else (path.parent / name).resolve()
                self.assertTrue(linked.exists(), f"{path}: {target}")
                if anchor:
                    self.assertIn(anchor, self.anchors(linked), f"{path}: {target}")

    def anchors(self, path):
        headings = re.findall(r"^#+ (.*)$", read(path), re.MULTILINE)
        return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}

    def test_lines_are_no_longer_than_they_may_be(self):
        for path in self.files():
            for number, line in enumerate(read(path).split("\n"), 1):
                if not line.startswith("|"):  # a row of a table cannot be broken
                    self.assertLessEqual(len(line), 120, f"{path}:{number}")

    def test_decisions_are_listed(self):
        names = [path.name for path in sorted((DOCS / "adr").glob("*.md"))]
        self.assertEqual(re.findall(r"\(adr/(\d{4}-[\w-]+\.md)\)", read(DOCS / "README.md")), names)


class Tests(unittest.TestCase):
    """tests/README.md names tests that exist."""

    def test_each_fault_has_a_test(self):
        for fault, *_, tests in rows(ROOT / "tests" / "README.md", "Faults of this field"):
            with self.subTest(fault=fault):
                if ".py" in tests:
                    self.check_functions(*tests.partition(":")[::2])
                else:
                    self.check_tags(fault, re.findall(r"(\w+\.cpp)", tests))

    def check_functions(self, file, names):
        existing = re.findall(r"def (test_\w+)", read(ROOT / "tests" / "integration" / file))
        wanted = re.findall(r"test_\w+", names)
        self.assertTrue(wanted)
        self.assertEqual([name for name in wanted if name not in existing], [])

    def check_tags(self, fault, files):
        self.assertTrue(files)
        for file in files:
            texts = [read(path) for path in (ROOT / "tests" / "unit").rglob(file)]
            self.assertTrue(any(f"[{fault}]" in text for text in texts), file)


class Example:
    """A program in docs/examples that a page shows as a whole, first thing below a heading."""

    heading = "\n"

    def compile(self, *arguments):
        compiler = next((name for name in ("g++", "clang++") if shutil.which(name)), None)
        if not compiler:
            self.skipTest("neither g++ nor clang++ is installed")
        done = spoc_test.run(compiler, "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I",
                             ROOT / "abi" / "include", "-I", ROOT / "core" / "include", self.source, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_page_shows_the_file_that_is_tested(self):
        _, _, below = read(self.page).partition(self.heading)
        shown = re.search(r"```cpp\n(.*?)```", below, re.DOTALL)[1]
        self.assertEqual(shown, read(self.source).split("\n", 1)[1])

    def test_it_compiles(self):
        self.compile("-fsyntax-only")

    def test_it_runs_on_the_native_device(self):
        library = pathlib.Path(spoc_test.LIBRARY)
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "example"
            self.compile(library, f"-Wl,-rpath,{library.parent}", "-o", program)
            done = spoc_test.run(program, env=spoc_test.clean_environment(SPOC_PLUGIN_PATH=spoc_test.NATIVE_DIR))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for line in self.lines:
            self.assertRegex(done.stdout, line)


class Quickstart(Example, unittest.TestCase):
    source = DOCS / "examples" / "quickstart.cpp"
    page = ROOT / "README.md"
    lines = (r"(?m)^native:0 .*  ok$", r"(?m)^cuda  \S")


class Streams(Example, unittest.TestCase):
    source = DOCS / "examples" / "streams.cpp"
    page = DOCS / "streams.md"
    lines = (r"^native:0  ok\n$",)


class Vectors(Example, unittest.TestCase):
    source = DOCS / "examples" / "vectors.cpp"
    page = DOCS / "vectors.md"
    lines = (r"^515 10 2\n$",)


class Staging(Example, unittest.TestCase):
    source = DOCS / "examples" / "staging.cpp"
    page = DOCS / "vectors.md"
    heading = "\n## Write a few bytes per step\n"
    lines = (r"^999 1000\n$",)


class Launches(Example, unittest.TestCase):
    source = DOCS / "examples" / "launches.cpp"
    page = DOCS / "launches.md"
    lines = (r"^7 8 type\n$",)


class Views(Example, unittest.TestCase):
    source = DOCS / "examples" / "views.cpp"
    page = DOCS / "views.md"
    lines = (r"^2 2\n5\n2 30\n$",)


class SharedMemory(Example, unittest.TestCase):
    source = DOCS / "examples" / "shared_memory.cpp"
    page = DOCS / "shared-memory.md"
    lines = (r"^2\n7 1\n$",)


if __name__ == "__main__":
    spoc_test.main()
