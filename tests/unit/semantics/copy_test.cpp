// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <span>
#include <vector>

#include "allocations.hpp"
#include "pages.hpp"
#include "semantics_fixture.hpp"

namespace spoc::test {
namespace {

using fixture = held_device;

}  // namespace

TEST_CASE_METHOD(fixture, "A copy on a stream is enqueued and does not wait", "[R-405]") {
    const stream on(dev());
    const pinned_buffer<std::byte> memory(dev(), 64);
    const buffer target(dev(), 64);
    hold();
    copy_to_device(on, memory.elements(), target);
    copy_to_host(on, target, 0, memory.elements());
    copy_on_device(on, target, 0, target, 32, 32);
    fill(on, target, 0, 64, std::uint16_t{7});
    CHECK(mock.pending() == 4);
    for (const auto& call : mock.calls("copy")) {
        CHECK((call.flags & SPOC_BE_WAIT) == 0);
    }
    CHECK(mock.count("stream_sync") == 0);
    release();
    on.synchronize();
}

TEST_CASE_METHOD(fixture, "A copy without a stream is complete on return", "[R-404]") {
    const buffer target(dev(), 64);
    const auto data = bytes(64);
    mock.hold();
    copy_to_device(data, target);
    fill(target, 0, 8, std::uint8_t{1});
    CHECK(mock.pending() == 0);
    CHECK(mock.calls("copy").at(0).flags == SPOC_BE_WAIT);
    CHECK(mock.calls("fill").at(0).flags == SPOC_BE_WAIT);
}

TEST_CASE_METHOD(fixture, "A plugin that forgets to wait is waited for", "[R-404]") {
    const buffer target(dev(), 64);
    const auto data = bytes(64);
    spoc_mock_fault forgets = recording::fault("copy", SPOC_BE_OK);
    forgets.flags = SPOC_MOCK_FAULT_DONE;
    forgets.done = SPOC_BE_DONE_NOTHING;
    mock.fail(forgets);
    copy_to_device(data, target);
    CHECK(mock.count("stream_sync") == 1);
}

TEST_CASE_METHOD(fixture, "Memory in flight is kept, and refused to be freed", "[R-406][R-513]") {
    const stream on(dev());
    buffer source(dev(), 64);
    buffer target(dev(), 64);
    hold();
    copy_on_device(on, source, 0, target, 0, 64);
    CHECK(thrown([&] { source.free(); }) == "invalid_argument busy");
    CHECK(thrown([&] { target.free(); }) == "invalid_argument busy");
    CHECK(mock.count("buffer_destroy") == 0);
    release();
    CHECK(thrown([&] { source.free(); }) == "invalid_argument busy");
    on.synchronize();
    source.free();
    source.free();
    target.free();
    CHECK(mock.count("buffer_destroy") == 2);
    CHECK(thrown([&] { copy_on_device(on, source, 0, target, 0, 64); }) ==
          "invalid_argument freed");
}

TEST_CASE_METHOD(fixture, "A buffer destroyed during a copy is freed when that is proved complete",
                 "[R-225][R-510]") {
    const stream on(dev());
    const auto data = bytes(64);
    hold();
    {
        const buffer target(dev(), 64);
        copy_to_device(on, data, target);
    }
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 1);
    // Were the memory gone, the recorder would report a breach here.
    release();
    on.synchronize();
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
}

TEST_CASE_METHOD(fixture, "Work that is complete on return keeps nothing", "[R-510]") {
    const stream on(dev());
    buffer target(dev(), 64);
    const auto data = bytes(64);
    kept_alive source;
    copy_to_device(on, data, target, 0, source.reference());
    CHECK_FALSE(source.is_kept());
    target.free();
}

TEST_CASE_METHOD(fixture, "A copy of nothing is checked, lends nothing and calls nobody",
                 "[R-402]") {
    const stream on(dev());
    const buffer target(dev(), 64);
    kept_alive source;
    copy_to_device(on, {}, target, 64, source.reference());
    CHECK_FALSE(source.is_kept());
    CHECK(thrown([&] { copy_to_device(on, {}, target, 65); }) == "invalid_argument bounds");
    CHECK(mock.count("copy") == 0);
}

TEST_CASE_METHOD(fixture, "Ranges beyond a buffer are refused, and the source stays the caller's",
                 "[R-002][R-004][R-307][R-403]") {
    const stream on(dev());
    const buffer target(dev(), 64);
    const auto data = bytes(64);
    kept_alive source;
    auto reference = source.reference();
    CHECK(thrown([&] { copy_to_device(on, data, target, 1, reference); }) ==
          "invalid_argument bounds");
    CHECK(thrown([&] { copy_to_device(on, data, target, UINT64_MAX, reference); }) ==
          "invalid_argument bounds");
    CHECK(reference.use_count() == 1);
    CHECK(thrown([&] { copy_on_device(on, target, 0, target, 31, 32); }) ==
          "invalid_argument overlap");
    CHECK(thrown([&] { fill(on, target, 1, 2, std::uint16_t{1}); }) == "invalid_argument length");
    CHECK(mock.count("copy") + mock.count("fill") == 0);
}

TEST_CASE_METHOD(fixture, "A copy is divided at the borders of page-locked memory", "[R-408]") {
    const pages memory(6);
    const auto data = bytes(6 * page, 3);
    std::copy(data.begin(), data.end(), memory.all().begin());
    {
        const host_registration first_range(dev(), memory.part(1, 1));
        const host_registration second(dev(), memory.part(2, 1));
        const host_registration third(dev(), memory.part(4, 1));
        const stream on(dev());
        const buffer target(dev(), 6 * page);
        copy_to_device(on, memory.all(), target);
        const auto calls = mock.calls("copy");
        // Before, first, second, between, third, behind.
        REQUIRE(calls.size() == 6);
        std::uint64_t at = 0;
        for (const auto& call : calls) {
            CHECK(call.host == memory.all().data() + at);
            CHECK(call.dst_offset == at);
            CHECK(call.host_offset == 0);
            CHECK(call.number == calls[0].number);
            at += call.bytes;
        }
        CHECK(at == 6 * page);
        CHECK(calls[0].hostmem == 0);
        CHECK(calls[1].hostmem != 0);
        CHECK(calls[2].hostmem != calls[1].hostmem);
        CHECK(calls[3].hostmem == 0);
        CHECK(calls[4].hostmem != 0);
        CHECK(calls[5].hostmem == 0);
        on.synchronize();
        std::vector<std::byte> got(6 * page);
        copy_to_host(target, 0, got);
        CHECK(got == data);
    }
}

TEST_CASE_METHOD(fixture, "A copy that begins in page-locked memory and ends beyond is divided",
                 "[R-408]") {
    const pages memory(3);
    const host_registration range(dev(), memory.part(1, 1));
    const buffer target(dev(), 3 * page);
    const auto lengths = [&](std::span<std::byte> source) {
        mock.forget();
        copy_to_device(source, target);
        std::vector<std::uint64_t> found;
        for (const auto& call : mock.calls("copy")) {
            found.push_back(call.bytes);
        }
        return found;
    };
    using sizes = std::vector<std::uint64_t>;
    CHECK(lengths(memory.part(1, 2)) == sizes{page, page});
    CHECK(lengths(memory.part(0, 2)) == sizes{page, page});
    CHECK(lengths(memory.part(1, 1).last(1)) == sizes{1});
    CHECK(lengths(memory.all().subspan(2 * page - 1, 2)) == sizes{1, 1});
    CHECK(lengths(memory.all().subspan(page - 1, 2)) == sizes{1, 1});
    CHECK(lengths(memory.part(1, 1)) == sizes{page});
    CHECK(lengths(memory.part(2, 1)) == sizes{page});
}

TEST_CASE_METHOD(fixture, "A call of which a part was enqueued when it failed is waited for",
                 "[R-003][R-408]") {
    const pages memory(2);
    const host_registration range(dev(), memory.part(1, 1));
    const stream on(dev());
    buffer target(dev(), 2 * page);
    kept_alive source;
    auto reference = source.reference();
    mock.hold();
    spoc_mock_fault broken = recording::fault("copy");
    broken.ranges = 1;
    mock.fail(broken);
    SECTION("the wait works") {
        CHECK(thrown([&] { copy_to_device(on, memory.all(), target, 0, reference); }) ==
              "backend_error copy_failed");
        CHECK(mock.pending() == 0);
        CHECK(reference.use_count() == 1);
        target.free();
    }
    SECTION("the wait fails, and what may be in flight stays kept") {
        mock.fail("stream_sync", SPOC_BE_DRIVER);
        CHECK(thrown([&] { copy_to_device(on, memory.all(), target, 0, reference); }) ==
              "backend_error copy_failed");
        CHECK(mock.pending() == 1);
        CHECK(thrown([&] { target.free(); }) == "invalid_argument busy");
        on.synchronize();
        target.free();
    }
}

TEST_CASE_METHOD(fixture, "A part of a page-locked range is named with its offset", "[R-408]") {
    const pinned_buffer<std::byte> memory(dev(), 1000);
    const buffer target(dev(), 1000);
    copy_to_device(memory.elements().subspan(100, 50), target, 7);
    const auto calls = mock.calls("copy");
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].hostmem != 0);
    CHECK(calls[0].host_offset == 100);
    CHECK(calls[0].dst_offset == 7);
    CHECK(calls[0].bytes == 50);
}

TEST_CASE("Page-locked memory of another device serves where it is portable", "[R-612]") {
    recorded_runtime runtime;
    runtime.mock.set_devices(2);
    bool portable = true;
    SECTION("portable") {}
    SECTION("of its device alone") {
        portable = false;
        runtime.mock.set_capability(SPOC_BE_CAP_PINNED_PORTABLE, SPOC_MOCK_NO, 0);
        runtime.mock.set_capability(SPOC_BE_CAP_PINNED_PORTABLE, SPOC_MOCK_NO, 1);
    }
    const device first(runtime.start());
    const device second(runtime.device(1));
    const pinned_buffer<std::byte> memory(first, 64);
    const buffer target(second, 64);
    copy_to_device(memory.elements(), target);
    CHECK((runtime.mock.calls("copy").at(0).hostmem != 0) == portable);
}

TEST_CASE_METHOD(fixture, "Destinations registered as read-only are refused", "[R-815]") {
    const pages memory(2);
    const host_registration range(dev(), std::span<const std::byte>(memory.part(1, 1)));
    const buffer target(dev(), 2 * page);
    copy_to_device(memory.all(), target);
    CHECK(thrown([&] { copy_to_host(target, 0, memory.part(1, 1)); }) == "invalid_argument value");
    CHECK(thrown([&] { copy_to_host(target, 0, memory.all()); }) == "invalid_argument value");
    CHECK(mock.count("copy") == 1);
}

TEST_CASE("A peer copy on a stream names both devices", "[R-412]") {
    recorded_runtime runtime;
    runtime.mock.set_devices(2);
    const device first(runtime.start());
    const device second(runtime.device(1));
    const stream on(second);
    const buffer source(first, 64);
    const buffer target(second, 64);
    const auto data = bytes(64, 9);
    copy_to_device(data, source);
    copy_on_device(on, source, 0, target, 0, 64);
    const auto call = runtime.mock.calls("copy").back();
    CHECK(call.kind == SPOC_BE_COPY_PEER);
    CHECK(call.device == 1);
    on.synchronize();
    std::vector<std::byte> got(64);
    copy_to_host(target, 0, got);
    CHECK(got == data);
    copy_on_device(on, source, 0, target, 0, 64);
    CHECK(runtime.mock.count("peer_query") == 1);
}

TEST_CASE("A copy that the driver does not make between devices is refused, not replaced",
          "[R-001][R-412]") {
    recorded_runtime runtime;
    runtime.mock.set_devices(2);
    runtime.mock.set(SPOC_MOCK_PEER, 0);
    const device first(runtime.start());
    const device second(runtime.device(1));
    const stream on(second);
    const buffer source(first, 64);
    const buffer target(second, 64);
    runtime.mock.forget();
    CHECK(thrown([&] { copy_on_device(on, source, 0, target, 0, 64); }) ==
          "feature_not_supported none");
    CHECK(runtime.mock.count("copy") + runtime.mock.count("pinned_alloc") == 0);
}

TEST_CASE_METHOD(fixture, "A copy on a stream is one call, one of nothing is none",
                 "[R-402][R-405]") {
    const stream on(dev());
    const pinned_buffer<std::byte> memory(dev(), 64);
    const buffer target(dev(), 64);
    const buffer other(dev(), 64);
    const auto ordinary = bytes(64);
    const auto calls = [&](auto body) {
        mock.forget();
        body();
        return mock.records().size();
    };
    const bool held = GENERATE(false, true);
    if (held) {
        hold();
    }
    CHECK(calls([&] { copy_to_device(on, memory.elements(), target); }) == 1);
    CHECK(calls([&] { copy_to_device(on, ordinary, target); }) == 1);
    CHECK(calls([&] { copy_to_host(on, target, 0, memory.elements()); }) == 1);
    CHECK(calls([&] { copy_on_device(on, target, 0, other, 0, 64); }) == 1);
    CHECK(calls([&] { fill(on, target, 0, 64, std::uint8_t{1}); }) == 1);
    CHECK(calls([&] { copy_to_device(on, {}, target); }) == 0);
    CHECK(calls([&] { copy_to_host(on, target, 0, {}); }) == 0);
    CHECK(calls([&] { copy_on_device(on, target, 0, other, 0, 0); }) == 0);
    CHECK(calls([&] { fill(on, target, 0, 0, std::uint8_t{1}); }) == 0);
    release();
    on.synchronize();
}

TEST_CASE("A copy of nothing between two devices asks nobody", "[R-402]") {
    recorded_runtime runtime;
    runtime.mock.set_devices(2);
    const device first(runtime.start());
    const device second(runtime.device(1));
    const buffer source(first, 64);
    const buffer target(second, 64);
    runtime.mock.forget();
    copy_on_device(source, 0, target, 0, 0);
    CHECK(runtime.mock.records().empty());
}

TEST_CASE_METHOD(fixture, "A copy on a stream takes no memory on its way to the plugin",
                 "[R-405]") {
    const stream on(dev());
    const pinned_buffer<std::byte> memory(dev(), 64);
    const buffer target(dev(), 64);
    const auto ordinary = bytes(64);
    std::uint64_t at_entry = 0;
    mock.gate.set_hook(
        [](void* place, std::uint32_t) { *static_cast<std::uint64_t*>(place) = allocations(); },
        &at_entry);
    hold();
    copy_to_device(on, ordinary, target);
    const auto check = [&](auto body) {
        const std::uint64_t before = allocations();
        body();
        CHECK(at_entry == before);
    };
    check([&] { copy_to_device(on, memory.elements(), target); });
    check([&] { copy_to_device(on, ordinary, target); });
    check([&] { copy_to_host(on, target, 0, memory.elements()); });
    check([&] { copy_on_device(on, target, 0, target, 32, 32); });
    check([&] { fill(on, target, 0, 64, std::uint8_t{1}); });
    mock.gate.set_hook(nullptr, nullptr);
    release();
    on.synchronize();
}

}  // namespace spoc::test
