# SPDX-License-Identifier: Apache-2.0
"""A program's --help, its manual page and its completion say the same, and so do spoc-info --env and the documents.

The programs are those of the table in tools/meson.build; a new one is tested as soon as it is in there.
"""

import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest
from pathlib import Path
from typing import NamedTuple

import spoc_test
from plugin_folder import temporary_folder

ROOT = Path(__file__).resolve().parents[2]
COMPLETION = ROOT / "tools" / "completion" / "spoc.bash"
BASH_COMPLETION = Path("/usr/share/bash-completion/bash_completion")
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES", "FAULT FINDING",
            "SEE ALSO"]  # fmt: skip
# Of the drivers; SPOC reads none of them.
FOREIGN = {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "OCL_ICD_VENDORS", "VK_DRIVER_FILES"}
# Reasons that a list of backends cannot show in this version, or on this system.
NOT_SHOWN = {"DISABLED_BY_ADMIN", "FORKED_CHILD", "EXITING", "SIGNATURE_REFUSED", "INTERNAL", "UNKNOWN"}
# The brackets keep "-1" of "spoc-info-1" and the minus of "-hip" out: an option stands after a blank or a markup sign.
OPTION = re.compile(r"(?<![\w/`,(-])(--[a-z][a-z-]*|-h)(?![\w-])")


class Program(NamedTuple):
    """A row of the table of programs."""

    name: str
    section: str
    completed: bool
    path: str

    def help(self, *command):
        done = spoc_test.run(self.path, *command, "--help")
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout

    def commands(self):
        """Names of the subcommands; none for most programs."""
        _, _, listed = self.help().partition("\nSubcommands:\n")
        return re.findall(r"^  (\w[\w-]*)", listed.partition("\n\n")[0], re.MULTILINE)

    def options(self, *command):
        """Options in the help of the program, or of a command."""
        lines = re.findall(r"^  (-[^\s]*)", self.help(*command), re.MULTILINE)
        return {option for line in lines for option in line.split(",")}

    def all_options(self):
        return set().union(self.options(), *(self.options(command) for command in self.commands()))

    def page_file(self):
        return ROOT / "docs" / "man" / f"{self.name}.{self.section}.scd"

    def page(self):
        """The manual page, section by section, without the marks of bold text."""
        text = self.page_file().read_text(encoding="utf-8")
        parts = re.split(r"^# (.*)$", text, flags=re.MULTILINE)
        return {title: unmarked(body) for title, body in zip(parts[1::2], parts[2::2])}


def unmarked(text):
    return text.replace("\\*", "\0").replace("*", "").replace("\0", "*").replace("\\_", "_")


def programs():
    """The rows of the table. Meson joins lists by the sign that joins the fields of a row."""
    fields = os.environ["SPOC_TEST_PROGRAMS"].split(":")
    return [Program(name, section, completed == "true", path)
            for name, section, completed, path in zip(*[iter(fields)] * 4, strict=True)]


def settings():
    """Names of the variables that spoc-info --env lists in a clean environment."""
    document, _ = spoc_test.info_json("--env", "--paths")
    return {setting["name"] for setting in document["settings"]}


class MannersTest(unittest.TestCase):
    def each(self, wanted=lambda program: True):
        chosen = [program for program in programs() if wanted(program)]
        self.assertTrue(chosen, "the table of programs is empty")
        return chosen


class ManualPages(MannersTest):
    """Pages against --help."""

    def test_every_page_has_the_sections_that_a_reader_looks_for(self):
        for program in self.each():
            with self.subTest(program.name):
                titles = list(program.page())
                self.assertEqual([title for title in titles if title in SECTIONS], SECTIONS)
                self.assertTrue(all(text.strip() for text in program.page().values()))

    def test_the_options_of_the_page_are_those_of_the_help(self):
        for program in self.each():
            with self.subTest(program.name):
                entries = re.findall(r"^(-.*)$", program.page()["OPTIONS"], re.MULTILINE)
                on_page = {option for line in entries for option in OPTION.findall(line)}
                self.assertEqual(on_page, program.all_options())

    def test_the_commands_of_the_page_are_those_of_the_help(self):
        for program in self.each():
            with self.subTest(program.name):
                on_page = re.findall(r"^(\w+)\b.*$", program.page().get("COMMANDS", ""), re.MULTILINE)
                self.assertEqual(on_page, program.commands())

    def test_the_exit_statuses_of_the_page_are_those_of_the_help(self):
        for program in self.each():
            with self.subTest(program.name):
                _, _, listed = program.help().partition("Exit status: ")
                in_help = re.findall(r"(?:^|;\s)(\d+) ", listed)
                self.assertTrue(in_help)
                self.assertEqual(re.findall(r"^(\d+)$", program.page()["EXIT STATUS"], re.MULTILINE), in_help)

    def test_a_page_names_no_option_that_its_program_or_another_one_lacks(self):
        known = set().union(*(program.all_options() for program in programs()))
        others = {"--uid", "--pipe", "--args"}  # of systemd-run and gdb
        for program in self.each():
            with self.subTest(program.name):
                named = set(OPTION.findall(unmarked(program.page_file().read_text(encoding="utf-8"))))
                self.assertEqual(named - known - others, set())

    def test_a_page_names_no_variable_that_is_not_read(self):
        for program in self.each():
            with self.subTest(program.name):
                text = unmarked(program.page_file().read_text(encoding="utf-8"))
                self.assertEqual(set(re.findall(r"\bSPOC_[A-Z_]*[A-Z]\b", text)) - settings(), set())

    def test_the_page_of_spoc_info_has_every_variable(self):
        page = next(program for program in programs() if program.name == "spoc-info").page()
        named = set(re.findall(r"\b[A-Z][A-Z_]+[A-Z]\b", page["ENVIRONMENT"])) - FOREIGN - {"GPU"}
        self.assertEqual(named, settings())

    def test_the_page_of_spoc_info_has_a_cure_for_every_reason(self):
        schema = spoc_test.run(spoc_test.SPOC_INFO, "--schema").stdout
        listed = re.search(r'"reason_code": \{.*?"enum": \[(.*?)\]', schema, re.DOTALL).group(1)
        page = next(program for program in programs() if program.name == "spoc-info").page()
        missing = {reason for reason in re.findall(r'"(\w+)"', listed) if reason not in page["FAULT FINDING"]}
        self.assertEqual(missing, NOT_SHOWN)

    def test_pages_can_be_set_without_a_warning(self):
        scdoc, man = shutil.which("scdoc"), shutil.which("man")
        if scdoc is None:
            self.skipTest("scdoc is not installed")
        for program in self.each():
            with self.subTest(program.name):
                source = program.page_file().read_bytes()
                made = subprocess.run([scdoc], input=source, capture_output=True, check=False)
                self.assertEqual((made.returncode, made.stderr), (0, b""))
                if man is not None:
                    page = temporary_folder(self).path / f"{program.name}.{program.section}"
                    page.write_bytes(made.stdout)
                    shown = spoc_test.run(man, "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page)
                    self.assertEqual(shown.stderr, "")


class Help(MannersTest):
    """What --help looks like."""

    def all_help(self):
        for program in self.each():
            for command in ([], *([name] for name in program.commands())):
                yield program, command, program.help(*command)

    def test_no_line_is_too_long_to_be_read(self):
        for program, command, text in self.all_help():
            with self.subTest(program.name, command=command):
                self.assertLessEqual(max(map(len, text.splitlines())), 100, text)

    def test_it_is_written_for_people(self):
        """None of the words that the parser of command lines puts there by itself."""
        for program, command, text in self.all_help():
            with self.subTest(program.name, command=command):
                for word in ("TEXT", "INT", "UINT", "REQUIRED", "Print this help message", "Display program version",
                             " in [", "Excludes", "Needs"):  # fmt: skip
                    self.assertNotIn(word, text)

    def test_an_option_of_the_program_behind_a_command_is_told_its_place(self):
        for program in self.each(lambda program: program.commands()):
            done = spoc_test.run(program.path, "load", "--version")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("--version stands before the command", done.stderr)
            self.assertNotIn("did you mean", done.stderr)


class Documents(MannersTest):
    """docs/environment.md against spoc-info --env."""

    def test_the_table_has_the_variables_that_are_listed(self):
        text = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| \[(`[^\]]*)\]", text, re.MULTILINE)
        named = {name for row in rows for name in re.findall(r"`([A-Z_<>]+)`", row)}
        switches = {name for name in settings() if name.startswith("SPOC_DISABLE_") and name != "SPOC_DISABLE_GPU"}
        self.assertEqual(named, (settings() - switches) | {"SPOC_DISABLE_<BACKEND>"})
        section = text.partition("### `SPOC_DISABLE_GPU`, `SPOC_DISABLE_<BACKEND>`")[2].partition("\n##")[0]
        in_section = set(re.findall(r"`(SPOC_DISABLE_[A-Z]+)`", section))
        self.assertEqual(in_section, switches | {"SPOC_DISABLE_GPU"})


class Completion(MannersTest):
    """The completion against --help, in a bash of its own."""

    def setUp(self):
        self.bash = shutil.which("bash")
        if self.bash is None:
            self.skipTest("bash is not installed")

    def candidates(self, line, typed=None, prelude=""):
        """What is offered at the end of `line`. `typed` is the end that readline would replace: the last word."""
        function = "_" + line.split()[0].replace("-", "_")
        typed = re.split(r"[\s=:]", line)[-1] if typed is None else typed
        script = f"{prelude}\n. '{COMPLETION}'\nCOMP_LINE=$1 COMP_POINT=${{#1}}\n{function} x \"$2\"\n"
        script += 'printf "%s\\n" "${COMPREPLY[@]}"'
        done = spoc_test.run(self.bash, "--norc", "-euc" if not prelude else "-c", script, "bash", line, typed)
        self.assertEqual((done.returncode, done.stderr), (0, ""), line)
        return set(done.stdout.split())

    def completed(self):
        return self.each(lambda program: program.completed)

    def test_a_program_without_commands_offers_the_options_of_its_help(self):
        for program in self.completed():
            with self.subTest(program.name):
                if not program.commands():
                    self.assertEqual(self.candidates(f"{program.name} "), program.options())

    def test_a_program_with_commands_offers_them_and_the_options_of_each(self):
        for program in self.completed():
            with self.subTest(program.name):
                commands = program.commands()
                if commands:
                    self.assertEqual(self.candidates(f"{program.name} "), set(commands) | program.options())
                for command in commands:
                    self.assertEqual(self.candidates(f"{program.name} {command} -"), program.options(command))

    def test_only_programs_of_the_table_are_completed(self):
        text = COMPLETION.read_text(encoding="utf-8")
        completed = re.findall(r"^complete -F (\S+) (\S+)$", text, re.MULTILINE)
        self.assertEqual(sorted(name for _, name in completed), sorted(p.name for p in self.completed()))
        for function, name in completed:
            self.assertEqual(function, "_" + name.replace("-", "_"))

    def test_backends_are_those_that_are_always_listed(self):
        document, _ = spoc_test.info_json("--paths", env=spoc_test.clean_environment(SPOC_PLUGIN_FILES="/nowhere"))
        backends = {entry["name"] for entry in document["backends"]}
        for line in ("spoc-info --backend ", "spoc-info --device ", "spoc-bench load --device "):
            self.assertEqual(self.candidates(line), backends)
        self.assertEqual(self.candidates("spoc-info --require "), backends | {"any"})

    def test_benchmarks_are_those_that_are_listed(self):
        lines = spoc_test.run(spoc_test.SPOC_BENCH, "list").stdout.splitlines()
        self.assertEqual(self.candidates("spoc-bench run "), {line.split()[0] for line in lines} - {"load"})

    def test_capabilities_are_those_of_a_device(self):
        env = spoc_test.clean_environment(SPOC_PLUGIN_PATH=spoc_test.NATIVE_DIR)
        document, _ = spoc_test.info_json("--backend", "native", env=env)
        self.assertEqual(self.candidates("spoc-info --require any:"), set(document["devices"][0]["capabilities"]))

    def test_a_value_is_completed_wherever_readline_breaks_the_word(self):
        for line, typed, answer in (
            ("spoc-info --color al", "al", "always"),
            ("spoc-info --color=al", "al", "always"),
            ("spoc-info --color=al", "--color=al", "--color=always"),
            ("spoc-info --require any:fp6", "fp6", "fp64"),
            ("spoc-info --require any:fp6", "any:fp6", "any:fp64"),
            ("spoc-info --json --require=any:fp6", "fp6", "fp64"),
            ("spoc-info --require=any:fp6", "--require=any:fp6", "--require=any:fp64"),
        ):
            self.assertEqual(self.candidates(line, typed), {answer}, (line, typed))

    def test_values_offered_for_color_are_taken(self):
        for value in self.candidates("spoc-info --color "):
            self.assertEqual(spoc_test.run(spoc_test.SPOC_INFO, "--color", value, "--env").returncode, 0)

    def test_it_works_beside_the_functions_of_bash_completion(self):
        if not BASH_COMPLETION.exists():
            self.skipTest("the package bash-completion is not installed")
        offered = self.candidates("spoc-info --re", prelude=f". '{BASH_COMPLETION}'")
        self.assertEqual(offered, {"--require", "--redact"})

    def test_bash_completes_a_line_that_is_typed(self):
        folder = temporary_folder(self).path
        (folder / "weights with blanks.bin").touch()
        typed = {
            b"spoc-info --red\t": b"spoc-info --redact ",
            b"spoc-info --color=al\t": b"spoc-info --color=always ",
            b"spoc-bench lo\t": b"spoc-bench load ",
            f"spoc-bench load {folder}/wei\t".encode(): rf"{folder}/weights\ with\ blanks.bin".encode(),
        }
        for keys, wanted in typed.items():
            self.assertIn(wanted, self.echo_of(keys, wanted))

    def echo_of(self, keys, wanted):
        """What an interactive bash shows when `keys` are typed."""
        child, terminal = pty.fork()
        if child == 0:
            os.environ.update(PS1="$ ", TERM="dumb", INPUTRC="/dev/null")
            os.execv(self.bash, ["bash", "--norc", "--noprofile", "-i"])
        try:
            setup = f"bind 'set enable-bracketed-paste off'; . '{COMPLETION}'; echo rea''dy\n"
            os.write(terminal, setup.encode())
            read_until(terminal, b"ready\r\n")
            os.write(terminal, keys)
            return read_until(terminal, wanted)
        finally:
            os.close(terminal)
            os.kill(child, 9)
            os.waitpid(child, 0)


def read_until(terminal, wanted, seconds=20):
    """What comes from a terminal until `wanted` is in it, or nothing has come for a while."""
    output = b""
    deadline = time.monotonic() + seconds
    while wanted not in output and time.monotonic() < deadline:
        if select.select([terminal], [], [], 1)[0]:
            output += os.read(terminal, 4096)
    return output


if __name__ == "__main__":
    spoc_test.main()
