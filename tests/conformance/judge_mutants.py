# SPDX-License-Identifier: Apache-2.0
"""Runs spoc-conformance on plugins that are wrong in one thing each, and shows which cases noticed.

    judge_mutants.py --program FILE --plugins DIR [--right FILE]... [--jobs N] [NAME...]

NAME is a source of mutants/ without ".cpp"; without a name all of them are tried. DIR holds the built ones. The plugins
given with --right, which nothing is wrong with, come first and must pass. A wrong one is given the cases of one group,
that of the case meant for it. Prints a Markdown table. Exits 1 when a fault is not noticed, when the case meant for it is
not among those that failed, or when the program itself fails.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

SOURCES = pathlib.Path(__file__).resolve().parent / "mutants"
# First lines of a source: what is broken, and the case that is meant to notice.
HEAD = re.compile(r"// SPDX-License-Identifier: \S+\n// (?P<what>.+)\n// Case: (?P<case>\S+)\n")
# Seconds for a case: a fault may make one hang, and then it has been noticed.
TIMEOUT = 20
# Runs of the case meant for a fault. One that is about pending work finds nothing when the work happened to be done, as
# on a machine that is busy.
TRIES = 3


def names():
    return sorted(file.stem for file in SOURCES.glob("*.cpp"))


def head(name):
    """What is broken in a mutant, and the case meant for it."""
    found = HEAD.match((SOURCES / f"{name}.cpp").read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit(f"judge_mutants.py: {name}.cpp does not begin as it should")
    return found["what"], found["case"]


def judge(program, plugin, *options):
    """The program's exit status, the names of the cases that failed, and its own words."""
    done = subprocess.run([program, "--json", "--timeout", str(TIMEOUT), *options, str(plugin)], text=True,
                          capture_output=True, check=False)
    if done.returncode not in (0, 1):
        return done.returncode, [], done.stderr.strip()
    cases = json.loads(done.stdout)["cases"]
    return done.returncode, [case["name"] for case in cases if case["outcome"] == "failed"], done.stderr.strip()


def is_noticed(program, plugin, case):
    """Whether the case fails, run alone."""
    return any(judge(program, plugin, "--only", case)[:2] == (1, [case]) for _ in range(TRIES))


def verdict(case, status, failed, words):
    if status not in (0, 1):
        return f"NO VERDICT, exit {status}: {words}"
    if not failed:
        return "SURVIVED"
    return "noticed" if case in failed else f"MISSED by its case, noticed by {failed[0]}"


def row(arguments, name):
    what, case = head(name)
    plugin = arguments.plugins / f"libspoc-{name}.so"
    group = case.partition("/")[0]
    status, failed, words = judge(arguments.program, plugin, "--only", f"{group}/*")
    if status in (0, 1) and case not in failed and is_noticed(arguments.program, plugin, case):
        failed.append(case)
    return name, what, case, len(failed), verdict(case, status, failed, words)


def check_right(arguments):
    """Whether the plugins that are right pass."""
    good = True
    for plugin in arguments.right:
        status, failed, words = judge(arguments.program, plugin)
        if status != 0:
            print(f"judge_mutants.py: {plugin} does not pass: {' '.join(failed) or words}", file=sys.stderr)
            good = False
    return good


def read_arguments():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--program", required=True)
    parser.add_argument("--plugins", required=True, type=pathlib.Path)
    parser.add_argument("--right", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - set(names()))
    if unknown:
        parser.error(f"there is no mutant {unknown[0]}")
    return arguments


def main():
    arguments = read_arguments()
    if not check_right(arguments):
        return 1
    tried = arguments.names or names()
    missed = 0
    print("| mutant | what is broken | case meant for it | cases of its group that failed | verdict |\n|---|---|---|---|---|")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for cells in pool.map(lambda name: row(arguments, name), tried):
            missed += cells[-1] != "noticed"
            print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)
    print(f"\n{len(tried)} mutants, {missed} not noticed by their case")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
