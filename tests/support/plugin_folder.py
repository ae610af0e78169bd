# SPDX-License-Identifier: Apache-2.0
"""Folders of good and bad plugins, and what spoc-info and the C interface make of them."""

import contextlib
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

import spoc_test

SOURCE_ROOT = Path(__file__).resolve().parents[2]
HEADER = SOURCE_ROOT / "abi" / "include" / "spoc" / "backend.h"
LIST_BACKENDS = Path(spoc_test.PROGRAM_DIR) / "list_backends"

SANITIZED = spoc_test.SANITIZERS != "none"
ASAN = "address" in spoc_test.SANITIZERS
TSAN = "thread" in spoc_test.SANITIZERS

# An unprivileged user of no account: files that root made are unreadable to it.
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def reasons():
    """The reason codes of the header, name to number."""
    text = HEADER.read_text(encoding="utf-8")
    found = re.findall(r"^#define SPOC_BE_REASON_(\w+) UINT32_C\((\d+)\)", text, re.MULTILINE)
    return {name: int(number) for name, number in found}


def entries():
    """The entries of the table as the header lists them: (number, name, whether it is required)."""
    text = HEADER.read_text(encoding="utf-8")
    listed = text[text.index("#define SPOC_BE_ENTRY_LIST") :]
    return [(int(n), name, r == "1") for n, name, r in re.findall(r"X\((\d+), (\w+), ([01])\)", listed)]


def capability_number(name):
    """A capability's number in the header."""
    text = HEADER.read_text(encoding="utf-8")
    return int(re.search(rf"^#define SPOC_BE_CAP_{name} UINT32_C\((\d+)\)", text, re.MULTILINE).group(1))


def built_plugin(name):
    """A plugin of tests/support/plugins as it was built."""
    return Path(spoc_test.PLUGIN_DIR) / f"libspoc-{name}.so"


def variables(**changes):
    """The environment of the programs that tests run, plus changes; a value of None removes a variable.

    Meson lets tests find every library of the build, also the one that a broken plugin is to lack.
    """
    return spoc_test.clean_environment(**{"LD_LIBRARY_PATH": None, **changes})


class Folder:
    """A folder that holds plugins, which only its owner may write to."""

    def __init__(self, path):
        self.path = Path(path)
        self.path.mkdir(exist_ok=True)
        self.path.chmod(0o755)

    def __str__(self):
        return str(self.path)

    def file(self, name):
        """Where a plugin called `name` lies, or would."""
        return self.path / f"libspoc-{name}.so"

    def add(self, built, name=None):
        """A copy of a built plugin, under another name if one is given."""
        return self._copy(built_plugin(built), self.file(name or built))

    def add_native(self):
        return self._copy(Path(spoc_test.NATIVE_DIR) / "libspoc-native.so", self.file("native"))

    def add_good(self):
        """The plugins that must be listed whatever lies beside them."""
        self.add("acme")
        self.add_native()

    def add_called(self, name):
        """A good plugin whose file, note and table all say `name`."""
        old = b"fixture_renamed\0"
        data = built_plugin("fixture_renamed").read_bytes()
        assert old in data and len(name) < len(old)
        return self.write(name, data.replace(old, name.encode().ljust(len(old), b"\0")))

    def add_patched(self, name, *patches):
        """A copy of the good plugin with bytes replaced: pairs of (offset, bytes)."""
        data = bytearray(built_plugin("acme").read_bytes())
        for offset, replacement in patches:
            data[offset : offset + len(replacement)] = replacement
        return self.write(name, bytes(data))

    def write(self, name, data):
        path = self.file(name)
        path.write_bytes(data)
        path.chmod(0o755)
        return path

    @staticmethod
    def _copy(source, target):
        shutil.copyfile(source, target)
        target.chmod(0o755)
        return target


def temporary_folder(test):
    """A folder that is removed when `test` ends, whatever became of its permissions."""
    path = tempfile.mkdtemp(prefix="spoc-test-")
    test.addCleanup(shutil.rmtree, path, ignore_errors=True)
    return Folder(path)


def own_library(test):
    """A copy of libspoc with an empty plugin folder beside it, and the variables that make programs use it.

    The library of the build finds the plugins of the build beside itself, which is not for tests of the search.
    """
    folder = temporary_folder(test)
    dynamic = spoc_test.run("readelf", "-d", spoc_test.LIBRARY).stdout
    name = re.search(r"\(SONAME\).*\[(.+)\]", dynamic).group(1)
    shutil.copyfile(spoc_test.LIBRARY, folder.path / name)
    (folder.path / "spoc").mkdir()
    beside = Folder(folder.path / "spoc" / "1")
    (folder.path / "spoc" / "spoc-probe").symlink_to(Path(spoc_test.LIBRARY).parent / "spoc" / "spoc-probe")
    return beside, {"LD_LIBRARY_PATH": str(folder)}


@dataclass
class Entry:
    """What was said about one backend."""

    name: str
    state: str
    reason: str
    stage: str
    device_count: int
    file: str
    message: str
    threads: int = 0
    driver_path: str = ""

    def is_ready(self):
        return (self.state, self.reason) == ("ready", "NONE") and self.device_count > 0


@dataclass
class Listing:
    """What one program said."""

    status: int
    stderr: str
    backends: list
    lines: list

    def named(self, name):
        return [entry for entry in self.backends if entry.name == name]

    def at(self, path):
        return [entry for entry in self.backends if entry.file == str(path)]

    def rows(self, kind):
        """The fields of every line of that kind (C interface only)."""
        return [line[1:] for line in self.lines if line[0] == kind]

    def error(self):
        """Status, sub-code, reason and message of the call that failed (C interface only)."""
        rows = self.rows("error")
        assert len(rows) == 1, self
        return rows[0]


def _entry_of_json(backend):
    reason = backend["reason"] or {}
    return Entry(
        name=backend["name"],
        state=backend["state"],
        reason=reason.get("code") or "NONE",
        stage=backend.get("stage", ""),
        device_count=backend["device_count"] or 0,
        file=backend["file"] or "",
        message=reason.get("text") or "",
    )


def _entry_of_line(fields):
    name, state, reason, stage, devices, threads, file, driver_path, message = fields
    return Entry(name, state, reason, stage, max(int(devices), 0), file, message, int(threads), driver_path)


def ask_info(*arguments, env, **options):
    """Runs spoc-info --json, checks its one document against the schema, and returns what it says."""
    options.setdefault("timeout", 120)
    result = spoc_test.run(spoc_test.SPOC_INFO, "--json", *arguments, env=env, **options)
    try:
        document = json.loads(result.stdout)
    except json.JSONDecodeError as error:
        raise AssertionError(f"no JSON document (status {result.returncode}): {result.stdout}{result.stderr}") from error
    spoc_test.check_schema(document)
    backends = [_entry_of_json(backend) for backend in document["backends"]]
    return Listing(result.returncode, result.stderr, backends, [])


def ask_api(*words, env, program=LIST_BACKENDS, prefix=(), **options):
    """Runs list_backends and returns what it prints."""
    options.setdefault("timeout", 120)
    result = spoc_test.run(*prefix, program, *words, env=env, **options)
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    backends = [_entry_of_line(line[1:]) for line in lines if line[0] == "backend"]
    return Listing(result.returncode, result.stderr, backends, lines)


@contextlib.contextmanager
def no_process_left(test):
    """Yields variables for the environment of programs, and fails the test when a process that has them is still alive.

    Zombies do not count: where process 1 does not reap orphans, they stay whatever the library does.
    """
    mark = f"FIXTURE_RUN={uuid.uuid4()}"
    yield dict([mark.split("=")])
    # A process that was killed takes a moment to die; one that was not is still there at the deadline.
    deadline = time.monotonic() + 5
    while (alive := _alive_with(mark.encode())) and time.monotonic() < deadline:
        time.sleep(0.01)
    for pid in alive:
        os.kill(int(pid), 9)
    test.assertEqual(alive, [], "processes were left behind")


def _alive_with(mark):
    return [pid for pid in os.listdir("/proc") if pid.isdigit() and _is_alive_with(pid, mark)]


def _is_alive_with(pid, mark):
    try:
        variables = Path("/proc", pid, "environ").read_bytes().split(b"\0")
        state = Path("/proc", pid, "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return mark in variables and state not in "ZX"


def skip_unless_unprivileged_works(test):
    """Skips unless a program can be run as a user that may read the build but owns none of it."""
    if os.geteuid() != 0:
        test.skipTest("only root can become an unprivileged user")
    if shutil.which("setpriv") is None:
        test.skipTest("setpriv (util-linux) is not installed")
    tried = subprocess.run([*NOBODY, str(LIST_BACKENDS), "settings"], capture_output=True, check=False)
    if tried.returncode != 0:
        test.skipTest("an unprivileged user cannot run programs of this build folder")


class PluginTest(unittest.TestCase):
    """A test with a folder of plugins of its own."""

    def setUp(self):
        self.folder = temporary_folder(self)

    def environment(self, *folders, **changes):
        """An environment whose search path is `folders`, or else the test's own folder."""
        path = ":".join(str(folder) for folder in folders or (self.folder,))
        return variables(**{"SPOC_PLUGIN_PATH": path, **changes})

    def environment_of_only(self, folder, **changes):
        """An environment in which the plugins of `folder` are the only ones, whatever lies beside the library."""
        files = ":".join(str(file) for file in sorted(folder.path.glob("libspoc-*.so")))
        return variables(**{"SPOC_PLUGIN_FILES": files, **changes})

    def log_file(self):
        """A path for FIXTURE_LOG, where test plugins write down what was called."""
        return temporary_folder(self).path / "log"


def without_leak_check():
    """Settings for a program that ends without a shutdown: no driver is called any more, so what it holds stays."""
    return {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}


def logged(path):
    """Lines of a log of test plugins; none when no test plugin was loaded."""
    return Path(path).read_text(encoding="ascii").splitlines() if Path(path).exists() else []


def elf_field(fmt, value):
    """Bytes of a number in the byte order of this machine, in which its plugins are built."""
    return struct.pack("=" + fmt, value)
