// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <spoc/backend.h>

#include "cases.hpp"
#include "check.hpp"
#include "core/src/elf_machine.hpp"
#include "elf_file.hpp"

/// \file
/// What can be read from the plugin's file. None of its code is run.

namespace spoc::conformance {
namespace {

constexpr std::string_view name_prefix = "libspoc-";
constexpr std::string_view name_suffix = ".so";

std::string file_name(const subject& subject) {
    return subject.plugin_path.substr(subject.plugin_path.rfind('/') + 1);
}

/// The backend that the file's name stands for; fails when it has another form.
std::string backend_of(const subject& subject) {
    const std::string name = file_name(subject);
    const bool formed = name.size() > name_prefix.size() + name_suffix.size() &&
                        name.starts_with(name_prefix) && name.ends_with(name_suffix);
    require(formed, "The file is called ", name, "; a host looks at libspoc-NAME.so only.");
    return name.substr(name_prefix.size(), name.size() - name_prefix.size() - name_suffix.size());
}

void file_is_named_after_its_backend(const subject& subject) {
    const std::string name = backend_of(subject);
    require(name.size() < sizeof(spoc_be_note::name), "The file's name says backend ", name, " of ",
            name.size(), " characters; a name has 15 at most.");
    require(std::all_of(name.begin(), name.end(),
                        [](char c) {
                            return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
                        }),
            "The file's name says backend ", name, "; a name has characters of [a-z0-9_] only.");
}

void file_is_a_library_of_this_machine(const elf_file& file) {
    require(file.header().e_machine == own_machine, "The file is built for ELF machine ",
            file.header().e_machine, "; this program is of machine ", own_machine, ".");
    require(file.header().e_type == ET_DYN, "The file is of ELF type ", file.header().e_type,
            " and no shared object.");
    require(!file.dynamic().empty(), "The file has no dynamic section.");
}

bool is_ours(const elf_note& note) {
    return note.owner == SPOC_BE_NOTE_OWNER && note.type == SPOC_BE_NOTE_TYPE;
}

/// The one note of a plugin's.
spoc_be_note read_note(const elf_file& file) {
    const std::vector<elf_note> notes = file.notes();
    const auto ours = std::count_if(notes.begin(), notes.end(), is_ours);
    require(ours == 1, "The file has ", ours, " notes of owner SPOC and type 1 among its ",
            notes.size(), " notes; a plugin has one.");
    const elf_note& found = *std::find_if(notes.begin(), notes.end(), is_ours);
    require(found.payload.size() >= sizeof(spoc_be_note), "The file's note has ",
            found.payload.size(), " bytes; version 1 has ", sizeof(spoc_be_note), ".");
    spoc_be_note note{};
    std::memcpy(&note, found.payload.data(), sizeof note);
    return note;
}

template <std::size_t N>
std::string field(const char (&chars)[N], std::string_view what) {
    const std::size_t length = strnlen(chars, N);
    require(length < N, "The note's ", what, " has no end.");
    std::string words(chars, length);
    require_plain(words, "The note has a ", what);
    return words;
}

void note_is_whole(const elf_file& file) {
    const spoc_be_note note = read_note(file);
    require(note.note_version == SPOC_BE_NOTE_VERSION, "The note says note version ",
            note.note_version, " instead of ", SPOC_BE_NOTE_VERSION, ".");
    require(note.major == SPOC_BE_ABI_MAJOR, "The note says major version ", note.major,
            "; the suite judges version ", SPOC_BE_ABI_MAJOR, ".");
    require(!field(note.name, "name").empty(), "The note's name is empty.");
    require(!field(note.version, "version").empty(), "The note's version is empty.");
}

void note_has_the_name_of_the_file(const subject& subject) {
    const spoc_be_note note = read_note(elf_file::read(subject.plugin_path));
    const std::string name = field(note.name, "name");
    const std::string wanted = backend_of(subject);
    require(name == wanted, "The file's name says backend ", wanted, ", its note says ", name, ".");
}

/// AddressSanitizer gives every exported object a companion that watches for a second definition.
bool is_of_a_sanitizer(const elf_symbol& symbol, const elf_file& file) {
    return symbol.name.starts_with("__odr_asan") &&
           (read_note(file).flavour & SPOC_BE_FLAVOUR_ASAN) != 0;
}

/// At most the first ten, after one another.
std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 10;
    std::string all;
    for (std::size_t i = 0; i < names.size() && i < most; ++i) {
        all += (i > 0 ? ", " : "") + names[i];
    }
    return names.size() > most ? all + text(" and ", names.size() - most, " more") : all;
}

void file_exports_one_symbol(const elf_file& file) {
    std::vector<std::string> others;
    std::size_t tables = 0;
    for (const elf_symbol& symbol : file.symbols()) {
        // A version that the linker script names is a symbol without a place.
        const bool is_version = symbol.entry.st_shndx == SHN_ABS && symbol.entry.st_size == 0;
        if (!symbol.is_exported() || is_version || is_of_a_sanitizer(symbol, file)) {
            continue;
        }
        if (symbol.name == SPOC_BE_SYMBOL) {
            ++tables;
        } else {
            others.push_back(symbol.name);
        }
    }
    require(tables == 1, "The file exports " SPOC_BE_SYMBOL " ", tables, " times.");
    require(others.empty(), "Besides " SPOC_BE_SYMBOL " the file exports ", listed(others), ".");
}

elf_symbol table_symbol(const elf_file& file) {
    for (const elf_symbol& symbol : file.symbols()) {
        if (symbol.is_exported() && symbol.name == SPOC_BE_SYMBOL) {
            return symbol;
        }
    }
    fail("The file exports no " SPOC_BE_SYMBOL ".");
}

void table_is_a_data_object(const elf_file& file) {
    constexpr std::size_t least = offsetof(spoc_be_table, fill) + sizeof(spoc_be_table::fill);
    const elf_symbol symbol = table_symbol(file);
    require(symbol.type() == STT_OBJECT, "The symbol " SPOC_BE_SYMBOL " is of ELF type ",
            static_cast<int>(symbol.type()), " and no data object.");
    require(symbol.entry.st_size >= least && symbol.entry.st_size % 8 == 0,
            "The symbol " SPOC_BE_SYMBOL " has ", symbol.entry.st_size,
            " bytes; a table of version 1 has ", least, " or more, a multiple of 8.");
}

/// Such a symbol keeps the file mapped, and shares its object with whoever else defines it.
void no_symbol_is_unique(const elf_file& file) {
    for (const elf_symbol& symbol : file.symbols()) {
        require(!symbol.is_defined() || symbol.binding() != STB_GNU_UNIQUE, "The symbol ",
                symbol.name, " is unique in the process (GNU unique binding).");
    }
}

void no_symbol_of_the_host_is_needed(const elf_file& file) {
    for (const elf_symbol& symbol : file.symbols()) {
        require(symbol.is_defined() || !symbol.name.starts_with("spoc_"), "The file needs ",
                symbol.name, " from outside; a host offers its services in spoc_be_host alone.");
    }
}

void host_is_not_linked(const elf_file& file) {
    for (const std::string& needed : file.texts(DT_NEEDED)) {
        require(!needed.starts_with("libspoc"), "The file is linked to ", needed,
                "; a plugin needs nothing of SPOC's.");
    }
}

/// Beginnings of the names of libraries that come with a driver.
constexpr std::array driver_libraries{"libcuda.so",   "libcudart",      "libnvidia-", "libnvrtc",
                                      "libamdhip64",  "libamdocl",      "libhsa-",    "libhiprtc",
                                      "libOpenCL.so", "libvulkan.so",   "libze_",     "libigdrcl",
                                      "libdrm",       "libEGL",         "libGL",      "libwgpu",
                                      "libdawn",      "libwebgpu_dawn", "libMoltenVK"};

void driver_is_not_linked(const elf_file& file) {
    for (const std::string& needed : file.texts(DT_NEEDED)) {
        const bool is_driver =
            std::any_of(driver_libraries.begin(), driver_libraries.end(),
                        [&needed](const char* begin) { return needed.starts_with(begin); });
        require(!is_driver, "The file is linked to ", needed,
                " and cannot be loaded where that is missing; a driver is opened at run time.");
    }
}

bool has_flag(const elf_file& file, std::int64_t tag, std::uint64_t flag) {
    const std::vector<std::uint64_t> values = file.values(tag);
    return std::any_of(values.begin(), values.end(),
                       [flag](std::uint64_t value) { return (value & flag) != 0; });
}

void code_needs_no_relocation(const elf_file& file) {
    require(file.values(DT_TEXTREL).empty() && !has_flag(file, DT_FLAGS, DF_TEXTREL),
            "The file has relocations in its code (TEXTREL).");
}

/// A missing mark means an executable stack for the whole process, once the file is loaded.
void stack_is_not_executable(const elf_file& file) {
    const auto& segments = file.segments();
    const auto stack =
        std::find_if(segments.begin(), segments.end(),
                     [](const Elf64_Phdr& segment) { return segment.p_type == PT_GNU_STACK; });
    require(stack != segments.end(),
            "The file does not say that its stack need not be executable.");
    require((stack->p_flags & PF_X) == 0, "The file asks for an executable stack.");
}

/// Otherwise a missing function ends the process at its first call instead of at load.
void symbols_are_bound_at_load(const elf_file& file) {
    require(!file.values(DT_BIND_NOW).empty() || has_flag(file, DT_FLAGS, DF_BIND_NOW) ||
                has_flag(file, DT_FLAGS_1, DF_1_NOW),
            "The file is not linked with -z now.");
}

void table_is_read_only_once_loaded(const elf_file& file) {
    const std::uint64_t begin = table_symbol(file).entry.st_value;
    const std::uint64_t bytes = table_symbol(file).entry.st_size;
    const bool covered =
        std::any_of(file.segments().begin(), file.segments().end(), [=](const Elf64_Phdr& segment) {
            const bool read_only = segment.p_type == PT_GNU_RELRO ||
                                   (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0);
            return read_only && begin >= segment.p_vaddr &&
                   begin - segment.p_vaddr <= segment.p_memsz &&
                   bytes <= segment.p_memsz - (begin - segment.p_vaddr);
        });
    require(covered,
            "The table lies in memory that stays writable; it is to be const, in a file linked "
            "with -z relro.");
}

void no_code_is_writable(const elf_file& file) {
    for (const Elf64_Phdr& segment : file.segments()) {
        require(segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0 ||
                    (segment.p_flags & PF_X) == 0,
                "The segment at address ", segment.p_vaddr, " is writable and executable.");
    }
}

/// What an element of a search path does to the search, or empty when it is fine. An absolute one
/// is: it names one place, whoever starts the process and wherever.
std::string harm_of(const std::string& element) {
    if (element.empty()) {
        return "is empty, which is the current directory";
    }
    const bool is_fixed = element.front() == '/' || element.starts_with("$ORIGIN") ||
                          element.starts_with("${ORIGIN}");
    return is_fixed ? std::string() : "depends on the current directory";
}

void no_library_is_searched_in_the_current_folder(const elf_file& file) {
    for (const std::int64_t tag : {std::int64_t{DT_RUNPATH}, std::int64_t{DT_RPATH}}) {
        for (const std::string& path : file.texts(tag)) {
            for (std::size_t at = 0; at <= path.size();) {
                const std::size_t end = std::min(path.find(':', at), path.size());
                const std::string element = path.substr(at, end - at);
                const std::string harm = harm_of(element);
                require(harm.empty(), "The file's search path for libraries is \"", path,
                        "\", and its element \"", element, "\" ", harm, ".");
                at = end + 1;
            }
        }
    }
}

test_case on_name(std::string name, void (*run)(const subject&)) {
    return {.name = std::move(name), .run = run, .needs_device = false};
}

test_case on_file(std::string name, void (*run)(const elf_file&)) {
    return {.name = std::move(name),
            .run = [run](const subject& subject) { run(elf_file::read(subject.plugin_path)); },
            .needs_device = false};
}

}  // namespace

void add_file_cases(case_list& cases) {
    cases.push_back(on_name("file/name", file_is_named_after_its_backend));
    cases.push_back(on_file("file/library_of_this_machine", file_is_a_library_of_this_machine));
    cases.push_back(on_file("file/note", note_is_whole));
    cases.push_back(on_name("file/note_has_the_name_of_the_file", note_has_the_name_of_the_file));
    cases.push_back(on_file("file/one_export", file_exports_one_symbol));
    cases.push_back(on_file("file/table_is_a_data_object", table_is_a_data_object));
    cases.push_back(on_file("file/table_is_read_only", table_is_read_only_once_loaded));
    cases.push_back(on_file("file/no_unique_symbol", no_symbol_is_unique));
    cases.push_back(on_file("file/no_symbol_of_the_host", no_symbol_of_the_host_is_needed));
    cases.push_back(on_file("file/host_not_linked", host_is_not_linked));
    cases.push_back(on_file("file/driver_not_linked", driver_is_not_linked));
    cases.push_back(on_file("file/code_needs_no_relocation", code_needs_no_relocation));
    cases.push_back(on_file("file/stack_not_executable", stack_is_not_executable));
    cases.push_back(on_file("file/bound_at_load", symbols_are_bound_at_load));
    cases.push_back(on_file("file/no_writable_code", no_code_is_writable));
    cases.push_back(on_file("file/search_path", no_library_is_searched_in_the_current_folder));
}

}  // namespace spoc::conformance
