# SPDX-License-Identifier: Apache-2.0
"""Where plugins are looked for, in which order, and what the filters of the environment leave out."""

import os
import shutil
import subprocess
from pathlib import Path

import spoc_test
from plugin_folder import (
    LIST_BACKENDS,
    NOBODY,
    SANITIZED,
    Folder,
    PluginTest,
    ask_api,
    ask_info,
    logged,
    own_library,
    skip_unless_unprivileged_works,
    temporary_folder,
    variables,
)

KNOWN = ["cuda", "hip", "ocl", "vk", "metal", "native"]


class SearchTest(PluginTest):
    """Helpers of all the tests below."""

    def setUp(self):
        super().setUp()
        self.beside_library, self.library = own_library(self)

    def opened(self, *words, cwd=None, **environment):
        """Names of the test plugins that were opened, in order, and the listing."""
        log = self.log_file()
        env = variables(FIXTURE_LOG=str(log), **self.library, **environment)
        listing = ask_api(*words, env=env, cwd=cwd)
        return [line.split()[0] for line in logged(log) if line.endswith(" loaded")], listing

    def places(self, listing):
        """(source, verdict, path) of every place."""
        return [(source, verdict, path) for source, verdict, _, path in listing.rows("place")]

    def device_selectors(self, listing):
        return [row[1] for row in listing.rows("device")]


class Places(SearchTest):
    """The order of places."""

    def test_the_documented_order_holds_and_the_first_file_of_a_name_wins(self):
        application = [temporary_folder(self), temporary_folder(self)]
        path = [temporary_folder(self), temporary_folder(self)]
        expected = [folder.add("acme") for folder in [*application, *path, self.beside_library]]
        options = [word for folder in application for word in ("--dir", folder)]
        search_path = ":".join(str(folder) for folder in path)
        opened, listing = self.opened(*options, "enumerate", "backends", "places", SPOC_PLUGIN_PATH=search_path)
        self.assertEqual([entry.file for entry in listing.named("acme")], [str(file) for file in expected])
        self.assertEqual([entry.state for entry in listing.named("acme")], ["ready"] + ["shadowed"] * 4)
        self.assertEqual(opened, ["acme"], "a shadowed file was opened")
        sources = [source for source, _, _ in self.places(listing)]
        self.assertEqual(sources, ["application"] * 2 + ["SPOC_PLUGIN_PATH"] * 2 + ["library", "configured"])

    def test_each_place_counts_when_those_before_it_have_no_such_file(self):
        self.beside_library.add_called("zinc")
        first, second = temporary_folder(self), temporary_folder(self)
        first.add("acme")
        second.add("bolt")
        _, listing = self.opened("enumerate", "backends", cwd="/", SPOC_PLUGIN_PATH=f"{first}:{second}")
        for name in ("acme", "bolt", "zinc"):
            self.assertEqual([entry.state for entry in listing.named(name)], ["ready"], name)

    def test_named_files_are_the_only_ones(self):
        named = self.folder.add("bolt")
        self.folder.add("acme")
        opened, listing = self.opened("enumerate", "backends", "places", SPOC_PLUGIN_PATH=str(self.folder),
                                      SPOC_PLUGIN_FILES=str(named))
        self.assertEqual(opened, ["bolt"])
        self.assertEqual([entry.file for entry in listing.backends if entry.file], [str(named)])
        self.assertEqual(self.places(listing), [("SPOC_PLUGIN_FILES", "searched", str(named))])

    def test_named_files_may_be_several_and_one_that_is_missing_is_said_to_be(self):
        first, second = self.folder.add("bolt"), self.folder.add("acme")
        missing = self.folder.file("gone")
        _, listing = self.opened("enumerate", "backends", SPOC_PLUGIN_FILES=f"{first}:{missing}:{second}")
        self.assertTrue(listing.at(first)[0].is_ready() and listing.at(second)[0].is_ready())
        self.assertEqual([(e.state, e.reason) for e in listing.at(missing)], [("faulty", "FILE_UNREADABLE")])

    def test_a_folder_that_is_missing_or_no_folder_or_named_twice_is_said_to_be(self):
        self.folder.add("acme")
        text = self.folder.path / "text"
        text.write_text("no folder")
        path = f"{self.folder}/gone:{text}:{self.folder}:{self.folder}/."
        _, listing = self.opened("enumerate", "backends", "places", SPOC_PLUGIN_PATH=path)
        verdicts = [verdict for source, verdict, _ in self.places(listing) if source == "SPOC_PLUGIN_PATH"]
        self.assertEqual(verdicts, ["missing", "unreadable", "searched", "repeated"])
        self.assertEqual([entry.state for entry in listing.named("acme")], ["ready"])

    def test_files_within_a_folder_come_in_the_order_of_their_bytes(self):
        # A locale's order would put the underscore elsewhere.
        names = ["a1", "a_z", "ab", "acme2", "b_", "ba"]
        for name in reversed(names):
            self.folder.add_called(name)
        opened, listing = self.opened("enumerate", "backends", "devices", SPOC_PLUGIN_PATH=str(self.folder))
        self.assertEqual(opened, names)
        self.assertEqual([entry.name for entry in listing.backends], KNOWN + names)
        self.assertEqual(self.device_selectors(listing), [f"{name}:0" for name in names])

    def test_known_backends_come_first_in_their_own_order(self):
        for name in ("vk", "acme2", "ocl", "native", "hip", "cuda"):
            self.folder.add_called(name)
        _, listing = self.opened("enumerate", "backends", "devices", SPOC_PLUGIN_PATH=str(self.folder))
        self.assertEqual([entry.name for entry in listing.backends], [*KNOWN, "acme2"])
        self.assertEqual(self.device_selectors(listing), [f"{name}:0" for name in KNOWN if name != "metal"] + ["acme2:0"])

    def test_files_whose_names_are_not_those_of_plugins_are_passed_over(self):
        good = self.folder.add("acme")
        others = ["acme.so", "libspoc-ACME.so", "libspoc-a-b.so", "libspoc-.so", "libspoc-acme.so.bak", ".libspoc-acme.so",
                  "libspoc-sixteen_letters_.so", "libspoc-acme.so.1", "spoc-acme.so"]
        for name in others:
            shutil.copyfile(good, self.folder.path / name)
        opened, listing = self.opened("enumerate", "backends", SPOC_PLUGIN_PATH=str(self.folder))
        self.assertEqual(opened, ["acme"])
        self.assertEqual([entry.file for entry in listing.backends if entry.file], [str(good)])

    def test_a_name_may_have_fifteen_characters(self):
        self.folder.add_called("abcdefghij12345")
        _, listing = self.opened("enumerate", "backends", SPOC_PLUGIN_PATH=str(self.folder))
        self.assertTrue(listing.named("abcdefghij12345")[0].is_ready())


class CurrentDirectory(SearchTest):
    """A hostile plugin in the current directory is never opened."""

    def setUp(self):
        super().setUp()
        for name in ("acme", "native", "cuda"):
            self.folder.add_called(name)

    def test_it_is_opened_when_its_folder_is_named_in_full(self):
        opened, _ = self.opened("enumerate", SPOC_PLUGIN_PATH=str(self.folder))
        self.assertEqual(sorted(opened), ["acme", "cuda", "native"])

    def test_it_is_not_opened_whatever_the_search_path_says(self):
        good = temporary_folder(self)
        good.add("bolt")
        for path in (None, "", ".", "./", ":", f":{good}", f"{good}:", f"{good}::", "..", self.folder.path.name):
            with self.subTest(path=path):
                opened, listing = self.opened("enumerate", "places", cwd=self.folder.path, SPOC_PLUGIN_PATH=path)
                self.assertIn(opened, ([], ["bolt"]))
                self.assertEqual(listing.status, 0)

    def test_it_is_not_opened_when_named_by_a_relative_path(self):
        for files in ("libspoc-acme.so", "./libspoc-acme.so"):
            opened, listing = self.opened("enumerate", "places", cwd=self.folder.path, SPOC_PLUGIN_FILES=files)
            self.assertEqual(opened, [])
            self.assertEqual(self.places(listing), [("SPOC_PLUGIN_FILES", "refused", files)])

    def test_relative_and_empty_elements_are_refused_and_the_others_searched(self):
        good = temporary_folder(self)
        good.add("bolt")
        opened, listing = self.opened("enumerate", "places", cwd=self.folder.path, SPOC_PLUGIN_PATH=f".::{good}")
        self.assertEqual(opened, ["bolt"])
        path = [(verdict, place) for source, verdict, place in self.places(listing) if source == "SPOC_PLUGIN_PATH"]
        self.assertEqual(path, [("refused", "."), ("refused", ""), ("searched", str(good))])

    def test_a_relative_folder_of_the_application_is_an_error(self):
        for folder in (".", "", "plugins"):
            _, listing = self.opened("--dir", folder, "enumerate", cwd=self.folder.path)
            self.assertEqual(listing.error()[:2], ["invalid_argument", "name"])


class RelativeLibrary(SearchTest):
    """A library that was loaded by a relative path, in a program that goes to another directory afterwards."""

    def setUp(self):
        super().setUp()
        self.own = Path(self.library["LD_LIBRARY_PATH"])
        # The same tree elsewhere, in which nothing may be used.
        self.elsewhere = temporary_folder(self)
        other = self.elsewhere.path / self.own.name
        shutil.copytree(self.own, other, symlinks=True)
        Folder(other / "spoc" / "1").add("bolt")
        self.beside_library.add("acme")
        self.mark = self.elsewhere.path / "mark"
        helper = other / "spoc" / "spoc-probe"
        helper.unlink()
        helper.write_text(f"#!/bin/sh\n: > '{self.mark}'\n")
        helper.chmod(0o755)
        self.library = {"LD_LIBRARY_PATH": self.own.name}

    def test_plugins_are_looked_for_where_the_library_was(self):
        opened, listing = self.opened("chdir", self.elsewhere, "enumerate", "places", cwd=self.own.parent)
        self.assertEqual(opened, ["acme"], listing)
        self.assertIn(("library", "searched", str(self.beside_library)), self.places(listing))

    def test_the_helper_is_taken_from_where_the_library_was(self):
        _, listing = self.opened("--isolated", "chdir", self.elsewhere, "enumerate", "backends", cwd=self.own.parent)
        self.assertFalse(self.mark.exists(), "a helper of the current directory was started")
        self.assertEqual([entry.state for entry in listing.named("acme")], ["ready"])


class Filters(SearchTest):
    """SPOC_BACKENDS and SPOC_DISABLE_... are applied before a file is opened."""

    def setUp(self):
        super().setUp()
        for name in ("cuda", "hip", "ocl", "vk", "native", "acme"):
            self.folder.add_called(name)

    def filtered(self, **environment):
        """What was opened, and the state and reason of every backend that has a file."""
        opened, listing = self.opened("enumerate", "backends", "devices", SPOC_PLUGIN_PATH=str(self.folder), **environment)
        return opened, {e.name: (e.state, e.reason) for e in listing.backends if e.file}, listing

    def check_disabled(self, disabled, **environment):
        """Exactly `disabled` are switched off by the environment, and none of those is opened."""
        opened, states, listing = self.filtered(**environment)
        self.assertEqual(listing.status, 0, listing)
        for name, state in states.items():
            expected = ("disabled", "DISABLED_BY_USER") if name in disabled else ("ready", "NONE")
            self.assertEqual(state, expected, name)
        self.assertEqual(sorted(opened), sorted(set(states) - set(disabled)))
        self.assertEqual(len(states), 6)

    def test_without_a_filter_everything_is_opened(self):
        self.check_disabled([])

    def test_a_backend_that_is_not_listed_is_disabled_and_never_opened(self):
        self.check_disabled(["cuda", "hip", "ocl", "vk"], SPOC_BACKENDS="acme,native")

    def test_a_backend_that_is_denied_is_disabled_and_never_opened(self):
        self.check_disabled(["hip"], SPOC_BACKENDS="-hip")
        self.check_disabled(["hip", "acme"], SPOC_BACKENDS="-hip,-acme")

    def test_a_list_orders_backends_and_their_devices(self):
        _, _, listing = self.filtered(SPOC_BACKENDS="acme,vk,native")
        self.assertEqual([entry.name for entry in listing.backends if entry.is_ready()], ["acme", "vk", "native"])
        self.assertEqual(self.device_selectors(listing), ["acme:0", "vk:0", "native:0"])

    def test_a_disabled_backend_says_so_when_it_is_required(self):
        _, listing = self.opened("require", "cuda", SPOC_PLUGIN_PATH=str(self.folder), SPOC_BACKENDS="-cuda")
        self.assertEqual(listing.error()[:3], ["unavailable", "disabled", "DISABLED_BY_USER"])
        self.assertIn("SPOC_BACKENDS", listing.error()[3])

    def test_an_unknown_name_is_an_error_with_the_nearest_one(self):
        for given, nearest in (("cuad", "cuda"), ("acne", "acme"), ("-nativ", "native"), ("CUDA", "cuda"), ("acme,", "")):
            with self.subTest(given=given):
                opened, _, listing = self.filtered(SPOC_BACKENDS=given)
                self.assertEqual(listing.status, 1)
                self.assertEqual(listing.error()[:2], ["invalid_argument", "name"])
                self.assertIn("SPOC_BACKENDS", listing.error()[3])
                self.assertIn(nearest, listing.error()[3])
                self.assertEqual(opened, [])

    def test_spoc_info_reports_an_unknown_name_in_its_document(self):
        for variable in ("SPOC_BACKENDS", "SPOC_DEVICES"):
            env = self.environment(**{variable: "nativ"})
            self.assertNotEqual(ask_info(env=env).status, 0)

    def test_each_backend_has_a_switch_in_both_spellings(self):
        spellings = {"CUDA": "cuda", "HIP": "hip", "OCL": "ocl", "OPENCL": "ocl", "VK": "vk", "VULKAN": "vk",
                     "NATIVE": "native"}
        for spelling, name in spellings.items():
            with self.subTest(spelling=spelling):
                self.check_disabled([name], **{f"SPOC_DISABLE_{spelling}": "1"})

    def test_a_backend_that_spoc_does_not_know_by_name_has_a_switch_too(self):
        self.check_disabled(["acme"], SPOC_DISABLE_ACME="1")

    def test_one_switch_disables_every_gpu_backend(self):
        self.check_disabled(["cuda", "hip", "ocl", "vk"], SPOC_DISABLE_GPU="1")

    def test_a_switch_is_exactly_one(self):
        for value in ("0", "yes", "true", "", "01", " 1", "1 ", "11"):
            for switch in ("SPOC_DISABLE_GPU", "SPOC_DISABLE_CUDA", "SPOC_DISABLE_VULKAN"):
                with self.subTest(value=value, switch=switch):
                    self.check_disabled([], **{switch: value})

    def test_a_bad_value_is_a_warning_that_names_it(self):
        _, _, listing = self.filtered(SPOC_DISABLE_CUDA="yes")
        self.assertIn("SPOC_DISABLE_CUDA", listing.stderr)
        self.assertIn("yes", listing.stderr)


class Devices(SearchTest):
    """SPOC_DEVICES hides devices."""

    def setUp(self):
        super().setUp()
        self.folder.add("pair")
        self.folder.add("acme")

    def visible(self, selectors):
        _, listing = self.opened("devices", SPOC_PLUGIN_PATH=str(self.folder), SPOC_DEVICES=selectors)
        self.assertEqual(listing.status, 0, listing)
        rows = listing.rows("device")
        self.assertEqual([row[0] for row in rows], [str(i) for i in range(len(rows))], "ids have gaps")
        return [row[1] for row in rows]

    def test_all_devices_are_visible_without_it(self):
        self.assertEqual(self.visible(None), ["acme:0", "pair:0", "pair:1"])
        self.assertEqual(self.visible("*"), ["acme:0", "pair:0", "pair:1"])

    def test_only_the_selected_devices_are_visible_under_their_own_names(self):
        self.assertEqual(self.visible("pair:1"), ["pair:1"])
        self.assertEqual(self.visible("pair"), ["pair:0", "pair:1"])
        self.assertEqual(self.visible("acme,pair:1"), ["acme:0", "pair:1"])

    def test_a_device_that_does_not_exist_selects_nothing(self):
        self.assertEqual(self.visible("pair:7"), [])

    def test_a_hidden_device_cannot_be_selected(self):
        _, listing = self.opened("select", "pair", SPOC_PLUGIN_PATH=str(self.folder), SPOC_DEVICES="pair:1")
        self.assertEqual(self.device_selectors(listing), ["pair:1"])

    def test_an_unknown_name_or_a_malformed_selector_is_an_error(self):
        for selectors, mentioned in (("pairs:0", "pair"), ("acmee", "acme"), ("pair:x", "pair:x"), ("pair:", "pair:"),
                                     ("pair:-1", "pair:-1"), (",", "")):
            with self.subTest(selectors=selectors):
                _, listing = self.opened("devices", SPOC_PLUGIN_PATH=str(self.folder), SPOC_DEVICES=selectors)
                self.assertEqual(listing.error()[:2], ["invalid_argument", "name"])
                self.assertIn(mentioned, listing.error()[3])


class Privileged(SearchTest):
    """A program that has more rights than its user does not believe the environment."""

    def setUp(self):
        super().setUp()
        if SANITIZED:
            self.skipTest("a sanitizer's run-time library does not start in a privileged program")
        skip_unless_unprivileged_works(self)
        self.program = self.privileged_copy()
        self.folder.add_called("cuda")
        self.folder.add("acme")

    def privileged_copy(self):
        """A copy of list_backends with a file capability, which sets AT_SECURE for users other than root."""
        setcap = shutil.which("setcap", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        if setcap is None:
            self.skipTest("setcap (libcap2-bin) is not installed")
        program = temporary_folder(self).path / "list_backends"
        shutil.copyfile(LIST_BACKENDS, program)
        program.chmod(0o755)
        given = subprocess.run([setcap, "cap_net_raw+ep", str(program)], capture_output=True, text=True, check=False)
        if given.returncode != 0:
            self.skipTest(f"setcap: {given.stderr.strip()}")
        started = subprocess.run([*NOBODY, str(program), "settings"], capture_output=True, check=False)
        if started.returncode != 0:
            self.skipTest("a program with a file capability does not start here")
        return program

    def ask_as_nobody(self, *words, program=None, **environment):
        """Runs a program as an unprivileged user; returns what it opened and what it printed."""
        folder = temporary_folder(self)
        os.chown(folder.path, 65534, 65534)
        log = folder.path / "log"
        env = variables(FIXTURE_LOG=str(log), **environment)
        listing = ask_api(*words, env=env, prefix=NOBODY, program=program or self.program)
        return [line.split()[0] for line in logged(log) if line.endswith(" loaded")], listing

    def test_the_same_user_without_privilege_gets_the_plugins(self):
        opened, _ = self.ask_as_nobody("enumerate", program=LIST_BACKENDS, SPOC_PLUGIN_PATH=str(self.folder))
        self.assertEqual(sorted(opened), ["acme", "cuda"])

    def test_a_privileged_program_ignores_plugins_of_the_environment(self):
        for variable, value in (("SPOC_PLUGIN_PATH", self.folder), ("SPOC_PLUGIN_FILES", self.folder.file("cuda"))):
            with self.subTest(variable=variable):
                opened, listing = self.ask_as_nobody("enumerate", "backends", "places", "settings", **{variable: str(value)})
                self.assertEqual(opened, [])
                self.assertEqual([(e.state, e.reason) for e in listing.named("cuda")], [("absent", "IGNORED_SECURE")])
                self.assertEqual(listing.named("acme"), [])
                self.assertIn((variable, "ignored_secure"), [place[:2] for place in self.places(listing)])
                flags = {name: int(number) for name, number, _ in listing.rows("setting")}
                self.assertEqual(flags[variable] & 1, 1)

    def test_a_privileged_program_may_name_folders_itself_but_not_below_one_that_anybody_may_add_to(self):
        ancestors = [parent for parent in self.folder.path.parents if parent.stat().st_mode & 0o002]
        if not ancestors:
            self.skipTest("temporary folders do not lie below one that everybody may write to")
        opened, listing = self.ask_as_nobody("--dir", self.folder, "enumerate", "backends")
        self.assertEqual(opened, [])
        for name in ("cuda", "acme"):
            self.assertEqual([entry.reason for entry in listing.named(name)], ["UNSAFE_PERMISSIONS"])

    def test_a_privileged_program_writes_no_trace(self):
        folder = temporary_folder(self)
        os.chown(folder.path, 65534, 65534)
        trace = folder.path / "trace.json"
        _, listing = self.ask_as_nobody("devices", "settings", SPOC_TRACE=str(trace))
        flags = {name: int(number) for name, number, _ in listing.rows("setting")}
        self.assertEqual((trace.exists(), flags["SPOC_TRACE"] & 1), (False, 1))
        self.ask_as_nobody("devices", program=LIST_BACKENDS, SPOC_TRACE=str(trace))
        self.assertTrue(trace.exists(), "without privilege it is written")

    def test_a_privileged_program_still_obeys_filters(self):
        _, listing = self.ask_as_nobody("backends", SPOC_BACKENDS="-cuda")
        self.assertEqual([(e.state, e.reason) for e in listing.named("cuda")], [("disabled", "DISABLED_BY_USER")])


class Listing(SearchTest):
    """What looking costs."""

    def test_nothing_is_opened_before_something_is_asked(self):
        self.folder.add("acme")
        opened, listing = self.opened("settings", SPOC_PLUGIN_PATH=str(self.folder))
        self.assertEqual((opened, listing.status), ([], 0))

    def test_requiring_one_backend_enumerates_only_that_one(self):
        self.folder.add("acme")
        self.folder.add("bolt")
        log = self.log_file()
        env = self.environment(FIXTURE_LOG=str(log))
        self.assertEqual(ask_api("require", "bolt", env=env).status, 0)
        probes = [line for line in logged(log) if "enumerate" in line]
        self.assertEqual(probes, ["bolt probe enumerate"])

    def test_a_name_that_is_neither_known_nor_found_is_an_error_with_the_nearest_one(self):
        self.folder.add("acme")
        listing = ask_api("require", "acne", env=self.environment())
        self.assertEqual(listing.error()[:2], ["invalid_argument", "name"])
        self.assertIn("acme", listing.error()[3])


if __name__ == "__main__":
    spoc_test.main()
