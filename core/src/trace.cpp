// SPDX-License-Identifier: Apache-2.0
#include "trace.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>

#include <spoc/backend.h>

#include "function_ref.hpp"
#include "json_string.hpp"
#include "log.hpp"
#include "text.hpp"
#include "trace_event.hpp"
#include "trace_file.hpp"

namespace spoc::detail {

std::atomic<bool> trace_switch{false};

namespace {

/// Events of a thread are written together once they take this much.
constexpr std::size_t gathered_bytes = std::size_t{256} << 10U;

/// What one thread at a time has to tell. Never freed: the process's end writes what is in it.
struct thread_log {
    std::mutex mutex;         ///< taken before the recorder's
    std::string text;         ///< whole events, each with a comma before it
    std::string place;        ///< process and thread, as events say it
    std::uint64_t depth = 0;  ///< spans that have begun and not ended
    std::atomic<bool> taken{true};
    thread_log* before = nullptr;  ///< the one made before it
};

/// One trace. A forked child has the parent's, in whatever state a thread of the parent's had it,
/// and makes one of its own where it traces.
struct recorder {
    const pid_t process = ::getpid();
    std::string asked;  ///< the path as it was given
    std::atomic<thread_log*> last{nullptr};
    std::atomic<std::uint64_t> pending{0};  ///< work that is not proved complete
    std::mutex mutex;
    trace_file file;
    bool failed = false;  ///< nothing more is written
};

/// Never freed, since late destructors of the program still come here.
std::atomic<recorder*>& current() noexcept {
    static std::atomic<recorder*> instance{nullptr};
    return instance;
}

std::atomic<std::uint64_t> last_work{0};

/// The calling thread's, null until it has something to tell.
thread_local thread_log* own_log = nullptr;

/// Nothing more is written; said once. The recorder's mutex is held.
void give_up(recorder& all, const std::string& why) {
    all.failed = true;
    trace_switch.store(false);
    write_log(SPOC_BE_LOG_WARN, "core",
              say("SPOC_TRACE: the file \"", all.file.path(), "\" cannot be written (", why,
                  "); nothing more is traced"));
}

/// The log's mutex is held. A forked child adds nothing to its parent's file.
void write_out(recorder& all, thread_log& log) {
    if (all.process == ::getpid() && !log.text.empty()) {
        const std::lock_guard lock(all.mutex);
        if (!all.failed) {
            if (const std::string why = all.file.append(log.text); !why.empty()) {
                give_up(all, why);
            }
        }
    }
    log.text.clear();
}

void close_spans(thread_log& log) {
    for (; log.depth > 0; --log.depth) {
        append_head(log.text, 'E', log.place, trace_clock());
        log.text += '}';
    }
}

/// Lets another thread have the log of one that ends, with what is in it.
struct log_owner {
    ~log_owner() {
        if (thread_log* const log = std::exchange(own_log, nullptr)) {
            try {
                const std::lock_guard lock(log->mutex);
                close_spans(*log);
            } catch (const std::exception&) {
                // A span without an end is drawn as one that did not finish.
                log->depth = 0;
            }
            log->taken.store(false, std::memory_order_release);
        }
    }
};

thread_log& make_log(recorder& all) {
    auto* const made = new thread_log;
    made->before = all.last.load();
    while (!all.last.compare_exchange_weak(made->before, made)) {
    }
    return *made;
}

/// One that an ended thread left, or a new one.
thread_log& take_log(recorder& all) {
    for (thread_log* log = all.last.load(); log != nullptr; log = log->before) {
        bool taken = false;
        if (log->taken.compare_exchange_strong(taken, true, std::memory_order_acquire)) {
            return *log;
        }
    }
    return make_log(all);
}

thread_log& log_of_this_thread(recorder& all) {
    if (own_log == nullptr) {
        thread_local const log_owner given_back_at_end;
        static_cast<void>(given_back_at_end);
        own_log = &take_log(all);
        const std::lock_guard lock(own_log->mutex);
        own_log->place = place_of_this_thread();
    }
    return *own_log;
}

/// Adds events of the calling thread to its log: all that `add` appends, or nothing where memory
/// ends.
void record(function_ref<void(thread_log&)> add) noexcept {
    recorder* const all = current().load(std::memory_order_acquire);
    if (!is_tracing() || all == nullptr) {
        return;
    }
    try {
        thread_log& log = log_of_this_thread(*all);
        const std::lock_guard lock(log.mutex);
        const std::size_t whole = log.text.size();
        try {
            add(log);
        } catch (...) {
            log.text.resize(whole);
            throw;
        }
        if (log.text.size() >= gathered_bytes) {
            write_out(*all, log);
        }
    } catch (...) {
        // An event that cannot be kept must not become the caller's failure.
        return;
    }
}

void write_all_logs(recorder& all, bool ends) {
    for (thread_log* log = all.last.load(); log != nullptr; log = log->before) {
        const std::lock_guard lock(log->mutex);
        if (ends) {
            close_spans(*log);
        }
        write_out(all, *log);
    }
}

void at_exit() {
    recorder* const all = current().load();
    if (!trace_switch.exchange(false) || all == nullptr || all->process != ::getpid()) {
        return;
    }
    try {
        write_all_logs(*all, true);
    } catch (...) {
        // The document is whole; it lacks what could not be written.
        return;
    }
}

std::string expand(std::string_view path) {
    std::string expanded(path);
    for (std::size_t at = expanded.find("%p"); at != std::string::npos;
         at = expanded.find("%p", at)) {
        expanded.replace(at, 2, std::to_string(::getpid()));
    }
    return expanded;
}

void start(recorder& all, const char* path) {
    const std::lock_guard lock(all.mutex);
    all.asked = path;
    if (const std::string why = all.file.start(expand(path), process_event(trace_clock()));
        !why.empty()) {
        give_up(all, why);
        return;
    }
    all.failed = false;
    static const bool registered = std::atexit(at_exit) == 0 && std::at_quick_exit(at_exit) == 0;
    static_cast<void>(registered);
    trace_switch.store(true);
}

/// The recorder of this process; `out_inherited` receives the path of the parent's trace in a child
/// that has none of its own.
recorder& own_recorder(std::string& out_inherited) {
    recorder* const found = current().load();
    if (found != nullptr && found->process == ::getpid()) {
        return *found;
    }
    if (found != nullptr) {
        out_inherited = found->asked;
        own_log = nullptr;
    }
    auto* const made = new recorder;
    current().store(made);
    return *made;
}

void configure(const char* path) {
    if (path == nullptr) {
        flush_trace();
        trace_switch.store(false);
        return;
    }
    std::string inherited;
    recorder& all = own_recorder(inherited);
    if (all.asked == path && !all.failed) {
        trace_switch.store(true);
        return;
    }
    flush_trace();
    trace_switch.store(false);
    if (inherited == path && std::strstr(path, "%p") == nullptr) {
        return;  // two processes would overwrite each other's events
    }
    start(all, path);
}

}  // namespace

void configure_trace(const char* path) noexcept {
    try {
        configure(path);
    } catch (...) {
        // Without memory for the trace there is none.
        trace_switch.store(false);
    }
}

void flush_trace() noexcept {
    recorder* const all = current().load();
    if (!is_tracing() || all == nullptr || all->process != ::getpid()) {
        return;
    }
    try {
        write_all_logs(*all, false);
    } catch (...) {
        // It is written the next time.
        return;
    }
}

std::uint64_t trace_clock() noexcept {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
}

void trace_call(const char* function, std::uint64_t began, spoc_status status) noexcept {
    const std::uint64_t ended = trace_clock();
    record([&](thread_log& log) {
        append_head(log.text, 'X', log.place, began);
        append_name(log.text, function, "spoc");
        log.text += ",\"dur\":";
        append_time(log.text, ended - began);
        if (status != SPOC_OK) {
            log.text += ",\"args\":{\"status\":";
            append_json_string(log.text, spoc_status_name(status));
            log.text += '}';
        }
        log.text += '}';
    });
}

void trace_begin(std::string_view name, std::string_view category) noexcept {
    record([&](thread_log& log) {
        append_head(log.text, 'B', log.place, trace_clock());
        append_name(log.text, name, category);
        log.text += '}';
        ++log.depth;
    });
}

void trace_end() noexcept {
    record([&](thread_log& log) {
        if (log.depth > 0) {
            append_head(log.text, 'E', log.place, trace_clock());
            log.text += '}';
            --log.depth;
        }
    });
}

void trace_counter(std::string_view name, std::string_view series, std::uint64_t value) noexcept {
    record([&](thread_log& log) {
        append_head(log.text, 'C', log.place, trace_clock());
        append_name(log.text, name, "spoc");
        log.text += ",\"args\":{";
        append_json_string(log.text, series);
        log.text += ':';
        append_number(log.text, value);
        log.text += "}}";
    });
}

namespace {

/// Common to both ends of a work's span, which the number joins.
void append_work(thread_log& log, char phase, const char* kind, std::uint64_t id) {
    append_head(log.text, phase, log.place, trace_clock());
    append_name(log.text, kind, "work");
    log.text += ",\"id\":";
    append_number(log.text, id);
}

void count_pending(std::uint64_t pending) noexcept {
    trace_counter("ledger entries", "entries", pending);
}

}  // namespace

work_span::work_span(const char* kind, std::uint64_t bytes, std::uint64_t stream,
                     std::string_view device) noexcept
    : kind_(kind), id_(last_work.fetch_add(1, std::memory_order_relaxed) + 1) {
    record([&](thread_log& log) {
        append_work(log, 'b', kind_, id_);
        log.text += ",\"args\":{\"bytes\":";
        append_number(log.text, bytes);
        log.text += ",\"stream\":";
        append_number(log.text, stream);
        log.text += ",\"device\":";
        append_json_string(log.text, device);
        log.text += "}}";
    });
    if (recorder* const all = current().load(std::memory_order_acquire)) {
        count_pending(all->pending.fetch_add(1) + 1);
    }
}

void work_span::end() noexcept {
    record([&](thread_log& log) {
        append_work(log, 'e', kind_, id_);
        log.text += '}';
    });
    if (recorder* const all = current().load(std::memory_order_acquire)) {
        count_pending(all->pending.fetch_sub(1) - 1);
    }
}

}  // namespace spoc::detail
