# SPDX-License-Identifier: Apache-2.0
"""Every rule of docs/requirements.md has a test, or a word on why it has none; every tag names a rule.

Run by hand it prints the table: requirements_test.py --table
"""

import collections
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ROOT / "docs" / "requirements.md"
TESTS = ROOT / "tests"

ROW = re.compile(r"^\| ([RH]-\d+) \| ([^|]+) \| ([^|]*)\|$", re.MULTILINE)
TAG = re.compile(r"\[([RHB]-?\d+)\]")
CASE = re.compile(r'TEST_CASE(?:_METHOD)?\((?:\w+,\s*)?((?:"[^"]*"\s*)+),\s*((?:"[^"]*"\s*)+)\)')
WORDS = ("as", "by", "backend", "because", "later")
# Rules of parts that the list does not cover yet; tests cite them all the same.
OUTSIDE = re.compile(r"R-8\d\d")


def rules():
    """Number -> (what it asks, word, text), word and text empty where tests are asked for."""
    found = {}
    for number, asks, elsewhere in ROW.findall(LIST.read_text(encoding="utf-8")):
        word, _, text = elsewhere.strip().partition(": ")
        found[number] = (asks, word, text)
    return found


def tests_by_tag():
    """Tag -> names of tests, of Catch2's cases and of sources that cite it otherwise."""
    found = collections.defaultdict(set)
    for source in sorted([*TESTS.rglob("*.cpp"), *TESTS.rglob("*.py")]):
        text = source.read_text(encoding="utf-8")
        for name, tags in CASE.findall(text):
            title = "".join(re.findall(r'"([^"]*)"', name))
            for tag in TAG.findall(tags):
                found[tag].add(f"{source.name}: {title}")
        for tag in TAG.findall(CASE.sub("", text)):
            found[tag].add(source.name)
    own = pathlib.Path(__file__).name
    return {tag: {name for name in names if name != own} for tag, names in found.items()}


def is_named(text):
    """Whether `FILE NAME` is there."""
    file, _, name = text.partition(" ")
    return any(name in source.read_text(encoding="utf-8") for source in TESTS.rglob(file))


class Requirements(unittest.TestCase):
    def setUp(self):
        self.rules = rules()
        self.tests = tests_by_tag()

    def test_every_rule_has_a_test_or_a_reason(self):
        empty = [number for number, (_, word, _) in self.rules.items() if not word and not self.tests.get(number)]
        self.assertEqual(empty, [])

    def test_every_reason_is_of_a_known_kind_and_holds(self):
        for number, (_, word, text) in self.rules.items():
            with self.subTest(number=number):
                if not word:
                    continue
                self.assertIn(word, WORDS)
                self.assertTrue(text)
                if word == "as":
                    for other in text.split(", "):
                        self.assertTrue(self.tests.get(other), f"{other} has no test")
                if word == "by":
                    self.assertTrue(is_named(text), text)

    def test_every_tag_names_a_rule(self):
        known = set(self.rules)
        unknown = sorted(tag for tag in self.tests
                         if not tag.startswith("B") and tag not in known and not OUTSIDE.fullmatch(tag))
        self.assertEqual(unknown, [])

    def test_every_report_that_a_tag_names_is_in_the_table_of_reports(self):
        reports = set(re.findall(r"^\| (B\d+) \|", (TESTS / "README.md").read_text(encoding="utf-8"), re.MULTILINE))
        self.assertEqual(sorted(tag for tag in self.tests if tag.startswith("B") and tag not in reports), [])

    def test_the_list_is_whole(self):
        numbers = list(self.rules)
        self.assertEqual(len(numbers), len(set(numbers)))
        self.assertGreater(len(numbers), 180)


def print_table():
    tests = tests_by_tag()
    for number, (asks, word, text) in rules().items():
        print(f"{number}  {asks}" + (f"  ({word}: {text})" if word else ""))
        for name in sorted(tests.get(number, [])):
            print(f"    {name}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--table"]:
        print_table()
    else:
        unittest.main()
