// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"
#include "driver.hpp"

namespace spoc::cudalike {

/// Makes a device's context the thread's current one for as long as it lives, and puts back what
/// was there. Nothing is done where it is current already, which is how programs mostly call:
/// asking costs half of a push and a pop.
class current_context {
 public:
    explicit current_context(driver::context wanted) noexcept {
        driver::context current = nullptr;
        result_ = api().context_current(&current);
        if (result_ == driver::success && current != wanted) {
            result_ = api().context_push(wanted);
            pushed_ = result_ == driver::success;
        }
    }
    ~current_context() {
        driver::context popped = nullptr;
        if (pushed_) {
            static_cast<void>(api().context_pop(&popped));
        }
    }
    current_context(const current_context&) = delete;
    current_context& operator=(const current_context&) = delete;

    driver::result result() const noexcept { return result_; }
    static constexpr const char* origin = driver::call::context_push;

 private:
    driver::result result_ = driver::success;
    bool pushed_ = false;
};

}  // namespace spoc::cudalike
