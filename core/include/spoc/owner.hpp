// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Host memory that the library keeps alive for work that outlives a call.

#include <memory>
#include <utility>

#include <spoc/owner.h>

namespace spoc::detail {

/// A reference that is handed over to the library if a call succeeds, and stays here otherwise.
class lent_reference {
 public:
    explicit lent_reference(std::shared_ptr<const void> kept)
        : kept_(kept == nullptr ? nullptr : new std::shared_ptr<const void>(std::move(kept))),
          owner_{kept_ == nullptr ? nullptr : release, kept_.get()} {}

    /// For the call; null when nothing is lent.
    const spoc_owner* get() const noexcept { return kept_ == nullptr ? nullptr : &owner_; }
    /// The call succeeded.
    void taken() noexcept { static_cast<void>(kept_.release()); }

 private:
    static void release(void* context) {
        delete static_cast<std::shared_ptr<const void>*>(context);
    }

    std::unique_ptr<std::shared_ptr<const void>> kept_;
    spoc_owner owner_;
};

}  // namespace spoc::detail
