// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "debug.hpp"

namespace spoc::detail {

/// Which thread is in a call that uses an object; 0: none.
using user_tag = std::atomic<std::uintptr_t>;

/// A call that uses a vector, which one thread at a time may. Under `SPOC_DEBUG=validate` a second
/// thread ends the process with a message, before anything of the vector is corrupted. Otherwise it
/// does nothing.
class sole_use {
 public:
    /// `id`: the vector's, for the message. The tag outlives the object.
    sole_use(user_tag& tag, std::uint64_t id) noexcept {
        if (debug_is_on(debug_validate)) {
            begin(tag, id);
        }
    }
    sole_use(const sole_use&) = delete;
    sole_use& operator=(const sole_use&) = delete;
    ~sole_use() {
        if (tag_ != nullptr) {
            tag_->store(0, std::memory_order_release);
        }
    }

 private:
    void begin(user_tag& tag, std::uint64_t id) noexcept;

    user_tag* tag_ = nullptr;  ///< null: nothing to undo
};

}  // namespace spoc::detail
