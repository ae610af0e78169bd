// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

namespace spoc::asynchronous {

/// A kernel of the native plugin. It lives until its handle is destroyed and the last launch has
/// run.
class kernel {
 public:
    kernel(spoc_be_kernel below, uint32_t param_count) noexcept
        : base(below), params(param_count) {}

    static kernel* of(spoc_be_kernel handle) { return reinterpret_cast<kernel*>(handle); }
    spoc_be_kernel handle() { return reinterpret_cast<spoc_be_kernel>(this); }

    const spoc_be_kernel base;
    const uint32_t params;
    uint32_t users = 1;  ///< the handle and the launches; under the lock
};

/// A launch's use of a kernel.
class kernel_use {
 public:
    explicit kernel_use(spoc_be_kernel handle);
    ~kernel_use();
    kernel_use(const kernel_use&) = delete;
    kernel_use& operator=(const kernel_use&) = delete;

    spoc_be_kernel base() const { return used_->base; }

 private:
    kernel* const used_;
};

int32_t program_load(spoc_be_device device, const spoc_be_program_desc* desc, spoc_be_program* out,
                     spoc_be_error* error);
int32_t kernel_get(spoc_be_program program, const spoc_be_kernel_desc* desc, spoc_be_kernel* out,
                   spoc_be_error* error);
int32_t kernel_info(spoc_be_kernel kernel, spoc_be_kernel_info* info, spoc_be_error* error);
int32_t kernel_params(spoc_be_kernel kernel, spoc_be_param* params, uint32_t capacity,
                      uint32_t* count, spoc_be_error* error);
int32_t kernel_destroy(spoc_be_kernel kernel, spoc_be_error* error);

}  // namespace spoc::asynchronous
