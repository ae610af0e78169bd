#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what the configurations of tools/test.sh came to, and exits 0 only if all of them passed.

The argument is a file with one configuration a line and five fields separated by tabs:

    name     as printed
    kind     "suite" (built and tested by meson) or "check" (a linter)
    state    suite: "configuration failed", "build failed", or "tested STATUS" with the exit status of `meson test`
             check: "passed", "failed" or "skipped"
    seconds  taken
    detail   suite: path of meson's testlog.json; check: where the output is, or why it was skipped
"""

import json
import sys
from collections import Counter

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"

# Whatever else meson may say of a test (FAIL, TIMEOUT, ERROR, INTERRUPT, UNEXPECTEDPASS) is a failure.
VERDICTS = {"OK": PASSED, "EXPECTEDFAIL": PASSED, "SKIP": SKIPPED}


def skip_reason(output):
    """The reason that a skipped test printed."""
    for line in output.splitlines():
        if line.startswith("SKIP: "):
            return line[len("SKIP: "):].strip()
    return "(gave no reason)"


def read_log(path):
    """Yields (verdict, test, remark) for each test in one of meson's logs, which holds one JSON object a line."""
    with open(path, encoding="utf-8", errors="replace") as log:
        for line in filter(str.strip, log):
            test = json.loads(line)
            verdict = VERDICTS.get(test["result"], FAILED)
            remark = test["result"]
            if verdict == SKIPPED:
                remark = skip_reason(test.get("stdout", ""))
            yield verdict, test["name"], remark


def suite_items(state, log):
    """The tests of a suite, and a failure of the suite's own where a green list of tests would hide one."""
    if not state.startswith("tested "):
        return [(FAILED, "(all)", state)]
    try:
        items = list(read_log(log))
    except FileNotFoundError:
        items = []
    except (ValueError, KeyError) as error:
        return [(FAILED, "(all)", f"{log} cannot be read: {error}")]
    counts = Counter(verdict for verdict, _, _ in items)
    status = state.split()[1]
    if counts[PASSED] + counts[FAILED] == 0:
        items.append((FAILED, "(all)", "no test was executed"))
    elif status != "0" and counts[FAILED] == 0:
        items.append((FAILED, "(all)", f"meson test exited {status} without a failed test"))
    return items


def check_items(name, state, detail):
    """A linter counts as one test."""
    remark = {FAILED: f"see build/{detail}", SKIPPED: detail or "(gave no reason)"}.get(state, "")
    return [(state, name, remark)]


def read_results(path):
    """Yields (configuration, seconds, items)."""
    with open(path, encoding="utf-8") as results:
        for line in results:
            name, kind, state, seconds, detail = line.rstrip("\n").split("\t")
            items = suite_items(state, detail) if kind == "suite" else check_items(name, state, detail)
            yield name, int(seconds), items


def print_table(rows):
    head = ("configuration", PASSED, FAILED, SKIPPED, "seconds")
    print("{:<16}{:>8}{:>8}{:>9}{:>9}".format(*head))
    for name, seconds, items in rows:
        counts = Counter(verdict for verdict, _, _ in items)
        print(f"{name:<16}{counts[PASSED]:>8}{counts[FAILED]:>8}{counts[SKIPPED]:>9}{seconds:>9}")


def print_items(rows, verdict):
    """Lists the tests of one verdict, each once, with the configurations it holds for."""
    where = {}
    for name, _, items in rows:
        for item_verdict, test, remark in items:
            if item_verdict == verdict:
                where.setdefault((test, remark), []).append(name)
    if where:
        print(f"\n{verdict}:")
    for (test, remark), names in where.items():
        print(f"  {test} [{', '.join(names)}]: {remark}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: test_summary.py RESULTS")
    rows = list(read_results(sys.argv[1]))
    totals = Counter(verdict for _, _, items in rows for verdict, _, _ in items)
    print_table(rows)
    print_items(rows, FAILED)
    print_items(rows, SKIPPED)
    print(f"\n{totals[PASSED]} passed, {totals[FAILED]} failed, {totals[SKIPPED]} skipped")
    sys.exit(0 if totals[FAILED] == 0 and totals[PASSED] > 0 else 1)


if __name__ == "__main__":
    main()
