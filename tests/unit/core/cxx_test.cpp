// SPDX-License-Identifier: Apache-2.0

/// \file
/// The C++ headers over the C interface.

#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <spoc/spoc.hpp>

#include "support/runtime_fixture.hpp"

namespace spoc::test {
namespace {

using bytes = std::vector<std::byte>;

static_assert(!std::is_copy_constructible_v<spoc::buffer>);
static_assert(std::is_nothrow_move_constructible_v<spoc::buffer>);
static_assert(std::is_nothrow_move_assignable_v<spoc::buffer>);
static_assert(!std::is_copy_constructible_v<spoc::runtime>);
static_assert(std::is_nothrow_move_constructible_v<spoc::runtime>);
static_assert(std::is_trivially_copyable_v<spoc::device>);
static_assert(std::is_nothrow_copy_constructible_v<spoc::error>);

/// The plugins of a test, found by whatever runtime the test starts.
struct cxx_fixture : runtime_fixture {
    recorder& rec = add("rec");

    cxx_fixture() {
        rec.devices.resize(2, rec.devices[0]);
        variables.set("SPOC_PLUGIN_FILES", (folder.path() / "libspoc-rec.so").string());
    }
};

template <typename Exception, typename Body>
spoc_error caught(Body body) {
    try {
        body();
    } catch (const Exception& error) {
        CHECK(std::string(error.what()) == error.record().message);
        CHECK(error.status() == error.record().status);
        CHECK(error.sub_code() == error.record().sub_code);
        return error.record();
    }
    FAIL("nothing of that type is thrown");
    return SPOC_ERROR_INIT;
}

}  // namespace

TEST_CASE_METHOD(cxx_fixture, "Each class of error is an exception of its own") {
    const spoc::runtime started;
    const spoc::buffer target(spoc::devices().at(0), 64);
    CHECK(caught<spoc::invalid_argument>([&] {
              spoc::fill(target, 60, 5, std::uint8_t{0});
          }).sub_code == SPOC_SUB_BOUNDS);
    fault one;
    one.entry = "fill";
    const auto fill_with = [&](std::int32_t status) {
        return [&, status] {
            one.status = status;
            rec.faults = {one};
            spoc::fill(target, 0, 8, std::uint32_t{0});
        };
    };
    CHECK(caught<spoc::backend_error>(fill_with(SPOC_BE_DRIVER)).native_code == 999);
    caught<spoc::feature_not_supported>(fill_with(SPOC_BE_UNSUPPORTED));
    caught<spoc::internal_error>(fill_with(SPOC_BE_INTERNAL));
    caught<spoc::unavailable>([] { spoc::require_backend("hip"); });
    caught<spoc::error>([] { spoc::require_backend("nobody"); });
    spoc_error refused = SPOC_ERROR_INIT;
    refused.status = SPOC_HOST_POINTER_REFUSED;
    caught<spoc::host_pointer_refused>([&] { spoc::detail::raise(refused); });
    refused.status = -99;
    caught<spoc::internal_error>([&] { spoc::detail::raise(refused); });
}

TEST_CASE_METHOD(cxx_fixture, "A failed construction owns nothing") {
    const spoc::runtime started;
    const spoc::device where = spoc::devices().at(0);
    fault one;
    one.entry = "buffer_create";
    rec.faults = {one};
    CHECK_THROWS_AS(spoc::buffer(where, 64), spoc::backend_error);
    CHECK(rec.buffers == 0);
    CHECK_THROWS_AS(spoc::device(nullptr), spoc::invalid_argument);
}

TEST_CASE_METHOD(cxx_fixture, "A buffer moves, and what it was moved from is empty") {
    const spoc::runtime started;
    const spoc::device where = spoc::devices().at(1);
    spoc::buffer first(where, 64);
    const spoc_buffer handle = first.get();
    spoc::buffer second(std::move(first));
    CHECK(second.get() == handle);
    CHECK(second.size_bytes() == 64);
    CHECK(second.where() == where);
    // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move): what is left is tested
    CHECK(first.get() == nullptr);
    CHECK(first.size_bytes() == 0);
    spoc::buffer third(where, 8);
    third = std::move(second);
    CHECK(third.get() == handle);
    CHECK(third.size_bytes() == 64);
}

TEST_CASE_METHOD(cxx_fixture,
                 "A buffer that another is moved to is freed, and the other is empty") {
    const spoc::runtime started;
    spoc::buffer first(spoc::devices().at(0), 64);
    spoc::buffer second(spoc::devices().at(0), 8);
    second = std::move(first);
    // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move): what is left is tested
    CHECK(first.get() == nullptr);
    CHECK(first.size_bytes() == 0);
    CHECK(rec.buffers == 1);
}

TEST_CASE_METHOD(cxx_fixture, "Each runtime object is one reference") {
    std::optional<spoc::runtime> first(std::in_place);
    std::optional<spoc::runtime> second(std::in_place);
    CHECK(spoc::devices().size() == 2);
    spoc::runtime moved(std::move(*first));
    first.reset();
    second.reset();
    CHECK(spoc::devices().size() == 2);
    CHECK(rec.open);
    { const spoc::runtime last(std::move(moved)); }
    CHECK_FALSE(rec.open);
    CHECK_THROWS_AS(spoc::devices(), spoc::unavailable);
}

TEST_CASE_METHOD(cxx_fixture,
                 "A runtime is moved by assignment, and its old reference is given back") {
    spoc::runtime first;
    {
        spoc::runtime second;
        first = std::move(second);
    }
    CHECK(spoc::devices().size() == 2);
}

TEST_CASE_METHOD(cxx_fixture, "A runtime with options is the first one or none") {
    spoc::runtime_options options;
    options.allow_cpu = true;
    options.never_isolate = true;
    options.plugin_dirs = {folder.path()};
    const spoc::runtime started(options);
    CHECK(caught<spoc::invalid_argument>([&] { const spoc::runtime again(options); }).sub_code ==
          SPOC_SUB_BUSY);
    CHECK(spoc::devices().size() == 2);
}

TEST_CASE_METHOD(cxx_fixture, "A buffer may outlive the runtime") {
    std::optional<spoc::runtime> started(std::in_place);
    spoc::buffer survivor(spoc::devices().at(0), 64);
    const spoc::device where = survivor.where();
    started.reset();
    CHECK(rec.buffers == 0);
    CHECK(survivor.size_bytes() == 64);
    CHECK(where.selector() == "rec:0");
    CHECK(caught<spoc::unavailable>([&] {
              spoc::fill(survivor, 0, 8, std::uint8_t{0});
          }).sub_code == SPOC_SUB_SHUT_DOWN);
}

TEST_CASE_METHOD(cxx_fixture,
                 "Devices are values that compare, and say what is not known as nothing") {
    rec.devices[1].memory_total = SPOC_BE_UNKNOWN_64;
    set_known(rec.devices[1], SPOC_BE_CAP_FP64, false);
    const spoc::runtime started;
    const std::vector<spoc::device> all = spoc::devices();
    CHECK(all[0] == spoc::device_at(0));
    CHECK(all[0] != all[1]);
    CHECK(all[0] < all[1]);
    CHECK(all[1].id() == 1);
    CHECK(all[1].backend() == "rec");
    CHECK(all[1].name() == "Recorder");
    CHECK(all[1].family() == "Recorder");
    CHECK(all[0].memory_total() == std::uint64_t{8} << 30);
    CHECK(all[0].memory_free() == 3000);
    CHECK_FALSE(all[1].memory_total());
    CHECK(all[0].capability(SPOC_BE_CAP_PINNED) == spoc::answer::yes);
    CHECK(all[0].capability(SPOC_BE_CAP_FP64) == spoc::answer::no);
    CHECK(all[1].capability(SPOC_BE_CAP_FP64) == spoc::answer::unknown);
    CHECK_FALSE(spoc::device_at(2));
    CHECK(spoc::best_device() == all[0]);
    CHECK(spoc::select_devices("rec:1,*").size() == 2);
    CHECK(spoc::select_devices("rec:1,*")[0] == all[1]);
    CHECK(spoc::find_device([](const spoc::device& one) { return one.id() > 0; }) == all[1]);
    CHECK_FALSE(spoc::find_device([](const spoc::device&) { return false; }));
    CHECK(caught<spoc::invalid_argument>([] { spoc::select_devices("rec:"); }).sub_code ==
          SPOC_SUB_NAME);
}

TEST_CASE_METHOD(cxx_fixture, "Copies take spans") {
    const spoc::runtime started;
    const spoc::buffer target(spoc::devices().at(0), 64);
    const bytes data = pattern(64);
    spoc::copy_to_device(data, target);
    spoc::copy_to_device(std::span(data).first(8), target, 56);
    spoc::copy_on_device(target, 0, target, 32, 8);
    spoc::fill(target, 8, 8, std::uint16_t{0x0102});
    bytes back(64);
    spoc::copy_to_host(target, 0, back);
    CHECK(back[56] == data[0]);
    CHECK(back[32] == data[0]);
    CHECK(back[8] == std::byte{2});
    CHECK(back[15] == std::byte{1});
    CHECK(back[16] == data[16]);
    spoc::copy_to_host(target, 64, {});
    spoc::copy_to_device({}, target);
}

TEST_CASE_METHOD(cxx_fixture, "The list of backends and of places is a vector") {
    const spoc::runtime started;
    const auto backends = spoc::backends();
    CHECK(backends.size() == 7);
    CHECK(std::string(backends.back().name) == "rec");
    CHECK(spoc::search_places().size() == 1);
    CHECK(spoc::search_places()[0].source == SPOC_SEARCH_FILES);
    spoc::require_backend("rec");
}

}  // namespace spoc::test
