# SPDX-License-Identifier: Apache-2.0
"""A folder of bad plugins: each gets exactly one right reason, and the good ones beside it are always listed."""

import os
import re
import resource
import stat
import struct
import unittest
from pathlib import Path

import spoc_test
from plugin_folder import (
    ASAN,
    LIST_BACKENDS,
    NOBODY,
    SANITIZED,
    TSAN,
    PluginTest,
    ask_api,
    ask_info,
    capability_number,
    elf_field,
    entries,
    no_process_left,
    reasons,
    skip_unless_unprivileged_works,
    temporary_folder,
)

# Every reason of the header: the test that provokes it, or why none can.
REASONS = {
    "NONE": "loader_test.test_good_plugins_are_ready",
    "NOT_INSTALLED": "loader_test.test_a_known_backend_without_a_file_is_not_installed",
    "DISABLED_BY_USER": "search_test.test_a_backend_that_is_not_listed_is_disabled_and_never_opened",
    "DISABLED_BY_ADMIN": "reserved: nothing sets it in this version",
    "FILE_UNREADABLE": "loader_test.test_a_dangling_link_is_unreadable",
    "SHADOWED": "loader_test.test_the_same_backend_in_a_second_folder_is_shadowed",
    "IGNORED_SECURE": "search_test.test_a_privileged_program_ignores_plugins_of_the_environment",
    "UNSAFE_PERMISSIONS": "loader_test.test_a_file_that_everybody_may_write_is_unsafe",
    "NOT_ELF": "loader_test.test_an_empty_file_is_not_elf",
    "WRONG_ARCH": "loader_test.test_a_library_for_another_machine_is_of_the_wrong_architecture",
    "MISSING_DEPENDENCY": "loader_test.test_a_missing_dependency_is_named",
    "UNRESOLVED_SYMBOL": "loader_test.test_an_unresolved_symbol_is_named",
    "NO_ENTRY": "loader_test.test_an_ordinary_library_has_no_entry",
    "BAD_MAGIC": "loader_test.test_a_table_with_another_magic_number_is_refused",
    "ABI_TOO_OLD": "loader_test.test_a_plugin_of_an_older_major_version_is_too_old",
    "ABI_TOO_NEW": "loader_test.test_a_plugin_of_a_newer_major_version_is_too_new",
    "MISSING_REQUIRED_ENTRY": "loader_test.test_each_required_entry_is_required",
    "INCONSISTENT": "loader_test.test_half_of_a_group_is_inconsistent",
    "WRONG_FLAVOUR": "loader_test.test_a_plugin_with_a_sanitizer_that_the_host_lacks_is_refused_unopened",
    "DRIVER_NOT_FOUND": "loader_test.test_a_driver_library_that_is_not_there_is_named",
    "DRIVER_STUB": "loader_test.test_a_reason_that_the_probe_gives_is_passed_on",
    "DRIVER_TOO_OLD": "loader_test.test_a_reason_that_the_probe_gives_is_passed_on",
    "DRIVER_MISSING_SYMBOL": "loader_test.test_a_reason_that_the_probe_gives_is_passed_on",
    "KERNEL_MODULE_MISSING": "loader_test.test_a_reason_that_the_probe_gives_is_passed_on",
    "NO_PERMISSION": "loader_test.test_a_reason_that_the_probe_gives_is_passed_on",
    "NO_DEVICE": "loader_test.test_a_reason_that_the_probe_gives_is_passed_on",
    "DEVICE_UNSUPPORTED": "loader_test.test_a_reason_that_the_probe_gives_is_passed_on",
    "DRIVER_INIT_FAILED": "loader_test.test_a_probe_that_fails_without_a_reason_counts_as_a_failed_driver",
    "PROBE_CRASHED": "loader_test.test_a_probe_that_aborts_costs_one_entry",
    "PROBE_TIMEOUT": "loader_test.test_a_probe_that_hangs_is_given_up",
    "PLATFORM_UNSUPPORTED": "loader_test.test_metal_does_not_exist_on_this_platform",
    "SIGNATURE_REFUSED": "only the hardened run-time of macOS refuses unsigned libraries",
    "FORKED_CHILD": "lifecycle_test.test_a_child_forked_after_use_is_refused_and_the_parent_goes_on",
    "EXITING": "lifecycle_test.test_calls_in_late_exit_handlers_are_refused",
    "INTERNAL": "loader_test.test_an_exception_caught_at_the_boundary_is_an_internal_error",
}

ELF_CLASS = 4
ELF_DATA = 5
ELF_MACHINE = 18
PT_LOAD = 1
EM_X86_64 = 62
EM_AARCH64 = 183

# Size of the table up to and with an entry. The layout lock of the contract fixes these numbers.
TABLE_ENTRIES_BEGIN = 80


def table_size(last_entry):
    return TABLE_ENTRIES_BEGIN + 8 * last_entry


def number_of(name):
    return next(number for number, entry, _ in entries() if entry == name)


def loaded_bytes(library):
    """Length of the part of a library's file that its segments map; symbols and debug information lie behind it."""
    (table,) = struct.unpack_from("=Q", library, 32)
    entry_size, count = struct.unpack_from("=HH", library, 54)
    ends = []
    for i in range(count):
        kind, _, offset, _, _, file_size = struct.unpack_from("=IIQQQQ", library, table + i * entry_size)
        ends += [offset + file_size] if kind == PT_LOAD else []
    return max(ends)


# Time-out for plugins that hang. The good ones beside them must be done by then, on a busy machine too.
PATIENCE_S = 6 if SANITIZED else 3

# The ways to ask what is in a folder. In an isolated one the plugins run in a process of their own.
ISOLATED_WAYS = ("spoc-info", "C interface, isolated")
ALL_WAYS = (*ISOLATED_WAYS, "spoc-info --no-isolate", "C interface, in this process")


class LoaderTest(PluginTest):
    """Helpers of all the tests below."""

    def ask(self, way, *folders, timeout_s=None, options=None, **changes):
        """What one way of asking says about the plugins in `folders`."""
        isolated = way == "C interface, isolated"
        env = self.environment(*folders, SPOC_PROBE="isolated" if isolated else None, **changes)
        options = options or {}
        if way.startswith("spoc-info"):
            limit = [] if timeout_s is None else ["--timeout", timeout_s]
            return ask_info(*limit, *way.split()[1:], env=env, **options)
        limit = [] if timeout_s is None else ["--timeout", int(timeout_s * 1000)]
        return ask_api(*limit, "enumerate", "backends", "devices", env=env, **options)

    def check_good(self, listing):
        """The two good plugins are listed whatever lies beside them."""
        for name in ("acme", "native"):
            ready = [entry for entry in listing.named(name) if entry.is_ready()]
            self.assertEqual(len(ready), 1, f"{name} is not ready: {listing}")
        self.assertEqual(listing.status, 0, listing)

    def check_bad(self, path, reason, state="faulty", mentions=(), ways=ALL_WAYS, folders=(), **asking):
        """`path` gets one entry, with that reason, whichever way one asks, and costs nothing else."""
        for way in ways:
            with self.subTest(way=way), no_process_left(self) as mark:
                listing = self.ask(way, *folders, **mark, **asking)
                self.assertEqual(len(listing.at(path)), 1, listing)
                entry = listing.at(path)[0]
                self.assertEqual((entry.state, entry.reason), (state, reason), entry)
                self.assertEqual(entry.device_count, 0)
                self.assertNotEqual(entry.message, "")
                for text in mentions:
                    self.assertIn(text, entry.message)
                self.check_good(listing)
        self.check_strict(folders, 3 if state == "faulty" else 0, **asking)

    def check_strict(self, folders, status, timeout_s=None, options=None, **changes):
        limit = [] if timeout_s is None else ["--timeout", timeout_s]
        env = self.environment(*folders, **changes)
        self.assertEqual(ask_info("--strict", *limit, env=env, **(options or {})).status, status)

    def check_ready(self, path, ways=ALL_WAYS, **asking):
        for way in ways:
            with self.subTest(way=way), no_process_left(self) as mark:
                listing = self.ask(way, **mark, **asking)
                self.assertTrue(len(listing.at(path)) == 1 and listing.at(path)[0].is_ready(), listing)
                self.check_good(listing)

    def setUp(self):
        super().setUp()
        self.folder.add_good()


class Files(LoaderTest):
    """What can be told without opening a file, and what the system's loader says."""

    def test_good_plugins_are_ready(self):
        self.check_ready(self.folder.add("bolt"))

    def test_a_link_to_a_good_plugin_is_ready(self):
        elsewhere = temporary_folder(self)
        self.folder.file("bolt").symlink_to(elsewhere.add("bolt"))
        self.check_ready(self.folder.file("bolt"))

    def test_a_known_backend_without_a_file_is_not_installed(self):
        for way in ALL_WAYS:
            listing = self.ask(way)
            for name in ("cuda", "hip", "ocl", "vk"):
                found = [(e.state, e.reason, e.file) for e in listing.named(name)]
                self.assertEqual(found, [("absent", "NOT_INSTALLED", "")], way)

    def test_metal_does_not_exist_on_this_platform(self):
        for way in ALL_WAYS:
            found = [(e.state, e.reason) for e in self.ask(way).named("metal")]
            self.assertEqual(found, [("absent", "PLATFORM_UNSUPPORTED")], way)

    def test_an_empty_file_is_not_elf(self):
        self.check_bad(self.folder.write("empty", b""), "NOT_ELF")

    def test_a_text_file_is_not_elf(self):
        self.check_bad(self.folder.write("text", b"This is no library.\n" * 200), "NOT_ELF")

    def test_a_directory_is_not_elf(self):
        self.folder.file("directory").mkdir()
        self.check_bad(self.folder.file("directory"), "NOT_ELF")

    def test_a_fifo_is_not_elf_and_holds_nobody_up(self):
        os.mkfifo(self.folder.file("fifo"), 0o644)
        self.check_bad(self.folder.file("fifo"), "NOT_ELF", options={"timeout": 20})

    def test_a_link_to_a_device_is_not_elf(self):
        self.folder.file("null").symlink_to("/dev/null")
        self.check_bad(self.folder.file("null"), "NOT_ELF")

    def test_a_truncated_library_is_not_elf(self):
        whole = self.folder.file("acme").read_bytes()
        loaded = loaded_bytes(whole)
        # Within the identification, within the header, before the program headers, within what is mapped.
        for kept in (5, 40, 64, loaded // 2, loaded - 1):
            with self.subTest(bytes=kept):
                self.check_bad(self.folder.write("truncated", whole[:kept]), "NOT_ELF")

    def test_a_dangling_link_is_unreadable(self):
        self.folder.file("dangling").symlink_to(self.folder.path / "nothing")
        self.check_bad(self.folder.file("dangling"), "FILE_UNREADABLE")

    def test_a_link_to_itself_is_unreadable(self):
        self.folder.file("circle").symlink_to(self.folder.file("circle"))
        self.check_bad(self.folder.file("circle"), "FILE_UNREADABLE")

    def test_a_file_that_the_user_may_not_read_is_unreadable(self):
        skip_unless_unprivileged_works(self)
        path = self.folder.add("bolt")
        path.chmod(0o700)
        env = self.environment()
        program = ["enumerate", "backends"]
        for flag in ("--isolated", "--in-process"):
            listing = ask_api(flag, *program, env=env, prefix=NOBODY)
            found = [(e.state, e.reason) for e in listing.at(path)]
            self.assertEqual(found, [("faulty", "FILE_UNREADABLE")], listing)
            self.check_good(listing)
        # Root may read it, so that it was the permission and nothing else.
        self.check_ready(path)

    def test_a_library_for_another_machine_is_of_the_wrong_architecture(self):
        other = EM_X86_64 if os.uname().machine == "aarch64" else EM_AARCH64
        path = self.folder.add_patched("machine", (ELF_MACHINE, elf_field("H", other)))
        self.check_bad(path, "WRONG_ARCH")

    def test_a_library_of_another_word_size_or_byte_order_is_of_the_wrong_architecture(self):
        self.check_bad(self.folder.add_patched("class32", (ELF_CLASS, b"\1")), "WRONG_ARCH")
        self.check_bad(self.folder.add_patched("order", (ELF_DATA, b"\2")), "WRONG_ARCH")

    def test_a_missing_dependency_is_named(self):
        self.check_bad(self.folder.add("orphan"), "MISSING_DEPENDENCY",
                       mentions=["libfixture_missing.so", "cannot open shared object file"])

    def test_an_unresolved_symbol_is_named(self):
        self.check_bad(self.folder.add("unresolved"), "UNRESOLVED_SYMBOL",
                       mentions=["undefined symbol", "fixture_no_such_function"])

    def test_an_ordinary_library_has_no_entry(self):
        self.check_bad(self.folder.add("ordinary"), "NO_ENTRY", mentions=["spoc_backend_v1"])

    def test_a_library_that_only_depends_on_a_plugin_has_no_entry(self):
        # dlsym looks into dependencies too, so the symbol is found, in another file.
        self.folder.add("borrower")
        self.folder.add("lender")
        self.check_bad(self.folder.file("borrower"), "NO_ENTRY")

    def test_a_file_that_everybody_may_write_is_unsafe(self):
        path = self.folder.add("bolt")
        path.chmod(0o757)
        self.check_bad(path, "UNSAFE_PERMISSIONS")

    def test_a_folder_that_everybody_may_write_is_unsafe(self):
        unsafe = temporary_folder(self)
        path = unsafe.add("bolt")
        for mode in (0o757, 0o757 | stat.S_ISVTX):
            with self.subTest(mode=oct(mode)):
                unsafe.path.chmod(mode)
                self.check_bad(path, "UNSAFE_PERMISSIONS", folders=(unsafe, self.folder))

    def test_a_link_in_a_safe_folder_to_a_file_in_an_unsafe_one_is_unsafe(self):
        unsafe = temporary_folder(self)
        self.folder.file("bolt").symlink_to(unsafe.add("bolt"))
        unsafe.path.chmod(0o757)
        self.check_bad(self.folder.file("bolt"), "UNSAFE_PERMISSIONS")

    def test_the_same_backend_in_a_second_folder_is_shadowed(self):
        second = temporary_folder(self)
        self.check_bad(second.add("acme"), "SHADOWED", state="shadowed", folders=(self.folder, second))


class Notes(LoaderTest):
    """What the note says before the file is opened."""

    def test_a_plugin_of_a_newer_major_version_is_too_new(self):
        log = self.log_file()
        self.check_bad(self.folder.add("major_2"), "ABI_TOO_NEW", mentions=["2", "1"], FIXTURE_LOG=str(log))
        self.assertNotIn("major_2 loaded", log.read_text(encoding="ascii"), "it was opened all the same")

    def test_a_plugin_of_an_older_major_version_is_too_old(self):
        log = self.log_file()
        self.check_bad(self.folder.add("major_0"), "ABI_TOO_OLD", mentions=["0", "1"], FIXTURE_LOG=str(log))
        self.assertNotIn("major_0 loaded", log.read_text(encoding="ascii"), "it was opened all the same")

    def test_a_note_for_another_backend_is_inconsistent(self):
        self.check_bad(self.folder.add("other_name"), "INCONSISTENT", mentions=["other_name", "someone_else"])

    def test_a_plugin_under_the_name_of_another_is_inconsistent(self):
        self.check_bad(self.folder.add("acme", name="impostor"), "INCONSISTENT", mentions=["impostor", "acme"])

    def test_a_plugin_with_a_sanitizer_that_the_host_lacks_is_refused_unopened(self):
        log = self.log_file()
        for name, host_has_it in (("note_asan", ASAN), ("note_tsan", TSAN)):
            with self.subTest(plugin=name):
                path = self.folder.add(name)
                if host_has_it:
                    self.check_ready(path)
                    continue
                self.check_bad(path, "WRONG_FLAVOUR", FIXTURE_LOG=str(log))
                self.assertNotIn(f"{name} loaded", log.read_text(encoding="ascii"))

    def test_a_plugin_without_a_note_is_accepted_with_a_warning(self):
        path = self.folder.add("no_note")
        self.check_ready(path)
        listing = self.ask("C interface, in this process")
        self.assertIn(str(path), listing.stderr)
        self.assertIn("note", listing.stderr)


class Tables(LoaderTest):
    """What the table says. The environment varies one plugin's table (tests/support/plugins/variable_table.h)."""

    def setUp(self):
        super().setUp()
        self.path = self.folder.add("variable")

    def check_each(self, cases, reason, ways=("C interface, in this process", "C interface, isolated")):
        """Like check_bad for many tables, with `cases` pairs of (variables, what the message must mention)."""
        for variables, mentions in cases:
            for way in ways:
                with self.subTest(way=way, **variables):
                    listing = self.ask(way, **variables)
                    found = listing.at(self.path)
                    self.assertEqual([(e.state, e.reason) for e in found], [("faulty", reason)], listing)
                    for text in mentions:
                        self.assertIn(text, found[0].message)
                    self.check_good(listing)

    def test_the_table_as_it_is_built_is_ready(self):
        self.check_ready(self.path)

    def test_a_table_with_another_magic_number_is_refused(self):
        for magic in ("0", "1", "0x31764542434F5054"):
            self.check_bad(self.path, "BAD_MAGIC", FIXTURE_MAGIC=magic)

    def test_a_table_of_another_major_version_is_refused_though_its_note_is_right(self):
        self.check_bad(self.path, "ABI_TOO_NEW", mentions=["2", "1"], FIXTURE_MAJOR="2")
        self.check_bad(self.path, "ABI_TOO_OLD", mentions=["0", "1"], FIXTURE_MAJOR="0")

    def test_another_minor_version_is_accepted(self):
        for minor in ("1", "65535"):
            self.check_ready(self.path, FIXTURE_MINOR=minor)

    def test_a_table_that_is_shorter_or_longer_by_an_optional_entry_is_accepted(self):
        last = entries()[-1][0]
        for size in (table_size(last - 1), table_size(last), table_size(last + 1), 65536):
            with self.subTest(size=size):
                self.check_ready(self.path, FIXTURE_SIZE=str(size))

    def test_a_table_that_ends_with_the_last_required_entry_is_accepted(self):
        last_required = max(number for number, _, required in entries() if required)
        later = ",".join(str(number) for number, _, _ in entries() if number > last_required)
        self.check_ready(self.path, FIXTURE_SIZE=str(table_size(last_required)), FIXTURE_NULL=later)

    def test_a_table_without_the_last_required_entry_is_too_old(self):
        last_required = max(number for number, _, required in entries() if required)
        self.check_bad(self.path, "ABI_TOO_OLD", FIXTURE_SIZE=str(table_size(last_required - 1)))

    def test_a_table_of_size_nought_is_too_old(self):
        self.check_bad(self.path, "ABI_TOO_OLD", FIXTURE_SIZE="0")

    def test_a_table_of_impossible_size_is_inconsistent(self):
        for size in (65536 + 8, 1 << 20, 0xFFFFFFFF):
            self.check_bad(self.path, "INCONSISTENT", FIXTURE_SIZE=str(size))

    def test_a_table_for_another_backend_is_inconsistent(self):
        self.check_bad(self.path, "INCONSISTENT", mentions=["someone_else"], FIXTURE_NAME="someone_else")

    def test_each_required_entry_is_required(self):
        required = [(number, name) for number, name, needed in entries() if needed]
        self.assertGreater(len(required), 20)
        self.check_each([({"FIXTURE_NULL": str(number)}, [name]) for number, name in required],
                        "MISSING_REQUIRED_ENTRY", ways=("C interface, in this process",))
        for name in ("probe", "copy"):
            self.check_bad(self.path, "MISSING_REQUIRED_ENTRY", mentions=[name], FIXTURE_NULL=str(number_of(name)))

    def test_every_optional_entry_may_be_null_and_the_device_still_works(self):
        self.check_ready(self.folder.add("minimal"))
        groups = ("pinned_alloc pinned_free", "host_register host_unregister")
        alone = ("cap_reason", "buffer_wait", "stream_flush", "event_elapsed", "peer_query")
        only_this = temporary_folder(self)
        only_this.add("variable")
        for names in (*alone, *groups):
            null = ",".join(str(number_of(name)) for name in names.split())
            with self.subTest(null=names):
                env = self.environment_of_only(only_this, FIXTURE_NULL=null)
                result = spoc_test.run(Path(spoc_test.PROGRAM_DIR) / "ends", "return", env=env)
                self.assertEqual((result.returncode, result.stderr), (7, ""))

    def test_half_of_a_group_is_inconsistent(self):
        for name in ("pinned_alloc", "pinned_free", "host_register", "host_unregister"):
            self.check_bad(self.path, "INCONSISTENT", FIXTURE_NULL=str(number_of(name)))
        programs = ("program_load", "program_destroy", "kernel_get", "kernel_info", "kernel_params", "kernel_destroy",
                    "launch", "program_binary")
        self.check_each([({"FIXTURE_SET": str(number_of(name))}, []) for name in programs], "INCONSISTENT")

    def test_a_capability_without_its_entry_is_inconsistent(self):
        # Capability and the entries to take away; what is not there anyway needs no taking.
        claims = {"BUFFER_HOST_PTR": "", "BUFFER_UNIFIED": "", "BUFFER_TRACKED": "buffer_wait",
                  "PINNED": "pinned_alloc pinned_free", "REGISTER": "host_register host_unregister",
                  "HOST_QUERY": "", "PEER_COPY": "peer_query", "STREAM_DEFERRED": "stream_flush",
                  "EVENT_TIMING": "event_elapsed", "PROGRAM_BINARY": ""}
        cases = []
        for capability, entry_names in claims.items():
            null = ",".join(str(number_of(name)) for name in entry_names.split())
            cases.append(({"FIXTURE_CLAIM": str(capability_number(capability)), "FIXTURE_NULL": null}, [capability]))
        self.check_each(cases, "INCONSISTENT")
        variables, mentions = cases[-1]
        self.check_bad(self.path, "INCONSISTENT", mentions=mentions, **variables)


class Probes(LoaderTest):
    """What happens when a plugin is asked whether it can be used."""

    def check_isolated(self, name, reason, **asking):
        """For faults that end the process that probes."""
        self.check_bad(self.folder.add(name), reason, ways=ISOLATED_WAYS, **asking)

    def test_a_reason_that_the_probe_gives_is_passed_on(self):
        path = self.folder.add("refused")
        numbers = reasons()
        given = [name for name, number in numbers.items() if 19 <= number <= 27]
        self.assertIn("NO_PERMISSION", given)
        for name in given:
            for way in ("C interface, isolated", "C interface, in this process"):
                with self.subTest(reason=name, way=way):
                    listing = self.ask(way, FIXTURE_REASON=str(numbers[name]))
                    self.assertEqual([(e.state, e.reason) for e in listing.at(path)], [("unusable", name)])
                    self.assertIn("refuses to be used", listing.at(path)[0].message)
                    self.check_good(listing)
        self.check_bad(path, "NO_PERMISSION", state="unusable", mentions=["refuses to be used"])

    def test_a_reason_that_is_the_host_s_to_give_counts_as_a_failed_driver(self):
        path = self.folder.add("refused")
        numbers = reasons()
        for name in ("SHADOWED", "DISABLED_BY_USER", "FORKED_CHILD"):
            self.check_bad(path, "DRIVER_INIT_FAILED", state="unusable", FIXTURE_REASON=str(numbers[name]))

    def test_a_probe_that_fails_without_a_reason_counts_as_a_failed_driver(self):
        self.check_bad(self.folder.add("vague"), "DRIVER_INIT_FAILED", state="unusable",
                       mentions=["The fixture's driver fails."])

    def test_an_exception_caught_at_the_boundary_is_an_internal_error(self):
        self.check_bad(self.folder.add("catches"), "INTERNAL", mentions=["The fixture caught an exception."])

    def test_an_exception_let_out_is_an_internal_error_and_goes_no_further(self):
        self.check_bad(self.folder.add("throws"), "INTERNAL", mentions=["thrown by the fixture"])
        self.check_bad(self.folder.add("throws_number"), "INTERNAL")

    def test_an_exception_out_of_noexcept_costs_one_entry(self):
        self.check_isolated("terminates", "PROBE_CRASHED")

    def test_a_probe_that_aborts_costs_one_entry(self):
        self.check_isolated("aborts", "PROBE_CRASHED", mentions=["ABRT"])

    def test_a_probe_that_calls_exit_costs_one_entry(self):
        self.check_isolated("exits", "PROBE_CRASHED")

    def test_a_probe_that_hangs_is_given_up(self):
        self.check_isolated("hangs", "PROBE_TIMEOUT", timeout_s=PATIENCE_S)

    def test_an_enumeration_that_hangs_is_given_up(self):
        self.check_isolated("hangs_late", "PROBE_TIMEOUT", timeout_s=PATIENCE_S)

    def test_an_enumeration_without_end_of_memory_costs_one_entry(self):
        if SANITIZED:
            self.skipTest("sanitizers need more address space than a limit leaves, so the plugin is not built")

        def limit_memory():
            resource.setrlimit(resource.RLIMIT_DATA, (512 << 20, 512 << 20))

        self.check_isolated("eats_memory", "PROBE_CRASHED", options={"preexec_fn": limit_memory})

    def test_a_process_that_a_probe_leaves_behind_is_ended(self):
        self.check_ready(self.folder.add("parent"), ways=ISOLATED_WAYS)

    def test_threads_that_a_driver_starts_are_counted(self):
        path = self.folder.add("threads")
        self.check_ready(path)
        for way in ("C interface, isolated", "C interface, in this process"):
            self.assertEqual([entry.threads for entry in self.ask(way).at(path)], [2], way)

    def test_a_driver_library_that_is_not_there_is_named(self):
        self.check_bad(self.folder.add("opener"), "DRIVER_NOT_FOUND", state="unusable",
                       mentions=["libfixture_driver.so.1", "libfixture_driver.so.2", "cannot open shared object file"])

    def test_a_driver_library_that_cannot_be_loaded_is_named_with_what_it_lacks(self):
        library = temporary_folder(self).add("orphan")
        self.check_bad(self.folder.add("opener"), "DRIVER_NOT_FOUND", state="unusable",
                       mentions=["libfixture_missing.so"], FIXTURE_LIBRARY=str(library))

    def test_a_driver_library_that_is_there_is_used_and_its_path_reported(self):
        path = self.folder.add("opener")
        self.check_ready(path, FIXTURE_LIBRARY="libm.so.6")
        listing = self.ask("C interface, in this process", FIXTURE_LIBRARY="libm.so.6")
        self.assertRegex(listing.at(path)[0].driver_path, r"^/.*libm")

    def test_a_failing_second_device_leaves_none_of_that_backend_and_no_gap_in_the_ids(self):
        path = self.folder.add("second_fails")
        self.check_bad(path, "DRIVER_INIT_FAILED", state="unusable", mentions=["second device"])
        listing = self.ask("C interface, in this process")
        devices = listing.rows("device")
        self.assertEqual([row[0] for row in devices], [str(i) for i in range(len(devices))])
        self.assertEqual({row[2] for row in devices}, {"acme", "native"})

    def test_one_bad_backend_between_two_good_ones_hides_neither(self):
        # Loaded in the order of their names: the middle one is the bad one.
        self.folder.add("bolt")
        for bad in ("catches", "throws", "refused"):
            middle = self.folder.add(bad)
            self.folder.add_called("zinc")
            for way in ALL_WAYS:
                with self.subTest(bad=bad, way=way):
                    listing = self.ask(way)
                    self.assertFalse(listing.at(middle)[0].is_ready())
                    for name in ("acme", "bolt", "zinc", "native"):
                        self.assertTrue(listing.named(name)[0].is_ready(), listing)
            middle.unlink()

    def test_a_failure_is_reported_once(self):
        path = self.folder.add("refused")
        log = self.log_file()
        listing = ask_api("enumerate", "enumerate", "backends", "devices", "backends",
                          env=self.environment(FIXTURE_LOG=str(log)))
        # Listed twice by this program, in the same words; probed once.
        self.assertEqual(len(listing.at(path)), 2)
        self.assertEqual(listing.at(path)[0], listing.at(path)[1])
        probes = re.findall("^refused probe", log.read_text(encoding="ascii"), re.MULTILINE)
        self.assertEqual(len(probes), 1)

    def test_probing_works_without_standard_streams(self):
        # The descriptors of the pipe to the helper then have the numbers of the streams.
        result = temporary_folder(self).path / "result"
        for closed in ("0<&-", "0<&- 1>&-", "0<&- 1>&- 2>&-", "1>&- 2>&-"):
            with self.subTest(closed=closed):
                command = f'"$0" --isolated require acme {closed}; echo $? >"$1"'
                spoc_test.run("sh", "-c", command, LIST_BACKENDS, result, env=self.environment())
                self.assertEqual(result.read_text(encoding="ascii"), "0\n")


class Coverage(unittest.TestCase):
    """The list of reasons at the top of this file."""

    def test_every_reason_of_the_header_has_a_test_or_says_why_not(self):
        self.assertEqual(list(REASONS), list(reasons()))

    def test_every_test_named_there_exists(self):
        folder = Path(__file__).parent
        for reason, where in REASONS.items():
            if where.split(".")[0].endswith("_test"):
                module, name = where.split(".")
                text = (folder / f"{module}.py").read_text(encoding="utf-8")
                self.assertIn(f"def {name}(self", text, reason)


if __name__ == "__main__":
    spoc_test.main()
