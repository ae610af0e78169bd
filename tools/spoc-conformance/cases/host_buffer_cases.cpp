// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"

/// \file
/// Buffers that the host sees: made over a host range of the application's, or memory that both
/// sides address.

namespace spoc::conformance {
namespace {

/// A host range as the device wants it, with canaries on both sides.
class host_range {
 public:
    host_range(const device& dev, std::size_t bytes, std::uint64_t seed)
        : step_(dev.info.host_ptr_align == SPOC_BE_UNKNOWN_32
                    ? std::size_t{4096}
                    : std::max<std::size_t>(dev.info.host_ptr_align, 64)),
          bytes_((bytes + step_ - 1) / step_ * step_),
          storage_(static_cast<std::byte*>(
              ::operator new (bytes_ + 2 * step_, std::align_val_t{step_}))) {
        std::memset(storage_, 0xC7, bytes_ + 2 * step_);
        const byte_vector contents = pattern(bytes_, seed);
        std::copy(contents.begin(), contents.end(), data());
    }
    host_range(const host_range&) = delete;
    host_range& operator=(const host_range&) = delete;
    ~host_range() { ::operator delete (storage_, std::align_val_t{step_}); }

    std::byte* data() const { return storage_ + step_; }
    std::size_t size() const { return bytes_; }
    std::span<std::byte> bytes() const { return {data(), bytes_}; }
    void expect_intact() const {
        const auto touched = [](std::byte byte) { return byte != std::byte{0xC7}; };
        require(std::none_of(storage_, data(), touched) &&
                    std::none_of(data() + bytes_, data() + bytes_ + step_, touched),
                "Host memory outside the buffer's range was written.");
    }

 private:
    std::size_t step_;
    std::size_t bytes_;
    std::byte* storage_;
};

void access(device& dev, spoc_be_buffer buffer, std::uint32_t op, std::uint64_t offset,
            std::uint64_t bytes) {
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK,
                  dev.be.buffer_host_access(dev.default_stream, buffer, op, offset, bytes, &error),
                  "buffer_host_access", error);
}

/// The buffer *is* the range: both ways at once, without an access call.
void range_is_the_buffer(device& dev) {
    dev.need(SPOC_BE_CAP_BUFFER_HOST_RANGE);
    const auto range = std::make_shared<host_range>(dev, 10000, 1);
    dev.at_end([range] {});
    const spoc_be_buffer_result made =
        dev.make_buffer(SPOC_BE_BUFFER_HOST_RANGE, range->size(), range->data());
    require(made.host_address == range->data(),
            "The buffer over a host range has another address.");
    expect_bytes(range->bytes(), dev.download(made.buffer, 0, range->size()),
                 "The buffer over a host range");
    dev.upload(made.buffer, 33, pattern(777, 2));
    expect_bytes(pattern(777, 2), range->bytes().subspan(33, 777),
                 "The host range after a copy into its buffer");
    range->bytes()[5] = std::byte{0x11};
    require(dev.download(made.buffer, 5, 1).front() == std::byte{0x11},
            "A byte that the host wrote into the range is not in the buffer.");
    dev.destroy(made.buffer);
    range->expect_intact();
    expect_bytes(pattern(777, 2), range->bytes().subspan(33, 777),
                 "The host range after its buffer was destroyed");
}

void made_over_shows_its_contents(device& dev) {
    dev.need(SPOC_BE_CAP_BUFFER_HOST_PTR);
    const auto range = std::make_shared<host_range>(dev, 10000, 1);
    dev.at_end([range] {});
    const spoc_be_buffer_result made =
        dev.make_buffer(SPOC_BE_BUFFER_HOST_PTR, range->size(), range->data());
    require(made.host_address == range->data(), "The buffer over host memory has another address.");
    expect_bytes(range->bytes(), dev.download(made.buffer, 0, range->size()),
                 "The buffer made over host memory");
    dev.destroy(made.buffer);
    range->expect_intact();
}

void acquire_shows_device_writes(device& dev) {
    dev.need(SPOC_BE_CAP_BUFFER_HOST_PTR);
    const auto range = std::make_shared<host_range>(dev, 10000, 1);
    dev.at_end([range] {});
    const spoc_be_buffer_result made =
        dev.make_buffer(SPOC_BE_BUFFER_HOST_PTR, range->size(), range->data());
    byte_vector wanted(range->bytes().begin(), range->bytes().end());
    const byte_vector piece = pattern(500, 9);
    dev.upload(made.buffer, 101, piece);
    std::copy(piece.begin(), piece.end(), wanted.begin() + 101);
    access(dev, made.buffer, SPOC_BE_HOST_ACQUIRE, 0, range->size());
    expect_bytes(wanted, range->bytes(), "Host memory after it was acquired");
    range->expect_intact();
}

void publish_shows_host_writes(device& dev) {
    dev.need(SPOC_BE_CAP_BUFFER_HOST_PTR);
    const auto range = std::make_shared<host_range>(dev, 10000, 1);
    dev.at_end([range] {});
    const spoc_be_buffer_result made =
        dev.make_buffer(SPOC_BE_BUFFER_HOST_PTR, range->size(), range->data());
    access(dev, made.buffer, SPOC_BE_HOST_ACQUIRE, 0, range->size());
    const byte_vector piece = pattern(500, 9);
    std::copy(piece.begin(), piece.end(), range->data() + 101);
    access(dev, made.buffer, SPOC_BE_HOST_PUBLISH, 101, 500);
    expect_bytes(range->bytes(), dev.download(made.buffer, 0, range->size()),
                 "The buffer after the host published");
}

/// Bytes of the pair's range that the host does not write keep their contents.
void write_pair_keeps_the_rest(device& dev) {
    dev.need(SPOC_BE_CAP_BUFFER_HOST_PTR);
    const auto range = std::make_shared<host_range>(dev, 10000, 1);
    dev.at_end([range] {});
    const spoc_be_buffer_result made =
        dev.make_buffer(SPOC_BE_BUFFER_HOST_PTR, range->size(), range->data());
    byte_vector wanted = pattern(range->size(), 5);
    dev.upload(made.buffer, 0, wanted);
    access(dev, made.buffer, SPOC_BE_HOST_BEGIN_WRITE, 64, 1000);
    const byte_vector piece = pattern(100, 6);
    std::copy(piece.begin(), piece.end(), range->data() + 200);
    access(dev, made.buffer, SPOC_BE_HOST_END_WRITE, 64, 1000);
    std::copy(piece.begin(), piece.end(), wanted.begin() + 200);
    expect_bytes(wanted, dev.download(made.buffer, 0, range->size()),
                 "The buffer after the host wrote a part of it");
}

void unified_memory_is_seen_by_both(device& dev) {
    dev.need(SPOC_BE_CAP_BUFFER_UNIFIED);
    const spoc_be_buffer_result made = dev.make_buffer(SPOC_BE_BUFFER_UNIFIED, 10000);
    require(made.host_address != nullptr, "Unified memory has no address for the host.");
    auto* const bytes = static_cast<std::byte*>(made.host_address);
    const byte_vector contents = pattern(10000, 1);
    const bool concurrent = dev.can(SPOC_BE_CAP_UNIFIED_CONCURRENT);
    if (!concurrent) {
        access(dev, made.buffer, SPOC_BE_HOST_BEGIN_WRITE, 0, 10000);
    }
    std::copy(contents.begin(), contents.end(), bytes);
    if (!concurrent) {
        access(dev, made.buffer, SPOC_BE_HOST_END_WRITE, 0, 10000);
    }
    expect_bytes(contents, dev.download(made.buffer, 0, 10000),
                 "Unified memory that the host wrote, seen by the device");
    dev.upload(made.buffer, 17, pattern(301, 2));
    if (!concurrent) {
        access(dev, made.buffer, SPOC_BE_HOST_ACQUIRE, 0, 10000);
    }
    expect_bytes(pattern(301, 2), {bytes + 17, 301},
                 "Unified memory that the device wrote, seen by the host");
}

void host_range_ends_before_destroy_returns(device& dev) {
    const bool is_range = dev.can(SPOC_BE_CAP_BUFFER_HOST_RANGE);
    if (!is_range) {
        dev.need(SPOC_BE_CAP_BUFFER_HOST_PTR);
    }
    const std::size_t bytes = dev.large_size(std::uint64_t{4} << 20) / 4 * 4;
    const auto range = std::make_shared<host_range>(dev, bytes, 1);
    dev.at_end([range] {});
    const spoc_be_buffer made =
        dev.make_buffer(is_range ? SPOC_BE_BUFFER_HOST_RANGE : SPOC_BE_BUFFER_HOST_PTR,
                        range->size(), range->data())
            .buffer;
    const spoc_be_stream stream = dev.stream();
    for (std::uint32_t round = 0; round < 20; ++round) {
        dev.fill(stream, made, 0, bytes, round, 4);
    }
    dev.destroy(made);
    const byte_vector contents = pattern(bytes, 3);
    std::copy(contents.begin(), contents.end(), range->data());
    dev.sync(stream);
    expect_bytes(contents, {range->data(), bytes},
                 "The host range, written by the host after its buffer was destroyed");
}

}  // namespace

void add_host_buffer_cases(case_list& cases) {
    const struct {
        const char* name;
        void (*run)(device&);
    } all[] = {
        {"range_is_the_buffer", range_is_the_buffer},
        {"made_over_shows_its_contents", made_over_shows_its_contents},
        {"acquire_shows_device_writes", acquire_shows_device_writes},
        {"publish_shows_host_writes", publish_shows_host_writes},
        {"write_pair_keeps_the_rest", write_pair_keeps_the_rest},
        {"unified_memory_is_seen_by_both", unified_memory_is_seen_by_both},
        {"host_range_ends_before_destroy_returns", host_range_ends_before_destroy_returns},
    };
    for (const auto& each : all) {
        cases.push_back(on_device(std::string("host_buffer/") + each.name, each.run));
    }
}

}  // namespace spoc::conformance
