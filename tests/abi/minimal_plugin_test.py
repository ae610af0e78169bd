# SPDX-License-Identifier: Apache-2.0
"""docs/examples/minimal_plugin.c builds without a warning, is a plugin, and works."""

import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import spoc_test  # noqa: E402

SOURCE = ROOT / "docs" / "examples" / "minimal_plugin.c"
FLAGS = ("-std=c11", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", str(ROOT / "abi" / "include"))


class TheExamplePlugin(unittest.TestCase):
    """One test a compiler is added below."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.plugin = self.folder / "libspoc-minimal.so"

    def run_or_fail(self, *command):
        done = spoc_test.run(*command)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def build(self, compiler, *flags):
        if not shutil.which(compiler):
            self.skipTest(f"{compiler} is not installed")
        self.run_or_fail(compiler, *FLAGS, *flags, "-shared", "-fPIC", "-fvisibility=hidden", SOURCE, "-o", self.plugin)

    def check(self, compiler):
        self.build(compiler)
        drive = self.folder / "drive"
        self.run_or_fail(compiler, *FLAGS, HERE / "minimal_plugin_drive.c", "-o", drive, "-ldl")
        self.run_or_fail(drive, self.plugin)

    def test_it_exports_one_name_and_needs_none_of_libspoc(self):
        if not shutil.which("nm"):
            self.skipTest("nm is not installed")
        self.build("gcc")
        exported = self.run_or_fail("nm", "-D", "--defined-only", self.plugin).split()
        self.assertEqual([word for word in exported if "spoc" in word or "_" in word], ["spoc_backend_v1"])
        self.assertNotIn("spoc", self.run_or_fail("nm", "-D", "--undefined-only", self.plugin))

    def check_note(self, flags, flavour):
        self.build("gcc", *flags)
        data = self.plugin.read_bytes()
        note = struct.pack("<III8sIHHI16s16s", 5, 44, 1, b"SPOC", 1, 1, 0, flavour, b"minimal", b"0.1.0")
        self.assertEqual(len(note), 64)
        self.assertEqual(data.count(note), 1)
        if shutil.which("readelf"):
            self.assertIn(" NOTE ", self.run_or_fail("readelf", "-W", "-S", self.plugin).split(".note.spoc.plugin")[1])

    def test_its_note_says_what_its_table_says(self):
        self.check_note(["-O2"], flavour=4)

    def test_its_note_tells_a_release_build(self):
        self.check_note(["-O2", "-DNDEBUG"], flavour=0)

    def test_spoc_info_lists_it(self):
        self.build("gcc")
        document, _ = spoc_test.info_json(
            "--backend", "minimal", env=spoc_test.clean_environment(SPOC_PLUGIN_PATH=str(self.folder)), expect=0)
        self.assertEqual([device["selector"] for device in document["devices"]], ["minimal:0"])

    def test_it_passes_the_conformance_suite(self):
        self.build("gcc", "-Wl,-z,now", "-Wl,-z,relro")
        self.run_or_fail(os.environ["SPOC_TEST_CONFORMANCE"], self.plugin)


for _compiler in ("gcc", "clang"):
    setattr(TheExamplePlugin, f"test_it_works_built_with_{_compiler}",
            lambda self, compiler=_compiler: self.check(compiler))


if __name__ == "__main__":
    spoc_test.main()
