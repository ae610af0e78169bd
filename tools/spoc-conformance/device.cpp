// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <spoc/device.h>

#include "check.hpp"

namespace spoc::conformance {
namespace {

std::string capability_name(std::uint32_t capability) {
    for (std::uint32_t i = 0;; ++i) {
        std::uint32_t number = 0;
        const char* name = spoc_capability_at(i, &number);
        if (name == nullptr) {
            return text("number ", capability);
        }
        if (number == capability) {
            return name;
        }
    }
}

}  // namespace

device::device(backend& backend, std::uint32_t number)
    : owner(backend), be(backend.be), index(number), info(backend.device_info(number)) {
    const auto desc = sized<spoc_be_device_desc>();
    auto opened = sized<spoc_be_device_result>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.device_open(number, &desc, &opened, &error), "device_open", error);
    require(opened.device != nullptr && opened.default_stream != nullptr,
            "device_open answered OK without a device or without a default stream.");
    handle = opened.device;
    default_stream = opened.default_stream;
}

void device::finish() {
    while (!ends_.empty()) {
        const end last = std::move(ends_.back());
        ends_.pop_back();
        last.action();
    }
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.device_close(handle, &error), "device_close", error);
}

bool device::can(std::uint32_t capability) const {
    const std::uint64_t bit = std::uint64_t{1} << capability % 64;
    return (info.caps[capability / 64] & info.caps_known[capability / 64] & bit) != 0;
}

void device::need(std::uint32_t capability) const {
    if (!can(capability)) {
        skip("The device does not offer ", capability_name(capability), ".");
    }
}

void device::need_harmless_registration() const {
    if (can(SPOC_BE_CAP_REGISTER_HAZARD)) {
        skip("Registering is known to harm machines with this driver (REGISTER_HAZARD).");
    }
}

void device::need_registration() const {
    need(SPOC_BE_CAP_REGISTER);
    need_harmless_registration();
    if (be.host_register == nullptr) {
        skip("The host records ranges itself on this device, which has BUFFER_HOST_RANGE.");
    }
}

std::size_t device::registration_step() const {
    const std::size_t page = page_bytes();
    return info.register_align == SPOC_BE_UNKNOWN_32
               ? page
               : std::max<std::size_t>(info.register_align, page);
}

spoc_be_buffer_result device::make_buffer(std::uint32_t kind, std::uint64_t bytes, void* host) {
    auto desc = sized<spoc_be_buffer_desc>();
    desc.kind = kind;
    desc.bytes = bytes;
    desc.host = host;
    auto made = sized<spoc_be_buffer_result>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.buffer_create(handle, &desc, &made, &error), "buffer_create",
                  error);
    require(made.buffer != nullptr, "buffer_create answered OK without a buffer.");
    ends_.push_back({made.buffer, [this, buffer = made.buffer] {
                         auto failed = sized<spoc_be_error>();
                         expect_status(SPOC_BE_OK, be.buffer_destroy(buffer, &failed),
                                       "buffer_destroy", failed);
                     }});
    return made;
}

spoc_be_buffer device::buffer(std::uint64_t bytes) {
    return make_buffer(SPOC_BE_BUFFER_DEVICE, bytes).buffer;
}

spoc_be_buffer device::buffer(std::span<const std::byte> contents) {
    spoc_be_buffer made = buffer(contents.size());
    upload(made, 0, contents);
    return made;
}

page_locked device::pinned(std::uint64_t bytes) {
    need(SPOC_BE_CAP_PINNED);
    auto desc = sized<spoc_be_hostmem_desc>();
    desc.bytes = bytes;
    auto made = sized<spoc_be_hostmem_result>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.pinned_alloc(handle, &desc, &made, &error), "pinned_alloc", error);
    require(made.hostmem != nullptr && made.host != nullptr && made.bytes >= bytes,
            "pinned_alloc answered OK with ", made.bytes, " bytes for ", bytes, " asked.");
    require(reinterpret_cast<std::uintptr_t>(made.host) % page_bytes() == 0,
            "Page-locked memory of ", bytes, " bytes does not start at a page.");
    ends_.push_back({made.hostmem, [this, hostmem = made.hostmem] {
                         auto failed = sized<spoc_be_error>();
                         expect_status(SPOC_BE_OK, be.pinned_free(hostmem, &failed), "pinned_free",
                                       failed);
                     }});
    return {made.hostmem, static_cast<std::byte*>(made.host), bytes};
}

page_locked device::registered(std::span<std::byte> range, std::uint32_t flags) {
    need_registration();
    auto desc = sized<spoc_be_hostmem_desc>();
    desc.flags = flags;
    desc.bytes = range.size();
    desc.host = range.data();
    auto made = sized<spoc_be_hostmem_result>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.host_register(handle, &desc, &made, &error), "host_register",
                  error);
    require(made.hostmem != nullptr && made.host == range.data(),
            "host_register answered OK without a handle or for another address.");
    ends_.push_back({made.hostmem, [this, hostmem = made.hostmem] {
                         auto failed = sized<spoc_be_error>();
                         expect_status(SPOC_BE_OK, be.host_unregister(hostmem, &failed),
                                       "host_unregister", failed);
                     }});
    return {made.hostmem, range.data(), range.size()};
}

spoc_be_stream device::stream(std::uint32_t flags) {
    auto desc = sized<spoc_be_stream_desc>();
    desc.flags = flags;
    spoc_be_stream made = nullptr;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.stream_create(handle, &desc, &made, &error), "stream_create",
                  error);
    require(made != nullptr, "stream_create answered OK without a stream.");
    ends_.push_back({made, [this, made] {
                         auto failed = sized<spoc_be_error>();
                         sync(made);
                         expect_status(SPOC_BE_OK, be.stream_destroy(made, &failed),
                                       "stream_destroy", failed);
                     }});
    return made;
}

spoc_be_event device::event(std::uint32_t flags) {
    spoc_be_event made = nullptr;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.event_create(handle, flags, &made, &error), "event_create", error);
    require(made != nullptr, "event_create answered OK without an event.");
    ends_.push_back({made, [this, made] {
                         auto failed = sized<spoc_be_error>();
                         expect_status(SPOC_BE_OK, be.event_destroy(made, &failed), "event_destroy",
                                       failed);
                     }});
    return made;
}

void device::destroy(spoc_be_buffer buffer) { end_now(buffer); }
void device::destroy(spoc_be_stream stream) { end_now(stream); }
void device::destroy(spoc_be_event event) { end_now(event); }
void device::destroy(spoc_be_hostmem hostmem) { end_now(hostmem); }

void device::end_now(const void* object) {
    // The newest: a handle of an ended thing may have come back for another one.
    const auto found = std::find_if(ends_.rbegin(), ends_.rend(), [object](const end& candidate) {
        return candidate.object == object;
    });
    require(found != ends_.rend(), "The suite ends a thing that it did not make.");
    const std::function<void()> action = std::move(found->action);
    ends_.erase(std::next(found).base());
    action();
}

std::uint32_t device::copy(spoc_be_stream stream, std::uint32_t kind,
                           std::span<const spoc_be_range> ranges, std::uint32_t flags) {
    auto request = sized<spoc_be_copy>();
    request.kind = kind;
    request.flags = flags;
    request.count = static_cast<std::uint32_t>(ranges.size());
    request.ranges = ranges.data();
    std::uint32_t done = SPOC_BE_DONE_NOTHING;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.copy(stream, &request, &done, &error), "copy", error);
    check_done(done, flags, "copy");
    return done;
}

std::uint32_t device::fill(spoc_be_stream stream, spoc_be_buffer buffer, std::uint64_t offset,
                           std::uint64_t bytes, std::uint32_t value, std::uint32_t value_size,
                           std::uint32_t flags) {
    auto request = sized<spoc_be_fill>();
    request.flags = flags;
    request.buffer = buffer;
    request.offset = offset;
    request.bytes = bytes;
    request.pattern = value;
    request.pattern_size = value_size;
    std::uint32_t done = SPOC_BE_DONE_NOTHING;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.fill(stream, &request, &done, &error), "fill", error);
    check_done(done, flags, "fill");
    return done;
}

void device::sync(spoc_be_stream stream) {
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.stream_sync(stream, SPOC_BE_FOREVER, &error), "stream_sync",
                  error);
}

void device::record(spoc_be_event event, spoc_be_stream stream) {
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.event_record(event, stream, &error), "event_record", error);
}

page_locked device::transfer_memory(std::uint64_t bytes) {
    if (bytes <= info.pageable_max) {
        ordinary_.resize(std::max<std::size_t>(ordinary_.size(), bytes));
        return {nullptr, ordinary_.data(), bytes};
    }
    if (transfer_.bytes < bytes) {
        transfer_ = pinned(std::max(bytes, large_pinned_size(std::uint64_t{1} << 20)));
    }
    return transfer_;
}

std::uint64_t device::transfer_piece() const {
    constexpr std::uint64_t most = std::uint64_t{16} << 20;
    return most <= info.pageable_max ? most : large_pinned_size(most);
}

void device::upload(spoc_be_buffer buffer, std::uint64_t offset, std::span<const std::byte> bytes) {
    const std::size_t most = transfer_piece();
    for (std::size_t sent = 0; sent < bytes.size();) {
        const auto piece = bytes.subspan(sent, std::min(most, bytes.size() - sent));
        const page_locked memory = transfer_memory(piece.size());
        std::memcpy(memory.data, piece.data(), piece.size());
        const spoc_be_range range =
            with_pinned(to_device(buffer, offset + sent, memory.data, piece.size()), memory, 0);
        copy(default_stream, SPOC_BE_COPY_H2D, {&range, 1}, SPOC_BE_WAIT);
        sent += piece.size();
    }
}

byte_vector device::download(spoc_be_buffer buffer, std::uint64_t offset, std::uint64_t bytes) {
    const std::uint64_t most = transfer_piece();
    byte_vector received(bytes);
    for (std::uint64_t got = 0; got < bytes;) {
        const std::uint64_t piece = std::min(most, bytes - got);
        const page_locked memory = transfer_memory(piece);
        const spoc_be_range range =
            with_pinned(to_host(buffer, offset + got, memory.data, piece), memory, 0);
        copy(default_stream, SPOC_BE_COPY_D2H, {&range, 1}, SPOC_BE_WAIT);
        std::memcpy(received.data() + got, memory.data, piece);
        got += piece;
    }
    return received;
}

spoc_be_memory_info device::memory() const {
    auto now = sized<spoc_be_memory_info>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.device_memory(handle, &now, &error), "device_memory", error);
    return now;
}

std::uint64_t device::large_size(std::uint64_t wanted) const {
    const std::uint64_t free = memory().free;
    const std::uint64_t room = free == SPOC_BE_UNKNOWN_64 ? wanted : free / 4;
    return std::min({wanted, room, info.max_alloc});
}

std::uint64_t device::large_pinned_size(std::uint64_t wanted) const {
    const std::uint64_t room = std::min(info.max_pinned, memory().pinned_budget);
    return room >= SPOC_BE_NO_LIMIT ? wanted : std::min(wanted, room / 4);
}

spoc_be_range to_device(spoc_be_buffer dst, std::uint64_t dst_offset, const void* host,
                        std::uint64_t bytes) {
    spoc_be_range range{};
    range.dst = dst;
    range.dst_offset = dst_offset;
    range.host = const_cast<void*>(host);
    range.bytes = bytes;
    return range;
}

spoc_be_range to_host(spoc_be_buffer src, std::uint64_t src_offset, void* host,
                      std::uint64_t bytes) {
    spoc_be_range range{};
    range.src = src;
    range.src_offset = src_offset;
    range.host = host;
    range.bytes = bytes;
    return range;
}

spoc_be_range between(spoc_be_buffer src, std::uint64_t src_offset, spoc_be_buffer dst,
                      std::uint64_t dst_offset, std::uint64_t bytes) {
    spoc_be_range range{};
    range.src = src;
    range.src_offset = src_offset;
    range.dst = dst;
    range.dst_offset = dst_offset;
    range.bytes = bytes;
    return range;
}

spoc_be_range with_pinned(spoc_be_range range, const page_locked& memory, std::uint64_t offset) {
    range.hostmem = memory.handle;
    range.host_offset = memory.handle == nullptr ? 0 : offset;
    range.host = memory.data + offset;
    return range;
}

test_case on_device(std::string name, std::function<void(device&)> run) {
    return {.name = std::move(name), .run = [run = std::move(run)](const subject& subject) {
                backend opened(subject);
                device under_test(opened, subject.device_index);
                run(under_test);
                under_test.finish();
                opened.close();
            }};
}

}  // namespace spoc::conformance
