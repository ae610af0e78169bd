// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace spoc::mock {

/// The handles of one kind. Memory of an ended handle is kept, so that a use after the end is seen
/// as one, or given to the next object, so that a host that tells objects apart by address is
/// caught.
template <typename Object>
class handle_pool {
 public:
    template <typename... Arguments>
    Object* make(bool recycle, Arguments&&... arguments) {
        const std::lock_guard lock(mutex_);
        ++alive_;
        if (recycle && !ended_.empty()) {
            Object* again = ended_.back();
            ended_.pop_back();
            std::destroy_at(again);
            return std::construct_at(again, std::forward<Arguments>(arguments)...);
        }
        all_.push_back(std::make_unique<Object>(std::forward<Arguments>(arguments)...));
        return all_.back().get();
    }

    void end(Object* object) {
        const std::lock_guard lock(mutex_);
        object->alive = false;
        ended_.push_back(object);
        --alive_;
    }

    std::uint64_t alive() {
        const std::lock_guard lock(mutex_);
        return alive_;
    }

    template <typename Function>
    void for_each_alive(Function function) {
        const std::lock_guard lock(mutex_);
        for (const auto& object : all_) {
            if (object->alive) {
                function(*object);
            }
        }
    }

    /// Frees everything. No handle may be used any more.
    void clear() {
        const std::lock_guard lock(mutex_);
        ended_.clear();
        all_.clear();
        alive_ = 0;
    }

 private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Object>> all_;
    std::vector<Object*> ended_;
    std::uint64_t alive_ = 0;
};

}  // namespace spoc::mock
