# SPDX-License-Identifier: Apache-2.0
"""That no function of the C interface is missing from the tables of mistakes and of faults."""

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

# Rows that make each call of a plugin fail that a function leads to.
FAULT_TABLES = sorted(SEMANTICS.glob("fault_*_rows.cpp"))

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

NAMES = "says what a number means"
KNOWN = "tells what the library knows itself"
OWN = "changes something of the library's own alone"
# Functions without a row of faults, since they call no plugin.
REACH_NO_PLUGIN = {
    "spoc_backend_count": KNOWN,
    "spoc_backend_get": KNOWN,
    "spoc_backend_require": KNOWN,
    "spoc_buffer_describe": KNOWN,
    "spoc_capability_at": NAMES,
    "spoc_capability_find": NAMES,
    "spoc_device_describe": KNOWN,
    "spoc_device_kind_name": NAMES,
    "spoc_host_memory_describe": KNOWN,
    "spoc_host_memory_is_live": KNOWN,
    "spoc_init": "reads the environment; plugins are loaded when somebody asks for devices",
    "spoc_keep_until_done": "notes in the ledger what somebody else's launch needs",
    "spoc_kernel_describe": KNOWN,
    "spoc_kernel_parameters": KNOWN,
    "spoc_place_verdict_name": NAMES,
    "spoc_reason_hint": NAMES,
    "spoc_reason_name": NAMES,
    "spoc_search_count": KNOWN,
    "spoc_search_get": KNOWN,
    "spoc_search_source_name": NAMES,
    "spoc_set_auto_sync": OWN,
    "spoc_setting_get": KNOWN,
    "spoc_stage_name": NAMES,
    "spoc_state_name": NAMES,
    "spoc_stats_get": KNOWN,
    "spoc_stats_reset": OWN,
    "spoc_status_name": NAMES,
    "spoc_stream_default": "opens the device at most, as whatever uses it first does",
    "spoc_stream_device": KNOWN,
    "spoc_sub_code_name": NAMES,
    "spoc_trace_begin": OWN,
    "spoc_trace_end": OWN,
    "spoc_unified_available": KNOWN,
    "spoc_vector_create": "takes host memory alone",
    "spoc_vector_create_over": "takes host memory alone",
    "spoc_vector_describe": KNOWN,
    "spoc_vector_host_unsynced": KNOWN,
    "spoc_vector_install_buffer": "moves a buffer that is there into a vector",
    "spoc_vector_link": KNOWN,
    "spoc_vector_set_auto_sync": OWN,
    "spoc_version": KNOWN,
}

CORE = ROOT / "tests" / "unit" / "core"
# Functions that load, open or close plugins, or ask them about themselves: their faults are tried one by one elsewhere,
# with the file.
OTHER_FAULTS = {
    "spoc_backends_probe": CORE / "backend_test.cpp",
    "spoc_device_best": CORE / "device_test.cpp",
    "spoc_device_capability": CORE / "device_test.cpp",
    "spoc_device_count": CORE / "fault_test.cpp",
    "spoc_device_get": CORE / "support" / "runtime_fixture.hpp",
    "spoc_device_select": CORE / "device_test.cpp",
    "spoc_device_self_test": CORE / "fault_test.cpp",
    "spoc_shutdown": CORE / "support" / "runtime_fixture.hpp",
}

# A row's name begins with its function's, without the prefix.
FAULT_ROW = re.compile(r'\{"(\w+)[", ]')


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


def faulted():
    """Names of the functions that the rows of faults begin with."""
    return {"spoc_" + name for table in FAULT_TABLES for name in FAULT_ROW.findall(table.read_text(encoding="utf-8"))}


class Refusals(unittest.TestCase):
    def test_every_function_that_can_refuse_has_a_row(self):
        missing = sorted(name for name, refuses in declared().items()
                         if refuses and name not in NOTHING_TO_REFUSE | THROUGH_CXX and name not in tried())
        self.assertEqual(missing, [], "these functions have no row in tests/unit/semantics/refusal_*_rows.cpp")

    def test_every_exception_is_about_a_function_that_is_there(self):
        self.assertEqual(sorted((NOTHING_TO_REFUSE | THROUGH_CXX).keys() - declared().keys()), [])
        self.assertEqual([file for file in THROUGH_CXX.values() if not (SEMANTICS / file).is_file()], [])

    def test_every_function_that_reaches_a_plugin_has_a_row_of_faults(self):
        elsewhere = REACH_NO_PLUGIN.keys() | OTHER_FAULTS.keys()
        self.assertEqual(sorted(declared().keys() - elsewhere - faulted()), [],
                         "these functions have no row in tests/unit/semantics/fault_*_rows.cpp")
        self.assertEqual(sorted(faulted() - declared().keys()), [], "these rows name no function")
        self.assertEqual(sorted(elsewhere & faulted()), [], "these have a row, and a reason to have none")

    def test_every_reason_to_have_no_row_of_faults_is_about_a_function_that_is_there(self):
        self.assertEqual(sorted((REACH_NO_PLUGIN.keys() | OTHER_FAULTS.keys()) - declared().keys()), [])
        for name, file in OTHER_FAULTS.items():
            with self.subTest(name=name):
                self.assertIn(name, file.read_text(encoding="utf-8"))

    def test_the_headers_are_read(self):
        self.assertGreater(len(declared()), 80)


if __name__ == "__main__":
    unittest.main()
