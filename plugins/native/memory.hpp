// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <spoc/backend.h>

#include "pages.hpp"

/// A buffer lives until its handle is destroyed and the last piece of work that uses it has ended:
/// copies and launches run inside their calls, so another thread may destroy a buffer meanwhile.
struct spoc_be_buffer_s {
    spoc_be_buffer_s(spoc_be_device owner, spoc::native::pages&& own_memory, void* start) noexcept
        : device(owner), memory(std::move(own_memory)), bytes(static_cast<std::byte*>(start)) {}

    bool is_host_range() const noexcept { return memory.start() == nullptr; }

    const spoc_be_device device;
    const spoc::native::pages memory;  ///< empty for a host range
    std::byte* const bytes;
    std::atomic<uint32_t> users{1};  ///< the handle and the work that runs
};

namespace spoc::native {

void retain(spoc_be_buffer buffer) noexcept;
/// Lets go of one use. The buffer may be gone afterwards.
void release(spoc_be_buffer buffer) noexcept;

/// Keeps the buffers of a request while its work runs. `Visit` calls its second argument for each
/// of them.
template <typename Request, void (*Visit)(const Request&, void (*)(spoc_be_buffer))>
class buffers_kept {
 public:
    explicit buffers_kept(const Request& request) noexcept : request_(request) {
        Visit(request_, retain);
    }
    ~buffers_kept() { Visit(request_, release); }
    buffers_kept(const buffers_kept&) = delete;
    buffers_kept& operator=(const buffers_kept&) = delete;

 private:
    const Request& request_;
};

int32_t buffer_create(spoc_be_device device, const spoc_be_buffer_desc* desc,
                      spoc_be_buffer_result* result, spoc_be_error* error);
int32_t buffer_destroy(spoc_be_buffer buffer, spoc_be_error* error);

}  // namespace spoc::native
