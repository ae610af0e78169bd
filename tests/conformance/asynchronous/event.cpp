// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include "backend.hpp"
#include "common/object.hpp"
#include "common/request.hpp"
#include "deadline.hpp"
#include "stream.hpp"

namespace spoc::asynchronous {
namespace {

/// A point in a stream. Shared by the event, the work that marks it, and the work that waits for
/// it, so that it outlives the event and a later recording.
struct recording {
    // Under the lock:
    bool complete = false;
    std::chrono::steady_clock::time_point when;
};

class event {
 public:
    explicit event(uint32_t event_flags) noexcept : flags(event_flags) {}

    static event& of(spoc_be_event handle) { return *reinterpret_cast<event*>(handle); }

    /// Under the lock.
    bool is_complete() const { return current == nullptr || current->complete; }

    const uint32_t flags;
    std::shared_ptr<recording> current;  ///< null: never recorded; under the lock
};

class record_work final : public work {
 public:
    explicit record_work(std::shared_ptr<recording> point) : point_(std::move(point)) {}

    int32_t run(spoc_be_stream /*base*/, spoc_be_error* /*error*/) noexcept override {
        const auto lock = lock_state();
        point_->complete = true;
        point_->when = std::chrono::steady_clock::now();
        notify();
        return SPOC_BE_OK;
    }

 private:
    const std::shared_ptr<recording> point_;
};

class wait_work final : public work {
 public:
    explicit wait_work(std::shared_ptr<recording> point) : point_(std::move(point)) {}

    bool is_ready() const noexcept override { return point_->complete; }
    int32_t run(spoc_be_stream /*base*/, spoc_be_error* /*error*/) noexcept override {
        return SPOC_BE_OK;
    }

 private:
    const std::shared_ptr<recording> point_;
};

}  // namespace

int32_t event_create(spoc_be_device /*device*/, uint32_t flags, spoc_be_event* out,
                     spoc_be_error* error) {
    if (const int32_t status = plugin::check_request(flags, SPOC_BE_EVENT_TIMING, nullptr, error);
        status != SPOC_BE_OK) {
        return status;
    }
    event* made = nullptr;
    const int32_t status = plugin::make(the_backend.host, made, error, flags);
    if (status == SPOC_BE_OK) {
        *out = reinterpret_cast<spoc_be_event>(made);
    }
    return status;
}

int32_t event_destroy(spoc_be_event handle, spoc_be_error* /*error*/) {
    plugin::destroy(the_backend.host, &event::of(handle));
    return SPOC_BE_OK;
}

int32_t event_record(spoc_be_event handle, spoc_be_stream target, spoc_be_error* error) {
    event& marked = event::of(handle);
    stream& on = stream::of(target);
    if ((marked.flags & SPOC_BE_EVENT_TIMING) != 0 && !on.has_timing()) {
        return plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED},
                            "The event has timing and the stream was made without it.");
    }
    auto point = std::make_shared<recording>();
    const int32_t status = on.enqueue(std::make_unique<record_work>(point), error);
    if (status == SPOC_BE_OK) {
        const auto lock = lock_state();
        // Whoever waits for the old recording keeps it.
        marked.current = std::move(point);
    }
    return status;
}

int32_t event_query(spoc_be_event handle, spoc_be_error* error) {
    return event_sync(handle, SPOC_BE_NO_WAIT, error);
}

int32_t event_sync(spoc_be_event handle, uint64_t timeout_ns, spoc_be_error* /*error*/) {
    auto lock = lock_state();
    const std::shared_ptr<recording> point = event::of(handle).current;
    const auto complete = [&point] { return point == nullptr || point->complete; };
    return wait_until(lock, timeout_ns, complete) ? SPOC_BE_OK : SPOC_BE_NOT_READY;
}

int32_t event_elapsed(spoc_be_event start, spoc_be_event stop, double* ns, spoc_be_error* error) {
    const auto lock = lock_state();
    const event& from = event::of(start);
    const event& to = event::of(stop);
    if (from.current == nullptr || to.current == nullptr) {
        return plugin::fail(error, {.status = SPOC_BE_INVALID}, "The %s event was never recorded.",
                            from.current == nullptr ? "start" : "stop");
    }
    if (!from.is_complete() || !to.is_complete()) {
        return SPOC_BE_NOT_READY;
    }
    *ns = std::chrono::duration<double, std::nano>(to.current->when - from.current->when).count();
    return SPOC_BE_OK;
}

int32_t stream_wait(spoc_be_stream waiting, spoc_be_event handle, spoc_be_error* error) {
    std::shared_ptr<recording> point;
    {
        const auto lock = lock_state();
        if (event::of(handle).is_complete()) {
            return SPOC_BE_OK;
        }
        point = event::of(handle).current;
    }
    return stream::of(waiting).enqueue(std::make_unique<wait_work>(std::move(point)), error);
}

}  // namespace spoc::asynchronous
