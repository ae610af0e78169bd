# SPDX-License-Identifier: Apache-2.0
"""SPOC_TRACE: the file is a Chrome trace, whatever ends the program, and says what happened when."""

import json
import os
from collections import defaultdict
from pathlib import Path

import spoc_test
from plugin_folder import PluginTest, without_leak_check

PROGRAM = Path(spoc_test.PROGRAM_DIR) / "traces"
WANTED = 7
COPIERS = 3
ROUNDS = 50
ROUND = 'round "\\\n\u00e9\ufffd'

# Fields that an event of each phase has, beside those of every event.
FIELDS = {"M": {"cat", "args"}, "X": {"cat", "dur"}, "B": {"cat"}, "E": set(), "C": {"cat", "args"},
          "b": {"cat", "id", "args"}, "e": {"cat", "id"}}  # fmt: skip


class Trace:
    """The events of a file, checked one by one."""

    def __init__(self, test, path):
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        test.assertEqual(set(document), {"displayTimeUnit", "traceEvents"})
        self.events = document["traceEvents"]
        for event in self.events:
            fields = {"ph", "pid", "tid", "ts"} | ({"name"} if event["ph"] != "E" else set())
            test.assertEqual(set(event) - {"args"}, (fields | FIELDS[event["ph"]]) - {"args"}, event)
            test.assertGreater(event["ts"], 0)
            test.assertGreaterEqual(event.get("dur", 0), 0)
        test.assertEqual([e["args"].keys() for e in self.of_phase("M")], [{"name"}])
        self._check_nesting(test)
        self._check_work(test)

    def of_phase(self, phase, name=None):
        return [e for e in self.events if e["ph"] == phase and name in (None, e.get("name"))]

    def calls(self, name):
        """Begin and end of each call of a function."""
        return [(e["ts"], e["ts"] + e["dur"]) for e in self.of_phase("X", name)]

    def spans(self, name):
        """Begin and end of each span of that name that ended."""
        return [(begin, end) for found, begin, end in self.all_spans if found == name]

    def _check_nesting(self, test):
        """Spans of a thread nest; the file has its events in order."""
        self.all_spans = []
        open_spans = defaultdict(list)
        last = {}
        for event in self.events:
            if event["ph"] not in "BE":
                continue
            test.assertGreaterEqual(event["ts"], last.get(event["tid"], 0), event)
            last[event["tid"]] = event["ts"]
            if event["ph"] == "B":
                open_spans[event["tid"]].append(event)
            else:
                test.assertTrue(open_spans[event["tid"]], "an end without a begin")
                begun = open_spans[event["tid"]].pop()
                self.all_spans.append((begun["name"], begun["ts"], event["ts"]))
        test.assertEqual([spans for spans in open_spans.values() if spans], [], "a span never ends")

    def _check_work(self, test):
        """Each piece of work begins once and ends at most once, later and under the same name."""
        begun = {e["id"]: e for e in self.of_phase("b")}
        test.assertEqual(len(begun), len(self.of_phase("b")))
        ended = {e["id"]: e for e in self.of_phase("e")}
        test.assertEqual(len(ended), len(self.of_phase("e")))
        for number, end in ended.items():
            test.assertEqual(end["name"], begun[number]["name"])
            test.assertGreaterEqual(end["ts"], begun[number]["ts"])
        self.unfinished = set(begun) - set(ended)


def intersect(some, others):
    """Whether a span of the one list and one of the other run at the same time."""
    return any(a < d and c < b for a, b in some for c, d in others)


class TraceTest(PluginTest):
    def setUp(self):
        super().setUp()
        self.folder.add_native()
        self.file = self.folder.path / "trace.json"

    def run_program(self, *arguments, program=PROGRAM, wanted=WANTED, stderr="", **changes):
        env = self.environment_of_only(self.folder, **{"SPOC_TRACE": str(self.file), **changes})
        result = spoc_test.run(program, *arguments, env=env)
        self.assertEqual((result.returncode, result.stderr), (wanted, stderr), result.stdout)
        return result

    def trace(self, path=None):
        return Trace(self, path or self.file)


class Loading(TraceTest):
    """spoc-bench load, which reads, copies and verifies at once."""

    def load(self, piece_bytes=1 << 20, pieces=48, **changes):
        data = self.folder.path / "data"
        data.write_bytes(os.urandom(1 << 20) * (piece_bytes * pieces >> 20))
        self.run_program("load", data, "--device", "native:0", "--slot-size", piece_bytes, wanted=0,
                         program=spoc_test.SPOC_BENCH, **changes)
        return self.trace()

    def test_it_has_every_read_copy_and_piece_of_work(self):
        trace = self.load()
        self.assertEqual(trace.of_phase("M")[0]["args"]["name"], "spoc-bench")
        self.assertEqual(len(trace.spans("read file")), 48)
        self.assertEqual(len(trace.spans("verify")), 48)
        for function, work in (("spoc_copy_to_device", "copy H2D"), ("spoc_copy_to_host", "copy D2H"), ("spoc_fill", "fill")):
            self.assertEqual(len(trace.calls(function)), 48, function)
            begun = trace.of_phase("b", work)
            self.assertEqual(len(begun), 48, work)
            for event in begun:
                self.assertEqual(event["args"], {"bytes": 1 << 20, "stream": 0, "device": "native:0"})
        self.assertEqual(trace.unfinished, set())
        for function in ("spoc_init", "spoc_shutdown", "spoc_device_select", "spoc_device_describe"):
            self.assertTrue(trace.calls(function), function)
        entries = [e["args"]["entries"] for e in trace.of_phase("C", "ledger entries")]
        self.assertEqual((min(entries), max(entries), entries[-1]), (0, 1, 0))
        counted = sorted(trace.of_phase("C", "device bytes"), key=lambda event: event["ts"])
        counted = [event["args"] for event in counted]
        self.assertEqual({name for args in counted for name in args}, {"native:0"})
        held = [args["native:0"] for args in counted]
        self.assertEqual((held[0], max(held), held[-1]), (1 << 20, len(held) // 2 << 20, 0))

    def test_copies_run_while_the_next_piece_is_read_and_the_last_is_verified(self):
        overlapping = set()
        for _ in range(20):  # on a busy machine one stage may always run while the others wait for a processor
            trace = self.load(piece_bytes=8 << 20, pieces=12)
            copies = trace.calls("spoc_copy_to_device") + trace.calls("spoc_copy_to_host")
            threads = {e["tid"] for name in ("read file", "verify") for e in trace.of_phase("B", name)}
            threads |= {e["tid"] for e in trace.of_phase("X", "spoc_copy_to_device")}
            self.assertEqual(len(threads), 3)
            overlapping |= {name for name in ("read file", "verify") if intersect(trace.spans(name), copies)}
            if len(overlapping) == 2:
                break
        self.assertEqual(overlapping, {"read file", "verify"})

    def test_a_helper_process_that_probes_does_not_touch_the_file(self):
        trace = self.load(SPOC_PROBE="isolated")
        self.assertEqual(len({e["pid"] for e in trace.events}), 1)


class Endings(TraceTest):
    """The ways in which a program ends."""

    def check_copiers(self, trace, rounds):
        self.assertEqual(len({e["tid"] for e in trace.of_phase("B", "copier")}), COPIERS)
        self.assertGreaterEqual(len(trace.spans(ROUND)), rounds)
        self.assertGreaterEqual(len(trace.calls("spoc_copy_to_device")), rounds)

    def test_after_a_shutdown_everything_is_there(self):
        self.run_program("shutdown")
        trace = self.trace()
        self.check_copiers(trace, COPIERS * ROUNDS)
        self.assertEqual(len(trace.spans(ROUND)), COPIERS * ROUNDS)
        self.assertEqual(len(trace.spans("copier")), COPIERS)
        self.assertEqual(len(trace.calls("spoc_init")), 1)
        self.assertEqual(len(trace.calls("spoc_shutdown")), 1)
        self.assertEqual([e["args"] for e in trace.of_phase("X", "spoc_device_synchronize")],
                         [{"status": "invalid_argument"}])
        self.assertEqual(trace.of_phase("B", "before the start"), [])

    def test_exit_from_another_thread_while_the_others_copy_leaves_a_whole_file(self):
        for _ in range(10):  # the threads meet in another way each time
            self.run_program("exit_in_thread")
            trace = self.trace()
            self.check_copiers(trace, COPIERS * ROUNDS)
            self.assertEqual(len(trace.spans("copier")), COPIERS)
            self.assertEqual(len(trace.spans("exiting")), 1)

    def test_in_whatever_way_a_program_ends_the_file_is_whole_and_has_its_first_call(self):
        for way in ("return", "exit", "exit_in_thread", "exit_in_shutdown", "quick_exit", "late_handler"):
            for _ in range(3):
                with self.subTest(way=way):
                    self.run_program(way, program=PROGRAM.with_name("ends"), **without_leak_check())
                    trace = self.trace()
                    self.assertTrue(trace.calls("spoc_init"))
                    self.assertTrue(trace.calls("spoc_buffer_create"))

    def test_a_forked_child_adds_nothing_to_its_parents_file(self):
        self.run_program("fork")
        trace = self.trace()
        self.check_copiers(trace, COPIERS * ROUNDS)
        self.assertEqual(trace.of_phase("B", "child"), [])
        self.assertEqual(len({e["pid"] for e in trace.events}), 1)

    def test_with_the_processs_number_in_its_name_a_child_has_a_file_of_its_own(self):
        self.run_program("fork", SPOC_TRACE=str(self.folder.path / "of-%p.json"))
        files = list(self.folder.path.glob("of-*.json"))
        self.assertEqual(len(files), 2)
        spans = [len(self.trace(path).of_phase("B", "child")) for path in files]
        self.assertEqual(sorted(spans), [0, 5000])


class Files(TraceTest):
    """What may be named."""

    def check_warning(self, path, reason, **changes):
        line = (f'spoc: warning: core: SPOC_TRACE: the file "{path}" cannot be written ({reason}); '
                "nothing more is traced\n")
        self.run_program("shutdown", stderr=line, SPOC_TRACE=str(path), **changes)

    def test_a_file_that_cannot_be_written_is_one_warning_and_the_program_works(self):
        self.check_warning(self.folder.path / "none" / "trace.json", "No such file or directory")
        self.check_warning(self.folder.path, "Is a directory")
        self.check_warning("/dev/null", "not a regular file")
        pipe = self.folder.path / "pipe"
        os.mkfifo(pipe)
        self.check_warning(pipe, "No such device or address")

    def test_a_full_disk_is_one_warning(self):
        if not Path("/dev/full").exists():
            self.skipTest("there is no /dev/full")
        self.check_warning("/dev/full", "not a regular file")

    def test_a_relative_path_is_taken_from_where_the_program_starts(self):
        env = self.environment_of_only(self.folder, SPOC_TRACE="here.json")
        result = spoc_test.run(PROGRAM, "shutdown", env=env, cwd=self.folder.path)
        self.assertEqual((result.returncode, result.stderr), (WANTED, ""))
        self.trace(self.folder.path / "here.json")

    def test_an_older_file_is_replaced(self):
        self.file.write_text("x" * (1 << 20), encoding="ascii")
        self.run_program("shutdown")
        self.trace()

    def test_without_the_variable_nothing_is_written(self):
        before = sorted(self.folder.path.iterdir())
        self.run_program("shutdown", SPOC_TRACE=None)
        self.assertEqual(sorted(self.folder.path.iterdir()), before)


if __name__ == "__main__":
    spoc_test.main()
