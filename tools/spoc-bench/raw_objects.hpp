// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "raw_backend.hpp"

/// \file
/// Objects of a plugin's as owners. `raw_backend` outlives them.

namespace spoc::bench {

class raw_stream {
 public:
    explicit raw_stream(const raw_backend& raw) : raw_(raw) {
        spoc_be_stream_desc desc{};
        desc.size = sizeof desc;
        spoc_be_error error = empty_error();
        raw_backend::check(raw_.table().stream_create(raw_.handle(), &desc, &handle, &error),
                           error);
    }
    raw_stream(const raw_stream&) = delete;
    raw_stream& operator=(const raw_stream&) = delete;
    ~raw_stream() {
        spoc_be_error error = empty_error();
        static_cast<void>(raw_.table().stream_sync(handle, SPOC_BE_FOREVER, &error));
        static_cast<void>(raw_.table().stream_destroy(handle, &error));
    }
    void synchronize() const {
        spoc_be_error error = empty_error();
        raw_backend::check(raw_.table().stream_sync(handle, SPOC_BE_FOREVER, &error), error);
    }

 private:
    const raw_backend& raw_;

 public:
    spoc_be_stream handle = nullptr;
};

class raw_event {
 public:
    explicit raw_event(const raw_backend& raw) : raw_(raw) {
        spoc_be_error error = empty_error();
        raw_backend::check(raw_.table().event_create(raw_.handle(), 0, &handle, &error), error);
    }
    raw_event(const raw_event&) = delete;
    raw_event& operator=(const raw_event&) = delete;
    ~raw_event() {
        spoc_be_error error = empty_error();
        static_cast<void>(raw_.table().event_destroy(handle, &error));
    }

 private:
    const raw_backend& raw_;

 public:
    spoc_be_event handle = nullptr;
};

class raw_buffer {
 public:
    raw_buffer(const raw_backend& raw, std::uint64_t bytes) : raw_(raw) {
        spoc_be_buffer_desc desc{};
        desc.size = sizeof desc;
        desc.kind = SPOC_BE_BUFFER_DEVICE;
        desc.bytes = bytes;
        spoc_be_buffer_result result{};
        result.size = sizeof result;
        spoc_be_error error = empty_error();
        raw_backend::check(raw_.table().buffer_create(raw_.handle(), &desc, &result, &error),
                           error);
        handle = result.buffer;
    }
    raw_buffer(const raw_buffer&) = delete;
    raw_buffer& operator=(const raw_buffer&) = delete;
    ~raw_buffer() {
        spoc_be_error error = empty_error();
        static_cast<void>(raw_.table().buffer_destroy(handle, &error));
    }

 private:
    const raw_backend& raw_;

 public:
    spoc_be_buffer handle = nullptr;
};

/// A kernel out of a program without data.
class raw_kernel {
 public:
    raw_kernel(const raw_backend& raw, const char* name) : raw_(raw) {
        spoc_be_program_desc loaded{};
        loaded.size = sizeof loaded;
        loaded.format = std::uint64_t{1} << SPOC_BE_FORMAT_NATIVE_SYMBOL;
        spoc_be_kernel_desc desc{};
        desc.size = sizeof desc;
        desc.name = name;
        spoc_be_error error = empty_error();
        raw_backend::check(raw_.table().program_load(raw_.handle(), &loaded, &program_, &error),
                           error);
        raw_backend::check(raw_.table().kernel_get(program_, &desc, &handle, &error), error);
    }
    raw_kernel(const raw_kernel&) = delete;
    raw_kernel& operator=(const raw_kernel&) = delete;
    ~raw_kernel() {
        spoc_be_error error = empty_error();
        static_cast<void>(raw_.table().kernel_destroy(handle, &error));
        static_cast<void>(raw_.table().program_destroy(program_, &error));
    }

 private:
    const raw_backend& raw_;
    spoc_be_program program_ = nullptr;

 public:
    spoc_be_kernel handle = nullptr;
};

/// Page-locked memory.
class raw_host_memory {
 public:
    raw_host_memory(const raw_backend& raw, std::uint64_t bytes) : raw_(raw) {
        spoc_be_hostmem_desc desc{};
        desc.size = sizeof desc;
        desc.bytes = bytes;
        made.size = sizeof made;
        spoc_be_error error = empty_error();
        raw_backend::check(raw_.table().pinned_alloc(raw_.handle(), &desc, &made, &error), error);
    }
    raw_host_memory(const raw_host_memory&) = delete;
    raw_host_memory& operator=(const raw_host_memory&) = delete;
    ~raw_host_memory() {
        spoc_be_error error = empty_error();
        static_cast<void>(raw_.table().pinned_free(made.hostmem, &error));
    }

 private:
    const raw_backend& raw_;

 public:
    spoc_be_hostmem_result made{};
};

}  // namespace spoc::bench
