// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "pages.hpp"
#include "semantics_fixture.hpp"

namespace spoc::test {
namespace {

using fixture = held_device;

}  // namespace

TEST_CASE_METHOD(fixture, "Page-locked memory is live exactly as it was made", "[R-601][R-605]") {
    pinned_buffer<std::byte> memory(dev(), 10000);
    CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % page == 0);
    CHECK(is_live(memory.elements()));
    CHECK_FALSE(is_live(memory.elements().first(9999)));
    CHECK_FALSE(is_live(memory.elements().subspan(1)));
    const auto range = memory.elements();
    memory.release();
    CHECK_FALSE(is_live(range));
    CHECK_FALSE(memory.is_live());
    memory.release();
    CHECK(mock.count("pinned_free") == 1);
}

TEST_CASE_METHOD(fixture, "Nothing is allocated for nothing or more than can be", "[R-601]") {
    CHECK(thrown([&] { pinned_buffer<int>(dev(), 0); }) == "invalid_argument length");
    CHECK(thrown([&] { pinned_buffer<int>(dev(), UINT64_MAX / 2); }) == "invalid_argument length");
    CHECK(mock.count("pinned_alloc") == 0);
    mock.fail("pinned_alloc", SPOC_BE_OUT_OF_MEMORY);
    CHECK(thrown([&] { pinned_buffer<int>(dev(), 10); }) == "backend_error oom");
    const pinned_buffer<int> works(dev(), 10);
    CHECK(works.size() == 10);
}

TEST_CASE("A device without page-locked memory refuses", "[R-001][R-637]") {
    recorded_runtime runtime;
    runtime.mock.set_capability(SPOC_BE_CAP_PINNED, SPOC_MOCK_NO);
    runtime.mock.set_capability(SPOC_BE_CAP_REGISTER, SPOC_MOCK_NO);
    const device first(runtime.start());
    const pages memory(1);
    CHECK(thrown([&] { pinned_buffer<int>(first, 10); }) == "feature_not_supported none");
    CHECK(thrown([&] { host_registration(first, memory.all()); }) == "feature_not_supported none");
    CHECK_FALSE(has_pinned_memory(first));
    CHECK(runtime.mock.count("pinned_alloc") + runtime.mock.count("host_register") == 0);
}

TEST_CASE_METHOD(fixture, "Availability is found out with one byte", "[R-637]") {
    CHECK(has_pinned_memory(dev()));
    CHECK(mock.calls("pinned_alloc").at(0).bytes == 1);
    CHECK(mock.gate.alive(SPOC_MOCK_HOSTMEMS) == 0);
    mock.fail("pinned_alloc", SPOC_BE_OUT_OF_MEMORY);
    CHECK(thrown([&] { has_pinned_memory(dev()); }) == "backend_error oom");
}

TEST_CASE_METHOD(fixture, "A registration keeps its owner until it is released", "[R-606][R-631]") {
    const pages memory(4);
    kept_alive owner;
    host_registration range(dev(), memory.all(), owner.reference());
    CHECK(is_live(memory.all()));
    CHECK(owner.is_kept());
    CHECK(mock.calls("host_register").at(0).bytes == 4 * page);
    range.release();
    CHECK_FALSE(owner.is_kept());
    CHECK_FALSE(is_live(memory.all()));
}

TEST_CASE_METHOD(fixture, "A registration that is refused takes no owner", "[R-003][R-606]") {
    const pages memory(1);
    kept_alive owner;
    auto reference = owner.reference();
    mock.fail("host_register", SPOC_BE_OUT_OF_MEMORY);
    CHECK(thrown([&] { host_registration(dev(), memory.all(), reference); }) ==
          "backend_error oom");
    CHECK(reference.use_count() == 1);
    CHECK_FALSE(is_live(memory.all()));
    const host_registration again(dev(), memory.all());
    CHECK(is_live(memory.all()));
}

TEST_CASE_METHOD(fixture, "Ranges that share a page are refused before the driver is asked",
                 "[R-607]") {
    const pages memory(8);
    const host_registration range(dev(), memory.part(2, 3));
    const auto refused = [&](std::span<std::byte> other) {
        return thrown([&] { host_registration(dev(), other); }) == "invalid_argument overlap";
    };
    CHECK(refused(memory.part(2, 3)));
    CHECK(refused(memory.part(3, 1)));
    CHECK(refused(memory.part(0, 8)));
    CHECK(refused(memory.part(1, 2)));
    CHECK(refused(memory.part(4, 2)));
    // No byte in common, and a page all the same.
    CHECK(refused(memory.all().subspan(0, 2 * page + 1)));
    CHECK(mock.count("host_register") == 1);
    const host_registration before(dev(), memory.part(0, 2));
    const host_registration behind(dev(), memory.part(5, 1));
    CHECK(mock.count("host_register") == 3);
    const pinned_buffer<std::byte> pinned(dev(), page);
    CHECK(refused(pinned.elements()));
}

TEST_CASE_METHOD(fixture, "Ranges that share a page but no byte are refused", "[R-607][H-44]") {
    const pages memory(2);
    const host_registration range(dev(), memory.all().first(100));
    CHECK(thrown([&] { host_registration(dev(), memory.all().subspan(200, 100)); }) ==
          "invalid_argument overlap");
    CHECK(mock.count("host_register") == 1);
}

TEST_CASE_METHOD(fixture, "A range in flight is not released", "[R-604][R-608][R-611]") {
    const stream on(dev());
    const buffer target(dev(), page);
    const pages memory(1);
    pinned_buffer<std::byte> pinned(dev(), page);
    host_registration range(dev(), memory.all());
    hold();
    SECTION("as a source") {
        copy_to_device(on, pinned.elements(), target);
        copy_to_device(on, memory.all(), target);
    }
    SECTION("as a destination, in a part") {
        copy_to_host(on, target, 0, pinned.elements().first(1));
        copy_to_host(on, target, 0, memory.all().last(1));
    }
    CHECK(thrown([&] { pinned.release(); }) == "invalid_argument busy");
    CHECK(thrown([&] { range.release(); }) == "invalid_argument busy");
    CHECK(pinned.is_live());
    CHECK(mock.count("pinned_free") + mock.count("host_unregister") == 0);
    release();
    on.synchronize();
    pinned.release();
    range.release();
    CHECK(mock.gate.alive(SPOC_MOCK_HOSTMEMS) == 0);
}

TEST_CASE_METHOD(fixture, "A range registered over bytes in flight is in flight", "[R-608]") {
    const stream on(dev());
    const buffer target(dev(), page);
    const pages memory(2);
    const auto elsewhere = bytes(10);
    hold();
    // Neither the oldest nor the newest of what is pending.
    copy_to_device(on, elsewhere, target);
    copy_to_device(on, memory.all().subspan(page / 2, 10), target);
    copy_to_device(on, elsewhere, target);
    host_registration range(dev(), memory.part(0, 1));
    host_registration other(dev(), memory.part(1, 1));
    CHECK(thrown([&] { range.release(); }) == "invalid_argument busy");
    other.release();
    release();
    on.synchronize();
    range.release();
}

TEST_CASE_METHOD(fixture, "A handle destroyed in flight is released when that is proved complete",
                 "[R-640]") {
    const stream on(dev());
    const buffer target(dev(), page);
    hold();
    {
        const pinned_buffer<std::byte> pinned(dev(), page);
        copy_to_device(on, pinned.elements(), target);
    }
    CHECK(mock.gate.alive(SPOC_MOCK_HOSTMEMS) == 1);
    release();
    on.synchronize();
    CHECK(mock.gate.alive(SPOC_MOCK_HOSTMEMS) == 0);
}

TEST_CASE_METHOD(fixture, "A registration that cannot be ended stays, with its owner", "[R-610]") {
    const pages memory(1);
    kept_alive owner;
    host_registration range(dev(), memory.all(), owner.reference());
    mock.fail("host_unregister", SPOC_BE_DRIVER, 0, 2);
    CHECK(thrown([&] { range.release(); }) == "backend_error unregister_failed");
    CHECK(range.is_live());
    CHECK(is_live(memory.all()));
    CHECK(owner.is_kept());
    CHECK(thrown([&] { range.release(); }) == "backend_error unregister_failed");
    range.release();
    CHECK_FALSE(is_live(memory.all()));
    CHECK_FALSE(owner.is_kept());
}

TEST_CASE("Where device memory is host memory a registration is only recorded", "[R-606]") {
    recorded_runtime runtime;
    runtime.mock.gate.describe(0, SPOC_BE_KIND_CPU);
    runtime.mock.set_capability(SPOC_BE_CAP_REGISTER, SPOC_MOCK_NO);
    const device first(runtime.start());
    const pages memory(1);
    kept_alive owner;
    host_registration range(first, memory.all(), owner.reference());
    CHECK(is_live(memory.all()));
    CHECK(runtime.mock.count("host_register") == 0);
    const buffer target(first, page);
    copy_to_device(memory.all(), target);
    CHECK(runtime.mock.calls("copy").at(0).hostmem == 0);
    range.release();
    CHECK_FALSE(owner.is_kept());
}

TEST_CASE_METHOD(fixture, "A read-only mapping is registered as one", "[R-815]") {
    const pages memory(1);
    const host_registration range(dev(), std::span<const std::byte>(memory.all()));
    CHECK(mock.calls("host_register").at(0).flags == SPOC_BE_HOSTMEM_READ_ONLY);
}

TEST_CASE_METHOD(fixture, "A range released behind a recycled handle harms no other", "[R-636]") {
    mock.set(SPOC_MOCK_RECYCLES, 1);
    pinned_buffer<std::byte> first_memory(dev(), page);
    first_memory.release();
    const pinned_buffer<std::byte> second(dev(), page);
    first_memory.release();
    CHECK(is_live(second.elements()));
    CHECK(mock.gate.alive(SPOC_MOCK_HOSTMEMS) == 1);
}

TEST_CASE_METHOD(fixture, "A released range has no memory to give", "[R-632][R-633][R-634]") {
    pinned_buffer<int> memory(dev(), 16);
    CHECK(memory.elements().size() == 16);
    memory.release();
    CHECK(thrown([&] { static_cast<void>(memory.elements()); }) == "invalid_argument freed");
    CHECK(memory.data() == nullptr);
    spoc_host_memory_info info{};
    info.size = sizeof info;
    CHECK(told(spoc_host_memory_describe, memory.get(), &info) == "invalid_argument freed");
    CHECK(info.start == nullptr);
}

TEST_CASE_METHOD(fixture, "A range that is busy can be released when it is not", "[R-634]") {
    const stream on(dev());
    const buffer target(dev(), 64);
    pinned_buffer<std::byte> memory(dev(), 64);
    hold();
    copy_to_device(on, memory.elements(), target);
    CHECK(thrown([&] { memory.release(); }) == "invalid_argument busy");
    CHECK(memory.elements().size() == 64);
    release();
    on.synchronize();
    memory.release();
    memory.release();
}

TEST_CASE_METHOD(fixture, "Memory that a driver fails to free is gone all the same", "[R-634]") {
    pinned_buffer<std::byte> memory(dev(), 64);
    const auto range = memory.elements();
    mock.fail("pinned_free", SPOC_BE_DRIVER);
    CHECK(thrown([&] { memory.release(); }) == "backend_error driver");
    CHECK_FALSE(memory.is_live());
    CHECK_FALSE(is_live(range));
    memory.release();
    CHECK(mock.count("pinned_free") == 1);
}

TEST_CASE_METHOD(fixture, "Memory of a scope that ends too early is kept until it is not used",
                 "[R-635][R-640]") {
    const stream on(dev());
    const buffer target(dev(), 64);
    hold();
    const auto scope = [&] {
        const pinned_buffer<std::byte> memory(dev(), 64);
        copy_to_device(on, memory.elements(), target);
        throw std::runtime_error("of the program's own");
    };
    CHECK_THROWS_AS(scope(), std::runtime_error);
    CHECK(mock.count("pinned_free") == 0);
    release();
    synchronize(dev());
    CHECK(mock.count("pinned_free") == 1);
}

TEST_CASE_METHOD(fixture, "A registration over bytes in flight stays until they are not",
                 "[R-608][R-640]") {
    const stream on(dev());
    const buffer target(dev(), page);
    const pages memory(1);
    kept_alive owner;
    hold();
    copy_to_device(on, memory.all().first(10), target);
    { const host_registration range(dev(), memory.all(), owner.reference()); }
    CHECK(owner.is_kept());
    CHECK(is_live(memory.all()));
    CHECK(mock.count("host_unregister") == 0);
    release();
    on.synchronize();
    CHECK_FALSE(owner.is_kept());
    CHECK_FALSE(is_live(memory.all()));
}

TEST_CASE_METHOD(fixture, "Nothing is page-locked that nobody asked for", "[R-630]") {
    const stream on(dev());
    const buffer target(dev(), page);
    const pages memory(1);
    copy_to_device(on, memory.all(), target);
    copy_to_host(target, 0, memory.all());
    CHECK(mock.count("pinned_alloc") + mock.count("host_register") == 0);
}

TEST_CASE_METHOD(fixture, "What a copy without a stream used is free when it returns",
                 "[R-413][R-611]") {
    const buffer target(dev(), page);
    const pages memory(1);
    host_registration range(dev(), memory.all());
    mock.hold();
    copy_to_device(memory.all(), target);
    copy_to_host(target, 0, memory.all());
    range.release();
    CHECK(mock.pending() == 0);
}

TEST_CASE("A device that wants aligned registrations is given none that is not", "[R-621]") {
    recorded_runtime runtime;
    runtime.mock.device().register_align = page;
    const device first(runtime.start());
    const pages memory(2);
    const auto refused = [&](std::span<std::byte> range) {
        return thrown([&] { host_registration(first, range); });
    };
    CHECK(refused(memory.all().subspan(8, page)) == "invalid_argument bounds");
    CHECK(refused(memory.all().first(page + 8)) == "invalid_argument bounds");
    CHECK(runtime.mock.records().empty());
    CHECK(refused(memory.part(1, 1)) == "ok");
}

TEST_CASE("Vulkan devices register memory only where they are asked to and it is safe",
          "[R-620][R-001]") {
    struct row {
        const char* framework;
        bool asked;
        std::uint32_t vendor;
        std::uint32_t driver;
        bool registers;
    };
    const auto one = GENERATE(values<row>({
        {"Vulkan", false, 0x10DE, 4, false},
        {"Vulkan", true, 0x10DE, 4, true},
        {"Vulkan/llvmpipe", true, 0x10005, 13, true},
        {"Vulkan/llvmpipe", false, 0x10005, 13, false},
        {"Vulkan", true, 0x1002, SPOC_BE_UNKNOWN_32, false},
        {"Vulkan", true, SPOC_BE_UNKNOWN_32, 1, false},
        {"Vulkan", true, SPOC_BE_UNKNOWN_32, 2, false},
        {"Vulkan", true, SPOC_BE_UNKNOWN_32, 3, false},
        {"VulkanSC", false, 0x1002, 3, true},
        {"CUDA", false, 0x10DE, SPOC_BE_UNKNOWN_32, true},
    }));
    recorded_runtime runtime;
    spoc_be_device_info& info = runtime.mock.device();
    std::strcpy(info.framework, one.framework);
    info.vendor_id = one.vendor;
    info.driver_id = one.driver;
    if (one.asked) {
        runtime.variables.set("SPOC_VULKAN_HOST_IMPORT", "1");
    }
    const device first(runtime.start());
    const pages memory(1);
    CAPTURE(one.framework, one.asked, one.vendor, one.driver);
    CHECK(thrown([&] { host_registration(first, memory.all()); }) ==
          (one.registers ? "ok" : "feature_not_supported none"));
    CHECK(runtime.mock.count("host_register") == (one.registers ? 1 : 0));
}

}  // namespace spoc::test
