// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <signal.h>

#include <utility>

#include "backend.hpp"
#include "base.hpp"
#include "common/object.hpp"
#include "common/status.hpp"
#include "deadline.hpp"
#include "device.hpp"

namespace spoc::asynchronous {
namespace {

int32_t write_failure(const outcome& what, int32_t status, spoc_be_error* error) {
    if (error != nullptr) {
        plugin::write_error(error,
                            {.status = status,
                             .native_code = what.error.native_code,
                             .native_domain = what.error.native_domain,
                             .origin = what.error.origin,
                             .asked = what.error.asked,
                             .limit = what.error.limit,
                             .tag = what.error.tag},
                            what.error.message);
    }
    return status;
}

/// Starts a thread on which no handler of the application runs.
int start_thread(pthread_t& thread, void* (*main)(void*), void* argument) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&thread, nullptr, main, argument);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return failed;
}

}  // namespace

stream::~stream() {
    {
        const auto lock = lock_state();
        stopping_ = true;
        notify();
    }
    if (started_) {
        pthread_join(thread_, nullptr);
    }
}

int32_t stream::enqueue(std::unique_ptr<work> piece, spoc_be_error* error) {
    auto lock = lock_state();
    return add(lock, std::move(piece), nullptr, error);
}

int32_t stream::run(std::unique_ptr<work> piece, spoc_be_error* error) {
    outcome found;
    auto lock = lock_state();
    if (const int32_t status = add(lock, std::move(piece), &found, error); status != SPOC_BE_OK) {
        return status;
    }
    wait_until(lock, SPOC_BE_FOREVER, [this, target = enqueued_] { return completed_ >= target; });
    return found.status == SPOC_BE_OK ? SPOC_BE_OK : write_failure(found, found.status, error);
}

int32_t stream::sync(uint64_t timeout_ns, spoc_be_error* error) {
    auto lock = lock_state();
    const bool idle =
        wait_until(lock, timeout_ns, [this, target = enqueued_] { return completed_ >= target; });
    return idle ? tell_failure(error) : SPOC_BE_NOT_READY;
}

int32_t stream::add(std::unique_lock<std::mutex>& lock, std::unique_ptr<work> piece,
                    outcome* waiter, spoc_be_error* error) {
    int32_t status = tell_failure(error);
    if (status == SPOC_BE_OK && !started_) {
        status = start(error);
    }
    if (status != SPOC_BE_OK) {
        // The piece takes the lock to let go of what it keeps.
        lock.unlock();
        piece.reset();
        return status;
    }
    queue_.push_back({std::move(piece), waiter});
    ++enqueued_;
    notify();
    return SPOC_BE_OK;
}

int32_t stream::start(spoc_be_error* error) {
    const auto main = [](void* self) -> void* {
        static_cast<stream*>(self)->serve();
        return nullptr;
    };
    if (const int failed = start_thread(thread_, main, this); failed != 0) {
        return plugin::fail(error,
                            {.status = SPOC_BE_DRIVER,
                             .native_code = failed,
                             .native_domain = "errno",
                             .origin = "pthread_create"},
                            "The thread of a stream cannot be started (%d).", failed);
    }
    pthread_setname_np(thread_, "spoc-acme");
    started_ = true;
    return SPOC_BE_OK;
}

/// What the thread does all its life. When the process leaves the state in which it may work it
/// sleeps on, so that nobody has to wait for it.
void stream::serve() noexcept {
    auto lock = lock_state();
    while (true) {
        the_backend.state->changed.wait(lock, [this] {
            return stopping_ || (!queue_.empty() && queue_.front().piece->is_ready() &&
                                 the_backend.host.running());
        });
        if (stopping_) {
            return;
        }
        run_next(lock);
    }
}

void stream::run_next(std::unique_lock<std::mutex>& lock) noexcept {
    item next = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    outcome found;
    found.error.size = sizeof found.error;
    found.status = next.piece->run(base_, &found.error);
    next.piece.reset();
    lock.lock();
    ++completed_;
    if (next.waiter != nullptr) {
        *next.waiter = found;
    } else if (found.status != SPOC_BE_OK && failure_.status == SPOC_BE_OK) {
        failure_ = found;
    }
    notify();
}

/// Whatever the reason of a late failure, its status is LAUNCH. Under the lock.
int32_t stream::tell_failure(spoc_be_error* error) {
    const outcome failed = std::exchange(failure_, {});
    return failed.status == SPOC_BE_OK ? SPOC_BE_OK : write_failure(failed, SPOC_BE_LAUNCH, error);
}

int32_t stream_create(spoc_be_device device, const spoc_be_stream_desc* desc, spoc_be_stream* out,
                      spoc_be_error* error) {
    spoc_be_stream below = nullptr;
    if (const int32_t status =
            base::table.stream_create(device::of(device).base, desc, &below, error);
        status != SPOC_BE_OK) {
        return status;
    }
    stream* made = nullptr;
    const int32_t status = plugin::make(the_backend.host, made, error, below, desc->flags);
    if (made == nullptr) {
        base::table.stream_destroy(below, nullptr);
        return status;
    }
    *out = made->handle();
    return status;
}

int32_t stream_destroy(spoc_be_stream handle, spoc_be_error* error) {
    const spoc_be_stream below = stream::of(handle).base();
    plugin::destroy(the_backend.host, &stream::of(handle));
    return base::table.stream_destroy(below, error);
}

int32_t stream_flush(spoc_be_stream /*stream*/, spoc_be_error* /*error*/) {
    return SPOC_BE_OK;  // nothing is ever held back
}

int32_t stream_query(spoc_be_stream handle, spoc_be_error* error) {
    return stream::of(handle).sync(SPOC_BE_NO_WAIT, error);
}

int32_t stream_sync(spoc_be_stream handle, uint64_t timeout_ns, spoc_be_error* error) {
    return stream::of(handle).sync(timeout_ns, error);
}

}  // namespace spoc::asynchronous
