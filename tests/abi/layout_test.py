# SPDX-License-Identifier: Apache-2.0
"""The layout lock: the plugin contract is still the one in abi/layout-v1.txt.

    layout_test.py            runs the tests
    layout_test.py --update   writes the file anew, if nothing was taken away or moved

docs/abi.md, "The layout lock", says when the file may change.
"""

import difflib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import spoc_test  # noqa: E402

DUMP = HERE / "layout_dump.c"
INCLUDE = ROOT / "abi" / "include"
HEADERS = ("spoc/backend.h", "spoc/native.h")
COMMITTED = ROOT / "abi" / "layout-v1.txt"
BUILDS = {
    "gcc_c11": ("gcc", "-x", "c", "-std=c11"),
    "gcc_cpp17": ("g++", "-x", "c++", "-std=c++17"),
    "gcc_cpp20": ("g++", "-x", "c++", "-std=c++20"),
    "clang_c11": ("clang", "-x", "c", "-std=c11"),
    "clang_cpp17": ("clang++", "-x", "c++", "-std=c++17"),
    "clang_cpp20": ("clang++", "-x", "c++", "-std=c++20"),
}
# Structures that travel in arrays or lie in a file: they carry no size of their own and so can never grow.
FIXED = {"spoc_be_header", "spoc_be_ext", "spoc_be_range", "spoc_be_constant", "spoc_be_param", "spoc_be_arg",
         "spoc_be_note", "spoc_be_note_section"}


class DoesNotCompile(Exception):
    """The dump does not compile with these headers; the text is the compiler's."""


def dump(build, include=INCLUDE):
    """What layout_dump prints, as lines, when it is built as BUILDS says."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "layout_dump"
        command = [*BUILDS[build], "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", str(include), str(DUMP), "-o",
                   str(program)]
        compiled = subprocess.run(command, capture_output=True, text=True, check=False)
        if compiled.returncode != 0:
            raise DoesNotCompile(compiled.stderr)
        return subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.splitlines()


def any_build():
    """A build whose compiler is here."""
    for build, command in BUILDS.items():
        if shutil.which(command[0]):
            return build
    raise unittest.SkipTest("neither gcc nor clang is installed")


def committed():
    return COMMITTED.read_text(encoding="utf-8").splitlines()


def difference(now, locked=None):
    """A readable difference to the committed file; empty when there is none."""
    return "\n".join(difflib.unified_diff(committed() if locked is None else locked, now, "abi/layout-v1.txt",
                                          "the headers now", lineterm="", n=2))


class Layout:
    """The rows of a dump, by what they describe."""

    def __init__(self, lines):
        self.sizes, self.fields, self.others = {}, {}, []
        for line in lines:
            kind, *words = line.split(" ")
            if kind == "struct":
                self.sizes[words[0]] = int(words[1])
            elif kind == "field":
                name, offset, size, member = words[0], int(words[1]), int(words[2]), words[3]
                self.fields.setdefault(name, []).append((offset, size, member, " ".join(words[4:])))
            else:
                self.others.append(line)

    def gaps(self):
        """Places where a structure has bytes that no field names."""
        found = []
        for name, fields in self.fields.items():
            end = 0
            for offset, size, member, _ in fields:
                if offset != end:
                    found.append(f"{name}.{member} lies at {offset}, and the field before it ends at {end}")
                end = offset + size
            if end != self.sizes[name]:
                found.append(f"{name} has {self.sizes[name]} bytes, and its last field ends at {end}")
        return found


def grown_row(row):
    """The row of SPOC_BE_TABLE_HEADER without the table's size and the minor version, both of which may grow."""
    return re.sub(r"^(macro SPOC_BE_TABLE_HEADER \S+) \d+ (\d+) \d+$", r"\1 \2",
                  re.sub(r"^constant SPOC_BE_ABI_MINOR int \d+$", "constant SPOC_BE_ABI_MINOR", row))


def breaks(old_lines, new_lines):
    """What a new layout takes from programs built with the old one, a line each. Appending takes nothing, and neither
    does giving a part of a reserved field a name."""
    old, new = Layout(old_lines), Layout(new_lines)
    found = [f"gone or changed: {row}" for row in old.others
             if grown_row(row) not in {grown_row(other) for other in new.others}]
    for name, size in old.sizes.items():
        now = new.sizes.get(name, 0)
        if now < size:
            found.append(f"struct {name} shrank from {size} to {now} bytes")
        elif now > size and name in FIXED:
            found.append(f"struct {name} grew from {size} to {now} bytes, and nothing in it tells its size")
        for row in old.fields[name]:
            if row not in new.fields.get(name, []) and not row[2].startswith("reserved"):
                found.append("gone or changed: field {} {} {} {} {}".format(name, *row))
    return found + new.gaps()


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL).replace("\\\n", " ")


def declared(include=INCLUDE):
    """The first words of the rows that the dump must have, read from the headers' text."""
    rows = set()
    for header in HEADERS:
        text = without_comments((pathlib.Path(include) / header).read_text(encoding="utf-8"))
        for name, parameter, value in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(SPOC_\w+)(\(?)(.*)$", text, re.MULTILINE):
            if parameter or value.strip():  # else an include guard
                rows.add(name)
        for name in re.findall(r"typedef\s+struct\s+\w+\s*\*\s*(\w+)\s*;", text):
            rows.add(f"handle {name}")
        for name in re.findall(r"typedef\s[\w\s*]+\(\*(\w+)\)\(", text):
            rows.add(f"function {name}")
        for body, name in re.findall(r"typedef\s+struct\s+\w+\s*\{(.*?)\}\s*(\w+)\s*;", text, re.DOTALL):
            rows.add(f"struct {name}")
            for declaration in body.split(";"):
                member = re.search(r"\(\*(\w+)\)|(\w+)(?:\[\w+\])*\s*$", declaration)
                if member:
                    rows.add(f"field {name} {member[1] or member[2]}")
    return rows


def dumped(lines):
    """The same words out of a dump."""
    rows = set()
    for line in lines:
        words = line.split(" ")
        if words[0] in ("constant", "macro"):
            rows.add(words[1])
        elif words[0] in ("handle", "function", "struct"):
            rows.add(" ".join(words[:2]))
        elif words[0] == "field":
            rows.add(f"field {words[1]} {words[4]}")
    return rows


class TheLayoutIsLocked(unittest.TestCase):
    """One test a build is added below."""

    def check(self, build):
        compiler = BUILDS[build][0]
        if not shutil.which(compiler):
            self.skipTest(f"{compiler} is not installed")
        now = dump(build)
        text = difference(now)
        if text:
            broken = breaks(committed(), now)
            verdict = "\n".join(broken) if broken else "Nothing but additions: see docs/abi.md, and run with --update."
            self.fail(f"the contract is not the locked one\n{text}\n{verdict}")


for _build in BUILDS:
    setattr(TheLayoutIsLocked, f"test_{_build}", lambda self, build=_build: self.check(build))


class TheDumpIsWhole(unittest.TestCase):
    def test_every_name_of_the_headers_is_in_the_committed_file(self):
        self.assertEqual(declared() - dumped(committed()), set())

    def test_the_committed_file_has_no_name_that_is_gone(self):
        self.assertEqual(dumped(committed()) - declared(), set())

    def test_the_reader_of_the_headers_sees_what_is_known_to_be_there(self):
        rows = declared()
        known = {"SPOC_BE_OK", "SPOC_BE_EXPORT", "SPOC_HOST_HAS", "SPOC_NATIVE_KERNEL_MAGIC", "handle spoc_be_kernel",
                 "function spoc_native_function", "struct spoc_be_table", "field spoc_be_table launch",
                 "field spoc_be_host mem", "field spoc_be_arg bytes", "field spoc_be_device_info max_grid"}
        self.assertEqual(known - rows, set())
        self.assertEqual(len([row for row in rows if row.startswith("field spoc_be_table ")]), 49)

    def test_no_structure_has_padding(self):
        self.assertEqual(Layout(committed()).gaps(), [])

    def test_no_type_is_another_than_the_dump_says(self):
        self.assertEqual([line for line in committed() if "another type" in line], [])

    def test_entries_lie_in_the_order_of_their_numbers(self):
        entries = [line.split(" ") for line in committed() if line.startswith("entry ")]
        offsets = {member: offset for offset, _, member, _ in Layout(committed()).fields["spoc_be_table"]}
        self.assertEqual([int(entry[1]) for entry in entries], list(range(1, len(entries) + 1)))
        for _, number, name, _, offset in entries:
            self.assertEqual(int(offset), 80 + 8 * (int(number) - 1), name)
            self.assertEqual(int(offset), offsets[name], name)


class TheLockCanFail(unittest.TestCase):
    """Copies of the headers with one change each. A change that must break is broken in both senses: the dump differs
    (or no longer compiles), and breaks() says so."""

    def changed(self, *changes):
        """A folder with the headers after the changes, each (header, old text, new text). The old text is there once;
        how it is spaced does not count."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        include = pathlib.Path(folder.name)
        shutil.copytree(INCLUDE / "spoc", include / "spoc")
        for header, old, new in changes:
            path = include / "spoc" / header
            text = path.read_text(encoding="utf-8")
            pattern = r"[\s\\]*".join(re.escape(token) for token in re.findall(r"\w+|[^\w\s]", old))
            text, count = re.subn(pattern, lambda _, new=new: new, text)
            self.assertEqual(count, 1, f"{header} does not hold this text once: {old}")
            path.write_text(text, encoding="utf-8")
        return include

    def assert_broken(self, expected, *changes):
        now = dump(any_build(), self.changed(*changes))
        self.assertIn(expected, difference(now))
        self.assertNotEqual(breaks(committed(), now), [])

    def assert_addition(self, *changes):
        include = self.changed(*changes)
        now = dump(any_build(), include)
        self.assertEqual(breaks(committed(), now), [])
        return include, now

    def test_a_field_inserted_in_the_middle(self):
        change = ("backend.h", "uint64_t inline_write;", "uint64_t wedge; uint64_t inline_write;")
        self.assert_broken("+field spoc_be_device_info 736 8 inline_write uint64_t", change)
        self.assertIn("field spoc_be_device_info wedge", declared(self.changed(change)) - dumped(committed()))

    def test_a_field_inserted_at_the_cost_of_a_reserved_one(self):
        self.assert_broken("inline_write",
                           ("backend.h", "uint64_t inline_write;", "uint64_t wedge; uint64_t inline_write;"),
                           ("backend.h", "uint64_t reserved[23];", "uint64_t reserved[22];"))

    def test_two_fields_swapped(self):
        self.assert_broken("+field spoc_be_fill 36 4 pattern uint32_t",
                           ("backend.h", "uint32_t pattern;", "uint32_t pattern_other;"),
                           ("backend.h", "uint32_t pattern_size;", "uint32_t pattern;"),
                           ("backend.h", "uint32_t pattern_other;", "uint32_t pattern_size;"))

    def test_a_field_retyped_to_another_size(self):
        self.assert_broken("+field spoc_be_probe_report",
                           ("backend.h", "uint32_t threads_started;", "uint64_t threads_started;"))

    def test_a_field_retyped_within_its_size(self):
        self.assert_broken("numa_node another type",
                           ("backend.h", "int32_t numa_node;", "uint32_t numa_node;"))

    def test_a_parameter_of_an_entry_retyped(self):
        self.assert_broken("stream_sync another type",
                           ("backend.h", "(*stream_sync)(spoc_be_stream stream, uint64_t timeout_ns,",
                            "(*stream_sync)(spoc_be_stream stream, int64_t timeout_ns,"))

    def test_two_parameters_of_a_host_service_swapped(self):
        self.assert_broken("mem another type",
                           ("backend.h", "(*mem)(void *ctx, void *block, uint64_t bytes,",
                            "(*mem)(void *ctx, uint64_t bytes, void *block,"))

    def test_two_entries_reordered(self):
        self.assert_broken("+entry 22 stream_destroy required 256",
                           ("backend.h", "(*stream_destroy)(", "(*spare)("),
                           ("backend.h", "(*stream_flush)(", "(*stream_destroy)("),
                           ("backend.h", "(*spare)(", "(*stream_flush)("))

    def test_a_number_of_the_entry_list_changed(self):
        self.assert_broken("+entry 34 copy required", ("backend.h", "X(33, copy, 1)", "X(34, copy, 1)"))

    def test_an_optional_entry_made_required(self):
        self.assert_broken("+entry 20 host_query required",
                           ("backend.h", "X(20, host_query, 0)", "X(20, host_query, 1)"))

    def test_a_status_renumbered(self):
        self.assert_broken("+constant SPOC_BE_BUSY int -19",
                           ("backend.h", "#define SPOC_BE_BUSY (-16)", "#define SPOC_BE_BUSY (-19)"))

    def test_a_reason_renumbered(self):
        self.assert_broken("+constant SPOC_BE_REASON_NO_DEVICE u32 250",
                           ("backend.h", "REASON_NO_DEVICE UINT32_C(25)", "REASON_NO_DEVICE UINT32_C(250)"))

    def test_a_constant_retyped(self):
        self.assert_broken("+constant SPOC_BE_WAIT int 1",
                           ("backend.h", "#define SPOC_BE_WAIT UINT32_C(1)", "#define SPOC_BE_WAIT 1"))

    def test_a_text_changed(self):
        self.assert_broken("+constant SPOC_NATIVE_KERNEL_PREFIX text spoc_kernel_",
                           ("native.h", '"spoc_native_kernel_"', '"spoc_kernel_"'))

    def test_a_reserved_field_removed(self):
        with self.assertRaisesRegex(DoesNotCompile, "reserved"):
            dump(any_build(), self.changed(("backend.h", "uint64_t reserved[4]; ///< 0", "")))

    def test_a_reserved_field_shortened(self):
        self.assert_broken("+struct spoc_be_device_info 1016",
                           ("backend.h", "uint64_t reserved[23];", "uint64_t reserved[22];"))

    def test_a_field_removed(self):
        with self.assertRaisesRegex(DoesNotCompile, "origin"):
            dump(any_build(), self.changed(("backend.h", "char origin[48];", "//")))

    def test_a_field_appended_to_a_structure_of_arrays(self):
        self.assert_broken("+struct spoc_be_range 72",
                           ("backend.h", "} spoc_be_range;", "    uint64_t more;\n} spoc_be_range;"))

    def test_padding(self):
        include = self.changed(("backend.h", "} spoc_be_launch;", "    uint32_t more;\n} spoc_be_launch;"))
        now = dump(any_build(), include)
        self.assertIn("spoc_be_launch has 80 bytes, and its last field ends at 72", breaks(committed(), now))

    def test_a_constant_that_the_dump_forgot(self):
        include, _ = self.assert_addition(("backend.h", "#define SPOC_BE_BUSY (-16)",
                                           "#define SPOC_BE_BUSY (-16)\n#define SPOC_BE_LATE (-19)"))
        self.assertEqual(declared(include) - dumped(committed()), {"SPOC_BE_LATE"})

    def test_a_structure_that_the_dump_forgot(self):
        include, _ = self.assert_addition(("native.h", "/// The interface \"native.kernels\".",
                                           "typedef struct spoc_native_late {\n    uint32_t size;\n"
                                           "    int32_t (*run)(void);\n} spoc_native_late;\n"))
        self.assertEqual(declared(include) - dumped(committed()),
                         {"struct spoc_native_late", "field spoc_native_late size", "field spoc_native_late run"})

    def test_an_entry_that_the_dump_forgot(self):
        include, now = self.appended_entry()
        self.assertEqual(declared(include) - dumped(committed()), {"field spoc_be_table late"})
        self.assertNotEqual(difference(now), "")

    def appended_entry(self):
        include = self.changed(("backend.h", "} spoc_be_table;", "    int32_t (*late)(void);\n} spoc_be_table;"),
                               ("backend.h", "X(43, launch, 0)", "X(43, launch, 0) X(44, late, 0)"),
                               ("backend.h", "#define SPOC_BE_ABI_MINOR 0", "#define SPOC_BE_ABI_MINOR 1"))
        return include, dump(any_build(), include)

    def test_an_appended_entry_differs_and_does_not_break(self):
        _, now = self.appended_entry()
        # The dump does not name the field yet, so its bytes look like padding; with a row for it nothing is broken.
        at = now.index(next(line for line in now if line.startswith("field spoc_be_table 416 ")))
        now.insert(at + 1, "field spoc_be_table 424 8 late int32_t (*)(void)")
        self.assertEqual(breaks(committed(), now), [])
        self.assertIn("+struct spoc_be_table 432", difference(now))

    def test_a_reserved_field_given_a_meaning_does_not_break(self):
        locked = committed()
        now = []
        for line in locked:
            if line == "field spoc_be_host 112 32 reserved uint64_t[4]":
                now += ["field spoc_be_host 112 8 clock uint64_t", "field spoc_be_host 120 24 reserved uint64_t[3]"]
            else:
                now.append(line)
        self.assertEqual(len(now), len(locked) + 1)
        self.assertEqual(breaks(locked, now), [])


def update():
    now = dump(any_build())
    missing = sorted(declared() - dumped(now))
    found = [f"layout_dump.c has no row for {name}" for name in missing]
    if COMMITTED.exists():
        found += breaks(committed(), now)
    else:
        found += Layout(now).gaps()
    if found:
        sys.exit("abi/layout-v1.txt was not written:\n" + "\n".join(found))
    COMMITTED.write_text("\n".join(now) + "\n", encoding="utf-8")
    print(f"{COMMITTED}: {len(now)} rows")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        spoc_test.main()
