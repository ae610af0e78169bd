// SPDX-License-Identifier: Apache-2.0
#include "backend.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>

#include "check.hpp"
#include "plugin.hpp"

namespace spoc::conformance {
namespace {

template <std::size_t N>
bool ends_inside(const char (&chars)[N]) {
    return std::find(std::begin(chars), std::end(chars), '\0') != std::end(chars);
}

void check_record(std::int32_t status, const char* entry, const spoc_be_error& error) {
    require(error.size == sizeof error, entry, " changed the size in its error record to ",
            error.size, ".");
    require(error.status == status, entry, " answered ", status_text(status),
            " and wrote the status ", status_text(error.status), " into its error record.");
    require(
        ends_inside(error.native_domain) && ends_inside(error.origin) && ends_inside(error.message),
        entry, " left a text in its error record without an end.");
    for (const char* words : {error.native_domain, error.origin, error.message}) {
        require_plain(words, entry, " failed with ", status_text(status), " and wrote a text");
    }
    require(error.message[0] != '\0', entry, " failed with ", status_text(status),
            " and an empty message.");
}

/// The plugin that a process that ends must be told about.
struct opened_backend {
    std::atomic<const spoc_be_table*> table{nullptr};
    host* services = nullptr;
    pid_t process = 0;
};

opened_backend& opened() {
    static opened_backend instance;
    return instance;
}

/// What a host owes a plugin when the process ends while the backend is open. A forked child enters
/// no entry.
void quiesce_at_exit() {
    const spoc_be_table* table = opened().table.exchange(nullptr);
    if (table != nullptr && opened().process == getpid()) {
        opened().services->set_process_state(SPOC_BE_PROCESS_EXITING);
        table->quiesce(SPOC_BE_QUIESCE_EXIT);
    }
}

void remember(const spoc_be_table& table, host& services) {
    static const bool registered = std::atexit(quiesce_at_exit) == 0;
    require(registered, "The suite could not register an exit handler.");
    opened().services = &services;
    opened().process = getpid();
    opened().table = &table;
}

spoc_be_table open_backend(const subject& subject, host& services) {
    const spoc_be_table& table = load_plugin(subject.plugin_path);
    const spoc_be_table be = read_table(table);
    require(be.probe != nullptr && be.open != nullptr && be.close != nullptr &&
                be.quiesce != nullptr && be.device_count != nullptr && be.device_info != nullptr,
            "The table lacks an entry that is required to open it.");
    auto report = sized<spoc_be_probe_report>();
    auto error = sized<spoc_be_error>();
    const std::int32_t probed =
        be.probe(services.table(), SPOC_BE_PROBE_ENUMERATE, &report, &error);
    if (probed == SPOC_BE_UNAVAILABLE) {
        check_record(probed, "probe", error);
        skip("The backend cannot be used here: ", error.message);
    }
    expect_status(SPOC_BE_OK, probed, "probe", error);
    expect_status(SPOC_BE_OK, be.open(services.table(), nullptr, &error), "open", error);
    remember(table, services);
    return be;
}

}  // namespace

std::string error_text(const spoc_be_error& error) {
    std::string words = error.message;
    if (error.origin[0] != '\0' || error.native_domain[0] != '\0') {
        words += text(" (", error.origin, " ", error.native_domain, " ", error.native_code, ")");
    }
    return words;
}

void expect_status(std::int32_t wanted, std::int32_t got, const char* entry,
                   const spoc_be_error& error) {
    if (got < 0) {
        check_record(got, entry, error);
    }
    if (got != wanted) {
        fail(entry, " answered ", status_text(got), " instead of ", status_text(wanted),
             got < 0 ? ": " + error_text(error) : std::string("."));
    }
}

std::int32_t expect_ready_or_not(std::int32_t got, const char* entry, const spoc_be_error& error) {
    if (got != SPOC_BE_NOT_READY) {
        expect_status(SPOC_BE_OK, got, entry, error);
    }
    return got;
}

void check_done(std::uint32_t done, std::uint32_t flags, const char* entry) {
    require(done == SPOC_BE_DONE_NOTHING || done == SPOC_BE_DONE_HOST || done == SPOC_BE_DONE_ALL,
            entry, " answered OK and says done ", done, ", which has no meaning.");
    require((flags & SPOC_BE_WAIT) == 0 || done == SPOC_BE_DONE_ALL, entry,
            " was to wait and answered OK with done ", done, ".");
}

backend::backend(const subject& subject, host& given)
    : be(open_backend(subject, given)), services(given) {}

void backend::close() {
    opened().table = nullptr;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.close(&error), "close", error);
    const std::int64_t kept = services.live_blocks();
    require(kept == 0, "After close the plugin still holds ", kept,
            " blocks of the host's memory.");
    require(services.bad_log_lines() == 0, "The plugin wrote ", services.bad_log_lines(),
            " log lines that are empty, of an unknown level, or hold control characters.");
}

std::uint32_t backend::device_count() const {
    std::uint32_t count = SPOC_BE_UNKNOWN_32;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.device_count(&count, &error), "device_count", error);
    return count;
}

spoc_be_device_info backend::device_info(std::uint32_t index) const {
    auto info = sized<spoc_be_device_info>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.device_info(index, &info, &error), "device_info", error);
    return info;
}

}  // namespace spoc::conformance
