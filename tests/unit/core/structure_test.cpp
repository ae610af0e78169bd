// SPDX-License-Identifier: Apache-2.0

/// \file
/// Structures of callers that were built for an older or a newer version of the headers.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "support/runtime_fixture.hpp"

namespace spoc::test {
namespace {

constexpr unsigned char canary = 0xC7;

/// Room for a structure of any size, with more behind it that nobody may touch.
template <typename Record>
struct room {
    alignas(Record) std::array<unsigned char, sizeof(Record) + 64> bytes;

    explicit room(std::uint32_t size) {
        bytes.fill(canary);
        get()->size = size;
    }
    Record* get() { return reinterpret_cast<Record*>(bytes.data()); }
    bool untouched_from(std::size_t first) const {
        return std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(first), bytes.end(),
                           [](unsigned char byte) { return byte == canary; });
    }
};

/// Asks for a structure with sizes around its own and checks that each gets exactly its size.
template <typename Record, typename Call>
void check_sizes(Call call) {
    room<Record> whole(sizeof(Record));
    REQUIRE(call(whole.get()) == "ok");
    for (const std::size_t size :
         {std::size_t{4}, std::size_t{5}, std::size_t{8}, sizeof(Record) / 2 + 1,
          sizeof(Record) - 1, sizeof(Record), sizeof(Record) + 1, sizeof(Record) + 32}) {
        CAPTURE(size);
        room<Record> given(static_cast<std::uint32_t>(size));
        CHECK(call(given.get()) == "ok");
        CHECK(given.get()->size == size);
        const std::size_t written = std::min(size, sizeof(Record));
        CHECK(given.untouched_from(written));
        CHECK(std::equal(given.bytes.begin() + 4,
                         given.bytes.begin() + static_cast<std::ptrdiff_t>(written),
                         whole.bytes.begin() + 4));
    }
    for (const std::uint32_t size : {0U, 1U, 3U}) {
        room<Record> given(size);
        CHECK(call(given.get()) == "invalid_argument value");
        CHECK(given.get()->size == size);
        CHECK(given.untouched_from(4));
    }
}

}  // namespace

TEST_CASE_METHOD(device_fixture, "Every structure is written as far as the caller's reaches") {
    const spoc_buffer made = begin_with_buffer(64);
    check_sizes<spoc_device_info>(
        [this](spoc_device_info* out) { return told(spoc_device_describe, device, out); });
    check_sizes<spoc_buffer_info>(
        [made](spoc_buffer_info* out) { return told(spoc_buffer_describe, made, out); });
    check_sizes<spoc_be_memory_info>(
        [this](spoc_be_memory_info* out) { return told(spoc_device_memory, device, out); });
    check_sizes<spoc_backend_info>(
        [](spoc_backend_info* out) { return told(spoc_backend_get, 0U, out); });
    check_sizes<spoc_search_place>(
        [](spoc_search_place* out) { return told(spoc_search_get, 0U, out); });
}

TEST_CASE_METHOD(device_fixture, "An error record is written as far as the caller's reaches") {
    const spoc_buffer made = begin_with_buffer(64);
    const auto fail_into = [made](spoc_error* error) {
        return spoc_fill(made, 60, 5, 0, 1, error);
    };
    room<spoc_error> whole(sizeof(spoc_error));
    CHECK(fail_into(whole.get()) == SPOC_INVALID_ARGUMENT);
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{4}, std::size_t{8}, std::size_t{12},
          offsetof(spoc_error, message), offsetof(spoc_error, message) + 1, sizeof(spoc_error) - 1,
          sizeof(spoc_error), sizeof(spoc_error) + 1, sizeof(spoc_error) + 32}) {
        CAPTURE(size);
        room<spoc_error> given(static_cast<std::uint32_t>(size));
        CHECK(fail_into(given.get()) == SPOC_INVALID_ARGUMENT);
        CHECK(given.get()->size == size);
        const std::size_t written = std::min(size, sizeof(spoc_error));
        CHECK(given.untouched_from(std::max(written, sizeof given.get()->size)));
        if (written > 4) {
            CHECK(std::equal(given.bytes.begin() + 4,
                             given.bytes.begin() + static_cast<std::ptrdiff_t>(written),
                             whole.bytes.begin() + 4));
        }
    }
}

TEST_CASE_METHOD(device_fixture, "A record that nobody fills keeps what it holds") {
    const spoc_buffer made = begin_with_buffer(64);
    room<spoc_error> given(sizeof(spoc_error));
    CHECK(spoc_fill(made, 0, 64, 0, 1, given.get()) == SPOC_OK);
    CHECK(given.untouched_from(4));
}

TEST_CASE("A setting is written as far as the caller's structure reaches") {
    for (const std::size_t size : {std::size_t{0}, std::size_t{4}, std::size_t{16},
                                   sizeof(spoc_setting), sizeof(spoc_setting) + 16}) {
        CAPTURE(size);
        room<spoc_setting> given(static_cast<std::uint32_t>(size));
        CHECK(spoc_setting_get(0, given.get()) == 1);
        CHECK(given.get()->size == size);
        CHECK(given.untouched_from(std::max(std::min(size, sizeof(spoc_setting)), std::size_t{4})));
    }
}

}  // namespace spoc::test
