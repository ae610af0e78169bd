// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "support/runtime_fixture.hpp"

namespace spoc::test {
namespace {

using strings = std::vector<std::string>;

constexpr std::uint64_t kib = 1024;

answer create(spoc_device device, std::uint64_t bytes, spoc_buffer& out) {
    return ask(spoc_buffer_create, device, bytes, &out);
}

fault failing(std::string_view entry, std::int32_t status, int times = 1) {
    fault made;
    made.entry = entry;
    made.status = status;
    made.times = times;
    return made;
}

}  // namespace

TEST_CASE_METHOD(device_fixture, "A buffer says what was asked and what was taken") {
    begin();
    const spoc_buffer made = buffer(device, 1000);
    auto info = sized<spoc_buffer_info>();
    CHECK(told(spoc_buffer_describe, made, &info) == "ok");
    CHECK(info.device == device);
    CHECK(info.bytes == 1000);
    CHECK(info.allocated == 1007);
    CHECK(info.device_address == 0x1000);
    CHECK(info.reserved == 0);
    CHECK(rec.calls("buffer_create")[0].bytes == 1000);
}

TEST_CASE_METHOD(device_fixture, "An empty buffer is made and used without any driver call",
                 "[R-302]") {
    begin_with_buffer(1);
    const spoc_buffer empty = buffer(device, 0);
    CHECK(told(spoc_copy_to_device, static_cast<const void*>(nullptr), std::uint64_t{0}, empty,
               std::uint64_t{0}) == "ok");
    CHECK(told(spoc_copy_to_host, empty, std::uint64_t{0}, static_cast<void*>(nullptr),
               std::uint64_t{0}) == "ok");
    CHECK(told(spoc_fill, empty, std::uint64_t{0}, std::uint64_t{0}, 0U, 4U) == "ok");
    CHECK(told(spoc_copy_on_device, empty, std::uint64_t{0}, empty, std::uint64_t{0},
               std::uint64_t{0}) == "ok");
    CHECK(told(spoc_fill, empty, std::uint64_t{0}, std::uint64_t{1}, 0U, 1U) ==
          "invalid_argument bounds");
    spoc_buffer gone = nullptr;
    CHECK(create(device, 0, gone).text() == "ok");
    CHECK(told(spoc_buffer_destroy, gone) == "ok");
    CHECK(rec.entries() == strings{});
}

TEST_CASE_METHOD(device_fixture, "An empty buffer opens no device", "[R-302]") {
    begin();
    rec.forget();
    buffer(device, 0);
    CHECK(rec.entries() == strings{});
}

TEST_CASE_METHOD(device_fixture, "A buffer above the device's limit is refused with both figures",
                 "[R-302]") {
    info().max_alloc = 64 * kib;
    begin();
    rec.forget();
    spoc_buffer made = nullptr;
    const answer refused = create(device, 64 * kib + 1, made);
    CHECK(refused.text() == "backend_error too_large");
    CHECK(refused.error.asked == 64 * kib + 1);
    CHECK(refused.error.limit == 64 * kib);
    CHECK(std::string(refused.error.backend) == "rec");
    CHECK(refused.error.device == 0);
    CHECK(contains(refused.message(), "65537"));
    CHECK(contains(refused.message(), "65536"));
    CHECK(made == nullptr);
    CHECK(rec.entries() == strings{});
    buffer(device, 64 * kib);
}

TEST_CASE_METHOD(device_fixture, "A limit that is not known is not enforced", "[R-107]") {
    info().max_alloc = SPOC_BE_UNKNOWN_64;
    begin();
    rec.faults.push_back(failing("buffer_create", SPOC_BE_TOO_LARGE));
    spoc_buffer made = nullptr;
    CHECK(create(device, SPOC_BE_UNKNOWN_64, made).text() == "backend_error too_large");
    CHECK(rec.count("buffer_create") == 1);
}

TEST_CASE_METHOD(device_fixture,
                 "Out of memory is tried once more, after the staging memory was freed",
                 "[R-303]") {
    info().pageable_max = 0;
    const spoc_buffer first = begin_with_buffer(64);
    upload(first, pattern(64));
    CHECK(rec.hostmems == 1);
    rec.faults.push_back(failing("buffer_create", SPOC_BE_OUT_OF_MEMORY));
    rec.forget();
    buffer(device, 128);
    CHECK(rec.entries() == strings{"buffer_create", "pinned_free", "buffer_create"});
    CHECK(rec.hostmems == 0);
    upload(first, pattern(64));  // made again when it is needed again
    CHECK(rec.hostmems == 1);
}

TEST_CASE_METHOD(device_fixture, "Out of memory twice is an error, the first one", "[R-303]") {
    begin();
    fault first = failing("buffer_create", SPOC_BE_OUT_OF_MEMORY);
    first.message = "The first answer.";
    first.native_code = 2;
    fault second = failing("buffer_create", SPOC_BE_DRIVER);
    second.message = "The second answer.";
    rec.faults = {first, second};
    spoc_buffer made = nullptr;
    const answer failed = create(device, 64, made);
    CHECK(failed.text() == "backend_error oom");
    CHECK(failed.message() == "The first answer.");
    CHECK(failed.error.native_code == 2);
    CHECK(made == nullptr);
    CHECK(rec.count("buffer_create") == 2);
}

TEST_CASE_METHOD(device_fixture, "No other failure of an allocation is tried again", "[R-303]") {
    const std::int32_t status =
        GENERATE(SPOC_BE_DRIVER, SPOC_BE_HOST_MEMORY, SPOC_BE_TOO_LARGE, SPOC_BE_UNSUPPORTED,
                 SPOC_BE_DEVICE_LOST, SPOC_BE_INTERNAL, SPOC_BE_BUSY, -99);
    begin();
    rec.faults.push_back(failing("buffer_create", status));
    spoc_buffer made = nullptr;
    CHECK(create(device, 64, made).text() != "ok");
    CHECK(made == nullptr);
    CHECK(rec.count("buffer_create") == 1);
}

TEST_CASE_METHOD(device_fixture, "A buffer that fails to be freed is gone all the same") {
    begin();
    spoc_buffer made = nullptr;
    REQUIRE(create(device, 64, made).text() == "ok");
    rec.faults.push_back(failing("buffer_destroy", SPOC_BE_DRIVER));
    CHECK(told(spoc_buffer_destroy, made) == "backend_error driver");
    CHECK(rec.buffers == 0);
    stop();
    CHECK(rec.count("buffer_destroy") == 1);
}

TEST_CASE_METHOD(device_fixture, "Destroying nothing is nothing") {
    begin();
    rec.forget();
    CHECK(told(spoc_buffer_destroy, spoc_buffer{}) == "ok");
    CHECK(rec.entries() == strings{});
}

TEST_CASE_METHOD(device_fixture, "A destroyed buffer is not destroyed again by shutdown") {
    begin();
    spoc_buffer made = nullptr;
    REQUIRE(create(device, 64, made).text() == "ok");
    CHECK(told(spoc_buffer_destroy, made) == "ok");
    stop();
    CHECK(rec.count("buffer_destroy") == 1);
}

}  // namespace spoc::test
