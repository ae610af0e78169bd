// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>

#include "backend.hpp"
#include "common/request.hpp"
#include "driver_calls.hpp"
#include "kernel.hpp"
#include "memory.hpp"
#include "open_device.hpp"
#include "stream.hpp"

namespace spoc::cudalike {
namespace {

/// The arguments of a launch as the driver wants them: an address for each, of a scalar's bytes or
/// of a place that holds a buffer's address. Nearly all launches have few enough to need no memory.
class argument_list {
 public:
    explicit argument_list(const spoc_be_launch& launch) {
        if (launch.arg_count > few) {
            more_values_ = std::make_unique<void*[]>(launch.arg_count);
            more_places_ = std::make_unique<driver::address[]>(launch.arg_count);
            values_ = more_values_.get();
            places_ = more_places_.get();
        }
        for (std::uint32_t i = 0; i < launch.arg_count; ++i) {
            take(i, launch.args[i]);
        }
    }
    argument_list(const argument_list&) = delete;
    argument_list& operator=(const argument_list&) = delete;

    void** get() noexcept { return values_; }

 private:
    static constexpr std::uint32_t few = 32;

    void take(std::uint32_t at, const spoc_be_arg& arg) noexcept {
        if (arg.kind == SPOC_BE_PARAM_BUFFER) {
            places_[at] = arg.buffer->address + arg.offset;
            values_[at] = &places_[at];
        } else {
            // The driver copies it before it returns, and only reads.
            values_[at] = const_cast<void*>(arg.data);
        }
    }

    std::array<void*, few> few_values_;
    std::array<driver::address, few> few_places_;
    std::unique_ptr<void*[]> more_values_;
    std::unique_ptr<driver::address[]> more_places_;
    void** values_ = few_values_.data();
    driver::address* places_ = few_places_.data();
};

/// Beyond a size that every launch may have, the driver is to be told before.
driver::result allow(spoc_be_kernel_s& kernel, std::uint32_t shared_bytes) noexcept {
    if (shared_bytes <= kernel.shared_allowed.load(std::memory_order_relaxed)) {
        return driver::success;
    }
    const driver::result allowed = allow_shared(kernel.handle, shared_bytes);
    if (allowed == driver::success) {
        kernel.shared_allowed.store(shared_bytes, std::memory_order_relaxed);
    }
    return allowed;
}

std::int32_t check_arguments(const spoc_be_launch& launch, spoc_be_error* error) {
    const bool has_local =
        std::any_of(launch.args, launch.args + launch.arg_count,
                    [](const spoc_be_arg& arg) { return arg.kind == SPOC_BE_PARAM_LOCAL; });
    return has_local ? plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED, .tag = launch.tag},
                                    "The device takes no arguments of local memory.")
                     : SPOC_BE_OK;
}

}  // namespace

std::int32_t launch(spoc_be_stream stream, const spoc_be_launch* launch, std::uint32_t* done,
                    spoc_be_error* error) {
    *done = SPOC_BE_DONE_ALL;
    if (const std::int32_t status =
            plugin::check_request(launch->flags, SPOC_BE_WAIT, launch->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    if (const std::int32_t status = check_arguments(*launch, error); status != SPOC_BE_OK) {
        return status;
    }
    spoc_be_device_s& device = *stream->device;
    return on_device(device, error, [&] {
        if (const std::int32_t status =
                check(device, allow(*launch->kernel, launch->shared_bytes),
                      driver::call::function_set_attribute, "Asking for dynamic shared memory",
                      error, launch->shared_bytes);
            status != SPOC_BE_OK) {
            return status;
        }
        argument_list arguments(*launch);
        const driver::result launched =
            api().launch(launch->kernel->handle, launch->grid[0], launch->grid[1], launch->grid[2],
                         launch->block[0], launch->block[1], launch->block[2], launch->shared_bytes,
                         stream->handle, arguments.get(), nullptr);
        if (const std::int32_t status =
                check(device, launched, driver::call::launch, "A launch", error);
            status != SPOC_BE_OK) {
            return status;
        }
        return finish_enqueued(stream, launch->flags, done, error);
    });
}

}  // namespace spoc::cudalike
