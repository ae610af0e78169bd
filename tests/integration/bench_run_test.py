# SPDX-License-Identifier: Apache-2.0
"""spoc-bench run: every benchmark runs on every device and says what it measured. Figures are not judged here."""

import json
import os
import tempfile
import unittest

import spoc_test
from spoc_test import MOCK, NATIVE_DIR, SPOC_BENCH, clean_environment, run

ROW = ["bench", "what", "baseline", "device", "calls", "rounds", "unit", "raw", "spoc", "over", "ratio", "control",
       "target_over", "target_ratio", "verdict"]  # fmt: skip
NATIVE = os.path.join(NATIVE_DIR, "libspoc-native.so")
EVENTS = ["make and end", "record", "wait on a stream", "query, complete"]
LEDGER = ["push", "release", "does work touch this?", "the same after a push"]


def listed():
    """Names of the benchmarks, as list prints them."""
    lines = run(SPOC_BENCH, "list").stdout.splitlines()
    return [line.split()[0] for line in lines if not line.startswith("load ")]


class BenchRunTest(unittest.TestCase):
    def run_bench(self, *arguments, files=(NATIVE,), expect=0, **changes):
        env = clean_environment(**{"SPOC_PLUGIN_FILES": ":".join(files), **changes})
        result = run(SPOC_BENCH, "run", *arguments, env=env)
        self.assertEqual(result.returncode, expect, result.stdout + result.stderr)
        return result

    def rows(self, *arguments, **options):
        """The results of a run, checked one by one."""
        document = json.loads(self.run_bench("--json", *arguments, **options).stdout)
        self.assertEqual(list(document), ["schema", "machine", "results", "skipped", "error"])
        self.assertEqual((document["schema"], document["error"]), ("spoc-bench-run/1", None))
        for row in document["results"]:
            self.assertEqual(list(row), ROW)
            self.assertGreater(row["calls"], 0)
            for figure in ("raw", "spoc", "over", "ratio", "control"):
                spread = row[figure]
                self.assertLessEqual(spread["min"], spread["median"])
                self.assertLessEqual(spread["median"], spread["max"])
            self.assertGreater(row["raw"]["min"], 0)
            self.assertGreater(row["spoc"]["min"], 0)
            self.assertIn(row["verdict"], ("noise", "met", "missed", "measured"))
            noisy = abs(row["control"]["median"] - 1) > 0.02
            self.assertEqual(row["verdict"] == "noise", noisy)
            if not noisy:
                aimless = row["target_over"] is None and row["target_ratio"] is None
                self.assertEqual(row["verdict"] == "measured", aimless)
        return document["results"]

    def test_every_benchmark_runs_on_the_native_and_on_the_recording_plugin(self):
        self.assertEqual(listed(), ["cuda.copy", "cuda.launch", "cuda.peer", "cuda.rate", "disp.call", "disp.copy",
                                    "disp.event", "disp.launch", "disp.ledger", "disp.pinned"])
        for selector, file in (("native:0", NATIVE), ("mock:0", MOCK)):
            with self.subTest(selector):
                rows = self.rows("disp.*", "--device", selector, files=(file,))
                self.assertEqual({row["device"] for row in rows}, {selector})
                found = [(row["bench"], row["what"]) for row in rows]
                wanted = [("disp.call", "query of an idle stream"), ("disp.copy", "enqueue a copy")]
                wanted += [("disp.event", what) for what in EVENTS] + [("disp.launch", "two vectors and a number")]
                wanted += [("disp.ledger", what) for what in LEDGER]
                self.assertEqual([row for row in found if row[0] != "disp.pinned"], wanted)
                pinned = [what for bench, what in found if bench == "disp.pinned"]
                self.assertEqual(pinned, ["enqueue a copy of one of them", "is this range live?"])

    def test_a_benchmark_that_is_named_twice_runs_once(self):
        rows = self.rows("disp.call", "disp.c*", "disp.call")
        self.assertEqual([row["bench"] for row in rows], ["disp.call", "disp.copy"])

    def test_lines_for_people_have_the_same_rows(self):
        lines = self.run_bench("disp.call").stdout.splitlines()
        self.assertEqual(lines[0], "native:0")
        self.assertTrue(lines[1].startswith("benchmark "))
        self.assertRegex(lines[2], r"^disp\.call    query of an idle stream +[\d.]+ +[\d.]+ +-?[\d.]+ +- +[\d.]+  \w+$")
        self.assertEqual(len(lines), 3)

    def test_a_name_that_is_none_is_wrong_use_and_the_nearest_is_named(self):
        result = self.run_bench("disp.cal", expect=2)
        self.assertEqual((result.stdout, result.stderr), (
            "", "spoc-bench: There is no benchmark 'disp.cal'; did you mean disp.call?\n"))
        self.run_bench("", expect=2)
        self.run_bench(expect=2)

    def test_without_a_device_there_is_nothing_to_measure(self):
        document = json.loads(self.run_bench("--json", "disp.*", expect=77, SPOC_DISABLE_NATIVE="1").stdout)
        self.assertEqual(document["results"], [])
        self.assertTrue(document["error"])
        self.run_bench("disp.*", "--device", "native:9", expect=77)

    def test_a_malformed_selector_is_wrong_use(self):
        self.run_bench("disp.call", "--device", "native:", expect=2)

    def test_no_copy_of_a_plugin_is_left(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_bench("disp.call", TMPDIR=folder)
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    spoc_test.main()
