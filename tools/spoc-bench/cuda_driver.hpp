// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <spoc/backend.h>

#include "plugins/cuda/driver.hpp"

/// \file
/// The CUDA driver called directly, as a program without SPOC does: the baseline of `cuda.*`.

namespace spoc::bench {

/// The driver and one card's primary context. Throws `std::runtime_error` with the driver's word
/// for it when a call fails.
class cuda_card {
 public:
    /// The card at the address that a device's properties name.
    explicit cuda_card(const spoc_be_device_info& like);
    cuda_card(const cuda_card&) = delete;
    cuda_card& operator=(const cuda_card&) = delete;
    ~cuda_card();

    const driver::table& calls() const noexcept { return calls_; }
    driver::context context() const noexcept { return context_; }

    /// Makes the context current on the calling thread, and what was current before again.
    void push() const;
    void pop() const noexcept;
    /// Runs `body`, which ends something, with the context current, if the driver still lets it.
    template <typename Body>
    void finish(Body body) const noexcept {
        if (calls_.context_push(context_) == driver::success) {
            static_cast<void>(body());
            pop();
        }
    }
    /// Throws unless it is success.
    void check(driver::result code) const;

 private:
    void open();
    driver::ordinal card_at(const std::uint32_t (&pci)[4]) const;

    driver::table calls_;
    driver::ordinal card_ = 0;
    driver::context context_ = nullptr;
};

/// Current as long as it lives.
class current_card {
 public:
    explicit current_card(const cuda_card& card) : card_(card) { card_.push(); }
    current_card(const current_card&) = delete;
    current_card& operator=(const current_card&) = delete;
    ~current_card() { card_.pop(); }

 private:
    const cuda_card& card_;
};

/* Objects of the driver's as owners. The card outlives them. */

class cuda_stream {
 public:
    explicit cuda_stream(const cuda_card& card);
    cuda_stream(const cuda_stream&) = delete;
    cuda_stream& operator=(const cuda_stream&) = delete;
    ~cuda_stream();
    void synchronize() const;

    driver::stream handle = nullptr;

 private:
    const cuda_card& card_;
};

class cuda_memory {
 public:
    cuda_memory(const cuda_card& card, std::size_t bytes);
    cuda_memory(const cuda_memory&) = delete;
    cuda_memory& operator=(const cuda_memory&) = delete;
    ~cuda_memory();

    driver::address address = 0;

 private:
    const cuda_card& card_;
};

/// Page-locked.
class cuda_host_memory {
 public:
    cuda_host_memory(const cuda_card& card, std::size_t bytes);
    cuda_host_memory(const cuda_host_memory&) = delete;
    cuda_host_memory& operator=(const cuda_host_memory&) = delete;
    ~cuda_host_memory();

    void* start = nullptr;

 private:
    const cuda_card& card_;
};

/// A kernel from PTX.
class cuda_kernel {
 public:
    cuda_kernel(const cuda_card& card, const char* ptx, const char* name);
    cuda_kernel(const cuda_kernel&) = delete;
    cuda_kernel& operator=(const cuda_kernel&) = delete;
    ~cuda_kernel();

    driver::function handle = nullptr;

 private:
    const cuda_card& card_;
    driver::module module_ = nullptr;
};

}  // namespace spoc::bench
