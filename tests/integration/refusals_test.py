# SPDX-License-Identifier: Apache-2.0
"""That no function of the C interface is missing from the tables of mistakes."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ROOT / "core" / "include" / "spoc"
# Tests that make each mistake and look that no plugin is called.
SEMANTICS = ROOT / "tests" / "unit" / "semantics"
TABLES = [
    *sorted(SEMANTICS.glob("refusal_*_rows.cpp")),
    SEMANTICS / "kernel_test.cpp",
    SEMANTICS / "launch_argument_test.cpp",
    SEMANTICS / "launch_order_test.cpp",
    SEMANTICS / "program_test.cpp",
    ROOT / "tests" / "unit" / "core" / "argument_test.cpp",
    ROOT / "tests" / "unit" / "core" / "runtime_test.cpp",
]

DECLARATION = re.compile(r"\bSPOC_API\b([^;(]*?)\b(spoc_\w+)\s*\(")
CALL = re.compile(r"\b(?:calling|told|ask)\(\s*(spoc_\w+)\b")

# Functions that return a status and have nothing to refuse in their arguments.
NOTHING_TO_REFUSE = {
    "spoc_shutdown": "has no arguments",
    "spoc_stats_reset": "has no arguments",
    "spoc_buffer_destroy": "null is nothing, and every handle can be given back",
}

# Functions whose mistakes are tried through the C++ interface alone, and the file that does. A row would be better.
THROUGH_CXX = {
    "spoc_keep_until_done": "launch_order_test.cpp",
    "spoc_kernel_describe": "kernel_test.cpp",
    "spoc_native_kernel_add": "program_test.cpp",
    "spoc_run_source": "run_source_test.cpp",
    "spoc_run_source_file": "run_source_test.cpp",
}


def declared():
    """Name of each function -> whether it returns a status."""
    found = {}
    for header in sorted(HEADERS.glob("*.h")):
        text = re.sub(r"//[^\n]*", "", header.read_text(encoding="utf-8"))
        for answer, name in DECLARATION.findall(text):
            found[name] = "spoc_status" in answer
    return found


def tried():
    """Names of the functions that the tables call."""
    return {name for table in TABLES for name in CALL.findall(table.read_text(encoding="utf-8"))}


class Refusals(unittest.TestCase):
    def test_every_function_that_can_refuse_has_a_row(self):
        missing = sorted(name for name, refuses in declared().items()
                         if refuses and name not in NOTHING_TO_REFUSE | THROUGH_CXX and name not in tried())
        self.assertEqual(missing, [], "these functions have no row in tests/unit/semantics/refusal_*_rows.cpp")

    def test_every_exception_is_about_a_function_that_is_there(self):
        self.assertEqual(sorted((NOTHING_TO_REFUSE | THROUGH_CXX).keys() - declared().keys()), [])
        self.assertEqual([file for file in THROUGH_CXX.values() if not (SEMANTICS / file).is_file()], [])

    def test_the_headers_are_read(self):
        self.assertGreater(len(declared()), 80)


if __name__ == "__main__":
    unittest.main()
