// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <optional>
#include <string>

#include <spoc/backends.h>

#include "plugin_library.hpp"
#include "support/catch.hpp"

namespace spoc::detail {
namespace {

using entry_pointer = void (*)();
void some_entry() {}

struct entry_row {
    const char* name;
    std::size_t offset;
    bool required;
};

constexpr entry_row rows[] = {
#define ROW(number, name, required) {#name, offsetof(spoc_be_table, name), (required) != 0},
    SPOC_BE_ENTRY_LIST(ROW)
#undef ROW
};

void set(spoc_be_table& table, std::size_t offset, bool present) {
    const entry_pointer entry = present ? some_entry : nullptr;
    std::memcpy(reinterpret_cast<char*>(&table) + offset, &entry, sizeof entry);
}

bool is_set(const spoc_be_table& table, std::size_t offset) {
    entry_pointer entry = nullptr;
    std::memcpy(&entry, reinterpret_cast<const char*>(&table) + offset, sizeof entry);
    return entry != nullptr;
}

spoc_be_table full_table() {
    spoc_be_table table{};
    table.header = SPOC_BE_TABLE_HEADER;
    table.name = "rec";
    table.vendor = "";
    table.version = "1";
    table.build_id = "";
    for (const entry_row& row : rows) {
        set(table, row.offset, true);
    }
    return table;
}

spoc_be_note note_of(const spoc_be_table& table) {
    spoc_be_note note{};
    note.major = table.header.major;
    note.flavour = table.header.flavour;
    return note;
}

std::string verdict(const spoc_be_table& table, const std::optional<spoc_be_note>& note = {}) {
    spoc_be_table adopted{};
    return spoc_reason_name(adopt_table(table, "rec", note, adopted).reason);
}

}  // namespace

TEST_CASE("A full table is adopted as it is") {
    const spoc_be_table table = full_table();
    spoc_be_table adopted{};
    REQUIRE(adopt_table(table, "rec", note_of(table), adopted).fine());
    CHECK(std::memcmp(&adopted, &table, sizeof table) == 0);
}

TEST_CASE("Each required entry is required and named, each optional one is not", "[R-005]") {
    for (const entry_row& row : rows) {
        CAPTURE(row.name);
        spoc_be_table table = full_table();
        for (const entry_row& other : rows) {
            set(table, other.offset, other.required);
        }
        CHECK(verdict(table) == "NONE");
        set(table, row.offset, !row.required);
        spoc_be_table adopted{};
        const finding found = adopt_table(table, "rec", {}, adopted);
        if (row.required) {
            CHECK(found.reason == SPOC_BE_REASON_MISSING_REQUIRED_ENTRY);
            CHECK(found.message.find(" " + std::string(row.name) + ".") != std::string::npos);
        } else {
            CHECK(found.reason != SPOC_BE_REASON_MISSING_REQUIRED_ENTRY);
        }
    }
}

TEST_CASE("Groups are filled whole or not at all") {
    const std::vector<std::vector<std::size_t>> groups = {
        {offsetof(spoc_be_table, pinned_alloc), offsetof(spoc_be_table, pinned_free)},
        {offsetof(spoc_be_table, host_register), offsetof(spoc_be_table, host_unregister)},
        {offsetof(spoc_be_table, program_load), offsetof(spoc_be_table, program_destroy),
         offsetof(spoc_be_table, kernel_get), offsetof(spoc_be_table, kernel_info),
         offsetof(spoc_be_table, kernel_params), offsetof(spoc_be_table, kernel_destroy)},
    };
    for (const auto& group : groups) {
        for (const std::size_t missing : group) {
            spoc_be_table table = full_table();
            set(table, missing, false);
            CHECK(verdict(table) == "INCONSISTENT");
        }
        spoc_be_table table = full_table();
        table.launch = nullptr;
        table.program_binary = nullptr;
        for (const std::size_t missing : group) {
            set(table, missing, false);
        }
        CHECK(verdict(table) == "NONE");
        set(table, group.back(), true);
        CHECK(verdict(table) == "INCONSISTENT");
    }
}

TEST_CASE("Launching and binaries need programs") {
    for (const bool launch : {false, true}) {
        spoc_be_table table = full_table();
        for (const entry_row& row : rows) {
            set(table, row.offset, row.required);
        }
        CHECK(verdict(table) == "NONE");
        set(table,
            launch ? offsetof(spoc_be_table, launch) : offsetof(spoc_be_table, program_binary),
            true);
        CHECK(verdict(table) == "INCONSISTENT");
    }
}

TEST_CASE("A table of another size is taken as far as it goes", "[B05]") {
    spoc_be_table table = full_table();
    constexpr std::uint32_t least = offsetof(spoc_be_table, fill) + sizeof(void*);
    table.header.size = least;
    spoc_be_table adopted{};
    REQUIRE(adopt_table(table, "rec", {}, adopted).fine());
    for (const entry_row& row : rows) {
        CAPTURE(row.name);
        CHECK(is_set(adopted, row.offset) == (row.offset < least));
    }
    struct larger_table {
        spoc_be_table known;
        void* unknown = nullptr;
    } larger{full_table()};
    larger.known.header.size = sizeof larger;
    CHECK(verdict(larger.known) == "NONE");
}

TEST_CASE("A table of an impossible size is refused", "[B05]") {
    struct size_row {
        std::uint32_t size;
        const char* wanted;
    };
    constexpr std::uint32_t least = offsetof(spoc_be_table, fill) + sizeof(void*);
    const auto row = GENERATE_COPY(
        size_row{0, "ABI_TOO_OLD"}, size_row{8, "ABI_TOO_OLD"}, size_row{least - 8, "ABI_TOO_OLD"},
        size_row{least - 1, "ABI_TOO_OLD"}, size_row{least + 1, "INCONSISTENT"},
        size_row{65544, "INCONSISTENT"}, size_row{UINT32_MAX, "INCONSISTENT"});
    spoc_be_table table = full_table();
    table.header.size = row.size;
    CHECK(verdict(table) == row.wanted);
}

TEST_CASE("A table says what it is and agrees with the note and the file's name") {
    spoc_be_table table = full_table();
    spoc_be_note note = note_of(table);
    std::string wanted = "INCONSISTENT";
    SECTION("another magic number") {
        table.header.magic ^= 1;
        wanted = "BAD_MAGIC";
    }
    SECTION("a later major version") {
        ++table.header.major;
        wanted = "ABI_TOO_NEW";
    }
    SECTION("an earlier major version") {
        --table.header.major;
        wanted = "ABI_TOO_OLD";
    }
    SECTION("another minor version is fine") {
        table.header.minor = 77;
        wanted = "NONE";
    }
    SECTION("another name") { table.name = "reck"; }
    SECTION("no name") { table.name = nullptr; }
    SECTION("no vendor") { table.vendor = nullptr; }
    SECTION("no version") { table.version = nullptr; }
    SECTION("no build id") { table.build_id = nullptr; }
    SECTION("a note of another major version") { ++note.major; }
    SECTION("a note of another flavour") { note.flavour ^= SPOC_BE_FLAVOUR_DEBUG; }
    CHECK(verdict(table, note) == wanted);
}

}  // namespace spoc::detail
