// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>

#include <spoc/error.h>

/// \file
/// `SPOC_TRACE`: what the library, its plugins and the program did and when, as a file of Chrome
/// trace events. Everything here may be called from any thread at any time, throws nothing, and
/// costs one relaxed load while nothing is traced.

namespace spoc::detail {

extern std::atomic<bool> trace_switch;

inline bool is_tracing() noexcept { return trace_switch.load(std::memory_order_relaxed); }

/// Takes up `SPOC_TRACE`: null ends the trace, the file that is being written goes on. "%p" in the
/// path is the process's number. A file that cannot be written is a warning, and nothing is traced.
/// One caller at a time.
void configure_trace(const char* path) noexcept;

/// Writes what all threads have gathered so far.
void flush_trace() noexcept;

/// Nanoseconds of the clock that the events' times are on.
std::uint64_t trace_clock() noexcept;

/// A call that began at `began` and returns `status` now. `function` is static text.
void trace_call(const char* function, std::uint64_t began, spoc_status status) noexcept;

/// Begin and end of a span. Those of one thread nest; an end without a begin is nothing.
void trace_begin(std::string_view name, std::string_view category) noexcept;
void trace_end() noexcept;

/// The value of a counter at this moment; those of one `name` are drawn over each other.
void trace_counter(std::string_view name, std::string_view series, std::uint64_t value) noexcept;

/// One call of a public function, as an event from construction to destruction.
class traced_call {
 public:
    explicit traced_call(const char* function) noexcept
        : function_(function), began_(is_tracing() ? trace_clock() : 0) {}
    traced_call(const traced_call&) = delete;
    traced_call& operator=(const traced_call&) = delete;
    ~traced_call() {
        if (began_ != 0) {
            trace_call(function_, began_, status_);
        }
    }

    /// Notes what the function returns.
    spoc_status returns(spoc_status status) noexcept { return status_ = status; }

 private:
    const char* const function_;
    const std::uint64_t began_;
    spoc_status status_ = SPOC_OK;
};

/// Work on a stream, from the moment that it is handed to the plugin until this object ends, which
/// is when it was proved complete. An empty one is nothing.
class work_span {
 public:
    work_span() noexcept = default;
    /// `kind` is static text, such as "copy H2D"; `stream` a number of the library's own.
    work_span(const char* kind, std::uint64_t bytes, std::uint64_t stream,
              std::string_view device) noexcept;
    work_span(work_span&& other) noexcept
        : kind_(std::exchange(other.kind_, nullptr)), id_(std::exchange(other.id_, 0)) {}
    work_span& operator=(work_span&& other) noexcept {
        work_span taken(std::move(other));
        std::swap(kind_, taken.kind_);
        std::swap(id_, taken.id_);
        return *this;
    }
    work_span(const work_span&) = delete;
    work_span& operator=(const work_span&) = delete;
    ~work_span() {
        if (kind_ != nullptr) {
            end();
        }
    }

    bool is_empty() const noexcept { return kind_ == nullptr; }

 private:
    void end() noexcept;

    const char* kind_ = nullptr;
    std::uint64_t id_ = 0;
};

}  // namespace spoc::detail
