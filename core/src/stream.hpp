// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>

#include <spoc/stream.h>

#include "counted_handle.hpp"
#include "device_object.hpp"
#include "function_ref.hpp"
#include "ledger.hpp"
#include "outcome.hpp"

namespace spoc::detail {

/// An entry of the plugin that puts work on a stream. Sets `*done` (`SPOC_BE_DONE_*`) and returns
/// the entry's status.
using enqueue_call = function_ref<std::int32_t(spoc_be_stream, std::uint32_t*, spoc_be_error*)>;
/// One that puts a mark or a wait on it.
using mark_call = function_ref<std::int32_t(spoc_be_stream, spoc_be_error*)>;

/// A stream and what its pending work needs. Handles and events share it; the default stream's
/// lives as long as its device.
class stream_state : public device_object, public std::enable_shared_from_this<stream_state> {
 public:
    /// The device's default stream.
    explicit stream_state(spoc_device device);
    /// A stream of the program's own; `make` has to follow.
    stream_state(spoc_device device, std::uint32_t flags);
    ~stream_state() override;

    /// Has the plugin make the stream.
    outcome make(std::int32_t priority);
    outcome end() override;

    bool is_default() const noexcept { return is_default_; }
    std::uint32_t flags() const noexcept { return flags_; }

    /// Fails with DESTROYED once the program has closed the stream. `enqueue` and the others check
    /// it too; this is for callers that may call no plugin before.
    outcome check_not_closed() const;

    /// Puts work on the stream: `needs` are kept until it is proved complete, or given back at once
    /// when it is complete on return or fails. When it fails, nothing of it is in flight any more,
    /// as far as the driver can still be asked. `failed` is the sub-code for a driver failure
    /// without a better one. `out_at` receives the position of work that is pending, 0 of work that
    /// is not.
    outcome enqueue(work_needs&& needs, std::uint32_t failed, enqueue_call call,
                    ledger::position& out_at);
    /// The same for work that needs more than one entry holds. With no needs nothing is kept, and
    /// `out_at` is 0 also for work that is pending.
    outcome enqueue(std::span<work_needs> needs, std::uint32_t failed, enqueue_call call,
                    ledger::position& out_at);

    /// Keeps what work needs that somebody else has put on the plugin's stream.
    outcome keep(std::span<work_needs> needs);

    /// What `work_needs.span` of work on this stream is to be; empty while nothing is traced. Work
    /// that is enqueued without one is traced as "work".
    work_span traced(const char* kind, std::uint64_t bytes) const noexcept;

    /// Puts a mark or a wait on the stream, which needs nothing to be kept.
    outcome mark(std::uint32_t failed, mark_call call);

    /// For a caller that calls entries of thread class H with the plugin's stream by itself.
    [[nodiscard]] std::unique_lock<std::mutex> hold() { return std::unique_lock(order_mutex_); }

    /// Waits for what was enqueued so far, and releases what it needed.
    outcome synchronize();
    /// Waits likewise and releases nothing: `out_at` is what the caller may release.
    outcome wait(ledger::position& out_at);
    outcome query(bool& out_idle);
    outcome flush();
    /// Waits, and ends the plugin's stream. Later uses fail with DESTROYED.
    outcome close();

    /// Position of the last work that was enqueued.
    ledger::position committed() const noexcept { return ledger_.committed(); }
    /// Whether work that is not proved complete needs this.
    bool needs(const usable& what) const { return ledger_.needs(what); }
    /// Whether such work writes this host memory.
    bool writes(const host_bytes& range) const { return ledger_.writes(range); }
    /// Whether nothing that was enqueued is kept any more.
    bool has_nothing_kept() const noexcept { return ledger_.is_empty(); }
    /// The work up to `at` is complete.
    void release(ledger::position at) noexcept { ledger_.release(at); }

 private:
    outcome check_open() const;
    outcome check_there() const;  ///< fails after a shutdown
    outcome wait_for_work();
    void set_closed(bool closed);

    const std::uint32_t flags_;
    const bool is_default_;
    const std::uint64_t number_;  ///< in traces; 0: the device's default stream
    /// Held while an entry of thread class H is called with the stream, and by nothing that waits
    /// for work, except in the plugin's own waiting copy.
    std::mutex order_mutex_;
    /// Shared by calls that use the plugin's stream without holding it, also while they wait; whole
    /// for its end.
    mutable std::shared_mutex life_mutex_;
    spoc_be_stream handle_ = nullptr;  ///< changes under both mutexes
    std::atomic<bool> closed_{false};  ///< by the program; changes under both mutexes
    ledger ledger_;
};

}  // namespace spoc::detail

/// A handle on a stream.
struct spoc_stream_s {
    std::shared_ptr<spoc::detail::stream_state> state;
    spoc::detail::counted_handle counted{};
};
