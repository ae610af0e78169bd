// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

#include "backend.hpp"
#include "base.hpp"
#include "common/object.hpp"
#include "device.hpp"

namespace spoc::asynchronous {
namespace {

void release(kernel* used) {
    auto lock = lock_state();
    const bool last = --used->users == 0;
    lock.unlock();
    if (last) {
        base::table.kernel_destroy(used->base, nullptr);
        plugin::destroy(the_backend.host, used);
    }
}

}  // namespace

kernel_use::kernel_use(spoc_be_kernel handle) : used_(kernel::of(handle)) {
    const auto lock = lock_state();
    ++used_->users;
}

kernel_use::~kernel_use() { release(used_); }

int32_t program_load(spoc_be_device owner, const spoc_be_program_desc* desc, spoc_be_program* out,
                     spoc_be_error* error) {
    return base::table.program_load(device::of(owner).base, desc, out, error);
}

int32_t kernel_get(spoc_be_program program, const spoc_be_kernel_desc* desc, spoc_be_kernel* out,
                   spoc_be_error* error) {
    spoc_be_kernel below = nullptr;
    int32_t status = base::table.kernel_get(program, desc, &below, error);
    if (status != SPOC_BE_OK) {
        return status;
    }
    spoc_be_kernel_info info{};
    info.size = sizeof info;
    status = base::table.kernel_info(below, &info, error);
    kernel* made = nullptr;
    if (status == SPOC_BE_OK) {
        status = plugin::make(the_backend.host, made, error, below, info.param_count);
    }
    if (status != SPOC_BE_OK) {
        base::table.kernel_destroy(below, nullptr);
        return status;
    }
    *out = made->handle();
    return SPOC_BE_OK;
}

int32_t kernel_info(spoc_be_kernel handle, spoc_be_kernel_info* info, spoc_be_error* error) {
    return base::table.kernel_info(kernel::of(handle)->base, info, error);
}

int32_t kernel_params(spoc_be_kernel handle, spoc_be_param* params, uint32_t capacity,
                      uint32_t* count, spoc_be_error* error) {
    return base::table.kernel_params(kernel::of(handle)->base, params, capacity, count, error);
}

int32_t kernel_destroy(spoc_be_kernel handle, spoc_be_error* /*error*/) {
    release(kernel::of(handle));
    return SPOC_BE_OK;
}

}  // namespace spoc::asynchronous
