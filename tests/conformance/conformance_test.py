# SPDX-License-Identifier: Apache-2.0
"""spoc-conformance on plugins that are right and plugins that are wrong, and its command line."""

import json
import os
import pathlib
import tempfile
import unittest

import judge_mutants
import spoc_test

PROGRAM = os.environ["SPOC_TEST_CONFORMANCE"]
SCHEMA = os.environ["SPOC_TEST_CONFORMANCE_SCHEMA"]
CONFORMANCE_DIR = pathlib.Path(os.environ["SPOC_TEST_CONFORMANCE_DIR"])

NATIVE = pathlib.Path(spoc_test.NATIVE_DIR) / "libspoc-native.so"
ACME = CONFORMANCE_DIR / "libspoc-acme.so"
# One that never has a device, and one that is no plugin.
REFUSED = pathlib.Path(spoc_test.PLUGIN_DIR) / "libspoc-refused.so"
ORDINARY = pathlib.Path(spoc_test.PLUGIN_DIR) / "libspoc-ordinary.so"
DROPS = CONFORMANCE_DIR / "libspoc-last_byte.so"


def conformance(*arguments):
    return spoc_test.run(PROGRAM, *arguments, timeout=spoc_test.HANG)


class Document(unittest.TestCase):
    """A run with --json, whose document is checked against the schema."""

    def judge(self, *arguments, expect):
        import jsonschema

        result = conformance("--json", *arguments)
        self.assertEqual(result.returncode, expect, result.stdout + result.stderr)
        self.assertEqual(result.stderr, "")
        document = json.loads(result.stdout)
        with open(SCHEMA, encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(document)
        self.assertEqual(document["status"], expect)
        for outcome, count in document["summary"].items():
            self.assertEqual(sum(case["outcome"] == outcome for case in document["cases"]), count, outcome)
        return document

    def outcomes(self, document):
        return {case["name"]: case["outcome"] for case in document["cases"]}

    def with_expectations(self, expectations):
        """A file that --expect reads; it is gone when the test ends."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "expect.json"
        path.write_text(json.dumps({"schema": "spoc-conformance-expect/1", **expectations}), encoding="utf-8")
        return path


class RightPlugins(Document):
    def test_what_is_skipped_says_why(self):
        for plugin in (NATIVE, ACME):
            document = self.judge("--only", "[phs]*/*", "--only", "honesty/*", plugin, expect=0)
            for case in document["cases"]:
                self.assertEqual(case["message"] is not None, case["outcome"] == "skipped", case)

    def test_the_second_device_can_be_judged(self):
        document = self.judge("--device", "1", "--only", "copy/within_*", ACME, expect=0)
        self.assertEqual((document["device"]["index"], document["device"]["count"]), (1, 2))

    def test_a_plugin_that_the_library_never_heard_of_is_listed(self):
        env = spoc_test.clean_environment(SPOC_PLUGIN_PATH=str(CONFORMANCE_DIR), SPOC_BACKENDS="acme")
        document, _ = spoc_test.info_json(env=env, expect=0)
        found = [device for device in document["devices"] if device["backend"] == "acme"]
        self.assertEqual(len(found), 2, document["devices"])


class WrongPlugins(unittest.TestCase):
    def test_three_mutants_are_noticed_by_the_cases_meant_for_them(self):
        for name in os.environ["SPOC_TEST_TRIED"].split(","):
            with self.subTest(name):
                what, case = judge_mutants.head(name)
                self.assertTrue(
                    judge_mutants.is_noticed(PROGRAM, CONFORMANCE_DIR / f"libspoc-{name}.so", case), f"{what} {case}")

    def test_every_mutant_is_listed_and_names_a_case_that_exists(self):
        cases = conformance("--list").stdout.split()
        for name in judge_mutants.names():
            with self.subTest(name):
                self.assertIn(judge_mutants.head(name)[1], cases)
        self.assertEqual(judge_mutants.names(), sorted(os.environ["SPOC_TEST_MUTANTS"].split(",")))


class CommandLine(Document):
    def refuse(self, *arguments, words):
        result = conformance(*arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_wrong_use_is_refused(self):
        self.refuse(words=["which plugin"])
        self.refuse("--nonsense", NATIVE, words=["--nonsense"])
        self.refuse("--only", "copy/nothing_*", NATIVE, words=["copy/nothing_*", "--list"])
        self.refuse("--timeout", "0", NATIVE, words=["--timeout"])
        self.refuse("--absence", "NO_REASON", NATIVE, words=["--absence"])

    def test_a_file_that_is_no_plugin_cannot_be_judged_and_the_reason_is_given(self):
        self.refuse(ORDINARY, words=[ORDINARY.name, "cannot be judged", "spoc_backend_v1"])
        self.refuse("/nonexistent/libspoc-none.so", words=["/nonexistent/libspoc-none.so", "No such file"])

    def test_without_a_device_the_rest_is_judged_and_the_status_says_so(self):
        document = self.judge("--only", "copy/*", "--only", "file/note*", REFUSED, expect=77)
        self.assertIsNone(document["device"])
        self.assertTrue(document["no_device"])
        for name, outcome in self.outcomes(document).items():
            self.assertEqual(outcome, "skipped" if name.startswith("copy/") else "passed", name)

    def test_list_names_every_case_once_and_runs_none(self):
        result = conformance("--list")
        names = result.stdout.split()
        self.assertEqual(result.returncode, 0)
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 100)
        some = conformance("--list", "--only", "fill/*").stdout.split()
        self.assertEqual(some, [name for name in names if name.startswith("fill/")])

    def test_only_takes_several_patterns(self):
        document = self.judge("--only", "fill/lengths_of_2", "--only", "event/never*", NATIVE, expect=0)
        self.assertEqual(set(self.outcomes(document)), {"fill/lengths_of_2", "event/never_recorded"})

    def test_people_get_the_sum_as_the_last_line(self):
        result = conformance("--only", "fill/*", NATIVE)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertRegex(result.stdout.splitlines()[-1], r"^\d+ passed, 0 failed, \d+ skipped in \d+\.\d s$")
        self.assertIn("passed", conformance("--verbose", "--only", "fill/lengths_of_1", NATIVE).stdout)

    def test_without_isolation_it_stops_at_the_first_failure(self):
        self.judge("--no-isolate", "--only", "fill/*", NATIVE, expect=0)
        document = self.judge("--no-isolate", "--only", "copy/*", DROPS, expect=1)
        self.assertEqual(list(self.outcomes(document).values()).count("failed"), 1)
        self.assertEqual(document["cases"][-1]["outcome"], "failed")


class Expectations(Document):
    ENTRY = {"case": "copy/within_many", "reason": "It drops a byte."}

    def judge_with(self, expectations, plugin, expect):
        path = self.with_expectations(expectations)
        return self.judge("--expect", path, "--only", "copy/within_many", plugin, expect=expect)

    def refuse(self, expectations, word):
        path = self.with_expectations(expectations)
        result = conformance("--expect", path, DROPS)
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn(path.name, result.stderr)
        self.assertIn(word, result.stderr)

    def test_a_known_fault_does_not_fail_the_run(self):
        document = self.judge_with({"failing": [self.ENTRY]}, DROPS, expect=0)
        self.assertEqual(document["cases"][0]["outcome"], "expected_failure")
        self.assertEqual(document["cases"][0]["expectation"], "It drops a byte.")

    def test_what_can_never_be_does_not_fail_the_run(self):
        document = self.judge_with({"unsupported": [self.ENTRY]}, DROPS, expect=0)
        self.assertEqual(document["cases"][0]["outcome"], "unsupported")

    def test_an_entry_of_another_device_does_not_count(self):
        self.judge_with({"failing": [{**self.ENTRY, "device": "No such device*"}]}, DROPS, expect=1)
        self.judge_with({"failing": [{**self.ENTRY, "device": "*"}]}, DROPS, expect=0)

    def test_a_listed_case_that_passes_fails_the_run(self):
        document = self.judge_with({"failing": [self.ENTRY]}, NATIVE, expect=1)
        self.assertEqual(document["cases"][0]["outcome"], "unexpected_pass")

    def test_an_entry_that_matches_no_case_is_refused(self):
        self.refuse({"failing": [{"case": "copy/gone", "reason": "It was renamed."}]}, "copy/gone")

    def test_an_entry_without_a_reason_is_refused(self):
        self.refuse({"failing": [{"case": "copy/within_many"}]}, "reason")
        self.refuse({"failing": [{"case": "copy/within_many", "reason": "  "}]}, "reason")

    def test_a_file_that_cannot_be_used_is_refused(self):
        self.refuse({"schema": "something/1"}, "schema")
        result = conformance("--expect", "/nonexistent/expect.json", NATIVE)
        self.assertEqual(result.returncode, 2)
        self.assertIn("/nonexistent/expect.json", result.stderr)


if __name__ == "__main__":
    spoc_test.main()
