// SPDX-License-Identifier: Apache-2.0
//
// What the plugin asks of the driver's memory, and what SPOC refuses before it does.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "double_fixture.hpp"

using namespace spoc::test;

namespace {

constexpr std::size_t page = 4096;

/// Pages of the test's own.
class pages {
 public:
    explicit pages(std::size_t count)
        : bytes_(count * page),
          start_(
              ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
        REQUIRE(start_ != MAP_FAILED);
    }
    pages(const pages&) = delete;
    pages& operator=(const pages&) = delete;
    ~pages() { ::munmap(start_, bytes_); }

    std::span<std::byte> range(std::size_t from, std::size_t bytes) const {
        return {static_cast<std::byte*>(start_) + from, bytes};
    }

 private:
    const std::size_t bytes_;
    void* const start_;
};

}  // namespace

TEST_CASE("overlapping registrations are refused before the driver [B46][B47]",
          "[B46][B47][R-607][H-44]") {
    const cuda_on_double cuda;
    const spoc::device card = cuda.device(0);
    const pages memory(16);
    const spoc::host_registration first(card, memory.range(2 * page, 4 * page));
    const std::uint64_t calls = cuda.control.calls("cuMemHostRegister");
    const auto refused = [&](std::size_t from, std::size_t bytes) {
        CAPTURE(from, bytes);
        CHECK(refusal_of([&] { spoc::host_registration(card, memory.range(from, bytes)); }) ==
              SPOC_SUB_OVERLAP);
    };
    refused(2 * page, 4 * page);
    refused(3 * page, page);
    refused(page, 2 * page);
    refused(5 * page, 3 * page);
    refused(0, 16 * page);
    refused(6 * page - 1, 10);
    CHECK(cuda.control.calls("cuMemHostRegister") == calls);
    const spoc::host_registration beside(card, memory.range(6 * page, page));
    CHECK(cuda.control.calls("cuMemHostRegister") == calls + 1);
}

TEST_CASE("a budget for page-locked memory is an error with its reason [B54]", "[B54][R-601]") {
    const cuda_on_double cuda;
    const spoc::device card = cuda.device(0);
    constexpr std::uint64_t too_much = 16U << 20;  // of 8 MiB
    CHECK(refusal_of([&] { spoc::pinned_buffer<std::byte>(card, too_much); }) == SPOC_SUB_OOM);
    const spoc::pinned_buffer<std::byte> less(card, 1U << 20);
    CHECK(less.size() == 1U << 20);
    std::vector<std::byte> ordinary(too_much);
    const spoc::buffer memory(card, too_much);
    spoc::copy_to_device(ordinary, memory);  // needs none of it
}

TEST_CASE("page-locked memory begins at a page and is flat after many of them [B55]",
          "[B55][R-601]") {
    const cuda_on_double cuda;
    const spoc::device card = cuda.device(0);
    for (const std::uint64_t bytes : {1U, 4095U, 4096U, 4097U, 70000U, 1U << 20}) {
        CAPTURE(bytes);
        const spoc::pinned_buffer<std::byte> memory(card, bytes);
        CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % page == 0);
    }
    for (unsigned i = 0; i < 1000; ++i) {
        const spoc::pinned_buffer<std::byte> memory(card, 1U + i * 97U);
    }
    CHECK(cuda.control.alive() == 0);
}

TEST_CASE("a private mapping of a file that may only be read never reaches the driver [B57]",
          "[B57]") {
    const cuda_on_double cuda;
    const spoc::device card = cuda.device(0);
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    REQUIRE(std::fwrite("x", 1, 1, file) == 1);
    REQUIRE(std::fflush(file) == 0);
    for (const int kind : {MAP_PRIVATE, MAP_SHARED}) {
        CAPTURE(kind);
        void* mapped = ::mmap(nullptr, page, PROT_READ, kind, ::fileno(file), 0);
        REQUIRE(mapped != MAP_FAILED);
        const std::uint64_t calls = cuda.control.calls("cuMemHostRegister");
        const std::span<const std::byte> range(static_cast<const std::byte*>(mapped), page);
        const auto lock = [&] { spoc::host_registration(card, range); };
        if (kind == MAP_PRIVATE) {
            CHECK_THROWS_AS(lock(), spoc::feature_not_supported);
            CHECK(cuda.control.calls("cuMemHostRegister") == calls);
        } else {
            lock();
            CHECK(cuda.control.calls("cuMemHostRegister") == calls + 1);
        }
        ::munmap(mapped, page);
    }
    std::fclose(file);
}

TEST_CASE("a failed registration leaves no trace in what follows [B23]", "[B23]") {
    const cuda_on_double cuda;
    const spoc::device card = cuda.device(0);
    const pages memory(2);
    cuda.control.fail("cuMemHostRegister", 1, spoc::driver::out_of_memory);
    CHECK(refusal_of([&] { spoc::host_registration(card, memory.range(0, page)); }) ==
          SPOC_SUB_OOM);
    spoc::host_registration again(card, memory.range(0, page));
    again.release();
}

TEST_CASE("a copy across two registrations is divided at the border [B48]", "[B48][R-408]") {
    const cuda_on_double cuda;
    const spoc::device card = cuda.device(0);
    const pages memory(4);
    const spoc::host_registration first(card, memory.range(0, 2 * page));
    const spoc::host_registration second(card, memory.range(2 * page, 2 * page));
    const std::span<std::byte> both = memory.range(page, 2 * page);
    for (std::size_t i = 0; i < both.size(); ++i) {
        both[i] = static_cast<std::byte>(i * 13);
    }
    const spoc::buffer buffer(card, both.size());
    const std::uint64_t copies = cuda.control.calls("cuMemcpyHtoDAsync");
    spoc::copy_to_device(both, buffer);
    CHECK(cuda.control.calls("cuMemcpyHtoDAsync") == copies + 2);
    std::vector<std::byte> back(both.size());
    spoc::copy_to_host(buffer, 0, back);
    CHECK(std::equal(back.begin(), back.end(), both.begin()));
}

TEST_CASE("memory of two devices is not mixed before the driver, which would not notice [B31]",
          "[B31][R-506]") {
    const cuda_on_double cuda;
    const spoc::buffer memory(cuda.device(0), 64);
    const spoc::stream other(cuda.device(1));
    spoc::event event(cuda.device(0));
    std::vector<std::byte> host(64);
    const std::uint64_t calls = cuda.control.all_calls();
    CHECK(refusal_of([&] { spoc::copy_to_device(other, host, memory); }) == SPOC_SUB_DEVICE);
    CHECK(refusal_of([&] { event.record(other); }) == SPOC_SUB_DEVICE);
    CHECK(cuda.control.all_calls() == calls);
}

TEST_CASE("the way between two cards is opened once [R-412]", "[R-412]") {
    const cuda_on_double cuda;
    const spoc::buffer source(cuda.device(0), 4096);
    const spoc::buffer destination(cuda.device(1), 4096);
    spoc::fill(source, 0, 4096, std::uint32_t{0xABCD1234});
    for (int i = 0; i < 3; ++i) {
        spoc::copy_on_device(source, 0, destination, 0, 4096);
    }
    CHECK(cuda.control.calls("cuCtxEnablePeerAccess") == 1);
    std::vector<std::uint32_t> back(1024);
    spoc::copy_to_host(destination, 0, std::as_writable_bytes(std::span(back)));
    CHECK(back == std::vector<std::uint32_t>(1024, 0xABCD1234));
}
