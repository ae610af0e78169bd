// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <spoc/backend.h>

#include "device.hpp"
#include "kernels.hpp"
#include "onlooker.hpp"

namespace spoc::conformance {

/// A time-out that no busy work comes near.
inline constexpr std::uint64_t ten_minutes_ns = std::uint64_t{600} * 1000 * 1000 * 1000;

/// Work that keeps a stream occupied for a good while and leaves one word that only the end of all
/// of it can leave. How long it takes never decides a case; it only lets a lie about pending work
/// be seen. The `spin` kernel where the device launches the suite's kernels, large copies within
/// the device otherwise.
class busy_work {
 public:
    /// Finds out how much work takes long enough. Skips the case where all work is complete when
    /// its call returns, so that nothing is ever pending.
    explicit busy_work(device& dev);

    /// Enqueues the work. Its word goes to `target()`, which is to be left alone until then.
    void start(spoc_be_stream stream);

    /// Where the word of every start goes, at its beginning; 4 bytes.
    spoc_be_buffer target() const { return target_; }
    /// The word that the latest start leaves.
    std::uint32_t word() const;
    /// Fails unless `buffer` begins with the word of the latest start, as `eyes` sees it. `when`
    /// begins the sentence: "After stream_query said OK".
    void expect_word(onlooker& eyes, spoc_be_buffer buffer, const char* when) const;
    /// The same for `target()`.
    void expect_done(onlooker& eyes, const char* when) const { expect_word(eyes, target_, when); }

    /// Whether the work is a launch, not a number of copies.
    bool is_launch() const { return spin_.has_value(); }

 private:
    /// Enqueues `rounds` of the work and returns what the calls said is done of it.
    std::uint32_t enqueue(spoc_be_stream stream, std::uint32_t rounds);
    std::uint32_t enqueue_copies(spoc_be_stream stream, std::uint32_t rounds);
    struct trial {
        std::chrono::nanoseconds took;
        std::uint32_t done;  // the least that a call said
    };
    trial try_rounds(spoc_be_stream stream);
    void calibrate();

    device& dev_;
    std::optional<kernel_set> kernels_;
    std::optional<ready_kernel> spin_;
    spoc_be_buffer target_ = nullptr;
    spoc_be_buffer large_[2] = {};  // for copies
    std::uint64_t large_bytes_ = 0;
    std::uint32_t rounds_ = 0;
    std::uint32_t seed_ = 12345;
};

}  // namespace spoc::conformance
