// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"

/// \file
/// Page-locked memory: what a device allocates, what it registers, and what it says of a range.
/// That copies through it are right is the matter of the copy cases.

namespace spoc::conformance {
namespace {

/// Pages of the process's own, mapped for this and unmapped at the end: so many of the steps in
/// which the device registers.
class mapping {
 public:
    mapping(const device& dev, std::size_t steps, int protection)
        : step_(dev.registration_step()),
          bytes_(steps * step_),
          all_(mmap(nullptr, bytes_ + step_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                    -1, 0)) {
        require(all_ != MAP_FAILED, "The suite could not map ", bytes_ + step_, " bytes.");
        const auto first = reinterpret_cast<std::uintptr_t>(all_);
        start_ = static_cast<std::byte*>(all_) + (step_ - first % step_) % step_;
        const byte_vector contents = pattern(bytes_, 7);
        std::copy(contents.begin(), contents.end(), start_);
        require(mprotect(start_, bytes_, protection) == 0, "The suite could not protect pages.");
    }
    mapping(const mapping&) = delete;
    mapping& operator=(const mapping&) = delete;
    ~mapping() { munmap(all_, bytes_ + step_); }

    std::span<std::byte> bytes() const { return {start_, bytes_}; }

 private:
    std::size_t step_;
    std::size_t bytes_;
    void* all_;
    std::byte* start_ = nullptr;
};

/// Blocks of each order of magnitude, all of them alive: `device::pinned` looks where each begins.
void is_page_aligned(device& dev) {
    dev.need(SPOC_BE_CAP_PINNED);
    const std::uint64_t page = page_bytes();
    for (const std::uint64_t bytes : {std::uint64_t{1}, page - 1, page, page + 1}) {
        dev.pinned(bytes);
    }
    const std::uint64_t most = dev.large_pinned_size(std::uint64_t{3} << 20);
    for (std::uint64_t bytes = 3 * page + 1; bytes <= most; bytes = 2 * bytes + 1) {
        dev.pinned(bytes);
    }
    dev.pinned(most);
}

void can_be_used_whole(device& dev) {
    std::vector<page_locked> all;
    for (std::uint64_t i = 0; i < 20; ++i) {
        all.push_back(dev.pinned(1000 + i * 777));
        const byte_vector contents = pattern(all.back().bytes, i);
        std::copy(contents.begin(), contents.end(), all.back().data);
    }
    for (std::uint64_t i = 0; i < all.size(); ++i) {
        expect_bytes(pattern(all[i].bytes, i), {all[i].data, all[i].bytes},
                     text("Page-locked block ", i, " after all others were written"));
    }
}

void freed_memory_comes_back(device& dev) {
    dev.need(SPOC_BE_CAP_PINNED);
    const std::uint64_t bytes = dev.large_pinned_size(std::uint64_t{16} << 20);
    for (int i = 0; i < 64; ++i) {
        dev.destroy(dev.pinned(bytes).handle);
    }
}

void absurd_size_is_refused(device& dev) {
    dev.need(SPOC_BE_CAP_PINNED);
    // The last two come to nothing when they are rounded up to whole pages.
    for (const std::uint64_t bytes :
         {std::uint64_t{1} << 60, ~std::uint64_t{0}, -page_bytes() + 1}) {
        auto desc = sized<spoc_be_hostmem_desc>();
        desc.bytes = bytes;
        auto made = sized<spoc_be_hostmem_result>();
        auto error = sized<spoc_be_error>();
        const std::int32_t status = dev.be.pinned_alloc(dev.handle, &desc, &made, &error);
        require(status == SPOC_BE_OUT_OF_MEMORY || status == SPOC_BE_TOO_LARGE,
                "Page-locked memory of ", bytes, " bytes was answered with ", status_text(status),
                ".");
        require(made.hostmem == nullptr && made.host == nullptr && made.bytes == 0,
                "pinned_alloc failed and wrote into its result.");
    }
    dev.pinned(page_bytes());
}

/// A portable block serves the backend's other devices.
void portable_serves_another_device(device& dev) {
    dev.need(SPOC_BE_CAP_PINNED_PORTABLE);
    const std::uint32_t other_index = dev.index == 0 ? 1 : 0;
    if (other_index >= dev.owner.device_count()) {
        skip("The backend has one device only.");
    }
    const page_locked memory = dev.pinned(5000);
    device other(dev.owner, other_index);
    const byte_vector contents = pattern(5000, 3);
    std::copy(contents.begin(), contents.end(), memory.data);
    const spoc_be_buffer target = other.buffer(std::uint64_t{5000});
    const spoc_be_range range = with_pinned(to_device(target, 0, nullptr, 5000), memory, 0);
    other.copy(other.default_stream, SPOC_BE_COPY_H2D, {&range, 1}, SPOC_BE_WAIT);
    expect_bytes(contents, other.download(target, 0, 5000),
                 "The buffer of a device that uses another device's page-locked memory");
    other.finish();
}

void registering_keeps_contents(device& dev) {
    dev.need_registration();
    const mapping range(dev, 64, PROT_READ | PROT_WRITE);
    for (int round = 0; round < 20; ++round) {
        const page_locked memory = dev.registered(range.bytes());
        dev.destroy(memory.handle);
    }
    expect_bytes(pattern(range.bytes().size(), 7), range.bytes(),
                 "The range after it was registered and unregistered 20 times");
}

void two_ranges_side_by_side(device& dev) {
    dev.need_registration();
    const auto both = std::make_shared<mapping>(dev, 128, PROT_READ | PROT_WRITE);
    dev.at_end([both] {});
    const auto whole = both->bytes();
    const page_locked first = dev.registered(whole.first(whole.size() / 2));
    const page_locked second = dev.registered(whole.last(whole.size() / 2));
    require(first.handle != second.handle, "Two registrations have the same handle.");
    const spoc_be_buffer target = dev.buffer(whole.size());
    const spoc_be_range ranges[] = {
        with_pinned(to_device(target, 0, nullptr, first.bytes), first, 0),
        with_pinned(to_device(target, first.bytes, nullptr, second.bytes), second, 0)};
    dev.copy(dev.default_stream, SPOC_BE_COPY_H2D, ranges, SPOC_BE_WAIT);
    expect_bytes(whole, dev.download(target, 0, whole.size()),
                 "The buffer after a copy from two registrations");
}

void read_only_mapping(device& dev) {
    dev.need(SPOC_BE_CAP_REGISTER_READ_ONLY);
    dev.need_registration();
    const auto range = std::make_shared<mapping>(dev, 16, PROT_READ);
    dev.at_end([range] {});
    const page_locked memory = dev.registered(range->bytes(), SPOC_BE_HOSTMEM_READ_ONLY);
    const spoc_be_buffer target = dev.buffer(memory.bytes);
    const spoc_be_range up = with_pinned(to_device(target, 0, nullptr, memory.bytes), memory, 0);
    dev.copy(dev.default_stream, SPOC_BE_COPY_H2D, {&up, 1}, SPOC_BE_WAIT);
    expect_bytes(range->bytes(), dev.download(target, 0, memory.bytes),
                 "The buffer after a copy from a read-only mapping");
}

std::uint32_t ask(device& dev, const void* start, std::uint64_t bytes) {
    std::uint32_t flags = ~std::uint32_t{0};
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.host_query(dev.handle, start, bytes, &flags, &error),
                  "host_query", error);
    require((flags & ~(SPOC_BE_HOST_PINNED | SPOC_BE_HOST_MANAGED)) == 0,
            "host_query answered with bits that have no meaning: ", flags, ".");
    return flags;
}

void query_tells_page_locked_from_ordinary(device& dev) {
    dev.need(SPOC_BE_CAP_HOST_QUERY);
    const std::size_t page = page_bytes();
    const mapping ordinary(dev, 4, PROT_READ | PROT_WRITE);
    require(ask(dev, ordinary.bytes().data(), page) == 0,
            "host_query takes ordinary memory for page-locked or managed.");
    if (dev.can(SPOC_BE_CAP_PINNED)) {
        const page_locked memory = dev.pinned(std::uint64_t{4} * page);
        require((ask(dev, memory.data, memory.bytes) & SPOC_BE_HOST_PINNED) != 0,
                "host_query does not know the device's own page-locked memory.");
        require((ask(dev, memory.data + page, page) & SPOC_BE_HOST_PINNED) != 0,
                "host_query does not know a part of the device's own page-locked memory.");
    }
}

void query_follows_a_registration(device& dev) {
    dev.need(SPOC_BE_CAP_HOST_QUERY);
    dev.need_registration();
    const mapping range(dev, 8, PROT_READ | PROT_WRITE);
    const auto half = range.bytes().first(range.bytes().size() / 2);
    const page_locked memory = dev.registered(half);
    require((ask(dev, half.data(), half.size()) & SPOC_BE_HOST_PINNED) != 0,
            "host_query does not know a registered range.");
    require((ask(dev, half.data(), range.bytes().size()) & SPOC_BE_HOST_PINNED) == 0,
            "host_query takes a range of which one half is registered for page-locked.");
    dev.destroy(memory.handle);
    require(ask(dev, half.data(), half.size()) == 0,
            "host_query still takes a range for page-locked after it was unregistered.");
}

}  // namespace

void add_pinned_cases(case_list& cases) {
    const struct {
        const char* name;
        void (*run)(device&);
    } all[] = {
        {"is_page_aligned", is_page_aligned},
        {"can_be_used_whole", can_be_used_whole},
        {"freed_memory_comes_back", freed_memory_comes_back},
        {"absurd_size_is_refused", absurd_size_is_refused},
        {"portable_serves_another_device", portable_serves_another_device},
        {"registering_keeps_contents", registering_keeps_contents},
        {"two_ranges_side_by_side", two_ranges_side_by_side},
        {"read_only_mapping", read_only_mapping},
        {"query_tells_page_locked_from_ordinary", query_tells_page_locked_from_ordinary},
        {"query_follows_a_registration", query_follows_a_registration},
    };
    for (const auto& each : all) {
        cases.push_back(on_device(std::string("pinned/") + each.name, each.run));
    }
}

}  // namespace spoc::conformance
