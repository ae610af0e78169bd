# SPDX-License-Identifier: Apache-2.0
"""What must not compile does not, and the compiler says why."""

import shutil
import tempfile
import pathlib
import unittest

import spoc_test

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]

RECORD = """
#include <spoc/soa_vector.hpp>
{record}
void use(spoc::soa_vector<sample>& v) {{ v.scatter(); }}
"""

NOT_LEAVES = "numbers of 4 or 8 bytes"
NOT_WHOLE = "names every member once, in the order"


def record(members, fields, before=""):
    named = f"SPOC_FIELDS(sample, {fields})" if fields else ""
    return RECORD.format(record=f"{before} struct sample {{ {members} }}; {named}")


HOST_ACCESS = """
#include <spoc/vector.hpp>
using host_too = spoc::vector<float>;
using alone = spoc::device_vector<float>;
#define REFUSES(use) \\
    static_assert([]<typename V>(V*) { return requires(V& v) { v.use; }; }(static_cast<host_too*>(nullptr))); \\
    static_assert(![]<typename V>(V*) { return requires(V& v) { v.use; }; }(static_cast<alone*>(nullptr)))
"""


@unittest.skipUnless(COMPILERS, "neither g++ nor clang++ is installed")
class RefusedCode(unittest.TestCase):
    def compile(self, compiler, code):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "code.cpp"
            source.write_text(code, encoding="utf-8")
            return spoc_test.run(compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                                 "-I", ROOT / "abi" / "include", "-I", ROOT / "core" / "include", source)

    def accept(self, code):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                done = self.compile(compiler, code)
                self.assertEqual(done.returncode, 0, done.stderr)

    def refuse(self, code, words):
        done = self.compile(COMPILERS[0], code)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(words, done.stderr)

    def test_flat_records_are_taken(self):
        self.accept(record("float x, y, z;", "x, y, z"))
        self.accept(record("int a; double b; unsigned c; long d;", "a, b, c, d"))
        many = [f"m{i}" for i in range(32)]
        self.accept(record(f"float {', '.join(many)};", ", ".join(many)))

    def test_records_in_records_are_refused(self):
        self.refuse(record("inner a; float b;", "a, b", "struct inner { float x; };"), NOT_LEAVES)

    def test_arrays_in_records_are_refused(self):
        self.refuse(record("float a[2]; float b;", "a, b"), NOT_LEAVES)

    def test_members_of_other_sizes_are_refused(self):
        self.refuse(record("short a; short b;", "a, b"), NOT_LEAVES)

    def test_a_member_that_is_not_named_is_refused(self):
        self.refuse(record("float x, y;", "x"), NOT_WHOLE)
        self.refuse(record("float x, y;", "y"), NOT_WHOLE)
        # The gap that it leaves is one that alignment would explain.
        self.refuse(record("int a; int b; double c;", "a, c"), NOT_WHOLE)

    def test_another_order_and_a_member_named_twice_are_refused(self):
        self.refuse(record("float x, y;", "y, x"), NOT_WHOLE)
        self.refuse(record("float x, y;", "x, x"), NOT_WHOLE)

    def test_a_member_that_does_not_exist_is_refused(self):
        self.refuse(record("float x, y;", "x, z"), "z")

    def test_records_without_a_description_are_refused(self):
        self.refuse(record("float x;", ""), "SPOC_FIELDS")

    def test_types_that_are_no_plain_bytes_are_refused(self):
        self.refuse(record("float x; sample(const sample&); sample();", "x"), "records are copied byte by byte")
        self.refuse("#include <string>\n#include <spoc/vector.hpp>\nspoc::vector<std::string> made(1);\n",
                    "elements are copied byte by byte")

    def test_a_vector_on_a_device_alone_has_no_host_access(self):
        uses = ("read()", "write()", "overwrite()", "fill(1)", "at(0)", "set(0, 1)", "to_host()", "sync()",
                "view(0, 1)", "copy()", "host_unsynced()", "gather()")
        self.accept(HOST_ACCESS + "".join(f"REFUSES({use});\n" for use in uses))


if __name__ == "__main__":
    spoc_test.main()
