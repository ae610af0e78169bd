// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include <spoc/backend.h>
#include <spoc/device.h>

#include "capability_row.hpp"
#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"

/// \file
/// One case for each capability of memory, streams and events.

namespace spoc::conformance {
namespace {

constexpr std::size_t room = 5000;

/* ---- trying a yes ---- */

/// Memory that every device can make a buffer over, or register: whole aligned blocks.
class aligned_memory {
 public:
    explicit aligned_memory(int protection = PROT_READ | PROT_WRITE)
        : all_(mmap(nullptr, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                    0)) {
        require(all_ != MAP_FAILED, "The suite could not map ", 2 * bytes, " bytes.");
        const auto first = reinterpret_cast<std::uintptr_t>(all_);
        data_ = static_cast<std::byte*>(all_) + (-first & (bytes - 1));
        std::memset(data_, 0x3C, bytes);
        require(mprotect(data_, bytes, protection) == 0, "The suite could not protect memory.");
    }
    aligned_memory(const aligned_memory&) = delete;
    aligned_memory& operator=(const aligned_memory&) = delete;
    ~aligned_memory() { munmap(all_, 2 * bytes); }

    std::span<std::byte> range() const { return {data_, bytes}; }

    static constexpr std::size_t bytes = std::size_t{1} << 16;

 private:
    void* all_;
    std::byte* data_ = nullptr;
};

void need_alignment(std::uint32_t alignment, const char* what) {
    if (alignment == SPOC_BE_UNKNOWN_32 || alignment > aligned_memory::bytes) {
        skip("The device's ", what, " is ", alignment, ", and this suite's memory is aligned to ",
             aligned_memory::bytes, " bytes.");
    }
}

void host_access(device& dev, spoc_be_buffer buffer, std::uint32_t op, std::uint64_t bytes) {
    if (dev.be.buffer_host_access == nullptr) {
        return;
    }
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK,
                  dev.be.buffer_host_access(dev.default_stream, buffer, op, 0, bytes, &error),
                  "buffer_host_access", error);
}

/// The device sees what the host wrote through the buffer's host address.
void expect_seen(device& dev, const spoc_be_buffer_result& made, bool moved_by_calls) {
    require(made.host_address != nullptr, "buffer_create gave no address for the host.");
    const byte_vector contents = pattern(room, 1);
    if (moved_by_calls) {
        host_access(dev, made.buffer, SPOC_BE_HOST_BEGIN_WRITE, room);
    }
    std::memcpy(made.host_address, contents.data(), room);
    if (moved_by_calls) {
        host_access(dev, made.buffer, SPOC_BE_HOST_END_WRITE, room);
    }
    const spoc_be_buffer copy = dev.buffer(room);
    const spoc_be_range range = between(made.buffer, 0, copy, 0, room);
    dev.copy(dev.default_stream, SPOC_BE_COPY_D2D, {&range, 1}, SPOC_BE_WAIT);
    expect_bytes(contents, dev.download(copy, 0, room),
                 "What the device sees of bytes that the host wrote");
}

void try_host_range(device& dev) {
    need_alignment(dev.info.host_ptr_align, "host_ptr_align");
    const aligned_memory memory;
    const auto made =
        dev.make_buffer(SPOC_BE_BUFFER_HOST_RANGE, aligned_memory::bytes, memory.range().data());
    require(made.host_address == memory.range().data(),
            "The buffer over a host range has another host address.");
    expect_seen(dev, made, false);
    dev.destroy(made.buffer);
}

void try_host_ptr(device& dev) {
    need_alignment(dev.info.host_ptr_align, "host_ptr_align");
    const aligned_memory memory;
    const auto made =
        dev.make_buffer(SPOC_BE_BUFFER_HOST_PTR, aligned_memory::bytes, memory.range().data());
    expect_seen(dev, made, true);
    dev.destroy(made.buffer);
}

void try_unified(device& dev) {
    const auto made = dev.make_buffer(SPOC_BE_BUFFER_UNIFIED, room);
    expect_seen(dev, made, !dev.can(SPOC_BE_CAP_UNIFIED_CONCURRENT));
}

/// The host writes while the device works on something else.
void try_unified_concurrent(device& dev) {
    dev.need(SPOC_BE_CAP_BUFFER_UNIFIED);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_buffer other = dev.buffer(std::size_t{1} << 20);
    const auto made = dev.make_buffer(SPOC_BE_BUFFER_UNIFIED, room);
    for (int round = 0; round < 16; ++round) {
        dev.fill(stream, other, 0, std::size_t{1} << 20, 0x42, 1);
    }
    expect_seen(dev, made, false);
    dev.sync(stream);
}

void try_address(device& dev) {
    const auto first = dev.make_buffer(SPOC_BE_BUFFER_DEVICE, room);
    const auto second = dev.make_buffer(SPOC_BE_BUFFER_DEVICE, room);
    require(first.device_address != 0 && second.device_address != 0,
            "A buffer has no device address.");
    const std::uint64_t low = std::min(first.device_address, second.device_address);
    const std::uint64_t high = std::max(first.device_address, second.device_address);
    require(high - low >= room, "Two buffers of ", room, " bytes lie ", high - low,
            " bytes apart.");
}

void try_tracked(device& dev) {
    const spoc_be_stream stream = dev.stream();
    const spoc_be_buffer buffer = dev.buffer(room);
    auto error = sized<spoc_be_error>();
    for (const std::uint32_t access :
         {SPOC_BE_ACCESS_READ, SPOC_BE_ACCESS_WRITE, SPOC_BE_ACCESS_READ_WRITE}) {
        dev.fill(stream, buffer, 0, room, access, 1);
        expect_status(SPOC_BE_OK, dev.be.buffer_wait(buffer, access, SPOC_BE_FOREVER, &error),
                      "buffer_wait", error);
        expect_bytes(byte_vector(room, std::byte{static_cast<unsigned char>(access)}),
                     dev.download(buffer, 0, room), "The buffer after its users were waited for");
    }
}

void try_memory_free(device& dev) {
    auto memory = sized<spoc_be_memory_info>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.device_memory(dev.handle, &memory, &error), "device_memory",
                  error);
    require(memory.free != SPOC_BE_UNKNOWN_64 && memory.free != 0, "device_memory says ",
            memory.free, " bytes free.");
}

void try_pinned(device& dev) {
    const page_locked memory = dev.pinned(room);
    const byte_vector contents = pattern(room, 1);
    std::memcpy(memory.data, contents.data(), room);
    const spoc_be_buffer buffer = dev.buffer(room);
    const spoc_be_range range = with_pinned(to_device(buffer, 0, memory.data, room), memory, 0);
    dev.copy(dev.default_stream, SPOC_BE_COPY_H2D, {&range, 1}, SPOC_BE_WAIT);
    expect_bytes(contents, dev.download(buffer, 0, room), "The buffer after a page-locked copy");
}

/// Another device of the backend, opened; skips where there is one only.
std::uint32_t other_device(const device& dev) {
    if (dev.owner.device_count() < 2) {
        skip("The backend has one device.");
    }
    return dev.index == 0 ? 1 : 0;
}

void try_portable(device& dev) {
    device other(dev.owner, other_device(dev));
    const page_locked memory = dev.pinned(room);
    const byte_vector contents = pattern(room, 1);
    std::memcpy(memory.data, contents.data(), room);
    const spoc_be_buffer buffer = other.buffer(room);
    const spoc_be_range range = with_pinned(to_device(buffer, 0, memory.data, room), memory, 0);
    other.copy(other.default_stream, SPOC_BE_COPY_H2D, {&range, 1}, SPOC_BE_WAIT);
    expect_bytes(contents, other.download(buffer, 0, room),
                 "The second device's buffer after a copy from the first one's memory");
    other.finish();
}

void try_peer(device& dev) {
    device other(dev.owner, other_device(dev));
    std::uint32_t flags = SPOC_BE_UNKNOWN_32;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.peer_query(other.handle, dev.handle, &flags, &error),
                  "peer_query", error);
    constexpr std::uint32_t known = SPOC_BE_PEER_COPY | SPOC_BE_PEER_DIRECT | SPOC_BE_PEER_EVENTS;
    require((flags & ~known) == 0, "peer_query answered ", flags, ".");
    other.finish();
}

void need_aligned_registration(const device& dev) {
    dev.need_registration();
    need_alignment(dev.info.register_align, "register_align");
}

void try_register(device& dev) {
    need_aligned_registration(dev);
    const aligned_memory memory;
    const page_locked locked = dev.registered(memory.range());
    const byte_vector contents(memory.range().begin(), memory.range().end());
    const spoc_be_buffer buffer = dev.buffer(contents.size());
    const spoc_be_range range =
        with_pinned(to_device(buffer, 0, locked.data, contents.size()), locked, 0);
    dev.copy(dev.default_stream, SPOC_BE_COPY_H2D, {&range, 1}, SPOC_BE_WAIT);
    expect_bytes(contents, dev.download(buffer, 0, contents.size()),
                 "The buffer after a copy from registered memory");
    dev.destroy(locked.handle);
}

void try_register_read_only(device& dev) {
    need_aligned_registration(dev);
    const aligned_memory memory(PROT_READ);
    dev.destroy(dev.registered(memory.range(), SPOC_BE_HOSTMEM_READ_ONLY).handle);
}

void try_host_query(device& dev) {
    const aligned_memory ordinary;
    std::uint32_t flags = SPOC_BE_UNKNOWN_32;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK,
                  dev.be.host_query(dev.handle, ordinary.range().data(), room, &flags, &error),
                  "host_query", error);
    require(flags == 0, "host_query answered ", flags, " for ordinary memory.");
    if (dev.can(SPOC_BE_CAP_PINNED)) {
        expect_status(SPOC_BE_OK,
                      dev.be.host_query(dev.handle, dev.pinned(room).data, room, &flags, &error),
                      "host_query", error);
        require((flags & SPOC_BE_HOST_PINNED) != 0, "host_query answered ", flags,
                " for page-locked memory.");
    }
}

/// Many copies in one stream that nobody waits for in between.
void try_copy_enqueued(device& dev) {
    dev.need(SPOC_BE_CAP_PINNED);
    const page_locked source = dev.pinned(room);
    const byte_vector contents = pattern(room, 1);
    std::memcpy(source.data, contents.data(), room);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_buffer buffer = dev.buffer(room);
    for (std::size_t at = 0; at < room; at += 100) {
        const spoc_be_range range =
            with_pinned(to_device(buffer, at, source.data, 100), source, at);
        dev.copy(stream, SPOC_BE_COPY_H2D, {&range, 1});
    }
    dev.sync(stream);
    expect_bytes(contents, dev.download(buffer, 0, room), "The buffer after enqueued copies");
}

void try_copy_batch(device& dev) {
    const byte_vector contents = pattern(room, 1);
    const spoc_be_buffer source = dev.buffer(contents);
    const spoc_be_buffer target = dev.buffer(room);
    std::vector<spoc_be_range> ranges;
    for (std::size_t at = 0; at < room; at += 50) {
        ranges.push_back(between(source, at, target, at, 50));
    }
    dev.copy(dev.default_stream, SPOC_BE_COPY_D2D, ranges, SPOC_BE_WAIT);
    expect_bytes(contents, dev.download(target, 0, room), "The target after a batch of ranges");
}

/// A blocking stream's work comes before what the default stream is given later.
void try_blocking(device& dev) {
    const spoc_be_stream stream = dev.stream(0);
    const spoc_be_buffer buffer = dev.buffer(room);
    dev.fill(stream, buffer, 0, room, 0x21, 1);
    expect_bytes(byte_vector(room, std::byte{0x21}), dev.download(buffer, 0, room),
                 "The buffer after a fill on a blocking stream");
}

void try_deferred(device& dev) {
    const spoc_be_stream stream = dev.stream();
    const spoc_be_buffer buffer = dev.buffer(room);
    dev.fill(stream, buffer, 0, room, 0x21, 1);
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.stream_flush(stream, &error), "stream_flush", error);
    dev.sync(stream);
}

void try_event_wait(device& dev) {
    const spoc_be_stream first = dev.stream();
    const spoc_be_stream second = dev.stream();
    const spoc_be_event event = dev.event();
    const spoc_be_buffer buffer = dev.buffer(room);
    dev.fill(first, buffer, 0, room, 0x21, 1);
    dev.record(event, first);
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.stream_wait(second, event, &error), "stream_wait", error);
    dev.fill(second, buffer, 0, room / 2, 0x43, 1);
    dev.sync(second);
    byte_vector wanted(room, std::byte{0x21});
    std::fill_n(wanted.begin(), room / 2, std::byte{0x43});
    expect_bytes(wanted, dev.download(buffer, 0, room), "The buffer after fills in order");
}

void try_timing(device& dev) {
    const spoc_be_event start = dev.event(SPOC_BE_EVENT_TIMING);
    const spoc_be_event stop = dev.event(SPOC_BE_EVENT_TIMING);
    const spoc_be_buffer buffer = dev.buffer(room);
    dev.record(start, dev.default_stream);
    dev.fill(dev.default_stream, buffer, 0, room, 0x21, 1);
    dev.record(stop, dev.default_stream);
    dev.sync(dev.default_stream);
    double ns = NAN;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.event_elapsed(start, stop, &ns, &error), "event_elapsed",
                  error);
    require(std::isfinite(ns) && ns >= 0, "event_elapsed measured ", ns,
            " nanoseconds from an event to a later one.");
}

/* ---- trying a no ---- */

void expect_kind_refused(device& dev, std::uint32_t kind) {
    const aligned_memory memory;
    auto desc = sized<spoc_be_buffer_desc>();
    desc.kind = kind;
    desc.bytes = aligned_memory::bytes;
    desc.host = kind == SPOC_BE_BUFFER_UNIFIED ? nullptr : memory.range().data();
    auto made = sized<spoc_be_buffer_result>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_UNSUPPORTED, dev.be.buffer_create(dev.handle, &desc, &made, &error),
                  "buffer_create of a kind that the device does not offer", error);
    require(made.buffer == nullptr, "buffer_create failed and wrote to its answer.");
}

void refuse_host_range(device& dev) { expect_kind_refused(dev, SPOC_BE_BUFFER_HOST_RANGE); }
void refuse_host_ptr(device& dev) { expect_kind_refused(dev, SPOC_BE_BUFFER_HOST_PTR); }
void refuse_unified(device& dev) { expect_kind_refused(dev, SPOC_BE_BUFFER_UNIFIED); }

void refuse_address(device& dev) {
    const auto made = dev.make_buffer(SPOC_BE_BUFFER_DEVICE, room);
    require(made.device_address == 0, "A buffer has the device address ", made.device_address,
            " on a device without BUFFER_ADDRESS.");
}

void refuse_tracked(device& dev) {
    if (dev.be.buffer_wait != nullptr) {
        auto error = sized<spoc_be_error>();
        expect_status(SPOC_BE_UNSUPPORTED,
                      dev.be.buffer_wait(dev.buffer(room), SPOC_BE_ACCESS_READ_WRITE,
                                         SPOC_BE_FOREVER, &error),
                      "buffer_wait without BUFFER_TRACKED", error);
    }
}

void refuse_memory_free(device& dev) {
    auto memory = sized<spoc_be_memory_info>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.device_memory(dev.handle, &memory, &error), "device_memory",
                  error);
    require(memory.free == SPOC_BE_UNKNOWN_64, "device_memory says ", memory.free,
            " bytes free on a device without MEMORY_FREE.");
}

void refuse_pinned(device& dev) {
    if (dev.be.pinned_alloc != nullptr) {
        auto desc = sized<spoc_be_hostmem_desc>();
        desc.bytes = room;
        auto made = sized<spoc_be_hostmem_result>();
        auto error = sized<spoc_be_error>();
        expect_status(SPOC_BE_UNSUPPORTED, dev.be.pinned_alloc(dev.handle, &desc, &made, &error),
                      "pinned_alloc without PINNED", error);
    }
}

void expect_registration_refused(device& dev, std::uint32_t flags) {
    const aligned_memory memory;
    auto desc = sized<spoc_be_hostmem_desc>();
    desc.flags = flags;
    desc.bytes = aligned_memory::bytes;
    desc.host = memory.range().data();
    auto made = sized<spoc_be_hostmem_result>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_UNSUPPORTED, dev.be.host_register(dev.handle, &desc, &made, &error),
                  "host_register of what the device does not offer", error);
}

void refuse_register(device& dev) {
    if (dev.be.host_register != nullptr) {
        dev.need_harmless_registration();
        expect_registration_refused(dev, 0);
    }
}

void refuse_register_read_only(device& dev) {
    if (dev.be.host_register != nullptr) {
        dev.need_harmless_registration();
        expect_registration_refused(dev, SPOC_BE_HOSTMEM_READ_ONLY);
    }
}

void refuse_host_query(device& dev) {
    if (dev.be.host_query != nullptr) {
        const aligned_memory memory;
        std::uint32_t flags = 0;
        auto error = sized<spoc_be_error>();
        expect_status(SPOC_BE_UNSUPPORTED,
                      dev.be.host_query(dev.handle, memory.range().data(), room, &flags, &error),
                      "host_query without HOST_QUERY", error);
    }
}

/* ---- the capabilities ---- */

constexpr const char* no_trace =
    "The device says yes, and that shows in how long work takes, which this suite does not judge.";

constexpr capability_row rows[] = {
    {SPOC_BE_CAP_BUFFER_HOST_RANGE, NEEDS_NONE, try_host_range, nullptr, refuse_host_range},
    {SPOC_BE_CAP_BUFFER_HOST_PTR, NEEDS(buffer_host_access), try_host_ptr, nullptr,
     refuse_host_ptr},
    {SPOC_BE_CAP_BUFFER_UNIFIED, NEEDS_NONE, try_unified, nullptr, refuse_unified},
    {SPOC_BE_CAP_UNIFIED_CONCURRENT, NEEDS_NONE, try_unified_concurrent, nullptr, nullptr},
    {SPOC_BE_CAP_BUFFER_ADDRESS, NEEDS_NONE, try_address, nullptr, refuse_address},
    {SPOC_BE_CAP_BUFFER_TRACKED, NEEDS(buffer_wait), try_tracked, nullptr, refuse_tracked},
    {SPOC_BE_CAP_MEMORY_FREE, NEEDS_NONE, try_memory_free, nullptr, refuse_memory_free},
    {SPOC_BE_CAP_SHARED_MEMORY, NEEDS_NONE, nullptr, no_trace, nullptr},
    {SPOC_BE_CAP_PINNED, NEEDS(pinned_alloc), try_pinned, nullptr, refuse_pinned},
    {SPOC_BE_CAP_PINNED_PORTABLE, NEEDS(pinned_alloc), try_portable, nullptr, nullptr},
    {SPOC_BE_CAP_REGISTER, NEEDS(host_register), try_register, nullptr, refuse_register},
    {SPOC_BE_CAP_REGISTER_READ_ONLY, NEEDS(host_register), try_register_read_only, nullptr,
     refuse_register_read_only},
    {SPOC_BE_CAP_REGISTER_HAZARD, NEEDS_NONE, nullptr,
     "The device warns that registering harms the machine, which nobody is to try.", nullptr},
    {SPOC_BE_CAP_HOST_QUERY, NEEDS(host_query), try_host_query, nullptr, refuse_host_query},
    {SPOC_BE_CAP_COPY_ENQUEUED, NEEDS_NONE, try_copy_enqueued, nullptr, nullptr},
    {SPOC_BE_CAP_COPY_BATCH, NEEDS_NONE, try_copy_batch, nullptr, nullptr},
    {SPOC_BE_CAP_COPY_OVERLAP, NEEDS_NONE, nullptr, no_trace, nullptr},
    {SPOC_BE_CAP_PEER_COPY, NEEDS(peer_query), try_peer, nullptr, nullptr},
    {SPOC_BE_CAP_STREAM_BLOCKING, NEEDS_NONE, try_blocking, nullptr, nullptr},
    {SPOC_BE_CAP_STREAM_CONCURRENT, NEEDS_NONE, nullptr, no_trace, nullptr},
    {SPOC_BE_CAP_STREAM_DEFERRED, NEEDS(stream_flush), try_deferred, nullptr, nullptr},
    {SPOC_BE_CAP_EVENT_WAIT_DEVICE, NEEDS_NONE, try_event_wait, nullptr, nullptr},
    {SPOC_BE_CAP_EVENT_TIMING, NEEDS(event_elapsed), try_timing, nullptr, nullptr},
    {SPOC_BE_CAP_TIMED_WAIT, NEEDS_NONE, nullptr, no_trace, nullptr},
};
/* ---- what goes with several capabilities ---- */

/// Unified memory that the host may not touch at any time is moved by calls.
void unified_has_its_entry(device& dev) {
    dev.need(SPOC_BE_CAP_BUFFER_UNIFIED);
    require(dev.can(SPOC_BE_CAP_UNIFIED_CONCURRENT) || dev.be.buffer_host_access != nullptr,
            "The device offers BUFFER_UNIFIED without UNIFIED_CONCURRENT, and the table lacks "
            "buffer_host_access.");
}

/// Bits that no version has yet.
void capabilities_of_the_future(device& dev) {
    expect_no_reason(dev, 191);
    expect_no_reason(dev, 63);
}

}  // namespace

void add_honesty_cases(case_list& cases) {
    for (const capability_row& row : rows) {
        cases.push_back(honesty_case(row));
    }
    cases.push_back(on_device("honesty/unified_has_its_entry", unified_has_its_entry));
    cases.push_back(on_device("honesty/unnamed_capability", capabilities_of_the_future));
}

}  // namespace spoc::conformance
