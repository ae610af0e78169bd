// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <spoc/backend.h>
#include <spoc/native.h>

#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"
#include "elf_file.hpp"
#include "plugin.hpp"

/// \file
/// How plugin and host get to know each other: the table, the note, hosts older and newer than the
/// plugin, optional interfaces, and the error record.

namespace spoc::conformance {
namespace {

/* ---- the table ---- */

/// Largest table that a host takes.
constexpr std::uint32_t most_table_bytes = 65536;

void header_is_right(const subject& subject) {
    const spoc_be_header& header = load_plugin(subject.plugin_path).header;
    require(header.size <= most_table_bytes, "The table says it is ", header.size,
            " bytes long; a host takes ", most_table_bytes, " at most.");
    require(header.reserved_0 == 0 && header.reserved_1 == 0, "The header's reserved fields hold ",
            header.reserved_0, " and ", header.reserved_1, " instead of 0.");
}

/// What lies behind the object is somebody else's.
void table_is_as_long_as_its_symbol(const subject& subject) {
    const std::uint32_t said = load_plugin(subject.plugin_path).header.size;
    for (const elf_symbol& symbol : elf_file::read(subject.plugin_path).symbols()) {
        require(symbol.name != SPOC_BE_SYMBOL || symbol.entry.st_size >= said,
                "The table says it is ", said, " bytes long and the object has ",
                symbol.entry.st_size, ".");
    }
}

void symbol_lies_in_the_file(const subject& subject) {
    const spoc_be_table& table = load_plugin(subject.plugin_path);
    void* const library = dlopen(subject.plugin_path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    link_map* own = nullptr;
    void* holder = nullptr;
    Dl_info info{};
    require(library != nullptr && dlinfo(library, RTLD_DI_LINKMAP, &own) == 0 &&
                dladdr1(&table, &info, &holder, RTLD_DL_LINKMAP) != 0,
            "The system's loader does not know the file that it loaded.");
    require(own == holder, "The table lies in ", info.dli_fname,
            ", a library that the plugin is linked to.");
}

void reserved_words_are_zero(const subject& subject) {
    const spoc_be_table table = read_table(load_plugin(subject.plugin_path));
    require(table.reserved[0] == 0 && table.reserved[1] == 0, "The table's reserved words hold ",
            table.reserved[0], " and ", table.reserved[1], " instead of 0.");
}

void texts_are_set(const subject& subject) {
    const spoc_be_table table = read_table(load_plugin(subject.plugin_path));
    require(table.name != nullptr && table.vendor != nullptr && table.version != nullptr &&
                table.build_id != nullptr,
            "The table leaves its name, vendor, version or build id null.");
    const std::string_view name = table.name;
    require(!name.empty() && name.size() < sizeof(spoc_be_note::name), "The table's name has ",
            name.size(), " characters; a name has 1 to 15.");
    require(std::all_of(name.begin(), name.end(),
                        [](char c) {
                            return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
                        }),
            "The table's name is ", name, "; a name has characters of [a-z0-9_] only.");
    require(subject.plugin_path.ends_with(text("/libspoc-", name, ".so")), "The file ",
            subject.plugin_path, " has a table that says backend ", name, ".");
    require(*table.vendor != '\0' && *table.version != '\0',
            "The table's vendor or version is empty.");
    for (const char* words : {table.vendor, table.version, table.build_id}) {
        require_plain(words, "The table has a vendor, version or build id");
    }
}

/// The note as the file has it; the file cases say what is wrong with it.
spoc_be_note note_of(const subject& subject) {
    const elf_file file = elf_file::read(subject.plugin_path);
    spoc_be_note note{};
    for (const elf_note& found : file.notes()) {
        if (found.owner == SPOC_BE_NOTE_OWNER && found.type == SPOC_BE_NOTE_TYPE &&
            found.payload.size() >= sizeof note) {
            std::memcpy(&note, found.payload.data(), sizeof note);
            note.name[sizeof note.name - 1] = '\0';
            note.version[sizeof note.version - 1] = '\0';
            return note;
        }
    }
    fail("The file carries no note of owner SPOC.");
}

void note_equals_table(const subject& subject) {
    const spoc_be_note note = note_of(subject);
    const spoc_be_table table = read_table(load_plugin(subject.plugin_path));
    const spoc_be_header& header = table.header;
    require(note.major == header.major && note.minor == header.minor, "The note says version ",
            note.major, ".", note.minor, ", the table ", header.major, ".", header.minor, ".");
    require(note.flavour == header.flavour, "The note says build flavour ", note.flavour,
            ", the table ", header.flavour, ".");
    require(table.name != nullptr && std::string_view(table.name) == note.name,
            "The note says backend ", note.name, ", the table ",
            table.name == nullptr ? "nothing" : table.name, ".");
    require(table.version != nullptr && std::string_view(table.version) == note.version,
            "The note says version ", note.version, " of the plugin, the table ",
            table.version == nullptr ? "nothing" : table.version, ".");
}

struct entry_row {
    const char* name;
    std::size_t offset;
    bool required;
};

constexpr entry_row entries[] = {
#define SPOC_ENTRY_ROW(number, name, required) \
    {#name, offsetof(spoc_be_table, name), (required) != 0},
    SPOC_BE_ENTRY_LIST(SPOC_ENTRY_ROW)
#undef SPOC_ENTRY_ROW
};

bool is_set(const spoc_be_table& table, std::size_t offset) {
    void (*entry)() = nullptr;
    std::memcpy(&entry, reinterpret_cast<const std::byte*>(&table) + offset, sizeof entry);
    return entry != nullptr;
}

void required_entries_are_set(const subject& subject) {
    const spoc_be_table table = read_table(load_plugin(subject.plugin_path));
    for (const entry_row& entry : entries) {
        require(!entry.required || is_set(table, entry.offset), "The required entry ", entry.name,
                " is null.");
    }
}

void expect_whole(const spoc_be_table& table, const char* group,
                  std::initializer_list<std::size_t> offsets) {
    const auto set = std::count_if(offsets.begin(), offsets.end(),
                                   [&table](std::size_t offset) { return is_set(table, offset); });
    require(set == 0 || set == static_cast<std::ptrdiff_t>(offsets.size()), "Of the group ", group,
            " the table fills ", set, " of ", offsets.size(), " entries.");
}

void groups_are_whole(const subject& subject) {
    const spoc_be_table table = read_table(load_plugin(subject.plugin_path));
    expect_whole(table, "pinned_alloc, pinned_free",
                 {offsetof(spoc_be_table, pinned_alloc), offsetof(spoc_be_table, pinned_free)});
    expect_whole(
        table, "host_register, host_unregister",
        {offsetof(spoc_be_table, host_register), offsetof(spoc_be_table, host_unregister)});
    expect_whole(table, "of programs and kernels",
                 {offsetof(spoc_be_table, program_load), offsetof(spoc_be_table, program_destroy),
                  offsetof(spoc_be_table, kernel_get), offsetof(spoc_be_table, kernel_info),
                  offsetof(spoc_be_table, kernel_params), offsetof(spoc_be_table, kernel_destroy)});
    require(table.program_load != nullptr ||
                (table.launch == nullptr && table.program_binary == nullptr),
            "The table has launch or program_binary without the group of programs and kernels.");
}

/* ---- hosts ---- */

/// A little of everything that a host's services are asked for.
void work(device& dev) {
    const byte_vector sent = pattern(5000, 1);
    const spoc_be_buffer buffer = dev.buffer(sent);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_event event = dev.event();
    dev.fill(stream, buffer, 0, 100, 0x5A, 1);
    dev.record(event, stream);
    dev.sync(stream);
    byte_vector wanted = sent;
    std::fill_n(wanted.begin(), 100, std::byte{0x5A});
    expect_bytes(wanted, dev.download(buffer, 0, sent.size()), "The buffer after a fill");
}

/// Opens, works and closes with a host of that size.
void work_with_host(const subject& subject, std::uint32_t size) {
    backend opened(subject, host::make(size));
    device dev(opened, subject.device_index);
    work(dev);
    dev.finish();
    opened.close();
}

/// Ends with the last member that every host sets; the tracing members are null.
void short_host(const subject& subject) {
    work_with_host(subject, offsetof(spoc_be_host, reserved));
}

/// From a later minor version: there is more than this plugin's header knows.
void long_host(const subject& subject) { work_with_host(subject, sizeof(spoc_be_host) + 256); }

/// Spans that are open in this thread, and what went wrong with any.
thread_local int open_spans = 0;
std::atomic<int> bad_spans{0};

void begin_span(void* /*ctx*/, const char* name) {
    ++open_spans;
    bad_spans += name == nullptr || *name == '\0' ? 1 : 0;
}

void end_span(void* /*ctx*/) {
    --open_spans;
    bad_spans += open_spans < 0 ? 1 : 0;
}

void tracing_host(const subject& subject) {
    host& services = host::make();
    // The suite's hosts do not trace: this one is made out of such a one.
    auto* const table = const_cast<spoc_be_host*>(services.table());
    table->trace_begin = begin_span;
    table->trace_end = end_span;
    backend opened(subject, services);
    device dev(opened, subject.device_index);
    work(dev);
    dev.finish();
    opened.close();
    require(open_spans == 0, "The plugin left ", open_spans, " spans of this thread's open.");
    require(bad_spans == 0,
            "The plugin began a span without a name, or ended one that it had not "
            "begun, ",
            bad_spans.load(), " times.");
}

/* ---- optional interfaces ---- */

constexpr const char* unknown_interface = "spoc.conformance.nothing";

void unknown_interface_is_unsupported(device& dev) {
    int mark = 0;
    for (const std::uint32_t least : {4U, 64U, 0xFFFFFFFFU}) {
        const void* found = &mark;
        auto error = sized<spoc_be_error>();
        expect_status(SPOC_BE_UNSUPPORTED,
                      dev.be.get_interface(unknown_interface, least, &found, &error),
                      "get_interface", error);
        require(found == &mark, "get_interface failed and wrote to its output.");
    }
}

/// The one interface that the project's own headers describe.
void known_interface_has_its_size(device& dev) {
    const void* first = nullptr;
    auto error = sized<spoc_be_error>();
    const char* const name = SPOC_NATIVE_KERNELS_INTERFACE;
    const std::int32_t status = dev.be.get_interface(name, 4, &first, &error);
    if (status == SPOC_BE_UNSUPPORTED) {
        skip("The plugin has no interface whose name this suite knows (", name, ").");
    }
    expect_status(SPOC_BE_OK, status, "get_interface", error);
    std::uint32_t size = 0;
    std::memcpy(&size, first, sizeof size);
    require(size >= 4, "The interface ", name, " says it is ", size, " bytes long.");
    const void* again = nullptr;
    expect_status(SPOC_BE_OK, dev.be.get_interface(name, size, &again, &error), "get_interface",
                  error);
    require(again == first, "get_interface gave two addresses for ", name, ".");
    again = nullptr;
    expect_status(SPOC_BE_UNSUPPORTED, dev.be.get_interface(name, size + 1, &again, &error),
                  "get_interface", error);
    require(again == nullptr, "get_interface failed and wrote to its output.");
}

/* ---- the error record ---- */

/// An error record full of what an earlier failure might have left.
spoc_be_error stale_record() {
    spoc_be_error error;
    std::memset(&error, 0x5A, sizeof error);
    error.size = sizeof error;
    return error;
}

void failure_clears_the_record(device& dev) {
    spoc_be_error error = stale_record();
    const void* found = nullptr;
    expect_status(SPOC_BE_UNSUPPORTED, dev.be.get_interface(unknown_interface, 4, &found, &error),
                  "get_interface", error);
    require(error.reason == 0 && error.flags == 0 && error.tag == 0,
            "get_interface failed and left reason ", error.reason, ", flags ", error.flags,
            " and tag ", error.tag, " in its error record; all are to be 0.");
    const std::uint64_t stale = stale_record().limit;
    require(error.limit != stale && error.native_code != stale_record().native_code,
            "get_interface failed and left an earlier failure's figures in its error record.");
}

void failure_needs_no_record(device& dev) {
    const void* found = nullptr;
    const std::int32_t status = dev.be.get_interface(unknown_interface, 4, &found, nullptr);
    require(status == SPOC_BE_UNSUPPORTED, "get_interface without an error record answered ",
            status_text(status), " instead of UNSUPPORTED.");
}

void expect_untouched(const spoc_be_error& error, const char* entry) {
    const spoc_be_error before = stale_record();
    require(std::memcmp(&error, &before, sizeof error) == 0, entry,
            " succeeded and wrote to its error record.");
}

void success_leaves_the_record(device& dev) {
    spoc_be_error error = stale_record();
    std::uint32_t count = 0;
    expect_status(SPOC_BE_OK, dev.be.device_count(&count, &error), "device_count", error);
    expect_untouched(error, "device_count");
    auto info = sized<spoc_be_device_info>();
    expect_status(SPOC_BE_OK, dev.be.device_info(dev.index, &info, &error), "device_info", error);
    expect_untouched(error, "device_info");
    auto memory = sized<spoc_be_memory_info>();
    expect_status(SPOC_BE_OK, dev.be.device_memory(dev.handle, &memory, &error), "device_memory",
                  error);
    expect_untouched(error, "device_memory");
    auto desc = sized<spoc_be_buffer_desc>();
    desc.bytes = 16;
    auto made = sized<spoc_be_buffer_result>();
    expect_status(SPOC_BE_OK, dev.be.buffer_create(dev.handle, &desc, &made, &error),
                  "buffer_create", error);
    expect_untouched(error, "buffer_create");
    expect_status(SPOC_BE_OK, dev.be.buffer_destroy(made.buffer, &error), "buffer_destroy", error);
    expect_untouched(error, "buffer_destroy");
    expect_status(SPOC_BE_OK, dev.be.stream_sync(dev.default_stream, SPOC_BE_FOREVER, &error),
                  "stream_sync", error);
    expect_untouched(error, "stream_sync");
}

test_case on_table(std::string name, void (*run)(const subject&)) {
    return {.name = std::move(name), .run = run, .needs_device = false};
}

}  // namespace

void add_negotiation_cases(case_list& cases) {
    cases.push_back(on_table("negotiation/header", header_is_right));
    cases.push_back(on_table("negotiation/size_of_symbol", table_is_as_long_as_its_symbol));
    cases.push_back(on_table("negotiation/symbol_in_file", symbol_lies_in_the_file));
    cases.push_back(on_table("negotiation/reserved_words", reserved_words_are_zero));
    cases.push_back(on_table("negotiation/texts", texts_are_set));
    cases.push_back(on_table("negotiation/note_equals_table", note_equals_table));
    cases.push_back(on_table("negotiation/required_entries", required_entries_are_set));
    cases.push_back(on_table("negotiation/whole_groups", groups_are_whole));
    cases.push_back({.name = "negotiation/short_host", .run = short_host});
    cases.push_back({.name = "negotiation/long_host", .run = long_host});
    cases.push_back({.name = "negotiation/tracing_host", .run = tracing_host});
    cases.push_back(on_device("negotiation/unknown_interface", unknown_interface_is_unsupported));
    cases.push_back(on_device("negotiation/known_interface", known_interface_has_its_size));
    cases.push_back(on_device("negotiation/failure_clears_record", failure_clears_the_record));
    cases.push_back(on_device("negotiation/failure_without_record", failure_needs_no_record));
    cases.push_back(on_device("negotiation/success_leaves_record", success_leaves_the_record));
}

}  // namespace spoc::conformance
