# SPDX-License-Identifier: Apache-2.0
"""spoc-info: what it prints for people and for programs, what it asks of the command line, how it exits."""

import ctypes
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

import spoc_test
import terminal
from plugin_folder import SANITIZED, PluginTest, built_plugin, capability_number, logged, reasons, temporary_folder

OTHERS = ["cuda", "hip", "ocl", "vk", "metal"]
OPTIONS = [
    "--json", "--verbose", "--backend", "--device", "--require", "--selftest", "--paths", "--env", "--redact",
    "--schema", "--timeout", "--no-isolate", "--strict", "--color", "--version", "--help",
]  # fmt: skip


def info(*arguments, env, **options):
    return spoc_test.run(spoc_test.SPOC_INFO, *arguments, env=env, **options)


def line_of(text, name):
    """The one line that begins with `name`."""
    lines = [line for line in text.splitlines() if line.split()[:1] == [name]]
    assert len(lines) == 1, f"{name}: {lines} in\n{text}"
    return lines[0]


def on_terminal(*arguments, env, columns=100):
    """Runs spoc-info with stdout on a terminal; its output and exit status."""
    return terminal.on_terminal(spoc_test.SPOC_INFO, *arguments, env=env, columns=columns)


class InfoTest(PluginTest):
    """A test that looks at one folder of plugins and nowhere else."""

    def environment(self, *names, **changes):
        """An environment in which the plugins of the test's folder, or those of them named, are the only ones."""
        files = [self.folder.file(name) for name in names] if names else sorted(self.folder.path.glob("libspoc-*.so"))
        chosen = ":".join(str(file) for file in files) or str(self.folder.file("none"))
        return spoc_test.clean_environment(**{"SPOC_PLUGIN_FILES": chosen, **changes})

    def native(self, **changes):
        """An environment in which there is the native plugin only."""
        if not self.folder.file("native").exists():
            self.folder.add_native()
        return self.environment("native", **changes)

    def document(self, *arguments, env, status):
        """The document of --json, which must fit the schema."""
        document, _ = spoc_test.info_json(*arguments, env=env, expect=status)
        self.assertEqual(document["schema"], "spoc-info/1")
        self.assertEqual(document["error"] is None, status == 0)
        if status != 0:
            self.assertEqual(document["error"]["exit_status"], status)
        return document

    def states(self, document):
        return {entry["name"]: (entry["state"], (entry["reason"] or {}).get("code")) for entry in document["backends"]}


class Overview(InfoTest):
    """What is printed without an option."""

    def test_the_first_screen_has_the_device_and_a_reason_for_every_backend_that_is_missing(self):
        result = info(env=self.native())
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("cpu", line_of(result.stdout, "native:0"))
        for name in OTHERS:
            wanted = "PLATFORM_UNSUPPORTED" if name == "metal" else "NOT_INSTALLED"
            self.assertEqual(line_of(result.stdout, name).split()[1:3], ["absent", wanted])
        self.assertLess(len(result.stdout.splitlines()), 24)

    def test_the_first_screen_fits_whole_and_answers_why_not_and_which_driver(self):
        for columns in (80, 100):
            output, status = on_terminal(env=self.native(TERM="xterm"), columns=columns)
            lines = terminal.plain(output).splitlines()
            self.assertEqual(status, 0)
            self.assertLessEqual(len(lines), 12, output)
            self.assertLessEqual(max(map(len, lines)), columns, output)
            self.assertRegex(output, r"native:0.*spoc-native \d+\.\d+\.\d+|driver: +spoc-native \d")

    def test_advice_that_several_backends_share_is_given_once(self):
        output = info(env=self.native()).stdout
        self.assertEqual(output.count("hint"), 1, output)
        self.assertIn("(hint for NOT_INSTALLED: install libspoc-NAME, ", output)
        self.assertRegex(info("--backend", "cuda", env=self.native()).stdout, r"\(hint: install libspoc-cuda, ")

    def test_the_driver_of_a_backend_that_is_not_ready_is_named(self):
        self.folder.add("refused")
        self.assertRegex(info(env=self.environment()).stdout, r"\(driver: \S.*\)")

    def test_a_device_line_says_memory_and_driver(self):
        self.folder.add("acme")
        output = info("--backend", "acme", env=self.environment()).stdout
        self.assertRegex(line_of(output, "acme:0"), r"GiB free of 4\.0 GiB")
        self.assertIn("fixture driver 1.2.3", output)

    def test_a_backend_that_is_ready_has_no_line_among_those_that_are_not(self):
        self.assertNotRegex(info(env=self.native()).stdout, r"(?m)^ *native ")

    def test_a_faulty_plugin_has_a_line_with_its_reason_and_a_hint(self):
        self.folder.write("text", b"hello\n")
        result = info(env=self.native(SPOC_PLUGIN_FILES=None, SPOC_PLUGIN_PATH=str(self.folder)))
        self.assertEqual(line_of(result.stdout, "text").split()[1:3], ["faulty", "NOT_ELF"])
        self.assertRegex(result.stdout, r"(?s)NOT_ELF.*\(hint: ")
        self.assertEqual(result.returncode, 0)

    def test_no_line_is_wider_than_100_columns_when_stdout_is_no_terminal(self):
        for name, data in {"text": b"hello\n", "a_long_name": b"", "b": b"\x7fELF"}.items():
            self.folder.write(name, data)
        for variant in ["orphan", "unresolved", "ordinary", "refused", "aborts", "opener"]:
            self.folder.add(variant)
        env = self.native(SPOC_PLUGIN_FILES=None, SPOC_PLUGIN_PATH=str(self.folder))
        widest = max(info(env=env).stdout.splitlines(), key=len)
        self.assertLessEqual(len(widest), 100, widest)

    def test_a_plugin_that_crashes_costs_one_line(self):
        self.folder.add("aborts")
        self.folder.add_native()
        result = info(env=self.environment())
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("PROBE_CRASHED", line_of(result.stdout, "aborts"))
        self.assertIn("native:0", result.stdout)

    def test_stderr_is_empty_when_there_is_nothing_to_say(self):
        self.assertEqual(info(env=self.native()).stderr, "")

    def test_a_filter_that_hides_something_is_noted_on_stderr(self):
        self.folder.add("acme")
        self.folder.add_native()
        for variable, value in {"SPOC_BACKENDS": "native", "SPOC_DEVICES": "native:0"}.items():
            result = info(env=self.environment(**{variable: value}))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"{variable}={value}", result.stderr)
            self.assertNotIn("acme:0", result.stdout)

    def test_nothing_usable_exits_1(self):
        result = info(env=self.environment())
        self.assertEqual(result.returncode, 1)
        self.assertIn("no usable device", result.stderr)
        self.assertIn("NOT_INSTALLED", line_of(result.stdout, "native"))


class Documents(InfoTest):
    """--json, in every state that can be made."""

    def test_keys_and_arrays_have_a_fixed_order(self):
        document = self.document(env=self.native(), status=0)
        with open(spoc_test.SCHEMA, encoding="utf-8") as file:
            schema = json.load(file)
        self.assertEqual(list(document), schema["required"])
        self.assertEqual([entry["name"] for entry in document["backends"]], [*OTHERS, "native"])
        self.assertEqual(list(document["backends"][0]), schema["$defs"]["backend"]["required"])
        self.assertEqual(list(document["devices"][0]), schema["$defs"]["device"]["required"])
        limits = schema["$defs"]["device"]["properties"]["limits"]["required"]
        self.assertEqual(list(document["devices"][0]["limits"]), limits)
        self.assertEqual(document["devices"][0]["limits"]["pageable_max_bytes"], "unlimited")

    def test_two_runs_differ_in_times_and_free_memory_only(self):
        env = self.native()
        first, second = (spoc_test.steady(self.document(env=env, status=0)) for _ in range(2))
        self.assertEqual(first, second)

    def test_native_only(self):
        document = self.document(env=self.native(), status=0)
        self.assertEqual(self.states(document)["native"], ("ready", None))
        self.assertEqual(self.states(document)["cuda"], ("absent", "NOT_INSTALLED"))
        device = document["devices"][0]
        self.assertEqual((device["id"], device["selector"], device["kind"]), (0, "native:0", "cpu"))
        self.assertGreater(device["memory_total_bytes"], 1 << 20)
        self.assertIn("native_symbol", device["formats"])
        self.assertEqual(document["physical"][0]["devices"], ["native:0"])
        self.assertIsNone(document["selftest"])
        self.assertIsNone(document["settings"])
        self.assertEqual(document["requirements"], [])

    def test_a_capability_that_is_no_has_a_reason_and_the_mask_says_the_same(self):
        self.folder.add("acme")
        device = self.document(env=self.environment(), status=0)["devices"][0]
        self.assertEqual(device["capabilities"]["fp64"], {"state": "no", "reason": "The fixture only copies."})
        known = int(device["masks"]["capabilities_known"][2], 16)
        self.assertTrue(known >> (capability_number("FP64") - 128) & 1)

    def test_an_empty_folder(self):
        env = spoc_test.clean_environment(SPOC_PLUGIN_PATH=str(self.folder), SPOC_BACKENDS="-native")
        document = self.document(env=env, status=1)
        self.assertEqual(document["devices"], [])
        self.assertEqual(document["search"][0]["path"], str(self.folder))
        self.assertEqual((document["search"][0]["verdict"], document["search"][0]["files"]), ("searched", 0))

    def test_a_file_that_does_not_exist_and_nothing_else(self):
        document = self.document(env=self.environment(), status=1)
        self.assertEqual(document["devices"], [])
        self.assertEqual(document["error"]["sub_code"], "no_device")
        self.assertEqual({place["source"] for place in document["search"]}, {"SPOC_PLUGIN_FILES"})

    def test_a_backend_that_is_switched_off(self):
        document = self.document(env=self.native(SPOC_DISABLE_NATIVE="1"), status=1)
        self.assertEqual(self.states(document)["native"], ("disabled", "DISABLED_BY_USER"))

    def test_a_shadowed_file(self):
        second = temporary_folder(self)
        second.add("acme")
        self.folder.add("acme")
        env = self.native(SPOC_PLUGIN_FILES=None, SPOC_PLUGIN_PATH=f"{self.folder}:{second}")
        entries = [e for e in self.document(env=env, status=0)["backends"] if e["name"] == "acme"]
        self.assertEqual([e["state"] for e in entries], ["ready", "shadowed"])

    def test_faulty_and_unusable_plugins(self):
        self.folder.write("text", b"hello\n")
        for name in ["refused", "aborts", "orphan", "major_2", "second_fails", "threads", "pair"]:
            self.folder.add(name)
        states = self.states(self.document(env=self.environment(), status=0))
        self.assertEqual(states["text"], ("faulty", "NOT_ELF"))
        self.assertEqual(states["refused"], ("unusable", "NO_PERMISSION"))
        self.assertEqual(states["aborts"], ("faulty", "PROBE_CRASHED"))
        self.assertEqual(states["orphan"], ("faulty", "MISSING_DEPENDENCY"))
        self.assertEqual(states["major_2"], ("faulty", "ABI_TOO_NEW"))

    def test_a_drivers_text_that_is_no_utf8_keeps_the_document_whole_and_steers_no_terminal(self):
        old, new = b"Fixture device %u", b"Fix\xffure \x1b[31m\xc3 %u"
        data = built_plugin("acme").read_bytes()
        self.assertTrue(old in data and len(old) == len(new), "the fixture names its devices otherwise")
        self.folder.write("acme", data.replace(old, new))
        document = self.document("--backend", "acme", env=self.environment(), status=0)
        self.assertIn("Fix\ufffdure", document["devices"][0]["name"])
        text = info("--verbose", "--backend", "acme", env=self.environment()).stdout
        self.assertNotIn("\x1b", text)
        self.assertIn("Fix\ufffdure", text)

    def test_stdout_is_one_document_and_nothing_else(self):
        self.folder.write("text", b"hello\n")
        result = info("--json", "--verbose", "--require", "cuda", env=self.environment(SPOC_LOG="debug"))
        json.loads(result.stdout)
        self.assertIn("cuda", result.stderr)


class OddEnvironment(InfoTest):
    """An environment that holds strings which are no variables."""

    def test_strings_without_an_equals_sign_do_no_harm(self):
        self.folder.add("aborts")
        self.folder.add_native()
        program = os.path.join(spoc_test.PROGRAM_DIR, "odd_environment")
        result = spoc_test.run(program, spoc_test.SPOC_INFO, "--json", env=self.environment())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        # The helper has started, too: otherwise the plugin would not be the one at fault.
        self.assertEqual(self.states(json.loads(result.stdout))["aborts"], ("faulty", "PROBE_CRASHED"))


class FilterMistakes(InfoTest):
    """Names in the environment that fit nothing."""

    def test_a_name_that_fits_no_backend_is_wrong_use_and_the_nearest_is_named(self):
        for variable in ("SPOC_BACKENDS", "SPOC_DEVICES"):
            env = self.native(**{variable: "nativ"})
            document = self.document(env=env, status=2)
            self.assertEqual((document["error"]["status"], document["error"]["sub_code"]), ("invalid_argument", "name"))
            result = info(env=env)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertRegex(result.stderr, r"nativ\b")
            self.assertRegex(result.stderr, r"native\b")


class Requirements(InfoTest):
    """--require."""

    def test_one_that_is_met(self):
        document = self.document("--require", "native", env=self.native(), status=0)
        self.assertEqual(document["requirements"], [{"expr": "native", "met": True, "why": None}])

    def test_every_form_that_is_met(self):
        self.folder.add("pair")
        wanted = ["pair", "pair:1", "any", "any:pinned", "pair:pinned", "pair:1:pinned", "*"]
        arguments = [word for expression in wanted for word in ("--require", expression)]
        document = self.document(*arguments, env=self.environment(), status=0)
        self.assertEqual([(r["expr"], r["met"]) for r in document["requirements"]], [(e, True) for e in wanted])

    def test_a_backend_that_is_missing_exits_1_and_says_why(self):
        result = info("--require", "cuda", env=self.native())
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"requirement cuda is not met: NOT_INSTALLED")
        self.assertIn("hint: ", result.stderr)
        document = self.document("--require", "cuda", "--require", "native", env=self.native(), status=1)
        self.assertEqual([r["met"] for r in document["requirements"]], [False, True])
        self.assertEqual(document["error"]["reason"], "NOT_INSTALLED")

    def test_a_device_that_does_not_exist(self):
        document = self.document("--require", "native:7", env=self.native(), status=1)
        self.assertIn("native:7", document["requirements"][0]["why"])

    def test_a_capability_that_no_device_has(self):
        self.folder.add("acme")
        for expression in ("any:fp64", "acme:fp64", "acme:0:fp64"):
            document = self.document("--require", expression, env=self.environment("acme"), status=1)
            self.assertIn("The fixture only copies.", document["requirements"][0]["why"])

    def test_a_capability_of_one_device_is_enough_for_any(self):
        self.folder.add("acme")
        self.assertEqual(info("--require", "any:fp64", env=self.native()).returncode, 0)
        self.assertEqual(info("--require", "any:fp64", env=self.environment("acme")).returncode, 1)
        self.assertEqual(info("--require", "any:fp64", env=self.environment("acme", "native")).returncode, 0)

    def test_one_that_is_malformed_is_wrong_use(self):
        mistakes = {"any:pined": "pinned", "nativ": "native", "native:x:y": "", "": "", "a,b": ""}
        for expression, nearest in mistakes.items():
            result = info("--require", expression, env=self.native())
            self.assertEqual((result.returncode, result.stdout), (2, ""), expression)
            self.assertIn(nearest, result.stderr)
            self.document("--require", expression, env=self.native(), status=2)


class Selection(InfoTest):
    """--backend and --device."""

    def test_a_backend_limits_devices_and_backends(self):
        self.folder.add("pair")
        self.folder.add_native()
        document = self.document("--backend", "pair", env=self.environment(), status=0)
        self.assertEqual([e["name"] for e in document["backends"]], ["pair"])
        self.assertEqual([d["selector"] for d in document["devices"]], ["pair:0", "pair:1"])

    def test_other_backends_are_not_enumerated(self):
        log = self.log_file()
        self.folder.add("pair")
        self.folder.add("acme")
        info("--no-isolate", "--backend", "pair", env=self.environment(FIXTURE_LOG=str(log)))
        self.assertIn("pair device open", logged(log))
        self.assertNotIn("acme device open", logged(log))

    def test_a_backend_that_is_not_ready_exits_1_with_its_reason(self):
        result = info("--backend", "cuda", env=self.native())
        self.assertEqual(result.returncode, 1)
        self.assertIn("NOT_INSTALLED", result.stderr)
        self.assertIn("NOT_INSTALLED", line_of(result.stdout, "cuda"))
        self.assertNotIn("hip", result.stdout)
        self.document("--backend", "cuda", env=self.native(), status=1)

    def test_a_name_that_fits_no_backend_is_wrong_use_and_the_nearest_is_named(self):
        result = info("--backend", "nativ", env=self.native())
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertRegex(result.stderr, r"native\b")
        self.assertIn("--backend nativ: ", result.stderr)
        self.assertIn("--device nativ: ", info("--device", "nativ", env=self.native()).stderr)
        self.document("--backend", "nativ", env=self.native(), status=2)
        self.assertEqual(info("--backend", "native:0", env=self.native()).returncode, 2)

    def test_a_device_limits_devices(self):
        self.folder.add("pair")
        self.folder.add_native()
        env = self.environment()
        document = self.document("--device", "pair:1", env=env, status=0)
        self.assertEqual([d["selector"] for d in document["devices"]], ["pair:1"])
        self.assertEqual([c["devices"] for c in document["physical"]], [["pair:1"]])
        document = self.document("--device", "native,pair:0", env=env, status=0)
        self.assertEqual([d["selector"] for d in document["devices"]], ["native:0", "pair:0"])
        document = self.document("--device", "*", "--backend", "native", env=env, status=0)
        self.assertEqual([d["selector"] for d in document["devices"]], ["native:0"])

    def test_a_device_that_does_not_exist_exits_1(self):
        self.document("--device", "native:7", env=self.native(), status=1)
        self.document("--device", "cuda:0", env=self.native(), status=1)

    def test_a_selector_that_is_malformed_is_wrong_use(self):
        for selector in ("native:", "native:x", "nativ:0", ":0"):
            self.document("--device", selector, env=self.native(), status=2)


class CommandLine(InfoTest):
    """What the command line takes."""

    def test_an_unknown_option_exits_2_and_names_the_nearest(self):
        result = info("--bogus", env=self.native())
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertRegex(result.stderr, r"unknown option --bogus; did you mean --[a-z]+\?")
        self.assertIn("--help", result.stderr)
        near = {"--verbos": "--verbose", "--jsn": "--json", "--requires=x": "--require", "-j": "-h"}
        for typed, meant in near.items():
            self.assertIn(f"did you mean {meant}?", info(typed, env=self.native()).stderr)

    def test_a_mistake_is_in_the_document_too(self):
        document = self.document("--bogus", env=self.native(), status=2)
        self.assertIn("--bogus", document["error"]["message"])
        self.assertEqual(document["devices"], [])

    def test_a_switch_with_a_value_decides_about_the_document_of_a_mistake_too(self):
        for switch, wanted in (("--json=1", True), ("--json=true", True), ("--json=pink", True), ("--json=0", False),
                               ("--json=false", False), ("--jsonp", False)):
            result = info(switch, "--bogus", env=self.native())
            self.assertEqual((result.returncode, result.stdout != ""), (2, wanted), switch)
            if wanted:
                spoc_test.check_schema(json.loads(result.stdout))
        self.assertEqual(json.loads(info("--json=1", env=self.native()).stdout)["error"], None)

    def test_other_mistakes_exit_2(self):
        mistakes = ["extra", "--backend", "--backend=", "--device=", "--color=pink"]
        mistakes += [f"--timeout={value}" for value in ("0", "-1", "nan", "inf", "1e300", "soon", "")]
        for mistake in mistakes:
            result = info(mistake, env=self.native())
            self.assertEqual((result.returncode, result.stdout), (2, ""), mistake)
            self.assertIn("spoc-info: ", result.stderr)
            self.document(mistake, env=self.native(), status=2)
        for option in ("--backend", "--device", "--require"):
            self.assertEqual(info(option, "", env=self.native()).returncode, 2, option)

    def test_help_names_every_option_and_fits_100_columns(self):
        result = info("--help", env=self.native())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for option in OPTIONS:
            self.assertIn(option, result.stdout)
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 100)

    def test_version(self):
        result = info("--version", env=self.native())
        document = self.document(env=self.native(), status=0)
        self.assertEqual((result.returncode, result.stdout), (0, f"spoc-info {document['spoc']['version']}\n"))

    def test_the_schema_printed_is_the_schema_installed(self):
        with open(spoc_test.SCHEMA, encoding="utf-8") as file:
            self.assertEqual(info("--schema", env=self.native()).stdout, file.read())


class Probing(InfoTest):
    """--timeout, --no-isolate and --strict."""

    def test_a_plugin_that_hangs_is_given_up_after_the_time_given(self):
        self.folder.add("hangs")
        self.folder.add_native()
        begin = time.monotonic()
        document = self.document("--timeout", "0.5", env=self.environment(), status=0)
        self.assertLess(time.monotonic() - begin, 8)
        self.assertEqual(self.states(document)["hangs"], ("faulty", "PROBE_TIMEOUT"))
        self.assertEqual([d["selector"] for d in document["devices"]], ["native:0"])

    def test_without_isolation_a_plugin_that_aborts_ends_the_program(self):
        self.folder.add("aborts")

        def no_core_file():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        result = info("--no-isolate", env=self.environment(), preexec_fn=no_core_file)
        self.assertEqual(result.returncode, -signal.SIGABRT)

    def test_a_faulty_plugin_exits_3_when_strict(self):
        self.folder.write("text", b"hello\n")
        self.folder.add_native()
        self.document(env=self.environment(), status=0)
        document = self.document("--strict", env=self.environment(), status=3)
        self.assertEqual(document["error"]["reason"], "NOT_ELF")
        self.assertIn("NOT_ELF", info("--strict", env=self.environment()).stderr)

    def test_a_plugin_that_is_only_unusable_is_fine_when_strict(self):
        self.folder.add("refused")
        self.folder.add_native()
        self.document("--strict", env=self.environment(), status=0)


class SelfTests(InfoTest):
    """--selftest."""

    def test_native_passes(self):
        result = info("--selftest", env=self.native())
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"native:0 +passed")
        document = self.document("--selftest", env=self.native(), status=0)
        self.assertEqual([r["device"] for r in document["selftest"]], ["native:0"])
        outcomes = {step["name"]: step["outcome"] for step in document["selftest"][0]["steps"]}
        self.assertGreaterEqual(len(outcomes), 8)
        self.assertEqual(set(outcomes.values()), {"passed"})

    def test_a_step_that_the_device_does_not_offer_is_skipped_with_a_reason(self):
        self.folder.add("acme")
        document = self.document("--selftest", env=self.environment(), status=0)
        launch = [step for step in document["selftest"][0]["steps"] if step["name"] == "launch"]
        self.assertEqual([step["outcome"] for step in launch], ["skipped"])
        self.assertTrue(launch[0]["message"])

    def test_a_device_that_drops_a_byte_exits_3(self):
        self.folder.add("drop")
        self.folder.add_native()
        document = self.document("--selftest", env=self.environment(), status=3)
        passed = {result["device"]: result["passed"] for result in document["selftest"]}
        self.assertEqual(passed, {"native:0": True, "drop:0": False})
        result = info("--selftest", env=self.environment())
        self.assertRegex(result.stdout, r"drop:0 +failed")
        self.assertIn("drop:0", result.stderr)

    def test_only_the_selected_devices_are_tested(self):
        self.folder.add("drop")
        self.folder.add_native()
        document = self.document("--selftest", "--device", "native", env=self.environment(), status=0)
        self.assertEqual([r["device"] for r in document["selftest"]], ["native:0"])

    def test_without_a_device_it_exits_1(self):
        document = self.document("--selftest", env=self.environment(), status=1)
        self.assertEqual(document["selftest"], [])


class Parts(InfoTest):
    """--verbose, --paths and --env."""

    def test_verbose_names_every_path_tried_with_its_verdict(self):
        missing = self.folder.path / "nowhere"
        env = self.native(SPOC_PLUGIN_FILES=None, SPOC_PLUGIN_PATH=f"{missing}:{self.folder}")
        # Names of temporary folders may be wrapped.
        output = info("--verbose", env=env).stdout
        flat = re.sub(r"\s+", " ", output)
        self.assertIn(f"{missing}/libspoc-cuda.so: missing", flat)
        self.assertIn(f"{self.folder}/libspoc-cuda.so: no such file", flat)
        self.assertIn(f"{self.folder}/libspoc-native.so: ready", flat)

    def test_verbose_says_stage_file_version_and_time(self):
        self.folder.add("acme")
        output = info("--verbose", "--backend", "acme", env=self.environment()).stdout
        flat = re.sub(r"\s+", " ", output)
        for part in ("stage reached enumerated", f"file {self.folder.file('acme')}", "contract 1.0", "time taken"):
            self.assertIn(part, flat)
        self.assertRegex(output, r"fp64 +no +The fixture only copies\.")

    def test_verbose_has_the_loaders_own_words(self):
        self.folder.add("orphan")
        flat = re.sub(r"\s+", " ", info("--verbose", env=self.environment()).stdout)
        self.assertRegex(flat, r"MISSING_DEPENDENCY: .*libfixture_missing\.so")

    def test_verbose_names_the_owner_of_a_file_with_unsafe_permissions(self):
        self.folder.add("acme").chmod(0o666)
        output = info("--verbose", env=self.environment()).stdout
        self.assertIn("UNSAFE_PERMISSIONS", output)
        self.assertRegex(output, r"owner \S+ \(\d+\), group \S+ \(\d+\), mode 0666")

    def test_paths_are_listed_in_order_with_their_verdicts(self):
        missing = self.folder.path / "nowhere"
        result = info("--paths", env=self.native(SPOC_PLUGIN_FILES=None, SPOC_PLUGIN_PATH=f"{self.folder}:{missing}"))
        self.assertEqual(result.returncode, 0, result.stderr)
        wanted = (f"{self.folder}\n", "searched, 1 plugin,", str(missing), "missing")
        found = [result.stdout.index(text) for text in wanted]
        self.assertEqual(found, sorted(found))
        self.assertNotIn("native:0", result.stdout)

    def test_paths_say_what_was_found_and_what_was_passed_over(self):
        self.folder.add("acme")
        self.folder.write("text", b"hello\n")
        (self.folder.path / "libspoc-cuda.so.1").touch()
        (self.folder.path / "unrelated.so").touch()
        second = temporary_folder(self)
        second.add("acme")
        env = self.native(SPOC_PLUGIN_FILES=None, SPOC_PLUGIN_PATH=f"{self.folder}:{second}")
        output = info("--paths", env=env).stdout
        for pattern in (
            r"libspoc-acme\.so +ready\n", r"libspoc-acme\.so +shadowed: SHADOWED\n",
            r"libspoc-text\.so +faulty: NOT_ELF\n", r"libspoc-cuda\.so\.1: passed over",
        ):  # fmt: skip
            self.assertRegex(output, pattern)
        self.assertNotIn("unrelated", output)
        places = self.document("--paths", env=env, status=0)["search"]
        self.assertEqual(places[0]["passed_over"], ["libspoc-cuda.so.1"])
        self.assertEqual([file["file"] for file in places[0]["found"]],
                         ["libspoc-native.so", "libspoc-acme.so", "libspoc-text.so"])
        self.assertEqual(places[1]["found"], [
            {"file": "libspoc-acme.so", "backend": "acme", "state": "shadowed", "reason": "SHADOWED"}])

    def test_paths_say_why_a_place_was_not_searched(self):
        (self.folder.path / "file").touch()
        path = f"relative::{self.folder}/nowhere:{self.folder}/file:{self.folder}:{self.folder}"
        env = self.native(SPOC_PLUGIN_FILES=None, SPOC_PLUGIN_PATH=path)
        places = self.document("--paths", env=env, status=0)["search"][:6]
        self.assertEqual([(place["verdict"], place["exists"], place["why"]) for place in places], [
            ("refused", None, "the path is not absolute"),
            ("refused", None, "the element is empty"),
            ("missing", False, "there is no such directory"),
            ("unreadable", True, "it is no directory"),
            ("searched", True, None),
            ("repeated", True, "the same directory came before"),
        ])  # fmt: skip
        output = info("--paths", env=env).stdout
        for place in places:
            self.assertIn(place["why"] or "searched", output)

    def test_paths_say_why_a_file_was_refused(self):
        misnamed = self.folder.path / "cuda.so"
        env = spoc_test.clean_environment(SPOC_PLUGIN_FILES=f"{misnamed}:libspoc-acme.so:{self.folder.file('acme')}")
        places = self.document("--paths", "--strict", env=env, status=3)["search"]
        self.assertEqual([(place["verdict"], place["exists"]) for place in places],
                         [("refused", None), ("refused", None), ("searched", False)])
        self.assertEqual([place["why"] for place in places],
                         ["the file is not called libspoc-NAME.so", "the path is not absolute", None])
        self.assertEqual([file["reason"] for file in places[2]["found"]], ["FILE_UNREADABLE"])

    def test_paths_open_no_device(self):
        log = self.log_file()
        self.folder.add("acme")
        info("--paths", env=self.environment(FIXTURE_LOG=str(log)))
        self.assertNotIn("acme device open", logged(log))
        info(env=self.environment(FIXTURE_LOG=str(log)))
        self.assertIn("acme device open", logged(log))

    def test_paths_exit_0_without_any_device(self):
        self.assertEqual(info("--paths", env=self.environment()).returncode, 0)

    def test_every_setting_is_listed_with_value_and_default(self):
        result = info("--env", env=self.native(SPOC_LOG="info", SPOC_DISABLE_GPU="perhaps"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("SPOC_LOG = info", result.stdout)
        self.assertRegex(result.stdout, r"SPOC_DISABLE_GPU = perhaps\n(.*\n)*?.*bad value")
        self.assertIn("SPOC_BACKENDS (not set)", result.stdout)
        document = self.document("--env", env=self.native(SPOC_LOG="info", SPOC_DISABLE_GPU="perhaps"), status=0)
        settings = {setting["name"]: setting for setting in document["settings"]}
        self.assertEqual(settings["SPOC_LOG"]["value"], "info")
        self.assertTrue(settings["SPOC_DISABLE_GPU"]["bad_value"])
        self.assertIsNone(settings["SPOC_BACKENDS"]["value"])

    def test_a_setting_that_does_not_hold_is_named_with_what_holds(self):
        env = self.native(SPOC_LOG="loud", SPOC_PROBE="", SPOC_DISABLE_ACME="maybe", SPOC_PLUGINS_PATH="/opt")
        output = info("--env", env=env).stdout
        for part in (
            "SPOC_LOG = loud\n", "bad value: it does not take loud\n", "in force: the default, warn\n",
            "set to nothing, which counts as not set\n", "bad value: it does not take maybe\n",
            "not read; did you mean SPOC_PLUGIN_PATH?\n",
        ):  # fmt: skip
            self.assertIn(part, output)
        settings = {setting["name"]: setting for setting in self.document("--env", env=env, status=0)["settings"]}
        self.assertEqual((settings["SPOC_LOG"]["source"], settings["SPOC_LOG"]["bad_value"]), ("default", True))
        self.assertEqual(settings["SPOC_PLUGIN_FILES"]["source"], "environment")
        self.assertEqual(settings["SPOC_PROBE"]["remark"], "set to nothing, which counts as not set")
        self.assertIn("did you mean SPOC_PLUGIN_PATH?", settings["SPOC_PLUGINS_PATH"]["remark"])

    def test_settings_are_listed_even_when_one_of_them_is_wrong(self):
        result = info("--env", env=self.native(SPOC_BACKENDS="nativ"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("SPOC_BACKENDS = nativ\n", result.stdout)
        flat = re.sub(r"\s+", " ", result.stdout)
        self.assertRegex(flat, r'error: SPOC_BACKENDS names the backend "nativ", .*"native"')


class Drivers(InfoTest):
    """What a driver does costs its own entry and nothing else."""

    def beside_native(self, name, *arguments, status=0, **changes):
        """The document, and the entries of native and of the plugin `name`, which lies beside it."""
        self.folder.add_native()
        self.folder.add(name)
        document = self.document(*arguments, env=self.environment("native", name, **changes), status=status)
        entries = {entry["name"]: entry for entry in document["backends"]}
        self.assertEqual(entries["native"]["state"], "ready")
        self.assertIn("native:0", [device["selector"] for device in document["devices"]])
        return document, entries[name]

    def test_a_device_that_cannot_be_opened_without_a_crash_costs_one_entry(self):
        _, entry = self.beside_native("open_aborts")
        self.assertEqual((entry["state"], entry["reason"]["code"]), ("faulty", "PROBE_CRASHED"))

    def test_a_device_whose_opening_hangs_costs_one_entry(self):
        _, entry = self.beside_native("open_hangs", "--timeout", "2")
        self.assertEqual((entry["state"], entry["reason"]["code"]), ("faulty", "PROBE_TIMEOUT"))

    def test_a_file_whose_path_is_too_long_to_be_kept_is_refused(self):
        self.folder.add_native()
        deep = self.folder.file("native").parent.joinpath(*["d" * 200] * 16)
        deep.mkdir(parents=True)
        shutil.copy(self.folder.add("acme"), deep / "libspoc-acme.so")
        env = spoc_test.clean_environment(SPOC_PLUGIN_PATH=f"{self.folder.file('native').parent}:{deep}")
        os.remove(self.folder.file("acme"))
        document = self.document(env=env, status=0)
        acme = [entry for entry in document["backends"] if entry["name"] == "acme"]
        self.assertEqual([entry["reason"]["code"] for entry in acme], ["FILE_UNREADABLE"])
        self.assertIn("too long", acme[0]["reason"]["text"])

    def test_what_a_driver_prints_is_not_in_the_document(self):
        _, entry = self.beside_native("prints")
        self.assertEqual(entry["state"], "ready")

    @unittest.skipIf("address" in spoc_test.SANITIZERS, "leaks are looked for at exit, so exit handlers run")
    def test_a_driver_s_exit_handler_does_not_change_the_status(self):
        _, entry = self.beside_native("aborts_at_exit")
        self.assertEqual(entry["state"], "ready")


class Output(InfoTest):
    """Streams, terminals and colour."""

    def closed_stdout(self, *arguments):
        command = 'exec "$0" "$@" >&-'
        return spoc_test.run("sh", "-c", command, spoc_test.SPOC_INFO, *arguments, env=self.native())

    def test_a_closed_stdout_exits_1_with_a_message(self):
        for arguments in ([], ["--json"], ["--schema"], ["--help"]):
            result = self.closed_stdout(*arguments)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("stdout", result.stderr)

    def test_a_full_disk_exits_1_with_a_message(self):
        result = spoc_test.run("sh", "-c", 'exec "$0" >/dev/full', spoc_test.SPOC_INFO, env=self.native())
        self.assertEqual(result.returncode, 1)
        self.assertIn("stdout", result.stderr)

    def test_a_pipe_that_nobody_reads_exits_1_with_a_message(self):
        reader, writer = os.pipe()
        os.close(reader)
        process = subprocess.run(
            [spoc_test.SPOC_INFO], env=self.native(), stdout=writer, stderr=subprocess.PIPE, text=True, timeout=spoc_test.HANG
        )
        os.close(writer)
        self.assertEqual(process.returncode, 1)
        self.assertIn("stdout", process.stderr)

    def test_a_status_of_its_own_outlives_a_failed_write(self):
        self.assertEqual(self.closed_stdout("--json", "--bogus").returncode, 2)

    def test_colour_only_on_a_terminal_and_only_when_wanted(self):
        env = self.native(TERM="xterm", NO_COLOR=None)
        self.assertNotIn("\x1b", info(env=env).stdout)
        self.assertIn("\x1b", info("--color", "always", env=env).stdout)
        self.assertIn("\x1b", on_terminal(env=env)[0])
        self.assertNotIn("\x1b", on_terminal("--color", "never", env=env)[0])
        self.assertNotIn("\x1b", on_terminal("--json", env=env)[0])
        self.assertNotIn("\x1b", on_terminal(env={**env, "NO_COLOR": "1"})[0])
        self.assertIn("\x1b", on_terminal(env={**env, "NO_COLOR": ""})[0])
        self.assertIn("\x1b", on_terminal("--color", "always", env={**env, "NO_COLOR": "1"})[0])
        self.assertNotIn("\x1b", on_terminal(env={**env, "TERM": "dumb"})[0])

    def test_colour_changes_nothing_but_colour(self):
        env = self.native(TERM="xterm", NO_COLOR=None)
        memory = re.compile(r"[0-9.]+ [KMGT]iB free")
        plain, coloured = (memory.sub("", info("--color", c, env=env).stdout) for c in ("never", "always"))
        self.assertEqual(terminal.plain(coloured), plain)

    def test_no_line_is_wider_than_the_terminal(self):
        self.folder.write("text", b"hello\n")
        for variant in ["orphan", "unresolved", "refused", "aborts", "acme"]:
            self.folder.add(variant)
        self.folder.add_native()
        for columns in (80, 100, 132):
            for part in (["--verbose"], ["--paths"], ["--env"], ["--selftest"], []):
                output, status = on_terminal(*part, env=self.environment(TERM="xterm"), columns=columns)
                self.assertEqual(status, 0)
                lines = terminal.plain(output).splitlines()
                self.assertLessEqual(max(map(len, lines)), columns, output)
            for wanted in ("native:0", "acme:0", "NOT_ELF", "MISSING_DEPENDENCY", "PROBE_CRASHED", "NO_PERMISSION"):
                self.assertIn(wanted, output)

    def test_a_narrow_terminal_is_not_taken_for_a_wider_one(self):
        widths = []
        for columns in (40, 60):
            output, status = on_terminal("--env", env=self.native(TERM="xterm"), columns=columns)
            self.assertEqual(status, 0)
            widths.append(max(map(len, terminal.plain(output).splitlines())))
        self.assertLess(widths[0], widths[1])


class Schema(unittest.TestCase):
    """The schema knows every code of the library."""

    @unittest.skipIf(SANITIZED, "an instrumented library cannot be loaded into Python")
    def test_enumerations_are_those_of_the_library(self):
        library = ctypes.CDLL(spoc_test.LIBRARY)

        def names(function, numbers):
            call = getattr(library, function)
            call.restype = ctypes.c_char_p
            return [call(number).decode() for number in numbers]

        with open(spoc_test.SCHEMA, encoding="utf-8") as file:
            defs = json.load(file)["$defs"]
        backend = defs["backend"]["properties"]
        numbers = sorted(number for number in reasons().values() if number != 0)
        self.assertEqual(defs["reason_code"]["enum"], [*names("spoc_reason_name", numbers), "UNKNOWN"])
        self.assertEqual(backend["state"]["enum"], names("spoc_state_name", range(6)))
        self.assertEqual(backend["stage"]["enum"], names("spoc_stage_name", range(6)))
        self.assertEqual(defs["place"]["properties"]["source"]["enum"], names("spoc_search_source_name", range(5)))
        self.assertEqual(defs["place"]["properties"]["verdict"]["enum"], names("spoc_place_verdict_name", range(6)))
        self.assertEqual(defs["device"]["properties"]["kind"]["enum"], names("spoc_device_kind_name", range(6)))
        self.assertEqual(defs["error"]["properties"]["status"]["enum"], names("spoc_status_name", range(-1, -7, -1)))


if __name__ == "__main__":
    spoc_test.main()
