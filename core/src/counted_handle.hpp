// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "accounting.hpp"
#include "debug.hpp"

namespace spoc::detail {

/// A member of a handle, which counts it as alive where `SPOC_DEBUG` looks for leaks. What was
/// counted is discounted, also when the setting changed meanwhile.
class counted_handle {
 public:
    counted_handle() noexcept = default;
    counted_handle(handle_kind kind, account& where, std::uint64_t bytes) noexcept
        : account_(debug_is_on(debug_leaks) ? &where : nullptr), bytes_(bytes), kind_(kind) {
        if (account_ != nullptr) {
            account_->add(kind_, bytes_);
        }
    }
    counted_handle(counted_handle&& other) noexcept
        : account_(std::exchange(other.account_, nullptr)),
          bytes_(other.bytes_),
          kind_(other.kind_) {}
    counted_handle& operator=(counted_handle&& other) noexcept {
        counted_handle taken(std::move(other));
        std::swap(account_, taken.account_);
        std::swap(bytes_, taken.bytes_);
        std::swap(kind_, taken.kind_);
        return *this;
    }
    counted_handle(const counted_handle&) = delete;
    counted_handle& operator=(const counted_handle&) = delete;
    ~counted_handle() {
        if (account_ != nullptr) {
            account_->remove(kind_, bytes_);
        }
    }

 private:
    account* account_ = nullptr;
    std::uint64_t bytes_ = 0;
    handle_kind kind_ = handle_kind::buffer;
};

}  // namespace spoc::detail
