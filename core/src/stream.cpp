// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <utility>

#include "device.hpp"
#include "session.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

std::uint64_t next_number() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

stream_state::stream_state(spoc_device device)
    : device_object(device),
      flags_(0),
      is_default_(true),
      number_(0),
      handle_(device->default_stream()) {}

stream_state::stream_state(spoc_device device, std::uint32_t flags)
    : device_object(device), flags_(flags), is_default_(false), number_(next_number()) {}

stream_state::~stream_state() {
    if (!is_default_) {
        static_cast<void>(finish());
    }
}

outcome stream_state::make(std::int32_t priority) {
    begin();
    spoc_be_stream_desc desc{};
    desc.size = sizeof desc;
    desc.priority = priority;
    desc.flags |= (flags_ & SPOC_STREAM_NON_BLOCKING) != 0 ? SPOC_BE_STREAM_NON_BLOCKING : 0;
    const bool timed =
        (flags_ & SPOC_STREAM_UNTIMED) == 0 && device().offers(SPOC_BE_CAP_EVENT_TIMING);
    desc.flags |= timed ? SPOC_BE_STREAM_TIMING : 0;
    plugin_error error;
    spoc_be_stream made = nullptr;
    const std::int32_t status =
        device().table().stream_create(device().handle(), &desc, &made, &error);
    if (status < 0) {
        return device().failure(status, error, SPOC_SUB_DRIVER);
    }
    handle_ = made;
    return {};
}

outcome stream_state::end() {
    outcome waited;
    outcome destroyed;
    ledger::position at = 0;
    {
        const std::lock_guard order(order_mutex_);
        const std::unique_lock life(life_mutex_);
        if (handle_ == nullptr || is_default_) {
            handle_ = nullptr;  // a default stream goes with its device, which waits for it before
            return {};
        }
        at = ledger_.committed();
        // Nobody else uses the stream any more, and except at a shutdown it is idle. A wait that
        // fails does not make its end less due.
        waited = wait_for_work();
        const spoc_be_stream ended = std::exchange(handle_, nullptr);
        plugin_error error;
        if (const std::int32_t status = device().table().stream_destroy(ended, &error);
            status < 0) {
            destroyed = device().failure(status, error, SPOC_SUB_DRIVER);
        }
    }
    if (!waited.ok()) {
        return waited;
    }
    ledger_.release(at);
    return destroyed;
}

outcome stream_state::check_not_closed() const {
    return closed_.load() ? outcome::invalid(SPOC_SUB_DESTROYED, "The stream was closed.")
                          : outcome{};
}

outcome stream_state::check_open() const {
    SPOC_TRY(check_not_closed());
    return check_there();
}

outcome stream_state::check_there() const {
    return handle_ != nullptr
               ? outcome{}
               : outcome::fail(SPOC_UNAVAILABLE, SPOC_SUB_SHUT_DOWN,
                               "The stream belongs to a runtime that was shut down.");
}

outcome stream_state::wait_for_work() {
    plugin_error error;
    std::int32_t status = SPOC_BE_NOT_READY;
    while (status == SPOC_BE_NOT_READY) {
        status = device().table().stream_sync(handle_, SPOC_BE_FOREVER, &error);
    }
    return status >= 0 ? outcome{} : device().failure(status, error, SPOC_SUB_SYNC_FAILED);
}

outcome stream_state::enqueue(work_needs&& needs, std::uint32_t failed, enqueue_call call,
                              ledger::position& out_at) {
    return enqueue(std::span(&needs, 1), failed, call, out_at);
}

outcome stream_state::enqueue(std::span<work_needs> needs, std::uint32_t failed, enqueue_call call,
                              ledger::position& out_at) {
    out_at = 0;
    outcome result;
    bool pending = false;
    {
        const std::lock_guard order(order_mutex_);
        SPOC_TRY(check_open());
        if (!needs.empty() && needs.front().span.is_empty()) {
            needs.front().span = traced("work", 0);
        }
        const ledger::position at = ledger_.reserve(needs);
        std::uint32_t done = SPOC_BE_DONE_ALL;
        plugin_error error;
        const std::int32_t status = call(handle_, &done, &error);
        if (status < 0) {
            result = device().failure(status, error, failed);
        }
        pending = done != SPOC_BE_DONE_ALL;
        if (pending) {
            ledger_.commit();
            out_at = at;
        } else {
            ledger_.withdraw(needs);  // it ends with the caller's memory, after the lock
        }
    }
    if (!result.ok() && pending) {
        // Part of it is in flight, and the caller takes its memory back. A second failure would say
        // less than the first; then the entry stays.
        out_at = 0;
        static_cast<void>(synchronize());
    }
    return result;
}

outcome stream_state::keep(std::span<work_needs> needs) {
    const std::lock_guard order(order_mutex_);
    SPOC_TRY(check_open());
    static_cast<void>(ledger_.reserve(needs));
    ledger_.commit();
    return {};
}

work_span stream_state::traced(const char* kind, std::uint64_t bytes) const noexcept {
    return is_tracing() ? work_span(kind, bytes, number_, device().selector()) : work_span();
}

outcome stream_state::mark(std::uint32_t failed, mark_call call) {
    const std::lock_guard order(order_mutex_);
    SPOC_TRY(check_open());
    plugin_error error;
    const std::int32_t status = call(handle_, &error);
    return status >= 0 ? outcome{} : device().failure(status, error, failed);
}

outcome stream_state::wait(ledger::position& out_at) {
    const std::shared_lock life(life_mutex_);
    SPOC_TRY(check_open());
    const ledger::position at = ledger_.committed();
    SPOC_TRY(wait_for_work());
    out_at = at;
    return {};
}

outcome stream_state::synchronize() {
    ledger::position at = 0;
    SPOC_TRY(wait(at));
    ledger_.release(at);
    return {};
}

outcome stream_state::query(bool& out_idle) {
    ledger::position at = 0;
    {
        const std::shared_lock life(life_mutex_);
        SPOC_TRY(check_open());
        at = ledger_.committed();
        plugin_error error;
        const std::int32_t status = device().table().stream_query(handle_, &error);
        if (status < 0) {
            return device().failure(status, error, SPOC_SUB_SYNC_FAILED);
        }
        out_idle = status == SPOC_BE_OK;
    }
    if (out_idle) {
        ledger_.release(at);
    }
    return {};
}

outcome stream_state::flush() {
    const std::shared_lock life(life_mutex_);
    SPOC_TRY(check_open());
    if (device().table().stream_flush == nullptr) {
        return {};
    }
    plugin_error error;
    const std::int32_t status = device().table().stream_flush(handle_, &error);
    return status >= 0 ? outcome{} : device().failure(status, error, SPOC_SUB_DRIVER);
}

void stream_state::set_closed(bool closed) {
    const std::lock_guard order(order_mutex_);
    const std::unique_lock life(life_mutex_);
    closed_.store(closed);
}

outcome stream_state::close() {
    if (is_default_ || closed_.load()) {
        return {};
    }
    // First, so that nothing comes on top of what is waited for.
    set_closed(true);
    ledger::position at = 0;
    outcome waited;
    {
        const std::shared_lock life(life_mutex_);
        at = ledger_.committed();
        waited = check_there();
        if (waited.ok()) {
            waited = wait_for_work();
        }
    }
    if (!waited.ok()) {
        set_closed(false);
        return waited;
    }
    ledger_.release(at);
    return finish();
}

}  // namespace spoc::detail

using namespace spoc::detail;

namespace {

constexpr std::uint32_t known_flags = SPOC_STREAM_NON_BLOCKING | SPOC_STREAM_UNTIMED;

/// Reads as much of the caller's structure as it has.
outcome read_options(const spoc_stream_options* given, spoc_stream_options& out) {
    if (given == nullptr) {
        return {};
    }
    SPOC_TRY(require_sized(given, "options"));
    std::memcpy(&out, given, std::min<std::size_t>(given->size, sizeof out));
    return (out.flags & ~known_flags) == 0
               ? outcome{}
               : outcome::invalid(SPOC_SUB_VALUE,
                                  say("The stream's flags ", out.flags, " are unknown."));
}

/// Runs `body` on a stream that the program names.
spoc_status with_stream(const char* operation, spoc_stream stream, spoc_error* error,
                        function_ref<outcome(stream_state&)> body) noexcept {
    return boundary(operation, error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(stream, "stream"));
        SPOC_TRY(call.enter());
        return body(*stream->state);
    });
}

}  // namespace

spoc_status spoc_stream_create(spoc_device device, const spoc_stream_options* options,
                               spoc_stream* out_stream, spoc_error* error) noexcept {
    return boundary("spoc_stream_create", error, [&]() -> outcome {
        session call;
        spoc_stream_options wanted{};
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(out_stream, "out_stream"));
        SPOC_TRY(read_options(options, wanted));
        SPOC_TRY(call.enter());
        SPOC_TRY(device->open());
        device->reap();
        auto handle = std::make_unique<spoc_stream_s>();
        handle->counted = counted_handle(handle_kind::stream, device->accounts(), 0);
        handle->state = std::make_shared<stream_state>(device, wanted.flags);
        SPOC_TRY(handle->state->make(wanted.priority));
        device->add_stream(handle->state);
        *out_stream = handle.release();
        return {};
    });
}

spoc_status spoc_stream_default(spoc_device device, spoc_stream* out_stream,
                                spoc_error* error) noexcept {
    return boundary("spoc_stream_default", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(out_stream, "out_stream"));
        SPOC_TRY(call.enter());
        SPOC_TRY(device->open());
        auto handle = std::make_unique<spoc_stream_s>();
        handle->counted = counted_handle(handle_kind::stream, device->accounts(), 0);
        handle->state = device->default_queue();
        *out_stream = handle.release();
        return {};
    });
}

spoc_status spoc_stream_device(spoc_stream stream, spoc_device* out_device,
                               spoc_error* error) noexcept {
    return boundary("spoc_stream_device", error, [&]() -> outcome {
        SPOC_TRY(require_pointer(stream, "stream"));
        SPOC_TRY(require_pointer(out_device, "out_device"));
        *out_device = &stream->state->device();
        return {};
    });
}

spoc_status spoc_stream_synchronize(spoc_stream stream, spoc_error* error) noexcept {
    return with_stream("spoc_stream_synchronize", stream, error,
                       [](stream_state& state) { return state.synchronize(); });
}

spoc_status spoc_stream_query(spoc_stream stream, int32_t* out_idle, spoc_error* error) noexcept {
    return boundary("spoc_stream_query", error, [&]() -> outcome {
        session call;
        bool idle = false;
        SPOC_TRY(require_pointer(stream, "stream"));
        SPOC_TRY(require_pointer(out_idle, "out_idle"));
        SPOC_TRY(call.enter());
        SPOC_TRY(stream->state->query(idle));
        *out_idle = idle ? 1 : 0;
        return {};
    });
}

spoc_status spoc_stream_flush(spoc_stream stream, spoc_error* error) noexcept {
    return with_stream("spoc_stream_flush", stream, error,
                       [](stream_state& state) { return state.flush(); });
}

spoc_status spoc_stream_close(spoc_stream stream, spoc_error* error) noexcept {
    return with_stream("spoc_stream_close", stream, error, [](stream_state& state) -> outcome {
        SPOC_TRY(state.close());
        state.device().reap();
        return {};
    });
}

void spoc_stream_destroy(spoc_stream stream) noexcept {
    const traced_call traced("spoc_stream_destroy");
    const call_guard guard;
    if (stream == nullptr) {
        return;
    }
    const std::unique_ptr<spoc_stream_s> owned(stream);
    spoc_device_s& device = owned->state->device();
    if (!owned->state->is_default() && guard.state() == SPOC_BE_PROCESS_RUNNING) {
        device.abandon(std::move(owned->state));
        device.reap();
    }
}

spoc_status spoc_device_synchronize(spoc_device device, spoc_error* error) noexcept {
    return boundary("spoc_device_synchronize", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(call.enter());
        SPOC_TRY(device->open());
        SPOC_TRY(device->synchronize());
        device->reap();
        return {};
    });
}
