# SPDX-License-Identifier: Apache-2.0
"""spoc-bench load: what comes back is the file, and anything else is told."""

import hashlib
import json
import os
import pty
import random
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

import spoc_test
from spoc_test import NATIVE_DIR, PLUGIN_DIR, SANITIZERS, SPOC_BENCH, clean_environment, run

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30

KEYS = ["device", "name", "bytes", "slot_bytes", "slots", "pieces", "upload_gbps", "readback_gbps", "wall_s", "sha256",
        "verified", "error"]


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(MIB):
            digest.update(block)
    return digest.hexdigest()


class BenchCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="spoc-bench-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def file_of(self, data, name="data"):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def random_file(self, size, name="data"):
        return self.file_of(random.Random(size).randbytes(size), name)

    def sparse_file(self, size, name="data"):
        with open(self.path(name), "wb") as file:
            file.truncate(size)
        return self.path(name)

    def environment(self, *plugins):
        """An environment in which only these plugins are found: native, or names of those the tests built."""
        if not plugins:
            return clean_environment(SPOC_DISABLE_NATIVE="1")
        files = [os.path.join(NATIVE_DIR if name == "native" else PLUGIN_DIR, f"libspoc-{name}.so") for name in plugins]
        for file in files:
            self.assertTrue(os.path.exists(file), f"{file} was not built")
        return clean_environment(SPOC_PLUGIN_FILES=":".join(files))

    def load(self, *arguments, plugins=("native",), expect=0, **options):
        result = run(SPOC_BENCH, "load", *arguments, env=self.environment(*plugins), **options)
        self.assertEqual(result.returncode, expect, result.stdout + result.stderr)
        return result

    def load_json(self, *arguments, **options):
        document = json.loads(self.load("--json", *arguments, **options).stdout)
        self.assertEqual(list(document), ["schema", "file", "bytes", "results", "error"])
        self.assertEqual(document["schema"], "spoc-bench-load/1")
        for result in document["results"]:
            self.assertEqual(list(result), KEYS)
            self.assertEqual(result["verified"], result["error"] is None)
        return document

    def assert_loaded(self, result, path):
        self.assertIsNone(result["error"])
        self.assertEqual(result["bytes"], os.path.getsize(path))
        self.assertEqual(result["sha256"], sha256_of(path))
        self.assertGreater(result["wall_s"], 0)
        for rate in (result["upload_gbps"], result["readback_gbps"]):
            self.assertTrue(rate is None or rate > 0)


class LoadingTest(BenchCase):
    def test_sizes_around_a_slot_come_back_whole(self):
        slot = 64 * KIB
        for size in (1, 2, 3, slot - 1, slot, slot + 1, 3 * slot, 3 * slot + 17, 9 * slot + 1):
            for kind, data in (("random", random.Random(size).randbytes(size)), ("zero", bytes(size)),
                               ("ones", b"\xff" * size), ("poison", b"\xa5" * size), ("poison", b"\xa6" * size)):
                with self.subTest(size=size, kind=kind):
                    path = self.file_of(data)
                    document = self.load_json(path, "--device", "native:0", "--slot-size", "64K")
                    self.assertEqual(document["bytes"], size)
                    self.assertEqual(len(document["results"]), 1)
                    self.assert_loaded(document["results"][0], path)
                    self.assertEqual(document["results"][0]["pieces"], -(-size // slot))

    def test_a_slot_may_be_a_single_byte(self):
        path = self.random_file(300)
        result = self.load_json(path, "--slot-size", "1", "--slots", "2")["results"][0]
        self.assert_loaded(result, path)
        self.assertEqual((result["slot_bytes"], result["slots"], result["pieces"]), (1, 2, 300))

    def test_slots_are_no_more_and_no_larger_than_the_file_needs(self):
        result = self.load_json(self.random_file(100 * KIB), "--slots", "64")["results"][0]
        self.assertEqual((result["slot_bytes"], result["slots"], result["pieces"]), (100 * KIB, 1, 1))

    def test_suffixes_are_powers_of_1024(self):
        path = self.random_file(3 * MIB)
        for text, size in (("1000", 1000), ("2k", 2 * KIB), ("512K", 512 * KIB), ("1M", MIB), ("1G", 3 * MIB)):
            with self.subTest(text=text):
                result = self.load_json(path, "--slot-size", text)["results"][0]
                self.assertEqual(result["slot_bytes"], size)

    def test_a_large_file_is_loaded_with_default_slots(self):
        path = self.random_file(80 * MIB + 4321)
        result = self.load_json(path)["results"][0]
        self.assert_loaded(result, path)
        self.assertEqual(result["device"], "native:0")
        self.assertEqual(result["slots"], 4)

    def test_text_names_the_device_the_rates_and_the_sum(self):
        path = self.random_file(5 * MIB)
        result = self.load(path, "--device", "native:0", "--slot-size", "1M")
        self.assertRegex(result.stdout, r"^native:0  \S")
        self.assertRegex(result.stdout, r"loaded +5242880 bytes in \d+\.\d+ s: 5 pieces through 4 slots of 1\.0 MiB\n")
        self.assertRegex(result.stdout, r"upload +\d+\.\d+ GB/s\n")
        self.assertRegex(result.stdout, r"read back +\d+\.\d+ GB/s\n")
        self.assertIn(sha256_of(path), result.stdout)
        self.assertTrue(result.stdout.endswith("verified\n"))
        self.assertEqual(result.stderr, "")

    def test_a_symbolic_link_is_followed(self):
        path = self.random_file(1000)
        os.symlink(path, self.path("link"))
        self.assert_loaded(self.load_json(self.path("link"))["results"][0], path)

    def test_a_file_name_that_is_no_utf8_is_no_obstacle(self):
        path = os.path.join(os.fsencode(self.folder), b"\xff\xfe\n\"")
        with open(path, "wb") as file:
            file.write(b"data")
        env = self.environment("native")
        result = subprocess.run([SPOC_BENCH, "load", "--json", path], env=env, capture_output=True, timeout=spoc_test.HANG)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(json.loads(result.stdout)["results"][0]["verified"])


class DeviceTest(BenchCase):
    def test_a_file_larger_than_the_device_memory_passes_through(self):
        path = self.random_file(70 * MIB + 5)
        result = self.load_json(path, plugins=["small"])["results"][0]
        self.assert_loaded(result, path)
        # A quarter of the 16 MiB, for four slots.
        self.assertEqual(result["slot_bytes"], MIB)

    def test_a_driver_that_crashes_does_not_keep_others_from_being_loaded(self):
        path = self.random_file(MIB)
        for crashing in ("aborts", "open_aborts"):
            document = self.load_json(path, "--device", "*", plugins=[crashing, "native"])
            self.assertEqual([result["device"] for result in document["results"]], ["native:0"], crashing)

    def test_a_slot_that_the_device_cannot_hold_is_refused(self):
        path = self.sparse_file(64 * MIB)
        result = self.load(path, "--slot-size", "8M", "--slots", "2", plugins=["small"], expect=1)
        self.assertIn("A slot of 8388608 bytes is too large: with 2 slots the limit is 2097152 bytes", result.stderr)
        self.assertEqual(result.stdout, "")
        result = self.load_json(path, "--slot-size", "2M", "--slots", "2", plugins=["small"])["results"][0]
        self.assertEqual(result["slot_bytes"], 2 * MIB)

    def test_a_device_that_copies_only_page_locked_memory_is_loaded(self):
        path = self.random_file(20 * MIB + 11)
        self.assert_loaded(self.load_json(path, plugins=["pinned_only"])["results"][0], path)

    def test_every_device_is_loaded_in_turn(self):
        path = self.random_file(3 * MIB + 1)
        results = self.load_json(path, "--device", "*", plugins=["native", "pair"])["results"]
        self.assertEqual([r["device"] for r in results], ["native:0", "pair:0", "pair:1"])
        for result in results:
            self.assert_loaded(result, path)
        text = self.load(path, "--device", "*", plugins=["native", "pair"]).stdout
        self.assertEqual(re.findall(r"^(\S+)  ", text, re.MULTILINE), ["native:0", "pair:0", "pair:1"])
        self.assertEqual(text.count("verified"), 3)

    def test_one_device_that_fails_fails_the_whole_and_spares_the_others(self):
        path = self.random_file(3 * MIB + 1)
        plugins = ["corrupt", "native", "pair"]
        results = self.load_json(path, "--device", "*", plugins=plugins, expect=1)["results"]
        self.assertEqual({r["device"]: r["verified"] for r in results},
                         {"corrupt:0": False, "native:0": True, "pair:0": True, "pair:1": True})

    def test_a_list_of_selectors_is_loaded_in_its_order(self):
        path = self.random_file(10)
        results = self.load_json(path, "--device", "pair:1,native", plugins=["native", "pair"])["results"]
        self.assertEqual([r["device"] for r in results], ["pair:1", "native:0"])

    def test_a_device_that_is_not_there_is_77_with_the_reason(self):
        path = self.random_file(10)
        for selector, words in (("cuda", "cuda"), ("native:7", "native:7")):
            with self.subTest(selector=selector):
                result = self.load(path, "--device", selector, expect=77)
                self.assertEqual(result.stdout, "")
                self.assertIn(words, result.stderr)
                document = self.load_json(path, "--device", selector, expect=77)
                self.assertEqual(document["results"], [])
                self.assertIn(words, document["error"])

    def test_no_device_at_all_is_77(self):
        for arguments in ([], ["--device", "*"]):
            with self.subTest(arguments=arguments):
                result = self.load(self.random_file(10), *arguments, plugins=[], expect=77)
                self.assertEqual(result.stdout, "")
                self.assertRegex(result.stderr, r"(?i)^spoc-bench: .*device")


class MismatchTest(BenchCase):
    def assert_mismatch(self, path, plugin, offset, wrong, pieces, *arguments):
        document = self.load_json(path, *arguments, plugins=[plugin], expect=1)
        result = document["results"][0]
        self.assertFalse(result["verified"])
        self.assertRegex(result["error"], rf"^Byte {offset} came back as 0x\w\w instead of 0x\w\w; .* "
                                          rf"{wrong} of {pieces} pieces?\.$")
        self.assertNotEqual(result["sha256"], sha256_of(path))
        text = self.load(path, *arguments, plugins=[plugin], expect=1)
        self.assertIn("MISMATCH", text.stdout)
        self.assertNotIn("verified", text.stdout)
        self.assertIn(f"Byte {offset} came back", text.stderr)

    def test_a_byte_corrupted_on_the_way_back_is_named(self):
        path = self.random_file(3 * MIB + 5)
        self.assert_mismatch(path, "corrupt", MIB // 2, 3, 4, "--slot-size", "1M")

    def test_corruption_of_an_all_zero_file_is_named(self):
        path = self.sparse_file(2 * MIB)
        self.assert_mismatch(path, "corrupt", MIB // 2, 2, 2, "--slot-size", "1M")

    def test_a_byte_dropped_from_an_upload_is_named(self):
        for kind, byte in (("zero", b"\0"), ("ones", b"\xff"), ("poison", b"\xa5"), ("other poison", b"\xa6")):
            with self.subTest(kind=kind):
                path = self.file_of(byte * (3 * 64 * KIB + 17))
                self.assert_mismatch(path, "drop", 64 * KIB - 1, 4, 4, "--slot-size", "64K")

    def test_a_dropped_upload_of_the_only_byte_is_named(self):
        self.assert_mismatch(self.file_of(b"\0"), "drop", 0, 1, 1)


class FailureTest(BenchCase):
    """Each is told in one line, with exit status 1 and nothing on stdout that looks like success."""

    def assert_refused(self, path, words, *arguments, **options):
        result = self.load(path, "--device", "native:0", *arguments, expect=1, **options)
        self.assertEqual(result.stdout, "")
        self.assertTrue(result.stderr.startswith("spoc-bench: "), result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(words, result.stderr)
        document = self.load_json(path, "--device", "native:0", *arguments, expect=1, **options)
        told = document["error"] or document["results"][0]["error"]
        self.assertIn(words, told)
        self.assertIn(os.path.basename(path), told)
        return document

    def test_a_missing_file(self):
        document = self.assert_refused(self.path("none"), "No such file or directory")
        self.assertIsNone(document["bytes"])
        self.assertEqual(document["results"], [])

    def test_a_path_through_a_file(self):
        self.assert_refused(self.random_file(1) + "/data", "Not a directory")

    def test_a_dangling_link(self):
        os.symlink("nowhere", self.path("link"))
        self.assert_refused(self.path("link"), "No such file or directory")

    def test_an_empty_file(self):
        self.assert_refused(self.file_of(b""), "is empty")

    def test_a_directory(self):
        self.assert_refused(self.folder, "is a directory, not a regular file")

    def test_a_fifo_is_refused_without_waiting_for_a_writer(self):
        os.mkfifo(self.path("fifo"))
        self.assert_refused(self.path("fifo"), "is a FIFO, not a regular file", timeout=spoc_test.HANG)

    def test_a_device_file(self):
        self.assert_refused("/dev/null", "is a device, not a regular file")

    def test_a_socket(self):
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.path("socket"))
            self.assert_refused(self.path("socket"), "No such device or address")

    def test_an_unreadable_file(self):
        path = self.random_file(100)
        os.chmod(path, 0)
        prefix = []
        if os.getuid() == 0:
            if shutil.which("setpriv") is None:
                self.skipTest("root reads everything, and setpriv is not installed")
            prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
            if run(*prefix, SPOC_BENCH, "--version").returncode != 0:
                self.skipTest("an unprivileged user cannot run the build's programs")
            os.chmod(self.folder, 0o755)
        result = run(*prefix, SPOC_BENCH, "load", path, env=clean_environment())
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr, f"spoc-bench: Cannot open '{path}': Permission denied.\n")

    def test_a_file_that_is_shorter_than_its_size_says(self):
        path = "/sys/devices/system/cpu/online"  # 4096 bytes, of which a few can be read
        if not os.path.exists(path) or os.path.getsize(path) != 4096:
            self.skipTest(f"{path} is not as expected")
        self.assert_refused(path, "bytes, but had 4096 bytes when it was opened")

    def test_a_file_that_cannot_be_read_to_the_end(self):
        path = "/sys/class/net/lo/speed"  # the loopback device has none: reading says EINVAL
        try:
            with open(path, "rb") as file:
                file.read()
            self.skipTest(f"{path} can be read")
        except FileNotFoundError:
            self.skipTest(f"{path} does not exist")
        except OSError as error:
            self.assert_refused(path, os.strerror(error.errno))

    @unittest.skipIf(SANITIZERS != "none", "sanitizers reserve more address space than a limit could allow")
    def test_too_little_host_memory(self):
        path = self.sparse_file(2 * GIB)
        limit = 700 * MIB
        result = self.load(path, "--slot-size", "512M", "--slots", "2", plugins=["acme"], expect=1,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual(result.stdout, "")
        self.assertIn("memory", result.stderr)

    def assert_fails_half_way(self, plugin):
        if not os.path.exists(os.path.join(PLUGIN_DIR, f"libspoc-{plugin}.so")):
            self.skipTest(f"no plugin '{plugin}' is built")
        words = "The fixture's copy fails."
        path = self.random_file(2 * MIB)
        result = self.load_json(path, "--slot-size", "64K", plugins=[plugin], expect=1)["results"][0]
        self.assertIn(words, result["error"])
        self.assertEqual([result[key] for key in ("upload_gbps", "readback_gbps", "wall_s", "sha256")], [None] * 4)
        text = self.load(path, "--slot-size", "64K", plugins=[plugin], expect=1)
        self.assertEqual(text.stdout, "")
        self.assertIn(words, text.stderr)

    def test_a_device_that_fails_half_way(self):
        self.assert_fails_half_way("fails_late")

    def test_a_device_that_is_lost_half_way(self):
        self.assert_fails_half_way("lost")

    def run_with_stdout(self, redirection, *arguments):
        command = ["sh", "-c", f'exec "$0" "$@" {redirection}', SPOC_BENCH, *arguments]
        return run(*command, env=self.environment("native"))

    def test_stdout_that_is_closed_or_full(self):
        path = self.random_file(1000)
        for redirection in (">&-", ">/dev/full"):
            for arguments in (["load", path], ["load", "--json", path], ["list"], ["--help"]):
                with self.subTest(redirection=redirection, arguments=arguments):
                    result = self.run_with_stdout(redirection, *arguments)
                    self.assertEqual(result.returncode, 1)
                    self.assertIn("stdout cannot be written", result.stderr)

    def test_a_reader_that_goes_away(self):
        reader, writer = os.pipe()
        os.close(reader)
        process = subprocess.Popen([SPOC_BENCH, "load", self.random_file(1000)], env=self.environment("native"),
                                   stdout=writer, stderr=subprocess.PIPE, text=True)
        os.close(writer)
        _, complaint = process.communicate(timeout=spoc_test.HANG)
        self.assertEqual(process.returncode, 1)
        self.assertIn("Broken pipe", complaint)


class UsageTest(BenchCase):
    def assert_usage(self, arguments, words):
        result = run(SPOC_BENCH, *arguments, env=self.environment("native"))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertIn(words, result.stderr)

    def test_unknown_words_name_the_nearest(self):
        for arguments, words in ((["laod", "x"], "load"), (["lst"], "list"),
                                 (["load", "x", "--devise", "cuda"], "--device"),
                                 (["load", "--slotsize", "1M", "x"], "--slot-size"),
                                 (["load", "--jsn", "x"], "--json")):
            with self.subTest(arguments=arguments):
                self.assert_usage(arguments, f"did you mean {words}?")

    def test_missing_words(self):
        self.assert_usage([], "subcommand")
        self.assert_usage(["load"], "FILE")
        self.assert_usage(["load", "x", "y"], "y")

    def test_slot_sizes_that_are_none(self):
        for size in ("0", "-1", "", "K", "1T", "1.5M", "16MB", "1M ", "0x10", "99999999999999999999", "17179869184G"):
            with self.subTest(size=size):
                self.assert_usage(["load", "x", f"--slot-size={size}"], "--slot-size")

    def test_numbers_of_slots_that_are_none(self):
        for number in ("0", "1", "65", "-2", "two"):
            with self.subTest(number=number):
                self.assert_usage(["load", "x", f"--slots={number}"], "--slots")

    def test_selectors_that_are_none(self):
        path = self.random_file(10)
        for selector in ("", ",", "native:", "native:x", "native:0:0", "nativ", "no_such_backend"):
            with self.subTest(selector=selector):
                self.assert_usage(["load", path, f"--device={selector}"], "spoc-bench: ")

    def test_list_names_what_there_is(self):
        result = run(SPOC_BENCH, "list")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"^load  ")

    def test_help_and_version_are_data(self):
        for arguments in (["--help"], ["load", "--help"], ["--version"]):
            with self.subTest(arguments=arguments):
                result = run(SPOC_BENCH, *arguments)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertIn("spoc-bench" if arguments == ["--version"] else "load", result.stdout)


class TerminalTest(BenchCase):
    """With stderr on a terminal, which also tells when a load is under way."""

    def start(self, *arguments, plugins=("native",)):
        self.master, slave = pty.openpty()
        self.addCleanup(os.close, self.master)
        self.shown = b""
        process = subprocess.Popen([SPOC_BENCH, "load", "--json", *arguments], env=self.environment(*plugins),
                                   stdout=subprocess.PIPE, stderr=slave, text=True)
        os.close(slave)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def read_terminal(self, timeout):
        """Appends what the program wrote; False at the end or when nothing comes in time."""
        if not select.select([self.master], [], [], timeout)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:  # how Linux says that the other side is closed
            return False
        self.shown += data
        return bool(data)

    def wait_until_under_way(self):
        while b"%" not in self.shown:
            self.assertTrue(self.read_terminal(60), self.shown)

    def finish(self, process):
        output, _ = process.communicate(timeout=spoc_test.HANG)
        while self.read_terminal(0):
            pass
        return output

    def pause(self, process):
        process.send_signal(signal.SIGSTOP)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status), f"it ended before it could be stopped: {status}")

    def assert_line_is_gone(self):
        self.assertRegex(self.shown, rb"%[^\r]*\r +\r")
        self.assertEqual(self.shown.rsplit(b"\r", 1)[1], b"")

    def test_progress_is_shown_and_erased(self):
        path = self.sparse_file(512 * MIB)
        process = self.start(path, "--device", "native:0", "--slot-size", "1M")
        self.wait_until_under_way()
        result = json.loads(self.finish(process))["results"][0]
        self.assertEqual(process.returncode, 0)
        self.assert_line_is_gone()
        self.assertIn(b"of 512.0 MiB  native:0", self.shown)
        self.assertLessEqual(self.shown.count(b"%"), 10 * result["wall_s"] + 2)
        self.assertNotIn(b"\n", self.shown)

    def test_progress_is_not_for_files_and_pipes(self):
        path = self.sparse_file(64 * MIB)
        self.assertEqual(self.load(path, "--slot-size", "64K", "--device", "native:0").stderr, "")

    def test_interrupting_ends_it_by_the_signal_and_leaves_no_line(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number=number):
                process = self.start(self.sparse_file(8 * GIB), "--slot-size", "1M")
                self.wait_until_under_way()
                process.send_signal(number)
                self.assertEqual(self.finish(process), "")
                self.assertEqual(process.returncode, -number)
                self.assert_line_is_gone()

    def test_a_file_that_shrinks_meanwhile(self):
        path = self.sparse_file(8 * GIB)
        process = self.start(path, "--slot-size", "1M")
        self.wait_until_under_way()
        self.pause(process)
        os.truncate(path, 10)
        process.send_signal(signal.SIGCONT)
        result = json.loads(self.finish(process))["results"][0]
        self.assertEqual(process.returncode, 1)
        self.assertIn(f"but had {8 * GIB} bytes when it was opened: it shrank meanwhile", result["error"])
        self.assertFalse(result["verified"])
        self.assertIsNone(result["sha256"])
        self.assert_line_is_gone_before_message()

    def assert_line_is_gone_before_message(self):
        self.assertRegex(self.shown, rb"\r +\rspoc-bench: native:0: '[^\r\n]+ shrank meanwhile\.\r\n$")

    def test_a_file_that_grows_meanwhile_is_loaded_as_it_was(self):
        path = self.sparse_file(512 * MIB)
        before = sha256_of(path)
        process = self.start(path, "--slot-size", "1M")
        self.wait_until_under_way()
        self.pause(process)
        with open(path, "ab") as file:
            file.write(b"more")
        process.send_signal(signal.SIGCONT)
        result = json.loads(self.finish(process))["results"][0]
        self.assertEqual(process.returncode, 0)
        self.assertEqual(result["bytes"], 512 * MIB)
        self.assertEqual(result["sha256"], before)
        self.assertIn(b"has grown meanwhile; its first 536870912 bytes were loaded", self.shown)


if __name__ == "__main__":
    spoc_test.main()
