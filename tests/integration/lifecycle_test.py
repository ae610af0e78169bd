# SPDX-License-Identifier: Apache-2.0
"""Programs that use libspoc and end, fork, close it, or call it wrongly: the wanted exit status and an empty stderr."""

import signal
from collections import Counter
from pathlib import Path

import spoc_test
from plugin_folder import TSAN, PluginTest, ask_api, logged, no_process_left, temporary_folder, without_leak_check

PROGRAMS = Path(spoc_test.PROGRAM_DIR)

# What the programs exit with when everything was as it should be.
WANTED = 7


class LifecycleTest(PluginTest):
    """Helpers of all the tests below."""

    # Whether a program frees what it allocated before it ends, so that a leak checker may look.
    tidies_up = True

    def setUp(self):
        super().setUp()
        # One backend with worker threads of its own, and one whose calls are written down.
        self.with_threads = temporary_folder(self)
        self.with_threads.add_native()
        self.folder.add("acme")

    def check_program(self, name, *arguments, wanted=WANTED, folders=None, repeat=1, **changes):
        """Runs a program once for each folder of plugins; it must end as wanted and say nothing."""
        leaks = {} if self.tidies_up else without_leak_check()
        for folder in folders or (self.with_threads, self.folder):
            for _ in range(repeat):
                with self.subTest(program=name, arguments=arguments, folder=str(folder)), no_process_left(self) as mark:
                    env = self.environment_of_only(folder, **mark, **leaks, **changes)
                    result = spoc_test.run(PROGRAMS / name, *arguments, env=env, timeout=spoc_test.HANG)
                    self.assertEqual((result.returncode, result.stderr, result.stdout), (wanted, "", ""))


class Ends(LifecycleTest):
    """Programs that end without shutting the library down."""

    tidies_up = False

    def test_returning_from_main_with_a_live_buffer_ends_quietly(self):
        self.check_program("ends", "return")

    def test_exit_with_a_live_buffer_ends_quietly(self):
        self.check_program("ends", "exit")

    def test_exit_from_a_second_thread_during_copies_ends_quietly(self):
        # The threads meet in another way each time.
        self.check_program("ends", "exit_in_thread", repeat=10)

    def test_exit_while_a_second_thread_shuts_down_ends_quietly(self):
        self.check_program("ends", "exit_in_shutdown", repeat=10)

    def test_quick_exit_ends_quietly(self):
        self.check_program("ends", "quick_exit")

    def test_calls_in_late_exit_handlers_are_refused(self):
        self.check_program("ends", "late_handler")

    def test_static_objects_that_own_something_are_destroyed_quietly(self):
        """[B27][H-42]"""
        self.check_program("static_objects")

    def test_isolated_probing_changes_none_of_that(self):
        for way in ("return", "exit_in_thread", "late_handler"):
            self.check_program("ends", way, SPOC_PROBE="isolated")

    def test_no_entry_of_a_plugin_is_called_once_the_process_ends(self):
        log = self.log_file()
        self.check_program("ends", "late_handler", folders=(self.folder,), FIXTURE_LOG=str(log))
        self.assertNotIn("acme close", logged(log))
        self.assertNotIn("acme device close", logged(log))


class Unloading(LifecycleTest):
    """A host that opens the library with RTLD_LOCAL and closes it."""

    tidies_up = False

    def test_closing_the_library_with_live_threads_ends_quietly(self):
        self.check_program("closes", spoc_test.LIBRARY, repeat=3)

    def test_that_holds_after_isolated_probing_too(self):
        self.check_program("closes", spoc_test.LIBRARY, SPOC_PROBE="isolated")


class Forks(LifecycleTest):
    """A process that forks at some point of using the library."""

    # A child frees nothing of what its parent's drivers hold.
    tidies_up = False

    def setUp(self):
        super().setUp()
        if TSAN:
            self.skipTest("ThreadSanitizer does not support using threads after a fork of a process with threads")

    def check_fork(self, point):
        self.check_program("forks", point)
        # Without the C library's fork handlers.
        self.check_program("forks", point, "raw")

    def test_forked_before_first_use_both_sides_work(self):
        self.check_fork("before")

    def test_forked_after_init_alone_both_sides_work(self):
        self.check_fork("after_init")

    def test_forked_after_passive_listing_both_sides_work(self):
        self.check_fork("after_listing")

    def test_a_child_forked_after_enumeration_is_refused_and_the_parent_goes_on(self):
        self.check_fork("after_enumeration")

    def test_a_child_forked_after_use_is_refused_and_the_parent_goes_on(self):
        self.check_fork("after_use")

    def test_isolated_probing_changes_none_of_that(self):
        for point in ("after_listing", "after_use"):
            self.check_program("forks", point, SPOC_PROBE="isolated")

    def test_a_refused_child_calls_no_entry_of_a_plugin(self):
        log = self.log_file()
        self.check_program("forks", "after_use", folders=(self.folder,), FIXTURE_LOG=str(log))
        # Once each, by the parent.
        counts = Counter(logged(log))
        for event in ("acme loaded", "acme probe enumerate", "acme open", "acme device open", "acme close"):
            self.assertEqual(counts[event], 1, counts)


class Misuse(LifecycleTest):
    """Calls in the wrong order, with null arguments, and with nothing to use."""

    def test_calls_before_init_are_refused(self):
        self.check_program("misuse", "before_init")

    def test_null_arguments_are_refused(self):
        self.check_program("misuse", "null_arguments")

    def test_without_any_plugin_there_are_no_devices_and_no_crash(self):
        empty = temporary_folder(self)
        self.check_program("misuse", "without_plugins", folders=(empty,),
                           SPOC_PLUGIN_FILES=str(empty.path / "libspoc-none.so"))

    def test_without_any_usable_plugin_there_are_no_devices_and_no_crash(self):
        bad = temporary_folder(self)
        bad.add("ordinary")
        bad.add("refused")
        self.check_program("misuse", "without_plugins", folders=(bad,), SPOC_PROBE="isolated")

    def test_a_second_shutdown_is_refused(self):
        self.check_program("misuse", "shut_down_twice")

    def test_buffers_outlive_shutdown_as_refusals(self):
        self.check_program("misuse", "after_shutdown")

    def test_fifty_lives_leave_nothing_behind(self):
        self.check_program("misuse", "fifty_times")

    def test_every_life_closes_what_it_opened(self):
        log = self.log_file()
        self.check_program("misuse", "fifty_times", folders=(self.folder,), FIXTURE_LOG=str(log))
        counts = Counter(logged(log))
        self.assertEqual(counts["acme leaked buffers"], 0, counts)
        self.assertGreaterEqual(counts["acme open"], 50)
        self.assertEqual(counts["acme open"], counts["acme close"])
        self.assertEqual(counts["acme device open"], counts["acme device close"])
        self.assertEqual(counts["acme loaded"], 1, "plugins stay mapped")


class Passive(LifecycleTest):
    """Listing initialises no driver."""

    def events(self, *words, **changes):
        log = self.log_file()
        listing = ask_api(*words, env=self.environment_of_only(self.folder, FIXTURE_LOG=str(log), **changes))
        self.assertEqual((listing.status, listing.stderr), (0, ""))
        return logged(log)

    def test_listing_probes_passively_and_no_further(self):
        self.assertEqual(self.events("backends", "places"), ["acme loaded", "acme probe passive"])

    def test_asking_for_devices_enumerates_and_opens_no_device(self):
        self.assertEqual(self.events("devices"), ["acme loaded", "acme probe passive", "acme probe enumerate",
                                                  "acme open", "acme close"])

    def test_starting_and_ending_the_runtime_loads_nothing(self):
        self.assertEqual(self.events("settings"), [])

    def test_passive_listing_in_a_helper_goes_no_further_either(self):
        self.assertNotIn("acme probe enumerate", self.events("backends", SPOC_PROBE="isolated"))


class Devices(LifecycleTest):
    """Devices of unusual kinds are used like any other, and a device that lies is caught."""

    tidies_up = False

    def folder_of(self, plugin):
        folder = temporary_folder(self)
        folder.add(plugin)
        return folder

    def test_devices_with_odd_limits_work(self):
        for plugin in ("pinned_only", "small", "pair", "minimal", "corrupt"):
            self.check_program("ends", "return", folders=(self.folder_of(plugin),))

    def test_a_device_that_drops_the_last_byte_of_a_copy_fails_its_self_test(self):
        for plugin, status in (("acme", 0), ("drop", 3)):
            with self.subTest(plugin=plugin):
                env = self.environment_of_only(self.folder_of(plugin))
                self.assertEqual(spoc_test.run(spoc_test.SPOC_INFO, "--selftest", env=env).returncode, status)


class Debugging(LifecycleTest):
    """What SPOC_DEBUG and SPOC_GPU_STATS have the library say."""

    LEAKS = [
        "spoc: leaks: 1 vector, 400 bytes",
        "spoc: leaks: 2 buffers on device native:0, 1024 bytes",
        "spoc: leaks: 1 stream on device native:0, 0 bytes",
        "spoc: leaks: 1 event on device native:0, 0 bytes",
        "spoc: leaks: 1 page-locked range on device native:0, 4096 bytes",
        "spoc: leaks: 1 registration on device native:0, 400 bytes",
        "spoc: leaks: 1 program on device native:0, 0 bytes",
        "spoc: leaks: 1 kernel on device native:0, 0 bytes",
    ]

    def said(self, way, wanted=WANTED, **changes):
        """Lines that `debugging` leaves on stderr."""
        env = self.environment_of_only(self.with_threads, **without_leak_check(), **changes)
        result = spoc_test.run(PROGRAMS / "debugging", way, env=env, timeout=120)
        self.assertEqual((result.returncode, result.stdout), (wanted, ""), result.stderr)
        return result.stderr.splitlines()

    def test_nothing_is_said_unless_it_is_asked_for(self):
        for way in ("tidy", "untidy", "untidy_at_exit", "forked", "one_thread", "two_threads"):
            with self.subTest(way):
                self.assertEqual(self.said(way), [])

    def test_leaks_are_said_once_at_a_shutdown_or_else_at_exit(self):
        for way in ("untidy", "untidy_at_exit"):
            with self.subTest(way):
                self.assertEqual(self.said(way, SPOC_DEBUG="leaks"), self.LEAKS)

    def test_a_program_without_leaks_has_nothing_said_of_it(self):
        self.assertEqual(self.said("tidy", SPOC_DEBUG="leaks"), [])

    def test_a_forked_child_says_nothing_of_its_parent(self):
        if TSAN:
            self.skipTest("ThreadSanitizer does not support using threads after a fork of a process with threads")
        self.assertEqual(self.said("forked", SPOC_DEBUG="leaks"), self.LEAKS)
        self.assertEqual(len(self.said("forked", SPOC_GPU_STATS="1")), 4)

    def test_two_threads_in_one_vector_end_the_process(self):
        lines = self.said("two_threads", wanted=-signal.SIGABRT, SPOC_DEBUG="validate")
        self.assertRegex(lines[0], r"^spoc: validate: two threads use vector \d+ at once")

    def test_one_thread_after_the_other_is_right(self):
        self.assertEqual(self.said("one_thread", SPOC_DEBUG="validate,leaks"), [])

    def test_an_unknown_word_is_named_and_the_others_hold(self):
        lines = self.said("untidy", SPOC_DEBUG="leeks,leaks")
        self.assertEqual(lines[1:], self.LEAKS)
        self.assertRegex(lines[0], r'^spoc: warn.*: core: SPOC_DEBUG has the word "leeks".*leaks and validate$')

    def test_accounts_are_printed_at_exit(self):
        for way in ("tidy", "untidy_at_exit"):
            with self.subTest(way):
                lines = self.said(way, SPOC_GPU_STATS="1")
                self.assertEqual([line.split(": ")[2] for line in lines],
                                 ["all devices", "all devices", "native:0", "native:0"])
        self.assertIn("1024 bytes in 2 buffers, at most 1024 bytes; 2 allocations", lines[2])
        self.assertIn("page-locked 4096 bytes in 1 ranges, registered 400 bytes in 1,", lines[3])


if __name__ == "__main__":
    spoc_test.main()
