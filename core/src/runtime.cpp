// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <spoc/runtime.h>

#include "debug.hpp"
#include "env.hpp"
#include "exit_report.hpp"
#include "log.hpp"
#include "process_state.hpp"
#include "session.hpp"
#include "trace.hpp"

namespace spoc::detail {
namespace {

/// The one runtime of the process, and those before it. Leaked on purpose: exit handlers and late
/// destructors of the application still ask it.
struct lifetime {
    std::mutex mutex;
    std::uint64_t references = 0;
    std::atomic<runtime_state*> current{nullptr};
    std::atomic<bool> ran_before{false};  ///< some runtime was shut down
    std::vector<std::unique_ptr<runtime_state>> all;
};

lifetime& shared_lifetime() {
    static lifetime* const instance = new lifetime;
    return *instance;
}

constexpr std::uint32_t known_flags =
    SPOC_ISOLATE_PROBES | SPOC_NEVER_ISOLATE | SPOC_ALLOW_CPU | SPOC_PROVE_DEVICES;

/// Reads as much of the caller's structure as it has; fields that it lacks are 0.
outcome read_options(const spoc_options* given, spoc_options& out) {
    constexpr std::size_t least = offsetof(spoc_options, flags) + sizeof(spoc_options::flags);
    if (given->size < least) {
        return outcome::invalid(SPOC_SUB_VALUE,
                                say("The options' size is not set (", given->size, " bytes)."));
    }
    std::memcpy(&out, given, std::min<std::size_t>(given->size, sizeof out));
    if ((out.flags & ~known_flags) != 0 ||
        (out.flags & (SPOC_ISOLATE_PROBES | SPOC_NEVER_ISOLATE)) ==
            (SPOC_ISOLATE_PROBES | SPOC_NEVER_ISOLATE)) {
        return outcome::invalid(SPOC_SUB_VALUE, say("The options' flags ", out.flags,
                                                    " are unknown or contradict each other."));
    }
    return require_pointer_for(out.plugin_dir_count, out.plugin_dirs, "plugin_dirs");
}

outcome copy_directories(const spoc_options& options, std::vector<std::string>& out) {
    for (std::uint32_t i = 0; i < options.plugin_dir_count; ++i) {
        const char* directory = options.plugin_dirs[i];
        if (directory == nullptr || *directory != '/') {
            return outcome::invalid(
                SPOC_SUB_NAME, say("Plugin directory ", i, " (\"",
                                   directory == nullptr ? "" : directory, "\") is not absolute."));
        }
        out.emplace_back(directory);
    }
    return {};
}

void warn_about_bad_values(const settings& config) {
    for (const settings::bad_value& bad : config.bad_values()) {
        if (bad.name == std::string_view("SPOC_DEBUG")) {
            continue;  // its other words hold
        }
        write_log(SPOC_BE_LOG_WARN, "core",
                  say(bad.name, " has the value \"", bad.value,
                      "\", which it does not take; its default holds: ", bad.default_text));
    }
}

void configure_debugging(const settings& config) {
    const char* const words = config.get("SPOC_DEBUG");
    configure_debug(words);
    report_at_exit(config.get("SPOC_GPU_STATS") != nullptr, debug_is_on(debug_leaks));
    if (words == nullptr) {
        return;
    }
    for (const std::string& word : unknown_debug_words(words)) {
        write_log(SPOC_BE_LOG_WARN, "core",
                  say("SPOC_DEBUG has the word \"", word,
                      "\", which it does not know; it knows leaks and validate"));
    }
}

outcome start(lifetime& life, const spoc_options* given) {
    spoc_options options{};
    if (given != nullptr) {
        SPOC_TRY(read_options(given, options));
    }
    registry_options registry;
    SPOC_TRY(copy_directories(options, registry.application_dirs));
    settings config = settings::read();
    configure_log(config.get("SPOC_LOG"));
    configure_trace(config.get("SPOC_TRACE"));
    warn_about_bad_values(config);
    configure_debugging(config);
    const char* probe = config.get("SPOC_PROBE");
    registry.isolate = (options.flags & SPOC_ISOLATE_PROBES) != 0 ||
                       ((options.flags & SPOC_NEVER_ISOLATE) == 0 && probe != nullptr &&
                        std::string_view(probe) == "isolated");
    registry.prove_devices = (options.flags & SPOC_PROVE_DEVICES) != 0;
    if (options.probe_timeout_ms != 0) {
        registry.probe_timeout = std::chrono::milliseconds(options.probe_timeout_ms);
    }
    watch_forks();
    life.all.push_back(std::make_unique<runtime_state>(std::move(config), registry,
                                                       (options.flags & SPOC_ALLOW_CPU) != 0));
    life.current.store(life.all.back().get());
    return {};
}

outcome not_running() {
    // A handle or a habit may be left over from a runtime that has ended: that is worth its own
    // code.
    return shared_lifetime().ran_before.load()
               ? outcome::fail(SPOC_UNAVAILABLE, SPOC_SUB_SHUT_DOWN, "The runtime was shut down.")
               : outcome::fail(SPOC_UNAVAILABLE, SPOC_SUB_NOT_INITIALISED,
                               "The runtime is not running; spoc_init starts it.");
}

}  // namespace

outcome check_process(std::uint32_t state) {
    switch (state) {
        case SPOC_BE_PROCESS_RUNNING:
            return {};
        case SPOC_BE_PROCESS_FORK_CHILD:
            return outcome::unavailable(
                SPOC_BE_REASON_FORKED_CHILD, "",
                "This process was forked after a backend had been enumerated or opened; use SPOC "
                "only after the fork, or call one of the exec functions in the child.");
        default:
            return outcome::unavailable(SPOC_BE_REASON_EXITING, "", "The process is ending.");
    }
}

outcome session::enter() {
    SPOC_TRY(check_process(guard_.state()));
    runtime_ = shared_lifetime().current.load();
    return runtime_ != nullptr ? outcome{} : not_running();
}

}  // namespace spoc::detail

using namespace spoc::detail;

spoc_status spoc_init(const spoc_options* options, spoc_error* error) noexcept {
    const std::uint64_t began = is_tracing() ? 0 : trace_clock();
    const spoc_status status = boundary("spoc_init", error, [&]() -> outcome {
        const lifecycle_guard in_flight;
        SPOC_TRY(check_process(process_state()));
        lifetime& life = shared_lifetime();
        const std::lock_guard lock(life.mutex);
        if (life.references > 0 && options != nullptr) {
            return outcome::invalid(SPOC_SUB_BUSY,
                                    "Options are given, but the runtime is running already.");
        }
        if (life.references == 0) {
            SPOC_TRY(start(life, options));
        }
        ++life.references;
        return {};
    });
    if (began != 0 && is_tracing()) {
        trace_call("spoc_init", began, status);  // the trace was not there when the call began
    }
    return status;
}

spoc_status spoc_shutdown(spoc_error* error) noexcept {
    const spoc_status status = boundary("spoc_shutdown", error, [&]() -> outcome {
        const lifecycle_guard in_flight;
        SPOC_TRY(check_process(process_state()));
        lifetime& life = shared_lifetime();
        const std::lock_guard lock(life.mutex);
        if (life.references == 0) {
            return outcome::fail(SPOC_UNAVAILABLE, SPOC_SUB_NOT_INITIALISED,
                                 "The runtime is not running.");
        }
        if (--life.references > 0) {
            return {};
        }
        life.ran_before.store(true);
        runtime_state* ending = life.current.exchange(nullptr);
        wait_for_earlier_calls();
        report_leaks();
        ending->backends.close();
        return {};
    });
    flush_trace();  // here, so that this call is in it
    return status;
}

const char* spoc_version(void) noexcept { return SPOC_VERSION_TEXT; }
