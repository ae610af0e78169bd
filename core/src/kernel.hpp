// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <spoc/program.h>

#include "counted_handle.hpp"
#include "device_object.hpp"
#include "outcome.hpp"
#include "program_cache.hpp"
#include "usable.hpp"

namespace spoc::detail {

/// A kernel to get out of a program; the caller's memory.
struct kernel_request {
    const char* name = nullptr;
    std::span<const spoc_parameter> parameters;
    std::span<const spoc_constant> constants;
    std::span<const std::uint32_t> needs;
    std::uint32_t block[3] = {0, 0, 0};
};

/// A kernel and what is known of it, read once. Pending launches share it with its handle.
class kernel_state : public device_object, public usable {
 public:
    explicit kernel_state(spoc_device device) : device_object(device) {}
    ~kernel_state() override { static_cast<void>(finish()); }

    /// Has the plugin make it. `declared` are the parameters that count where reflection is silent.
    outcome make(spoc_be_program program, const kernel_request& wanted,
                 std::span<const spoc_parameter> declared);
    outcome end() override;

    spoc_be_kernel handle() const noexcept { return handle_; }
    const spoc_be_kernel_info& info() const noexcept { return info_; }
    /// Whether it is known how many parameters there are; these then are all of them.
    bool knows_parameters() const noexcept { return knows_parameters_; }
    std::span<const spoc_parameter> parameters() const noexcept { return parameters_; }

    bool is_alive() const noexcept { return !ended_.load(); }
    /// Fails when a shutdown ended it.
    outcome check_usable() const;
    /// Fails when the device lacks what parameters of these types need.
    outcome check_features() const;

 private:
    outcome read_info();
    outcome read_parameters(std::span<const spoc_parameter> declared);

    spoc_be_kernel handle_ = nullptr;
    spoc_be_kernel_info info_{};
    bool knows_parameters_ = false;
    std::vector<spoc_parameter> parameters_;
    std::atomic<bool> ended_{false};
};

/// Fails with NOSUP when the device does not answer "yes" to a capability; `who` needs it.
outcome check_offers(const spoc_device_s& device, std::uint32_t capability, std::string_view who);

/// Checks what a caller asks of a kernel and reads `options`, which may be null, into `out`.
outcome read_kernel_options(const spoc_kernel_options* options, kernel_request& out);

}  // namespace spoc::detail

/// A handle on a kernel.
struct spoc_kernel_s {
    std::shared_ptr<spoc::detail::kernel_state> state;
    spoc::detail::counted_handle counted{};
};
