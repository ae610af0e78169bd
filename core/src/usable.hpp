// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace spoc::detail {

/// Something that enqueued work may need: it is kept alive while it does, and can be asked whether
/// it is.
class usable {
 public:
    usable() = default;
    usable(const usable&) = delete;
    usable& operator=(const usable&) = delete;
    virtual ~usable() = default;

    bool in_use() const noexcept { return uses_.load(std::memory_order_acquire) != 0; }

 private:
    friend class use;
    std::atomic<std::uint64_t> uses_{0};
};

/// One need of one piece of work, or none.
class use {
 public:
    use() noexcept = default;
    explicit use(std::shared_ptr<usable> what) noexcept : what_(std::move(what)) {
        what_->uses_.fetch_add(1, std::memory_order_relaxed);
    }
    use(use&&) noexcept = default;
    use& operator=(use&& other) noexcept {
        use taken(std::move(other));
        what_.swap(taken.what_);
        return *this;
    }
    use(const use&) = delete;
    use& operator=(const use&) = delete;
    ~use() {
        if (what_ != nullptr) {
            what_->uses_.fetch_sub(1, std::memory_order_release);
        }
    }

    bool is_of(const usable& what) const noexcept { return what_.get() == &what; }

 private:
    std::shared_ptr<usable> what_;
};

/// What one piece of work needs. As many as nearly all work has take no memory.
class use_list {
 public:
    /// How many take no memory.
    static constexpr std::size_t few = 4;

    use_list() noexcept = default;
    use_list(use_list&& other) noexcept { *this = std::move(other); }
    /// Moves as many as there are: most work needs one or two, and is moved twice on its way.
    use_list& operator=(use_list&& other) noexcept {
        const std::size_t before = few_count_;
        few_count_ = std::exchange(other.few_count_, 0);
        for (std::size_t i = 0; i < few_count_; ++i) {
            few_[i] = std::move(other.few_[i]);
        }
        for (std::size_t i = few_count_; i < before; ++i) {
            few_[i] = use();
        }
        more_ = std::move(other.more_);
        return *this;
    }
    use_list(const use_list&) = delete;
    use_list& operator=(const use_list&) = delete;
    ~use_list() = default;

    /// Null is nothing.
    void add(std::shared_ptr<usable> what) {
        if (what == nullptr) {
            return;
        }
        if (few_count_ < few_.size()) {
            few_[few_count_++] = use(std::move(what));
        } else {
            more_.emplace_back(std::move(what));
        }
    }

    bool has(const usable& what) const noexcept {
        const auto is_it = [&what](const use& one) { return one.is_of(what); };
        return std::any_of(few_.begin(), few_.end(), is_it) ||
               std::any_of(more_.begin(), more_.end(), is_it);
    }

 private:
    std::array<use, few> few_;
    std::size_t few_count_ = 0;
    std::vector<use> more_;
};

}  // namespace spoc::detail
