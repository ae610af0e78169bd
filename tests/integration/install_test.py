# SPDX-License-Identifier: Apache-2.0
"""What is installed works from where it lies: run from /, with nothing in the environment, and after it was moved."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import spoc_test

BUILD = os.environ["SPOC_TEST_BUILD"]
PREFIX = os.environ["SPOC_TEST_PREFIX"]


@unittest.skipUnless(shutil.which("meson"), "meson is not on the path, so that nothing can be installed")
class InstallationTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="spoc-test-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        root = pathlib.Path(cls.folder) / "image"
        done = subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", str(root)], text=True,
                              capture_output=True, check=False, env=spoc_test.clean_environment())
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        # Installed to PREFIX below the image, so that it lies elsewhere than it was built for already.
        cls.prefix = root / PREFIX.lstrip("/")

    def run_program(self, prefix, name, *arguments):
        """Runs an installed program from /, with only what a sanitizer of the build needs in its environment."""
        env = {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}
        return subprocess.run([str(prefix / "bin" / name), *map(str, arguments)], cwd="/", env=env, text=True,
                              capture_output=True, timeout=spoc_test.HANG, check=False)

    def find_plugin(self, prefix):
        found = list(prefix.glob("**/spoc/1/libspoc-native.so"))
        self.assertEqual(len(found), 1, found)
        return found[0]

    def check(self, prefix):
        with self.subTest("spoc-info"):
            done = self.run_program(prefix, "spoc-info", "--json", "--selftest", "--require", "native:0")
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            native = next(one for one in json.loads(done.stdout)["backends"] if one["name"] == "native")
            self.assertEqual(native["file"], str(self.find_plugin(prefix)))
        with self.subTest("spoc-bench"):
            done = self.run_program(prefix, "spoc-bench", "load", "--device", "native:0", sys.executable)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertIn("verified", done.stdout)
        with self.subTest("spoc-conformance"):
            # Those that need the suite's own files.
            done = self.run_program(prefix, "spoc-conformance", "--json", "--only", "program/load_*", "--only",
                                    "launch/odd_sizes", "--only", "absence/*", self.find_plugin(prefix))
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            report = json.loads(done.stdout)
            passed = [case["name"] for case in report["cases"] if case["outcome"] == "passed"]
            self.assertTrue([name for name in passed if name.startswith("program/load_native_symbol")], passed)
            self.assertTrue([name for name in passed if name == "launch/odd_sizes"], passed)

    def test_it_works_where_it_was_not_built_for(self):
        self.check(self.prefix)

    def test_it_works_after_it_was_moved(self):
        moved = pathlib.Path(self.folder) / "else where"
        shutil.copytree(self.prefix, moved, symlinks=True)
        hidden = self.prefix.rename(self.prefix.with_name("hidden"))
        self.addCleanup(hidden.rename, self.prefix)
        self.check(moved)

    def test_the_documents_that_programs_name_are_there(self):
        for file in ("share/spoc/spoc-info-1.schema.json", "share/spoc/spoc-conformance-1.schema.json",
                     "share/bash-completion/completions/spoc-info",
                     "share/bash-completion/completions/spoc-conformance", "include/spoc/backend.h"):
            with self.subTest(file):
                self.assertTrue((self.prefix / file).is_file())


if __name__ == "__main__":
    spoc_test.main()
