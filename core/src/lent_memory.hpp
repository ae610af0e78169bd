// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <spoc/owner.h>

#include "usable.hpp"

namespace spoc::detail {

/// Host memory that the program lent to the library. Given back when the last reference ends, once
/// the call that took it has succeeded: a call that fails takes nothing.
class lent_memory : public usable {
 public:
    explicit lent_memory(const spoc_owner& owner) noexcept : owner_(owner) {}
    ~lent_memory() override {
        if (taken_) {
            owner_.release(owner_.context);
        }
    }

    /// The call succeeded. The caller holds a reference.
    void take() noexcept { taken_ = true; }

    /// Null where the program lends nothing.
    static std::shared_ptr<lent_memory> of(const spoc_owner* owner) {
        return owner == nullptr || owner->release == nullptr
                   ? nullptr
                   : std::make_shared<lent_memory>(*owner);
    }

 private:
    const spoc_owner owner_;
    bool taken_ = false;
};

}  // namespace spoc::detail
