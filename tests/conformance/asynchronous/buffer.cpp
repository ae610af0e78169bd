// SPDX-License-Identifier: Apache-2.0
#include "buffer.hpp"

#include "backend.hpp"
#include "base.hpp"
#include "common/object.hpp"
#include "common/record.hpp"
#include "common/status.hpp"
#include "deadline.hpp"
#include "device.hpp"
#include "stream.hpp"

namespace spoc::asynchronous {
namespace {

bool is_unused(const buffer& of) { return of.readers == 0 && of.writers == 0; }

void end(buffer* last) {
    base::table.buffer_destroy(last->base, nullptr);
    plugin::destroy(the_backend.host, last);
}

/// What the native plugin is to make for a kind of this layer's.
int32_t native_kind(uint32_t kind, uint32_t& out, spoc_be_error* error) {
    switch (kind) {
        case SPOC_BE_BUFFER_DEVICE:
        case SPOC_BE_BUFFER_UNIFIED:
            out = kind;
            return SPOC_BE_OK;
        case SPOC_BE_BUFFER_HOST_PTR:
            out = SPOC_BE_BUFFER_HOST_RANGE;
            return SPOC_BE_OK;
        default:
            return plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED},
                                "The backend makes no buffer of this kind (%u).", kind);
    }
}

}  // namespace

buffer_use::buffer_use(spoc_be_buffer handle, uint32_t access)
    : used_(buffer::of(handle)),
      writes_((access & SPOC_BE_ACCESS_READ_WRITE) != SPOC_BE_ACCESS_READ) {
    const auto lock = lock_state();
    ++(writes_ ? used_->writers : used_->readers);
}

buffer_use::~buffer_use() {
    if (used_ == nullptr) {
        return;
    }
    auto lock = lock_state();
    --(writes_ ? used_->writers : used_->readers);
    const bool last = is_unused(*used_) && !used_->has_handle;
    notify();
    lock.unlock();
    if (last) {
        end(used_);
    }
}

int32_t buffer_create(spoc_be_device owner, const spoc_be_buffer_desc* desc,
                      spoc_be_buffer_result* result, spoc_be_error* error) {
    spoc_be_buffer_desc below = *desc;
    spoc_be_buffer_result made{};
    made.size = sizeof made;
    int32_t status = native_kind(desc->kind, below.kind, error);
    if (status == SPOC_BE_OK) {
        status = base::table.buffer_create(device::of(owner).base, &below, &made, error);
    }
    if (status != SPOC_BE_OK) {
        return status;
    }
    buffer* wrapped = nullptr;
    status = plugin::make(the_backend.host, wrapped, error, made.buffer,
                          desc->kind == SPOC_BE_BUFFER_HOST_PTR);
    if (wrapped == nullptr) {
        base::table.buffer_destroy(made.buffer, nullptr);
        return status;
    }
    made.buffer = wrapped->handle();
    plugin::write_record(result, made);
    return SPOC_BE_OK;
}

int32_t buffer_destroy(spoc_be_buffer handle, spoc_be_error* /*error*/) {
    buffer* ended = buffer::of(handle);
    auto lock = lock_state();
    if (ended->is_over_host) {
        // The application takes the memory away next.
        wait_until(lock, SPOC_BE_FOREVER, [ended] { return is_unused(*ended); });
    }
    ended->has_handle = false;
    const bool last = is_unused(*ended);
    lock.unlock();
    if (last) {
        end(ended);
    }
    return SPOC_BE_OK;
}

int32_t buffer_wait(spoc_be_buffer handle, uint32_t access, uint64_t timeout_ns,
                    spoc_be_error* /*error*/) {
    const buffer& awaited = *buffer::of(handle);
    auto lock = lock_state();
    const auto free = [&awaited, access] {
        return access == SPOC_BE_ACCESS_READ ? awaited.writers == 0 : is_unused(awaited);
    };
    return wait_until(lock, timeout_ns, free) ? SPOC_BE_OK : SPOC_BE_NOT_READY;
}

int32_t buffer_host_access(spoc_be_stream on, spoc_be_buffer /*buffer*/, uint32_t op,
                           uint64_t /*offset*/, uint64_t /*bytes*/, spoc_be_error* error) {
    if (op > SPOC_BE_HOST_END_WRITE) {
        return plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED},
                            "The backend knows no access of this kind (%u).", op);
    }
    // Both sides see the same bytes; what is left is to wait for those who write them.
    return op == SPOC_BE_HOST_ACQUIRE ? stream::of(on).sync(SPOC_BE_FOREVER, error) : SPOC_BE_OK;
}

}  // namespace spoc::asynchronous
