// SPDX-License-Identifier: Apache-2.0
#include "exit_report.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "accounting.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

std::atomic<bool> accounts_wanted{false};
std::atomic<bool> leaks_wanted{false};
std::atomic<pid_t> reporting_process{0};

struct kind_name {
    handle_kind kind;
    std::string_view one;
    std::string_view many;
};
constexpr std::array<kind_name, handle_kinds> kind_names = {{
    {handle_kind::buffer, "buffer", "buffers"},
    {handle_kind::vector, "vector", "vectors"},
    {handle_kind::stream, "stream", "streams"},
    {handle_kind::event, "event", "events"},
    {handle_kind::pinned, "page-locked range", "page-locked ranges"},
    {handle_kind::registration, "registration", "registrations"},
    {handle_kind::program, "program", "programs"},
    {handle_kind::kernel, "kernel", "kernels"},
}};

void write_leaks(const account& of, std::string& out) {
    const bool of_device = &of != &account::of_process();
    for (const kind_name& name : kind_names) {
        const tally alive = of.handles(name.kind);
        if (alive.count != 0) {
            out += say("spoc: leaks: ", alive.count, ' ', alive.count == 1 ? name.one : name.many,
                       of_device ? " on device " : "", of_device ? of.name() : "", ", ",
                       alive.bytes, " bytes\n");
        }
    }
}

void write_account(const account& of, std::string& out) {
    const spoc_stats found = of.read();
    out += say("spoc: stats: ", of.name(), ": ", found.bytes, " bytes in ", found.buffers,
               " buffers, at most ", found.peak_bytes, " bytes; ", found.allocations,
               " allocations, ", found.retries, " tried again; freed by the program ", found.frees,
               " (", found.freed_bytes, " bytes), by themselves ", found.auto_frees, " (",
               found.auto_bytes, " bytes)\n");
    out += say("spoc: stats: ", of.name(), ": page-locked ", found.pinned_bytes, " bytes in ",
               found.pinned, " ranges, registered ", found.registered_bytes, " bytes in ",
               found.registered, ", staging ring ", found.ring_bytes, " bytes, staging slots ",
               found.slot_bytes, " bytes\n");
}

/// One piece of text, so that lines of other threads do not come in between.
void write_block(const std::string& text) {
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

void write_report() {
    // A child shares its parent's handlers, and neither its devices nor its handles are its own.
    if (reporting_process.load() != getpid()) {
        return;
    }
    report_leaks();
    if (accounts_wanted.load()) {
        std::string text;
        account::for_each([&](const account& one) { write_account(one, text); });
        write_block(text);
    }
}

}  // namespace

void report_at_exit(bool accounts, bool leaks) {
    accounts_wanted.store(accounts);
    leaks_wanted.store(leaks);
    reporting_process.store(getpid());
    if (accounts || leaks) {
        // Before the handlers of drivers are registered, so after they have run.
        static const int registered = std::atexit(write_report);
        static_cast<void>(registered);
    }
}

void report_leaks() {
    if (leaks_wanted.exchange(false)) {
        std::string text;
        account::for_each([&](const account& one) { write_leaks(one, text); });
        write_block(text);
    }
}

}  // namespace spoc::detail
