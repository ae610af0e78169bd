// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "plugin_fixture.hpp"
#include "support/catch.hpp"

namespace spoc::test {
namespace {

/// What a request of a newer host may carry.
struct novelty {
    const spoc_be_ext* ext = nullptr;
    uint32_t flags = 0;
};

template <typename Request>
Request request_with(const novelty& novelty) {
    auto request = sized<Request>();
    request.flags = novelty.flags;
    request.ext = novelty.ext;
    return request;
}

void do_nothing(const spoc_native_block* /*block*/, void* const* /*args*/) {}

spoc_be_kernel contract_kernel(plugin_fixture& f) {
    static const spoc_native_kernel description = describe(do_nothing);
    return f.kernel("contract", description);
}

int32_t make_device(plugin_fixture& f, const novelty& novelty, spoc_be_error* error) {
    const auto desc = request_with<spoc_be_device_desc>(novelty);
    auto made = sized<spoc_be_device_result>();
    const int32_t status = f.be.device_open(0, &desc, &made, error);
    if (made.device != nullptr) {
        f.be.device_close(made.device, nullptr);
    }
    return status;
}

int32_t make_buffer(plugin_fixture& f, const novelty& novelty, spoc_be_error* error) {
    auto desc = request_with<spoc_be_buffer_desc>(novelty);
    desc.bytes = 8;
    auto made = sized<spoc_be_buffer_result>();
    const int32_t status = f.be.buffer_create(f.device, &desc, &made, error);
    if (made.buffer != nullptr) {
        f.be.buffer_destroy(made.buffer, nullptr);
    }
    return status;
}

int32_t make_pinned(plugin_fixture& f, const novelty& novelty, spoc_be_error* error) {
    auto desc = request_with<spoc_be_hostmem_desc>(novelty);
    desc.bytes = 8;
    auto made = sized<spoc_be_hostmem_result>();
    const int32_t status = f.be.pinned_alloc(f.device, &desc, &made, error);
    if (made.hostmem != nullptr) {
        f.be.pinned_free(made.hostmem, nullptr);
    }
    return status;
}

int32_t make_stream(plugin_fixture& f, const novelty& novelty, spoc_be_error* error) {
    const auto desc = request_with<spoc_be_stream_desc>(novelty);
    spoc_be_stream made = nullptr;
    const int32_t status = f.be.stream_create(f.device, &desc, &made, error);
    if (made != nullptr) {
        f.be.stream_destroy(made, nullptr);
    }
    return status;
}

int32_t make_program(plugin_fixture& f, const novelty& novelty, spoc_be_error* error) {
    auto desc = request_with<spoc_be_program_desc>(novelty);
    desc.format = uint64_t{1} << SPOC_BE_FORMAT_NATIVE_SYMBOL;
    spoc_be_program made = nullptr;
    const int32_t status = f.be.program_load(f.device, &desc, &made, error);
    if (made != nullptr) {
        f.be.program_destroy(made, nullptr);
    }
    return status;
}

int32_t make_kernel(plugin_fixture& f, const novelty& novelty, spoc_be_error* error) {
    contract_kernel(f);
    auto program_desc = sized<spoc_be_program_desc>();
    program_desc.format = uint64_t{1} << SPOC_BE_FORMAT_NATIVE_SYMBOL;
    spoc_be_program program = nullptr;
    REQUIRE(f.be.program_load(f.device, &program_desc, &program, error) == SPOC_BE_OK);
    auto desc = request_with<spoc_be_kernel_desc>(novelty);
    desc.name = "contract";
    spoc_be_kernel made = nullptr;
    const int32_t status = f.be.kernel_get(program, &desc, &made, error);
    if (made != nullptr) {
        f.be.kernel_destroy(made, nullptr);
    }
    f.be.program_destroy(program, nullptr);
    return status;
}

int32_t copy(plugin_fixture& f, const novelty& novelty, spoc_be_error* error) {
    char byte = 0;
    spoc_be_range range{};
    range.dst = f.buffer(8);
    range.host = &byte;
    range.bytes = 1;
    auto copy = request_with<spoc_be_copy>(novelty);
    copy.count = 1;
    copy.ranges = &range;
    f.done = SPOC_BE_DONE_NOTHING;
    return f.be.copy(f.default_stream, &copy, &f.done, error);
}

int32_t fill(plugin_fixture& f, const novelty& novelty, spoc_be_error* error) {
    auto fill = request_with<spoc_be_fill>(novelty);
    fill.buffer = f.buffer(8);
    fill.bytes = 8;
    fill.pattern_size = 1;
    f.done = SPOC_BE_DONE_NOTHING;
    return f.be.fill(f.default_stream, &fill, &f.done, error);
}

int32_t launch(plugin_fixture& f, const novelty& novelty, spoc_be_error* error) {
    auto launch = request_with<spoc_be_launch>(novelty);
    launch.kernel = contract_kernel(f);
    std::fill_n(launch.grid, 3, 1U);
    std::fill_n(launch.block, 3, 1U);
    f.done = SPOC_BE_DONE_NOTHING;
    return f.be.launch(f.default_stream, &launch, &f.done, error);
}

/// The entries that take flags and extensions.
constexpr decltype(&make_device) entries[] = {make_device, make_buffer,  make_pinned,
                                              make_stream, make_program, make_kernel,
                                              copy,        fill,         launch};

constexpr uint32_t unknown_type = 0x7F01;

}  // namespace

TEST_CASE_METHOD(plugin_fixture, "An optional extension that is not known is skipped") {
    const spoc_be_ext second{unknown_type + 1, sizeof second, nullptr};
    const spoc_be_ext first{unknown_type, sizeof first, &second};
    for (const auto entry : entries) {
        CHECK(entry(*this, {.ext = &first}, &error) == SPOC_BE_OK);
    }
    CHECK(be.open(&host.services, &first, &error) == SPOC_BE_OK);
}

TEST_CASE_METHOD(plugin_fixture,
                 "A must-understand extension that is not known is refused anywhere in the chain") {
    const spoc_be_ext second{unknown_type | SPOC_BE_EXT_REQUIRED, sizeof second, nullptr};
    const spoc_be_ext first{unknown_type, sizeof first, &second};
    for (const auto entry : entries) {
        done = SPOC_BE_DONE_ALL;
        error.status = SPOC_BE_OK;
        CHECK(entry(*this, {.ext = &first}, &error) == SPOC_BE_EXTENSION);
        CHECK(error.status == SPOC_BE_EXTENSION);
        CHECK(done == SPOC_BE_DONE_ALL);
    }
    CHECK(be.open(&host.services, &first, &error) == SPOC_BE_EXTENSION);
}

TEST_CASE_METHOD(plugin_fixture, "A flag that is not known is unsupported") {
    for (const auto entry : entries) {
        CHECK(entry(*this, {.flags = 1U << 30}, &error) == SPOC_BE_UNSUPPORTED);
    }
    spoc_be_event none = nullptr;
    CHECK(be.event_create(device, 1U << 30, &none, &error) == SPOC_BE_UNSUPPORTED);
    CHECK(none == nullptr);
}

TEST_CASE_METHOD(plugin_fixture, "A failing call does without an error record") {
    for (const auto entry : entries) {
        CHECK(entry(*this, {.flags = 1U << 30}, nullptr) == SPOC_BE_UNSUPPORTED);
    }
}

TEST_CASE_METHOD(plugin_fixture, "A short error record is written to its end and not beyond") {
    for (uint32_t size = sizeof(uint32_t); size <= sizeof(spoc_be_error); ++size) {
        std::vector<unsigned char> bytes(sizeof(spoc_be_error) + 8, 0xEE);
        auto* record = reinterpret_cast<spoc_be_error*>(bytes.data());
        record->size = size;
        REQUIRE(be.get_interface("nothing", 4, nullptr, record) == SPOC_BE_UNSUPPORTED);
        REQUIRE(record->size == size);
        REQUIRE(std::all_of(bytes.begin() + size, bytes.end(),
                            [](unsigned char byte) { return byte == 0xEE; }));
        const auto message = bytes.begin() + offsetof(spoc_be_error, message);
        const auto end = bytes.begin() + size;
        REQUIRE((message >= end || std::find(message, end, 0) != end));
    }
}

}  // namespace spoc::test
