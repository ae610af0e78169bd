# SPDX-License-Identifier: Apache-2.0
"""spoc-conformance on plugins that are right and plugins that are wrong, and its command line."""

import json
import os
import pathlib
import pty
import signal
import subprocess
import tempfile
import time
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
# Without end, in the probe of the first or in a case of the second.
HANGS = pathlib.Path(spoc_test.PLUGIN_DIR) / "libspoc-hangs.so"
EVENT_HANGS = CONFORMANCE_DIR / "libspoc-event_hangs.so"
DAEMON = CONFORMANCE_DIR / "libspoc-daemon.so"


def conformance(*arguments, **options):
    return spoc_test.run(PROGRAM, *arguments, timeout=spoc_test.HANG, **options)


def processes_with(word):
    """Numbers of the living processes that have a word in their command line; a fork has that of its parent."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
            state = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
        except OSError:
            continue
        if word.encode() in words and state not in "ZX":
            found.append(int(folder.name))
    return found


def wait_until(condition, seconds=spoc_test.HANG):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("what was waited for did not come about")
        time.sleep(0.02)


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

    def test_a_plugin_may_have_limits_that_others_do_not_have(self):
        """Each is of a kind that once failed cases although nothing in the contract was broken."""
        wanted = {
            "pinned_32m": ["pinned/*", "copy/*_pinned", "thread/state*", "process/exit*"],
            "pinned_only": ["copy/*_large_*", "copy/*powers*", "copy/done*", "buffer/live*"],
            "register_64k": ["pinned/*", "copy/*_registered", "honesty/regis*", "request/host_register*"],
            "small": ["device/*", "file/*", "buffer/*", "host_buffer/*", "copy/*", "program/*", "launch/*", "process/*"],
        }
        self.assertEqual(set(wanted) | {"hazard"}, set(os.environ["SPOC_TEST_RIGHT"].split(",")))
        for name, patterns in wanted.items():
            with self.subTest(name):
                only = [word for pattern in patterns for word in ("--only", pattern)]
                self.judge(*only, CONFORMANCE_DIR / f"libspoc-{name}.so", expect=0)

    def test_nothing_is_registered_where_that_is_said_to_do_harm(self):
        """The plugin ends its process when it is asked to register, whatever the case expects."""
        only = ["--only", "pinned/*", "--only", "copy/*registered*", "--only", "honesty/regis*",
                "--only", "request/host_register*"]  # fmt: skip
        document = self.judge(*only, CONFORMANCE_DIR / "libspoc-hazard.so", expect=0)
        harmless = ("pinned/is", "pinned/can", "pinned/freed", "pinned/absurd", "pinned/portable", "pinned/query_tells")
        for case in document["cases"]:
            if not case["name"].startswith(harmless):
                self.assertEqual(case["outcome"], "skipped", case)
        self.assertGreater(document["summary"]["skipped"], 30)

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


class FailingPlugins(Document):
    """Plugins that fail before there is a device to look at, that hang, or that leave something behind."""

    def test_a_plugin_that_fails_when_it_is_opened_has_an_unknown_device(self):
        for name, words in (("aborts", "signal 6"), ("exits", "without a result"), ("hangs", "did not end in time")):
            with self.subTest(name):
                plugin = pathlib.Path(spoc_test.PLUGIN_DIR) / f"libspoc-{name}.so"
                arguments = ["--timeout", "3", "--only", "device/reopened", "--only", "file/note", plugin]
                document = self.judge(*arguments, expect=1)
                self.assertEqual((document["device"], document["no_device"]), (None, None))
                self.assertIn(words, document["device_unknown"])
                self.assertEqual(self.outcomes(document), {"file/note": "passed", "device/reopened": "failed"})
                said = conformance(*arguments)
                self.assertIn("device   not known: ", said.stdout)
                self.assertNotIn("device   0 of 0", said.stdout)

    def test_a_plugin_with_a_device_has_a_known_one(self):
        self.assertIsNone(self.judge("--only", "file/note", NATIVE, expect=0)["device_unknown"])

    def test_a_plugin_that_hangs_when_it_is_opened_costs_one_case_its_time(self):
        document = self.judge("--timeout", "3", "--only", "device/*", "--only", "file/*", HANGS, expect=1)
        for case in document["cases"]:
            if case["name"].startswith("device/"):
                self.assertEqual(case["outcome"], "failed")
                self.assertIn("Not tried", case["message"])

    def test_a_plugin_that_hangs_again_and_again_is_given_up(self):
        document = self.judge("--timeout", "3", "--only", "event/*", "--only", "file/note*", EVENT_HANGS, expect=1)
        messages = [case["message"] for case in document["cases"] if case["name"].startswith("event/")]
        self.assertEqual(["did not end in time" in message for message in messages[:4]], [True] * 3 + [False])
        for message in messages[3:]:
            self.assertIn("Not tried", message)
        self.assertIn("event/unknown_flag", messages[3])

    def test_a_process_that_is_left_behind_is_a_failure_and_is_ended(self):
        document = self.judge("--only", "lifecycle/close*", "--only", "file/note", DAEMON, expect=1)
        self.assertEqual(self.outcomes(document), {"file/note": "passed", "lifecycle/close_is_repeatable": "failed"})
        self.assertIn("left a process behind", document["cases"][-1]["message"])
        self.assertIsNotNone(document["device"])
        self.assertEqual(processes_with(DAEMON.name), [])

    def test_a_plugin_that_prints_when_it_is_loaded_fails_and_is_quoted_once(self):
        plugin = CONFORMANCE_DIR / "libspoc-load_prints.so"
        document = self.judge("--only", "lifecycle/loaded_twice", "--only", "file/note", plugin, expect=1)
        self.assertEqual(document["plugin"]["name"], "load_prints")
        self.assertEqual(document["cases"][0]["outcome"], "passed")
        self.assertEqual(document["cases"][1]["message"], "Something was printed: The driver was loaded. ")

    def test_what_a_plugin_says_cannot_steer_the_terminal(self):
        for name, case in (("bad_name", "device/texts"), ("message_bytes", "event/unknown_flag")):
            with self.subTest(name):
                plugin = CONFORMANCE_DIR / f"libspoc-{name}.so"
                said = conformance("--verbose", "--only", case, plugin)
                self.assertEqual(said.returncode, 1)
                self.assertIn("no UTF-8 or holds control characters", said.stdout)
                self.assertNotRegex(said.stdout, r"[\x00-\x09\x0b-\x1f\x7f]")
                self.assertEqual(len(said.stdout.splitlines()), 5, said.stdout)
                self.judge("--only", case, plugin, expect=1)


class Interrupted(unittest.TestCase):
    """A run that is ended from outside, while a case of it hangs."""

    def end_with(self, number, plugin, *arguments):
        # A name of its own, to know its processes by.
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        own = pathlib.Path(folder.name) / plugin.name
        own.symlink_to(plugin)
        process = subprocess.Popen([PROGRAM, *arguments, str(own)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=spoc_test.clean_environment(), restore_signals=True)
        try:
            wait_until(lambda: len(processes_with(str(own))) == 2)
            process.send_signal(number)
            out, err = process.communicate(timeout=spoc_test.HANG)
        finally:
            process.kill()
        wait_until(lambda: not processes_with(str(own)))
        return process.returncode, out, err

    def test_the_case_ends_with_the_program(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            with self.subTest(number.name):
                # The interpreter may have been started with some of them ignored.
                before = signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None
                try:
                    found = self.end_with(number, HANGS, "--only", "event/*")
                finally:
                    if before is not None:
                        signal.signal(number, before)
                self.assertEqual(found, (-number, b"", b""))


class Terminal(unittest.TestCase):
    """Progress, which goes to stderr and only to a terminal."""

    def progress(self, **changes):
        master, slave = pty.openpty()
        done = subprocess.Popen([PROGRAM, "--only", "file/*", str(NATIVE)], stdout=subprocess.DEVNULL, stderr=slave,
                                env=spoc_test.clean_environment(**changes))
        os.close(slave)
        said = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            said += piece
        os.close(master)
        self.assertEqual(done.wait(timeout=spoc_test.HANG), 0)
        return said

    def test_a_terminal_is_told_how_far_it_is(self):
        said = self.progress(TERM="xterm")
        self.assertIn(b"file/note", said)
        self.assertTrue(said.endswith(b"\r\x1b[K"), said[-40:])

    def test_a_dumb_terminal_is_told_nothing(self):
        self.assertEqual(self.progress(TERM="dumb"), b"")


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
        self.refuse("--exclude", "copy/nothing_*", NATIVE, words=["copy/nothing_*", "--list"])
        self.refuse("--only", "copy/*", "--exclude", "c*", NATIVE, words=["--exclude"])

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

    def test_exclude_takes_cases_away(self):
        document = self.judge("--only", "fill/lengths_*", "--exclude", "*_2", "--exclude", "*_4", NATIVE, expect=0)
        self.assertEqual(set(self.outcomes(document)), {"fill/lengths_of_1"})
        names = conformance("--list").stdout.split()
        listed = conformance("--list", "--exclude", "copy/*").stdout.split()
        self.assertEqual(listed, [name for name in names if not name.startswith("copy/")])

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

        self.refuse({"failing": [{"case": "copy/within_many", "reason": "\n"}]}, "reason")

    def test_an_entry_stands_there_once(self):
        self.refuse({"failing": [self.ENTRY, {**self.ENTRY, "reason": "Twice."}]}, "twice")
        self.refuse({"failing": [self.ENTRY], "unsupported": [self.ENTRY]}, "twice")
        self.refuse({"failing": [self.ENTRY], "unsupported": [{**self.ENTRY, "case": "copy/within_*"}]},
                    "as unsupported and as failing")  # fmt: skip
        self.judge_with({"failing": [self.ENTRY], "unsupported": [{**self.ENTRY, "device": "No such*"}]}, DROPS, 0)

    def test_an_entry_from_which_nothing_was_learnt_is_named(self):
        elsewhere = {"case": "copy/within_*", "device": "No such device*", "reason": "The bus is slow."}
        skipped = {"case": "peer/*", "reason": "Issue 5."}
        other = {"case": "fill/*", "reason": "It is not tried in this run."}
        path = self.with_expectations({"failing": [self.ENTRY, elsewhere, skipped, other]})
        arguments = ["--expect", path, "--only", "copy/within_many", "--only", "peer/*", DROPS]
        unused = self.judge(*arguments, expect=0)["unused_expectations"]
        self.assertEqual([entry["case"] for entry in unused], ["copy/within_*", "peer/*"])
        self.assertEqual((unused[0]["device"], unused[1]["device"]), ("No such device*", None))
        self.assertIn("the device is", unused[0]["why"])
        self.assertIn("skipped", unused[1]["why"])
        said = conformance(*arguments)
        self.assertEqual(said.stdout.count("unused expectation: "), 2, said.stdout)
        self.assertIn("The bus is slow.", said.stdout)
        self.assertEqual(self.judge("--only", "copy/within_many", NATIVE, expect=0)["unused_expectations"], [])

    def refuse_file(self, path, *words):
        result = conformance("--expect", path, NATIVE)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        for word in (str(path), *words):
            self.assertIn(word, result.stderr)

    def test_a_file_that_cannot_be_used_is_refused(self):
        self.refuse({"schema": "something/1"}, "schema")
        self.refuse_file("/nonexistent/expect.json")
        path = self.with_expectations({})
        self.refuse_file(path.parent, "folder")
        for text, word in (('{"schema": 1}', "schema"), ("[]", "object"), ("", "empty"), ("{", "no JSON"),
                           ('{"schema": "spoc-conformance-expect/1", "failing": [], "failing": []}', "twice")):  # fmt: skip
            path.write_text(text, encoding="utf-8")
            self.refuse_file(path, word)


if __name__ == "__main__":
    spoc_test.main()
