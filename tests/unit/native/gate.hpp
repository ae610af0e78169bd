// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "plugin_fixture.hpp"

namespace spoc::test {

/// A launch that stays in its kernel until it is let out, and then writes the first byte of its
/// buffer.
class gate {
 public:
    int32_t launch(spoc_be_kernel kernel, spoc_be_stream stream, spoc_be_buffer buffer) {
        gate* self = this;
        return launch_call{.kernel = kernel,
                           .args = {buffer_arg(0, buffer), scalar_arg(1, &self, sizeof(void*))}}
            .run(stream);
    }

    void wait_until_entered() { entered_.wait(false); }

    void open() {
        open_ = true;
        open_.notify_all();
    }

    static void kernel(const spoc_native_block* /*block*/, void* const* args) {
        gate& self = **static_cast<gate**>(args[1]);
        self.entered_ = true;
        self.entered_.notify_all();
        self.open_.wait(false);
        *static_cast<char*>(args[0]) = 1;
    }

 private:
    std::atomic<bool> entered_{false};
    std::atomic<bool> open_{false};
};

inline spoc_be_kernel gate_kernel(plugin_fixture& fixture) {
    static const std::vector<spoc_be_param> params{param(0, SPOC_BE_PARAM_BUFFER),
                                                   param(1, SPOC_BE_PARAM_SCALAR, sizeof(void*))};
    static const spoc_native_kernel description = describe(gate::kernel, params);
    return fixture.kernel("gate", description);
}

}  // namespace spoc::test
