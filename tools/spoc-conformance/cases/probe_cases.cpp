// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>

#include <spoc/backend.h>

#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"
#include "host.hpp"
#include "plugin.hpp"

/// \file
/// What a probe reports, and what it leaves alone. Where the backend cannot be used its reasons are
/// the subject of the absence cases.

namespace spoc::conformance {
namespace {

/// The plugin's table and a host, before anything was opened.
struct unopened {
    explicit unopened(const subject& subject)
        : be(read_table(load_plugin(subject.plugin_path))), services(host::make()) {}

    /// OK, or UNAVAILABLE with the record to say so.
    spoc_be_probe_report probe(std::uint32_t level, std::int32_t& status) const {
        auto report = sized<spoc_be_probe_report>();
        auto error = sized<spoc_be_error>();
        status = be.probe(services.table(), level, &report, &error);
        expect_status(status == SPOC_BE_UNAVAILABLE ? SPOC_BE_UNAVAILABLE : SPOC_BE_OK, status,
                      "probe", error);
        return report;
    }

    void close() const {
        auto error = sized<spoc_be_error>();
        expect_status(SPOC_BE_OK, be.close(&error), "close", error);
        require(services.live_blocks() == 0, "After close the plugin still holds ",
                services.live_blocks(), " blocks of the host's memory.");
    }

    const spoc_be_table be;
    host& services;
};

const char* name_of(std::uint32_t level) {
    return level == SPOC_BE_PROBE_PASSIVE ? "A passive probe" : "A probe that enumerates";
}

template <std::size_t N>
std::string field(const char (&chars)[N], const char* what) {
    const auto* const end = std::find(std::begin(chars), std::end(chars), '\0');
    require(end != std::end(chars), "The probe's report has a ", what, " without an end.");
    return {std::begin(chars), end};
}

/// A text of one line.
template <std::size_t N>
std::string line_of(const char (&chars)[N], const char* what) {
    std::string words = field(chars, what);
    require_plain(words, "The probe's report has a ", what);
    return words;
}

void check_texts(const spoc_be_probe_report& report) {
    line_of(report.native_domain, "native_domain");
    line_of(report.driver_name, "driver_name");
    line_of(report.hint, "hint");
    // The name of a file may be any bytes.
    field(report.driver_path, "driver_path");
    const std::string message = line_of(report.message, "message");
    require((report.flags & SPOC_BE_PROBE_WARNING) == 0 || !message.empty(),
            "The probe warns and its message is empty.");
}

/// One line for each, as far as the field has room.
void check_skipped(const spoc_be_probe_report& report) {
    const std::string lines = field(report.skipped, "list of what it skipped");
    const auto count = static_cast<std::uint32_t>(std::count(lines.begin(), lines.end(), '\n'));
    const bool full = lines.size() + 2 > sizeof report.skipped;
    require(count == report.skipped_count || (full && count <= report.skipped_count),
            "The probe skipped ", report.skipped_count, " devices or drivers and names ", count,
            ".");
    for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        const std::string line = lines.substr(at, end - at);
        require(full || line.find(": ") != std::string::npos,
                "The probe skipped something with "
                "the line \"",
                line, "\", which is no \"name: reason\".");
        at = end + 1;
    }
}

bool all_zero(const std::uint32_t (&version)[4]) {
    return std::all_of(std::begin(version), std::end(version),
                       [](std::uint32_t part) { return part == 0; });
}

void check_report(const spoc_be_probe_report& report, std::uint32_t level, std::int32_t status) {
    require(report.size == sizeof report, "The probe changed the size of its report to ",
            report.size, ".");
    require(report.level == level || (status != SPOC_BE_OK && report.level < level), name_of(level),
            " reports level ", report.level, ".");
    require((report.reason == SPOC_BE_REASON_NONE) == (status == SPOC_BE_OK), name_of(level),
            " answered ", status_text(status), " and reports reason ", report.reason, ".");
    require((report.flags & ~SPOC_BE_PROBE_WARNING) == 0, name_of(level), " reports flags ",
            report.flags, ", of which only 1 has a meaning.");
    require(std::all_of(std::begin(report.reserved), std::end(report.reserved),
                        [](std::uint32_t word) { return word == 0; }),
            name_of(level), " wrote to a reserved field of its report.");
    require(!all_zero(report.driver_version) && !all_zero(report.driver_minimum), name_of(level),
            " reports the driver version 0.0.0.0; what is not known is all-ones.");
    check_texts(report);
    check_skipped(report);
}

void report_of_level(const subject& subject, std::uint32_t level) {
    const unopened plugin(subject);
    std::int32_t status = SPOC_BE_OK;
    const spoc_be_probe_report report = plugin.probe(level, status);
    check_report(report, level, status);
    plugin.close();
}

void passive_report(const subject& subject) { report_of_level(subject, SPOC_BE_PROBE_PASSIVE); }

void enumerate_report(const subject& subject) { report_of_level(subject, SPOC_BE_PROBE_ENUMERATE); }

std::ptrdiff_t threads_now() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
}

/// Else the process could not fork any more.
void passive_starts_no_thread(const subject& subject) {
    const unopened plugin(subject);
    const std::ptrdiff_t before = threads_now();
    std::int32_t status = SPOC_BE_OK;
    const spoc_be_probe_report report = plugin.probe(SPOC_BE_PROBE_PASSIVE, status);
    const std::ptrdiff_t after = threads_now();
    require(after == before, "A passive probe left ", after, " threads where there were ", before,
            ".");
    require(report.threads_started == 0, "A passive probe reports that drivers started ",
            report.threads_started, " threads.");
    plugin.close();
}

void loading_starts_no_thread(const subject& subject) {
    const std::ptrdiff_t before = threads_now();
    load_plugin(subject.plugin_path);
    const std::ptrdiff_t after = threads_now();
    require(after == before, "Loading the plugin left ", after, " threads where there were ",
            before, ".");
}

/// A probe may be repeated at either level and answers the same.
void repeated(const subject& subject) {
    const unopened plugin(subject);
    constexpr std::array levels{SPOC_BE_PROBE_PASSIVE, SPOC_BE_PROBE_ENUMERATE,
                                SPOC_BE_PROBE_PASSIVE, SPOC_BE_PROBE_ENUMERATE};
    std::array<spoc_be_probe_report, levels.size()> reports{};
    for (std::size_t i = 0; i < levels.size(); ++i) {
        std::int32_t status = SPOC_BE_OK;
        reports[i] = plugin.probe(levels[i], status);
    }
    for (std::size_t i = 2; i < levels.size(); ++i) {
        const spoc_be_probe_report& first = reports[i - 2];
        const spoc_be_probe_report& second = reports[i];
        // A passive probe may know more once a driver is up.
        require(levels[i] == SPOC_BE_PROBE_PASSIVE || first.device_count == second.device_count,
                "Two probes in a row found ", first.device_count, " and ", second.device_count,
                " devices.");
        require(levels[i] == SPOC_BE_PROBE_PASSIVE || first.reason == second.reason,
                "Two probes in a row gave the reasons ", first.reason, " and ", second.reason, ".");
    }
    plugin.close();
}

void counts_agree(device& dev) {
    const std::uint32_t count = dev.owner.device_count();
    for (const std::uint32_t level : {SPOC_BE_PROBE_PASSIVE, SPOC_BE_PROBE_ENUMERATE}) {
        auto report = sized<spoc_be_probe_report>();
        auto error = sized<spoc_be_error>();
        expect_status(SPOC_BE_OK, dev.be.probe(dev.owner.services.table(), level, &report, &error),
                      "probe", error);
        const bool cannot_tell =
            level == SPOC_BE_PROBE_PASSIVE && report.device_count == SPOC_BE_UNKNOWN_32;
        require(cannot_tell || report.device_count == count, name_of(level), " reports ",
                report.device_count, " devices, and the backend has ", count, ".");
    }
}

void while_open(device& dev) {
    const byte_vector contents = pattern(10000, 1);
    const spoc_be_buffer buffer = dev.buffer(contents);
    const spoc_be_stream stream = dev.stream();
    for (int round = 0; round < 3; ++round) {
        counts_agree(dev);
        expect_bytes(contents, dev.download(buffer, 0, contents.size()),
                     "The buffer after probes of an open backend");
        dev.fill(stream, buffer, 0, contents.size(), 0x11, 1);
        counts_agree(dev);
        dev.sync(stream);
        expect_bytes(byte_vector(contents.size(), std::byte{0x11}),
                     dev.download(buffer, 0, contents.size()),
                     "The buffer after a fill and probes of an open backend");
        dev.upload(buffer, 0, contents);
    }
}

/// A probe that was not followed by `open` leaves something that `close` frees.
void closed_unopened(const subject& subject) {
    const unopened plugin(subject);
    for (int round = 0; round < 3; ++round) {
        std::int32_t status = SPOC_BE_OK;
        plugin.probe(SPOC_BE_PROBE_ENUMERATE, status);
        plugin.close();
    }
}

}  // namespace

void add_probe_cases(case_list& cases) {
    const struct {
        const char* name;
        void (*run)(const subject&);
    } unopened_cases[] = {{"probe/loading_starts_no_thread", loading_starts_no_thread},
                          {"probe/passive_starts_no_thread", passive_starts_no_thread},
                          {"probe/passive_report", passive_report},
                          {"probe/enumerate_report", enumerate_report},
                          {"probe/repeated", repeated},
                          {"probe/closed_unopened", closed_unopened}};
    for (const auto& of : unopened_cases) {
        cases.push_back({.name = of.name, .run = of.run, .needs_device = false});
    }
    cases.push_back(on_device("probe/counts_agree", counts_agree));
    cases.push_back(on_device("probe/while_open", while_open));
}

}  // namespace spoc::conformance
