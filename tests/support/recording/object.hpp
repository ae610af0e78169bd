// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What is behind the handles.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <spoc/backend.h>
#include <spoc/native.h>

namespace spoc::mock {

/// What every object has.
struct object {
    object(std::uint64_t own_number, spoc_be_device owner) : number(own_number), device(owner) {}

    const std::uint64_t number;
    const spoc_be_device device;
    bool alive = true;
    std::atomic<bool> busy{false};  ///< a call of class H names it
    std::uint64_t uses = 0;         ///< not atomic on purpose: ThreadSanitizer watches it
};

/// Bytes of a buffer or block. Freed when the last owner lets go.
struct memory {
    memory(std::size_t bytes, std::size_t alignment);
    explicit memory(void* start) : bytes(static_cast<std::byte*>(start)) {}
    ~memory();
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;

    std::byte* bytes;  ///< null: there was none
    bool owned = false;
};

/// One recording of an event.
struct recording {
    std::uint64_t stream = 0;    ///< number
    std::uint64_t sequence = 0;  ///< of the operation that completes it
    bool complete = false;
    double time_ns = 0;
};

/// A piece of work in a stream.
struct operation {
    std::uint64_t sequence = 0;
    bool submitted = true;
    std::shared_ptr<recording> after;  ///< does not run before that is complete
    struct use {
        std::uint64_t buffer;
        bool writes;
    };
    std::vector<use> uses;
    std::function<void()> run;
    std::int32_t late_status = SPOC_BE_OK;  ///< what it comes to when it runs
    std::uint64_t tag = 0;
};

/// A kernel as added, and what it says of itself.
struct kernel_source {
    std::string name;
    const spoc_native_kernel* kernel;
};

}  // namespace spoc::mock

struct spoc_be_stream_s : spoc::mock::object {
    spoc_be_stream_s(std::uint64_t own_number, spoc_be_device owner, std::uint32_t stream_flags,
                     bool is_default_stream)
        : object(own_number, owner), flags(stream_flags), is_default(is_default_stream) {}

    const std::uint32_t flags;  ///< `SPOC_BE_STREAM_*`
    const bool is_default;
    std::deque<spoc::mock::operation> queue;
    std::int32_t late_status = SPOC_BE_OK;  ///< of work that failed and was not spoken of yet
    std::uint64_t late_tag = 0;
    std::uint64_t unproved = 0;  ///< sequence of the last work said to be pending
    std::uint64_t proved = 0;    ///< sequence up to which the host was told of completion
};

struct spoc_be_device_s : spoc::mock::object {
    spoc_be_device_s(std::uint64_t own_number, const spoc_be_device_info& described)
        : object(own_number, this), info(described) {}

    const spoc_be_device_info info;
    spoc_be_stream default_stream = nullptr;
    bool lost = false;
    std::uint64_t used = 0;  ///< bytes of device memory
    std::uint64_t objects = 0;
};

struct spoc_be_buffer_s : spoc::mock::object {
    spoc_be_buffer_s(std::uint64_t own_number, spoc_be_device owner,
                     const spoc_be_buffer_desc& desc)
        : object(own_number, owner), kind(desc.kind), bytes(desc.bytes), host(desc.host) {}

    const std::uint32_t kind;  ///< `SPOC_BE_BUFFER_*`
    const std::uint64_t bytes;
    void* const host;
    std::shared_ptr<spoc::mock::memory> memory;
    bool host_writes = false;  ///< between BEGIN_WRITE and END_WRITE
    std::uint64_t write_offset = 0;
    std::uint64_t write_bytes = 0;
};

struct spoc_be_hostmem_s : spoc::mock::object {
    spoc_be_hostmem_s(std::uint64_t own_number, spoc_be_device owner, void* host,
                      std::uint64_t byte_count)
        : object(own_number, owner), start(static_cast<std::byte*>(host)), bytes(byte_count) {}

    std::byte* const start;
    const std::uint64_t bytes;
    std::shared_ptr<spoc::mock::memory> memory;  ///< of an allocation
    bool overlapped = false;                     ///< a lie was told when it was registered
};

struct spoc_be_event_s : spoc::mock::object {
    spoc_be_event_s(std::uint64_t own_number, spoc_be_device owner, std::uint32_t event_flags)
        : object(own_number, owner), flags(event_flags) {}

    const std::uint32_t flags;                       ///< `SPOC_BE_EVENT_*`
    std::shared_ptr<spoc::mock::recording> current;  ///< null: never recorded
};

struct spoc_be_program_s : spoc::mock::object {
    using object::object;

    std::vector<spoc::mock::kernel_source> kernels;
};

struct spoc_be_kernel_s : spoc::mock::object {
    spoc_be_kernel_s(std::uint64_t own_number, spoc_be_device owner,
                     const spoc_native_kernel& function)
        : object(own_number, owner), kernel(function) {}

    const spoc_native_kernel& kernel;
    std::uint32_t reflection = SPOC_BE_REFLECTION_FULL;
    std::uint32_t fixed_block = 0;
    std::vector<spoc_be_param> params;  ///< as shown
    bool knows_arity = true;
};
