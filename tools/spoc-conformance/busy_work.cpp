// SPDX-License-Identifier: Apache-2.0
#include "busy_work.hpp"

#include <algorithm>
#include <chrono>

#include "check.hpp"
#include "launch_request.hpp"

namespace spoc::conformance {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds long_enough{40};
constexpr std::uint32_t most_rounds = 1U << 30;
constexpr std::uint32_t most_copies = 1U << 12;
constexpr std::uint64_t wanted_copy_bytes = std::uint64_t{64} << 20;

bool launches_suite_kernels(const device& dev) {
    if (dev.be.program_load == nullptr || dev.be.launch == nullptr) {
        return false;
    }
    const auto& forms = program_forms();
    return std::any_of(forms.begin(), forms.end(), [&dev](const program_form& form) {
        return takes(dev, form) && has(form, known_kernel::spin);
    });
}

}  // namespace

busy_work::busy_work(device& dev) : dev_(dev), target_(dev.buffer(sizeof(std::uint32_t))) {
    if (launches_suite_kernels(dev)) {
        kernels_.emplace(kernel_set::with(dev, known_kernel::spin));
        spin_ = kernels_->get(known_kernel::spin, {1, 1, 1});
    } else {
        large_bytes_ = dev.large_size(wanted_copy_bytes) / 4 * 4;
        large_[0] = dev.buffer(large_bytes_);
        large_[1] = dev.buffer(large_bytes_);
    }
    calibrate();
}

busy_work::trial busy_work::try_rounds(spoc_be_stream stream) {
    const auto begin = clock::now();
    const std::uint32_t done = enqueue(stream, rounds_);
    dev_.sync(stream);
    return {clock::now() - begin, done};
}

void busy_work::calibrate() {
    const std::uint32_t most = is_launch() ? most_rounds : most_copies;
    const spoc_be_stream stream = dev_.stream();
    rounds_ = is_launch() ? 1024 : 1;
    trial last = try_rounds(stream);
    // A busy machine makes little work look long, so it has to be long each time.
    for (int times_long = 0; rounds_ < most; last = try_rounds(stream)) {
        times_long = last.took >= long_enough ? times_long + 1 : 0;
        if (times_long == 3) {
            break;
        }
        if (times_long == 0) {
            rounds_ = std::min(most, rounds_ * (last.took < long_enough / 16 ? 8 : 2));
        }
    }
    // A device that enqueues launches and says so of none is still asked for the truth.
    const bool enqueues = is_launch() && dev_.can(SPOC_BE_CAP_LAUNCH_ENQUEUED);
    if (last.took >= long_enough && last.done == SPOC_BE_DONE_ALL && !enqueues) {
        skip("Work is complete when its call returns, so none is ever pending.");
    }
}

std::uint32_t busy_work::enqueue(spoc_be_stream stream, std::uint32_t rounds) {
    if (!is_launch()) {
        return enqueue_copies(stream, rounds);
    }
    return spin_request(*spin_, target_, seed_, rounds).run(dev_, stream);
}

std::uint32_t busy_work::enqueue_copies(spoc_be_stream stream, std::uint32_t rounds) {
    std::uint32_t done = dev_.fill(stream, large_[0], 0, large_bytes_, seed_, sizeof seed_);
    for (std::uint32_t i = 0; i < rounds; ++i) {
        const spoc_be_range over = between(large_[i % 2], 0, large_[(i + 1) % 2], 0, large_bytes_);
        done = std::min(done, dev_.copy(stream, SPOC_BE_COPY_D2D, {&over, 1}));
    }
    const spoc_be_range word =
        between(large_[rounds % 2], large_bytes_ - sizeof seed_, target_, 0, sizeof seed_);
    return std::min(done, dev_.copy(stream, SPOC_BE_COPY_D2D, {&word, 1}));
}

void busy_work::start(spoc_be_stream stream) {
    ++seed_;
    enqueue(stream, rounds_);
}

std::uint32_t busy_work::word() const { return is_launch() ? spun(seed_, rounds_) : seed_; }

void busy_work::expect_word(onlooker& eyes, spoc_be_buffer buffer, const char* when) const {
    const std::uint32_t got = eyes.read_word(buffer);
    const std::uint32_t wanted = word();
    require(got == wanted, when, ", another stream reads the word ", got, " instead of ", wanted,
            ": the work before it was not complete.");
}

}  // namespace spoc::conformance
