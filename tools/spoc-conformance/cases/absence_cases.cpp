// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <spoc/backend.h>

#include "backend.hpp"
#include "cases.hpp"
#include "check.hpp"
#include "host.hpp"
#include "plugin.hpp"
#include "runner.hpp"
#include "suite_data.hpp"

/// \file
/// What the plugin says where its driver is missing, empty, incomplete or of no use. It is asked in
/// processes of its own, since a driver that was once opened stays.

namespace spoc::conformance {
namespace {

/// The reasons that a probe may give.
struct reason_row {
    const char* name;
    std::uint32_t value;
};

#define SPOC_REASON(name) \
    reason_row { #name, SPOC_BE_REASON_##name }
constexpr std::array probe_reasons{SPOC_REASON(DRIVER_NOT_FOUND),
                                   SPOC_REASON(DRIVER_STUB),
                                   SPOC_REASON(DRIVER_TOO_OLD),
                                   SPOC_REASON(DRIVER_MISSING_SYMBOL),
                                   SPOC_REASON(KERNEL_MODULE_MISSING),
                                   SPOC_REASON(NO_PERMISSION),
                                   SPOC_REASON(NO_DEVICE),
                                   SPOC_REASON(DEVICE_UNSUPPORTED),
                                   SPOC_REASON(DRIVER_INIT_FAILED),
                                   SPOC_REASON(PLATFORM_UNSUPPORTED),
                                   SPOC_REASON(INTERNAL)};
#undef SPOC_REASON

std::string reason_text(std::uint32_t reason) {
    const auto* const found =
        std::find_if(probe_reasons.begin(), probe_reasons.end(),
                     [reason](const reason_row& row) { return row.value == reason; });
    return found == probe_reasons.end() ? text("reason ", reason) : std::string(found->name);
}

/// What a probe answered.
struct answer {
    std::int32_t status = SPOC_BE_OK;
    spoc_be_probe_report report{};
    spoc_be_error error{};
};

template <std::size_t N>
bool ends_inside(const char (&chars)[N]) {
    return std::find(chars, chars + N, '\0') != chars + N;
}

/// An answer that says that the backend cannot be used: why, twice, and in words.
void check_refusal(const answer& got) {
    const std::string said = reason_text(got.report.reason);
    require(got.report.reason == got.error.reason, "probe says ", said, " in its report and ",
            reason_text(got.error.reason), " in its error record.");
    require(std::any_of(probe_reasons.begin(), probe_reasons.end(),
                        [&got](const reason_row& row) { return row.value == got.report.reason; }),
            "probe gave ", said, ", which is not for a plugin's probe to give.");
    require(ends_inside(got.report.message) && ends_inside(got.report.hint) &&
                ends_inside(got.report.driver_path) && ends_inside(got.report.driver_name) &&
                ends_inside(got.report.skipped),
            "probe left a text in its report without an end.");
    require(got.report.message[0] != '\0', "probe answered ", said,
            " and left the message of its report empty.");
}

answer ask(const spoc_be_table& be, const host& services, std::uint32_t level) {
    answer got;
    got.report = sized<spoc_be_probe_report>();
    got.error = sized<spoc_be_error>();
    got.status = be.probe(services.table(), level, &got.report, &got.error);
    if (got.status == SPOC_BE_OK) {
        require(got.report.reason == SPOC_BE_REASON_NONE, "probe answered OK and reports ",
                reason_text(got.report.reason), ".");
    } else {
        expect_status(SPOC_BE_UNAVAILABLE, got.status, "probe", got.error);
        check_refusal(got);
    }
    return got;
}

std::string words_of(const answer& got) {
    return got.status == SPOC_BE_OK
               ? std::string("OK")
               : text(reason_text(got.report.reason), " (\"", got.report.message, "\")");
}

void expect_reason(const answer& got, std::uint32_t wanted) {
    require(got.status != SPOC_BE_OK && got.report.reason == wanted, "probe answered ",
            words_of(got), " instead of ", reason_text(wanted), ".");
}

void expect_closed(const spoc_be_table& be, const host& services) {
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.close(&error), "close", error);
    require(services.live_blocks() == 0, "After close the plugin still holds ",
            services.live_blocks(), " blocks of the host's memory.");
}

void need_vendor_library(const host& services) {
    if (services.vendor_opens() == 0) {
        skip("The plugin opens no driver's library.");
    }
}

/* ---- no library ---- */

void denied_driver(const subject& subject) {
    const spoc_be_table be = read_table(load_plugin(subject.plugin_path));
    host& services = host::make();
    services.deny_vendor_libraries();
    const answer passive = ask(be, services, SPOC_BE_PROBE_PASSIVE);
    const bool opened_at_once = services.vendor_opens() > 0;
    const answer whole = ask(be, services, SPOC_BE_PROBE_ENUMERATE);
    need_vendor_library(services);
    require(opened_at_once,
            "A passive probe opened no driver's library, which a probe that enumerates did.");
    expect_reason(passive, SPOC_BE_REASON_DRIVER_NOT_FOUND);
    expect_reason(whole, SPOC_BE_REASON_DRIVER_NOT_FOUND);
    auto report = sized<spoc_be_probe_report>();
    const std::int32_t silent = be.probe(services.table(), SPOC_BE_PROBE_PASSIVE, &report, nullptr);
    require(silent == SPOC_BE_UNAVAILABLE, "probe without an error record answered ",
            status_text(silent), " instead of UNAVAILABLE.");
    expect_closed(be, services);
}

void open_without_driver(const subject& subject) {
    const spoc_be_table be = read_table(load_plugin(subject.plugin_path));
    host& services = host::make();
    services.deny_vendor_libraries();
    ask(be, services, SPOC_BE_PROBE_ENUMERATE);
    need_vendor_library(services);
    auto error = sized<spoc_be_error>();
    const std::int32_t status = be.open(services.table(), nullptr, &error);
    expect_status(SPOC_BE_UNAVAILABLE, status, "open", error);
    require(error.reason == SPOC_BE_REASON_DRIVER_NOT_FOUND, "open without a driver gave ",
            reason_text(error.reason), " instead of DRIVER_NOT_FOUND.");
    expect_closed(be, services);
}

/* ---- another library ---- */

/// A library that opens and has nothing in it.
void empty_driver(const subject& subject) {
    const spoc_be_table be = read_table(load_plugin(subject.plugin_path));
    host& services = host::make();
    services.replace_vendor_library(suite_file("empty_driver.so"));
    const answer passive = ask(be, services, SPOC_BE_PROBE_PASSIVE);
    const answer whole = ask(be, services, SPOC_BE_PROBE_ENUMERATE);
    need_vendor_library(services);
    require(whole.status != SPOC_BE_OK, "probe answered OK with a driver without a function.");
    require(passive.status == SPOC_BE_OK || passive.report.reason == whole.report.reason,
            "A passive probe gave ", words_of(passive), " and one that enumerates ",
            words_of(whole), ".");
    expect_closed(be, services);
}

void stand_in(const subject& subject, const reason_row& reason) {
    const auto given = subject.stand_ins.find(reason.name);
    if (given == subject.stand_ins.end()) {
        skip("No library was given that makes the probe answer so (--absence REASON=LIBRARY).");
    }
    const spoc_be_table be = read_table(load_plugin(subject.plugin_path));
    host& services = host::make();
    services.replace_vendor_library(std::filesystem::absolute(given->second).string());
    const answer passive = ask(be, services, SPOC_BE_PROBE_PASSIVE);
    const answer whole = ask(be, services, SPOC_BE_PROBE_ENUMERATE);
    need_vendor_library(services);
    if (passive.status != SPOC_BE_OK) {
        expect_reason(passive, reason.value);
    }
    expect_reason(whole, reason.value);
    expect_closed(be, services);
}

/* ---- a library that lacks a function ---- */

constexpr std::chrono::milliseconds child_timeout{20000};

/// Opens the backend and its device, and closes both, with whatever the host hides.
void open_and_close(const subject& subject, const spoc_be_table& be, const host& services) {
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.open(services.table(), nullptr, &error), "open", error);
    std::uint32_t count = 0;
    expect_status(SPOC_BE_OK, be.device_count(&count, &error), "device_count", error);
    if (subject.device_index < count) {
        const auto desc = sized<spoc_be_device_desc>();
        auto made = sized<spoc_be_device_result>();
        expect_status(SPOC_BE_OK, be.device_open(subject.device_index, &desc, &made, &error),
                      "device_open", error);
        expect_status(SPOC_BE_OK, be.device_close(made.device, &error), "device_close", error);
    }
}

/// A child's answer: the symbols that the plugin asks for, one a line.
void tell_symbols(const subject& subject) {
    const spoc_be_table be = read_table(load_plugin(subject.plugin_path));
    host& services = host::make();
    if (ask(be, services, SPOC_BE_PROBE_ENUMERATE).status == SPOC_BE_OK) {
        open_and_close(subject, be, services);
    }
    expect_closed(be, services);
    std::string all;
    for (const std::string& symbol : services.requested_symbols()) {
        all += symbol + "\n";
    }
    skip(all);
}

void do_without(const subject& subject, const std::string& symbol) {
    const spoc_be_table be = read_table(load_plugin(subject.plugin_path));
    host& services = host::make();
    services.hide_symbol(symbol);
    ask(be, services, SPOC_BE_PROBE_PASSIVE);
    if (ask(be, services, SPOC_BE_PROBE_ENUMERATE).status == SPOC_BE_OK) {
        open_and_close(subject, be, services);
    }
    expect_closed(be, services);
}

/// Symbols are many and a driver may take a while to start: they are shared out to several cases.
constexpr std::size_t shares = 8;

std::vector<std::string> symbols_of_share(const subject& subject, std::size_t share) {
    const result told =
        run_isolated({.name = "absence/symbols", .run = tell_symbols}, subject, child_timeout);
    require(told.what == outcome::skipped,
            "The plugin was asked which symbols it needs: ", told.message);
    std::istringstream lines(told.message);
    std::vector<std::string> found;
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line); ++number) {
        if (number % shares == share) {
            found.push_back(line);
        }
    }
    if (number == 0) {
        skip("The plugin asks for no symbol of a driver's library.");
    }
    return found;
}

void hidden_symbols(const subject& subject, std::size_t share) {
    for (const std::string& symbol : symbols_of_share(subject, share)) {
        const test_case without{
            .name = "absence/hidden_symbol",
            .run = [&symbol](const conformance::subject& of) { do_without(of, symbol); }};
        const result found = run_isolated(without, subject, child_timeout);
        require(found.what == outcome::passed, "With ", symbol,
                " missing from the driver: ", found.message);
    }
}

bool can_have_stand_in(const reason_row& reason) {
    return reason.value > SPOC_BE_REASON_DRIVER_NOT_FOUND &&
           reason.value <= SPOC_BE_REASON_DRIVER_INIT_FAILED;
}

std::string in_small_letters(std::string words) {
    std::transform(words.begin(), words.end(), words.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return words;
}

}  // namespace

void add_absence_cases(case_list& cases) {
    cases.push_back({.name = "absence/denied_driver", .run = denied_driver, .needs_device = false});
    cases.push_back(
        {.name = "absence/open_without_driver", .run = open_without_driver, .needs_device = false});
    cases.push_back({.name = "absence/empty_driver", .run = empty_driver, .needs_device = false});
    for (const reason_row& reason : probe_reasons) {
        if (can_have_stand_in(reason)) {
            cases.push_back({.name = "absence/" + in_small_letters(reason.name),
                             .run = [reason](const subject& of) { stand_in(of, reason); },
                             .needs_device = false});
        }
    }
    for (std::size_t share = 0; share < shares; ++share) {
        cases.push_back({.name = text("absence/hidden_symbols_", share),
                         .run = [share](const subject& of) { hidden_symbols(of, share); },
                         .needs_device = false});
    }
}

}  // namespace spoc::conformance
