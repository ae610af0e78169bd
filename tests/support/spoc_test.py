# SPDX-License-Identifier: Apache-2.0
"""What the integration tests share: where the build is, how a program is run, how a skip is reported.

Meson passes the places in the environment (see tests/integration/meson.build). A test file calls main() at its end.
"""

import json
import os
import subprocess
import sys
import unittest

SPOC_INFO = os.environ.get("SPOC_TEST_INFO", "")
SPOC_BENCH = os.environ.get("SPOC_TEST_BENCH", "")
NATIVE_DIR = os.environ.get("SPOC_TEST_NATIVE_DIR", "")
MOCK = os.environ.get("SPOC_TEST_MOCK", "")
PLUGIN_DIR = os.environ.get("SPOC_TEST_PLUGIN_DIR", "")
PROGRAM_DIR = os.environ.get("SPOC_TEST_PROGRAM_DIR", "")
LIBRARY = os.environ.get("SPOC_TEST_LIBRARY", "")
SCHEMA = os.environ.get("SPOC_TEST_SCHEMA", "")
SANITIZERS = os.environ.get("SPOC_TEST_SANITIZERS", "none")

# Seconds after which a program hangs. Far beyond what any of them takes on a machine that is busy with something else.
HANG = 600


def clean_environment(**changes):
    """The environment without any SPOC variable, plus changes; a value of None removes a variable.

    Nor has it LD_LIBRARY_PATH, in which Meson names every folder of the build: nothing may be found through it.
    """
    env = {k: v for k, v in os.environ.items() if not k.startswith("SPOC_") and k != "LD_LIBRARY_PATH"}
    for name, value in changes.items():
        env.pop(name, None)
        if value is not None:
            env[name] = value
    return env


def run(*argv, env=None, timeout=HANG, **options):
    """Runs a program to its end and returns the completed process, its output as text."""
    return subprocess.run([str(a) for a in argv], env=clean_environment() if env is None else env, text=True,
                          capture_output=True, timeout=timeout, **options)


def check_schema(document):
    """Raises unless the document fits the installed schema of spoc-info."""
    import jsonschema

    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)


def info_json(*arguments, env=None, expect=None):
    """Runs spoc-info --json, validates the one document it prints and returns it with the exit status."""
    result = run(SPOC_INFO, "--json", *arguments, env=env)
    document = json.loads(result.stdout)
    check_schema(document)
    if expect is not None and result.returncode != expect:
        raise AssertionError(f"spoc-info exited {result.returncode}, wanted {expect}\n{result.stdout}\n{result.stderr}")
    return document, result.returncode


def steady(document):
    """The document of spoc-info --json with the figures set to 0 that differ from run to run."""
    for entry in document["backends"]:
        entry["elapsed_ms"] = 0
    for device in document["devices"]:
        device["memory_free_bytes"] = 0
    return document


def main():
    """Runs the file's tests. Exits 77 when every one was skipped; prints each skip with its reason."""
    program = unittest.main(exit=False, verbosity=2)
    result = program.result
    for case, reason in result.skipped:
        print(f"SKIP: {case}: {reason}")
    if not result.wasSuccessful() or result.testsRun == 0:
        sys.exit(1)
    if len(result.skipped) == result.testsRun:
        sys.exit(77)
