// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include <spoc/backend.h>

#include "backend.hpp"
#include "bytes.hpp"
#include "test_case.hpp"

namespace spoc::conformance {

/// Page-locked memory of a device's.
struct page_locked {
    spoc_be_hostmem handle = nullptr;
    std::byte* data = nullptr;
    std::size_t bytes = 0;  ///< as asked
};

/// The open device that a case works on. What is made here lives until the case ends; every wrapper
/// fails the case when the entry does not answer OK. Not for several threads: a case with threads
/// calls the table itself in them.
class device {
 public:
    device(backend& backend, std::uint32_t number);
    device(const device&) = delete;
    device& operator=(const device&) = delete;

    /// Destroys everything made here, newest first, and closes the device; each call must answer
    /// OK.
    void finish();

    bool can(std::uint32_t capability) const;
    /// Skips the case unless the device answers yes.
    void need(std::uint32_t capability) const;
    /// Skips the case unless the device registers host memory, and nothing warns of that. The one
    /// way to `host_register`: on a device with REGISTER_HAZARD nobody is to try.
    void need_registration() const;
    /// Skips the case where the device warns of registering, whatever it says of REGISTER.
    void need_harmless_registration() const;
    /// Bytes that start and length of a registration are multiples of, a page at least.
    std::size_t registration_step() const;

    spoc_be_buffer_result make_buffer(std::uint32_t kind, std::uint64_t bytes,
                                      void* host = nullptr);
    /// A device buffer with undefined contents.
    spoc_be_buffer buffer(std::uint64_t bytes);
    /// A device buffer that holds `contents`.
    spoc_be_buffer buffer(std::span<const std::byte> contents);
    /// Page-locked memory; fails the case unless it begins at a page.
    page_locked pinned(std::uint64_t bytes);
    /// Registers the range, which must stay alive until the case ends. Skips the case as
    /// `need_registration` does.
    page_locked registered(std::span<std::byte> range, std::uint32_t flags = 0);
    spoc_be_stream stream(std::uint32_t flags = SPOC_BE_STREAM_NON_BLOCKING);
    spoc_be_event event(std::uint32_t flags = 0);

    /// Ends a thing before the case does.
    void destroy(spoc_be_buffer buffer);
    void destroy(spoc_be_stream stream);
    void destroy(spoc_be_event event);
    void destroy(spoc_be_hostmem hostmem);

    /// Runs a copy and checks what `*done` says: one of the three values, and DONE_ALL with WAIT.
    /// Returns it.
    std::uint32_t copy(spoc_be_stream stream, std::uint32_t kind,
                       std::span<const spoc_be_range> ranges, std::uint32_t flags = 0);
    std::uint32_t fill(spoc_be_stream stream, spoc_be_buffer buffer, std::uint64_t offset,
                       std::uint64_t bytes, std::uint32_t value, std::uint32_t value_size,
                       std::uint32_t flags = 0);
    /// Waits for the stream.
    void sync(spoc_be_stream stream);
    void record(spoc_be_event event, spoc_be_stream stream);

    /// Moves bytes over the default stream and waits. Goes through page-locked memory where the
    /// device does not take ordinary memory.
    void upload(spoc_be_buffer buffer, std::uint64_t offset, std::span<const std::byte> bytes);
    byte_vector download(spoc_be_buffer buffer, std::uint64_t offset, std::uint64_t bytes);

    /// Largest range of ordinary memory that `copy` takes.
    std::uint64_t pageable_max() const { return info.pageable_max; }
    /// Largest buffer that cases for large sizes make: `wanted` unless the device has less room.
    std::uint64_t large_size(std::uint64_t wanted) const;
    /// The same for page-locked memory: a part of what the device's limits leave.
    std::uint64_t large_pinned_size(std::uint64_t wanted) const;

    /// Registers what is to be called when the case ends, before anything made earlier is
    /// destroyed.
    void at_end(std::function<void()> action) { ends_.push_back({nullptr, std::move(action)}); }

    backend& owner;
    const spoc_be_table& be;
    const std::uint32_t index;
    const spoc_be_device_info info;
    spoc_be_device handle = nullptr;
    spoc_be_stream default_stream = nullptr;

 private:
    struct end {
        const void* object;
        std::function<void()> action;
    };

    /// Memory that `copy` takes for `bytes` bytes: ordinary, or page-locked where it must be.
    page_locked transfer_memory(std::uint64_t bytes);
    /// Most bytes that go through that memory at once.
    std::uint64_t transfer_piece() const;
    spoc_be_memory_info memory() const;
    void end_now(const void* object);

    std::vector<end> ends_;
    page_locked transfer_;
    byte_vector ordinary_;
};

/// Ranges for `device::copy`.
spoc_be_range to_device(spoc_be_buffer dst, std::uint64_t dst_offset, const void* host,
                        std::uint64_t bytes);
spoc_be_range to_host(spoc_be_buffer src, std::uint64_t src_offset, void* host,
                      std::uint64_t bytes);
spoc_be_range between(spoc_be_buffer src, std::uint64_t src_offset, spoc_be_buffer dst,
                      std::uint64_t dst_offset, std::uint64_t bytes);
/// The same range with a page-locked host end at `offset` in `memory`.
spoc_be_range with_pinned(spoc_be_range range, const page_locked& memory, std::uint64_t offset);

/// A case with an open device: the backend and the device are opened before `run`; after it
/// everything is ended, and the plugin must hold no memory of the host's any more.
test_case on_device(std::string name, std::function<void(device&)> run);

}  // namespace spoc::conformance
