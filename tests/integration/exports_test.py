# SPDX-License-Identifier: Apache-2.0
"""What the built files export and need, and that every public header compiles alone."""

import re
import shutil
import tempfile
import unittest
from pathlib import Path

import spoc_test
from plugin_folder import SOURCE_ROOT, built_plugin

# Two of the test plugins stand for all of them: they are built with the same flags. The second holds C++.
TEST_PLUGINS = [built_plugin("acme"), built_plugin("catches")]
SHIPPED_PLUGINS = sorted(Path(spoc_test.NATIVE_DIR).glob("libspoc-*.so"))
PLUGINS = SHIPPED_PLUGINS + TEST_PLUGINS

# Run-time libraries of the compiler.
COMPILER_LIBRARIES = r"libc\.so\.6|libm\.so\.6|libstdc\+\+\.so\.6|libgcc_s\.so\.1|ld-linux.*|libpthread\.so\.0|libdl\.so\.2"


def readelf(*arguments):
    return spoc_test.run("readelf", "--wide", *arguments).stdout


def symbols(path, *flags):
    """Lines of nm, split into fields."""
    result = spoc_test.run("nm", "-D", *flags, path)
    return [line.split() for line in result.stdout.splitlines()]


def defined(path):
    """Names that the file exports, without versions."""
    return sorted(fields[-1].split("@")[0] for fields in symbols(path, "--defined-only"))


def dynamic(path, tag):
    """Values of the dynamic section's rows with that tag."""
    rows = re.findall(rf"\({tag}\)\s+(.*)", readelf("-d", path))
    return [re.sub(r"^.*\[(.*)\]$", r"\1", row) for row in rows]


class Plugins(unittest.TestCase):
    """Every plugin, shipped or built for tests."""

    def test_there_is_at_least_one_shipped_plugin(self):
        self.assertGreaterEqual(len(SHIPPED_PLUGINS), 1)

    def test_a_plugin_exports_its_table_and_nothing_else(self):
        for plugin in PLUGINS:
            self.assertEqual(defined(plugin), ["spoc_backend_v1"], plugin)

    def test_the_table_is_a_data_object(self):
        for plugin in PLUGINS:
            kinds = [fields[-2] for fields in symbols(plugin, "--defined-only")]
            # Read-only once its pointers are relocated, which nm calls data.
            self.assertIn(kinds, (["D"], ["R"]), plugin)

    def test_a_plugin_needs_no_symbol_of_libspoc(self):
        for plugin in PLUGINS:
            undefined = [fields[-1] for fields in symbols(plugin, "--undefined-only")]
            self.assertGreater(len(undefined), 0)
            self.assertEqual([name for name in undefined if name.startswith("spoc_")], [], plugin)

    def test_a_plugin_carries_its_note(self):
        for plugin in PLUGINS:
            notes = readelf("--notes", plugin)
            self.assertIn(".note.spoc.plugin", notes, plugin)
            self.assertRegex(notes, r"SPOC\s+0x0000002c\s", plugin)
            self.assertIn(plugin.name[len("libspoc-") : -len(".so")].encode(), note_bytes(plugin))

    def test_a_plugin_is_linked_to_run_time_libraries_alone(self):
        for plugin in PLUGINS:
            for needed in dynamic(plugin, "NEEDED"):
                self.assertRegex(needed, f"^({COMPILER_LIBRARIES})$", plugin)


def note_bytes(plugin):
    """The section of SPOC's note as hexadecimal text turned into bytes."""
    dump = readelf("--hex-dump=.note.spoc.plugin", plugin)
    words = re.findall(r"^\s+0x[0-9a-f]+ ((?:[0-9a-f]{2,8} ){1,4})", dump, re.MULTILINE)
    return bytes.fromhex("".join(words).replace(" ", ""))


class Hygiene(unittest.TestCase):
    """Every shared object that is built."""

    OBJECTS = [*PLUGINS, Path(spoc_test.LIBRARY)]

    def test_symbols_are_bound_when_a_file_is_opened(self):
        for path in PLUGINS:
            self.assertRegex(readelf("-d", path), r"\(FLAGS\)\s+.*BIND_NOW|\(FLAGS_1\)\s+.*NOW|\(BIND_NOW\)", path)

    def test_no_path_of_the_build_is_searched_for_libraries(self):
        for path in self.OBJECTS:
            for tag in ("RUNPATH", "RPATH"):
                for value in dynamic(path, tag):
                    for element in value.split(":"):
                        self.assertRegex(element, r"^(\$ORIGIN(/.*)?|)$", path)

    def test_the_stack_is_not_executable_and_text_needs_no_relocation(self):
        for path in self.OBJECTS:
            stack = re.search(r"GNU_STACK.*", readelf("-l", path)).group(0)
            self.assertNotIn("RWE", stack, path)
            self.assertEqual(dynamic(path, "TEXTREL"), [], path)
            self.assertIn("GNU_RELRO", readelf("-l", path), path)

    def test_no_symbol_is_unique_in_the_process(self):
        # One such symbol keeps an object mapped and shared with whoever else defines it.
        for path in self.OBJECTS:
            self.assertEqual([f for f in symbols(path, "--defined-only") if f[-2] == "u"], [], path)


class Library(unittest.TestCase):
    """libspoc itself."""

    def test_the_library_exports_its_c_interface_and_nothing_else(self):
        names = [name for name in defined(spoc_test.LIBRARY) if name != "SPOC_0"]
        self.assertEqual([name for name in names if not name.startswith("spoc_")], [])

    def test_every_function_of_the_headers_is_exported_and_no_other(self):
        declared = set()
        for header in (SOURCE_ROOT / "core" / "include" / "spoc").glob("*.h"):
            text = re.sub(r"///.*", "", header.read_text(encoding="utf-8"))
            declared |= set(re.findall(r"SPOC_API[^;]*?\b(spoc_\w+)\(", text))
        self.assertGreater(len(declared), 20)
        self.assertEqual({name for name in defined(spoc_test.LIBRARY) if name != "SPOC_0"}, declared)

    def test_the_library_stays_mapped_when_it_is_closed(self):
        self.assertRegex(readelf("-d", spoc_test.LIBRARY), r"\(FLAGS_1\)\s+.*NODELETE")

    def test_the_library_has_its_name_and_needs_no_driver_and_no_plugin(self):
        self.assertEqual(dynamic(spoc_test.LIBRARY, "SONAME"), ["libspoc.so.0"])
        allowed = COMPILER_LIBRARIES + r"|libspdlog\.so\..*|libfmt\.so\..*"
        for needed in dynamic(spoc_test.LIBRARY, "NEEDED"):
            self.assertRegex(needed, f"^({allowed})$")


class Headers(unittest.TestCase):
    """Every public header compiles alone, without a warning, in every language it is for."""

    C_STANDARDS = ("c11", "gnu17")
    CXX_STANDARDS = ("c++17", "c++20")
    STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")

    def compilers(self, *names):
        found = [name for name in names if shutil.which(name)]
        if not found:
            self.skipTest(f"none of {', '.join(names)} is installed")
        return found

    def check_compiles(self, compiler, standard, header, *flags):
        language = "c" if "++" not in standard else "c++"
        with self.subTest(compiler=compiler, standard=standard, header=header.name), tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / f"alone.{'c' if language == 'c' else 'cpp'}"
            # Twice: the guard holds. A declaration of its own keeps the unit from being empty.
            include = f"#include <spoc/{header.name}>\n"
            source.write_text(include * 2 + "extern int alone;\n", encoding="ascii")
            result = spoc_test.run(compiler, "-x", language, f"-std={standard}", *self.STRICT, *flags, "-fsyntax-only",
                                   "-I", SOURCE_ROOT / "abi" / "include", "-I", SOURCE_ROOT / "core" / "include", source)
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def headers(self, folder, pattern):
        found = sorted((SOURCE_ROOT / folder / "include" / "spoc").glob(pattern))
        self.assertGreater(len(found), 0)
        return found

    def test_headers_of_the_contract_compile_alone_and_have_no_padding(self):
        for header in self.headers("abi", "*.h"):
            for compiler in self.compilers("gcc", "clang"):
                for standard in self.C_STANDARDS:
                    self.check_compiles(compiler, standard, header, "-Wpadded")
            for compiler in self.compilers("g++", "clang++"):
                for standard in self.CXX_STANDARDS:
                    self.check_compiles(compiler, standard, header, "-Wpadded")

    def test_headers_of_the_c_interface_compile_alone(self):
        for header in self.headers("core", "*.h"):
            for compiler in self.compilers("gcc", "clang"):
                self.check_compiles(compiler, "c11", header)
            for compiler in self.compilers("g++", "clang++"):
                self.check_compiles(compiler, "c++20", header)

    def test_headers_of_the_cxx_interface_compile_alone(self):
        for header in self.headers("core", "*.hpp"):
            for compiler in self.compilers("g++", "clang++"):
                self.check_compiles(compiler, "c++20", header)


if __name__ == "__main__":
    spoc_test.main()
