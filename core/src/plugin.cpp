// SPDX-License-Identifier: Apache-2.0
#include "plugin.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "codes.hpp"
#include "log.hpp"
#include "outcome.hpp"
#include "plugin_library.hpp"
#include "process_state.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

/// Reason of a failed entry: the plugin's own where it is one a probe may give.
std::uint32_t reason_of_failure(std::int32_t status, std::uint32_t reason) {
    if (status == SPOC_BE_INTERNAL) {
        return SPOC_BE_REASON_INTERNAL;
    }
    return is_probe_reason(reason) ? reason : SPOC_BE_REASON_DRIVER_INIT_FAILED;
}

finding failure(std::string_view entry, std::int32_t status, const spoc_be_error& error) {
    std::string message(field_text(error.message));
    if (message.empty()) {
        message =
            say("The plugin's entry ", entry, " fails with status ", status, " and no message.");
    }
    return {reason_of_failure(status, error.reason), std::move(message), error.native_code,
            std::string(field_text(error.native_domain))};
}

/// Keeps text that a plugin wrote without a NUL from being read past its field.
template <std::size_t N>
void terminate(char (&field)[N]) {
    field[N - 1] = '\0';
}

void terminate_texts(spoc_be_device_info& info) {
    terminate(info.name);
    terminate(info.vendor);
    terminate(info.arch);
    terminate(info.driver);
    terminate(info.framework);
}

/// More devices than any machine has; a larger number is garbage and would only exhaust memory.
constexpr std::uint32_t most_devices = 4096;

}  // namespace

plugin::plugin(const std::string& name, const std::string& file, const settings& config)
    : config_(config), host_(name, config) {
    info_.size = sizeof info_;
    info_.device_count = SPOC_BE_UNKNOWN_32;
    std::fill(std::begin(info_.driver_version), std::end(info_.driver_version), SPOC_BE_UNKNOWN_32);
    std::fill(std::begin(info_.driver_minimum), std::end(info_.driver_minimum), SPOC_BE_UNKNOWN_32);
    copy_text(info_.name, name);
    copy_text(info_.file, file);
}

void plugin::advance(std::uint32_t stage, const observer& progress) {
    while (info_.reason == SPOC_BE_REASON_NONE && info_.stage < stage) {
        const auto start = std::chrono::steady_clock::now();
        const finding found = take_guarded(info_.stage + 1);
        info_.elapsed_ns +=
            static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                           std::chrono::steady_clock::now() - start)
                                           .count());
        if (!found.fine()) {
            reject(found);
            return;
        }
        ++info_.stage;
        if (progress) {
            progress(info_);
        }
    }
}

void plugin::reject(const finding& why) {
    info_.reason = why.reason;
    info_.state = state_of_reason(why.reason);
    copy_text(info_.message, why.message);
    if (why.native_code != 0) {
        info_.native_code = why.native_code;
        copy_text(info_.native_domain, why.native_domain);
    }
    if (info_.hint[0] == '\0') {
        copy_text(info_.hint, spoc_reason_hint(why.reason));
    }
    write_log(SPOC_BE_LOG_DEBUG, field_text(info_.name),
              say(spoc_reason_name(why.reason), ": ", why.message));
}

void plugin::adopt_failure(const spoc_backend_info& record) {
    // The helper ran the plugin's code, so its record is not to be trusted with more than text.
    const spoc_backend_info mine = info_;
    info_ = record;
    info_.size = sizeof info_;
    copy_text(info_.name, field_text(mine.name));
    copy_text(info_.file, field_text(mine.file));
    info_.stage = std::min(record.stage, SPOC_STAGE_OPENED);
    if (std::string_view(spoc_reason_name(record.reason)) == "UNKNOWN") {
        info_.reason = SPOC_BE_REASON_INTERNAL;
    }
    info_.state = state_of_reason(info_.reason);
    terminate(info_.native_domain);
    terminate(info_.plugin_vendor);
    terminate(info_.plugin_version);
    terminate(info_.driver_name);
    terminate(info_.driver_path);
    terminate(info_.message);
    terminate(info_.hint);
    terminate(info_.skipped);
}

finding plugin::take_guarded(std::uint32_t stage) {
    try {
        return take(stage);
    } catch (const std::exception& thrown) {
        // The contract forbids it, but one plugin's bug must not hide the other backends.
        return {SPOC_BE_REASON_INTERNAL,
                say("An exception left the plugin's code: ", thrown.what(), ".")};
    } catch (...) {
        return {SPOC_BE_REASON_INTERNAL, "An exception of unknown type left the plugin's code."};
    }
}

finding plugin::take(std::uint32_t stage) {
    switch (stage) {
        case SPOC_STAGE_FILE:
            return examine();
        case SPOC_STAGE_LOADED:
            return load();
        case SPOC_STAGE_TABLE:
            return adopt();
        case SPOC_STAGE_PASSIVE:
            return probe_passively();
        case SPOC_STAGE_ENUMERATED:
            return enumerate();
        default:
            return try_devices();
    }
}

finding plugin::examine() {
    finding found = examine_plugin_file(info_.file, field_text(info_.name), file_);
    if (file_.note) {
        terminate(file_.note->version);
        info_.abi_major = file_.note->major;
        info_.abi_minor = file_.note->minor;
        copy_text(info_.plugin_version, field_text(file_.note->version));
    } else if (found.fine()) {
        write_log(SPOC_BE_LOG_WARN, field_text(info_.name),
                  say("The plugin ", field_text(info_.file),
                      " has no note; it is loaded without knowing how it was built."));
    }
    return found;
}

finding plugin::load() { return load_plugin_library(file_, original_); }

finding plugin::adopt() {
    if (finding found = adopt_table(*original_, field_text(info_.name), file_.note, table_);
        !found.fine()) {
        return found;
    }
    info_.abi_major = table_.header.major;
    info_.abi_minor = table_.header.minor;
    copy_text(info_.plugin_vendor, table_.vendor);
    copy_text(info_.plugin_version, table_.version);
    return {};
}

finding plugin::probe_passively() { return run_probe(SPOC_BE_PROBE_PASSIVE); }

finding plugin::run_probe(std::uint32_t level) {
    spoc_be_probe_report report{};
    report.size = sizeof report;
    report.device_count = SPOC_BE_UNKNOWN_32;
    std::fill(std::begin(report.driver_version), std::end(report.driver_version),
              SPOC_BE_UNKNOWN_32);
    std::fill(std::begin(report.driver_minimum), std::end(report.driver_minimum),
              SPOC_BE_UNKNOWN_32);
    plugin_error error;
    const std::int32_t status = table_.probe(host_.table(), level, &report, &error);
    take_report(report);
    if (status < 0 || report.reason != SPOC_BE_REASON_NONE) {
        error.reason = report.reason != SPOC_BE_REASON_NONE ? report.reason : error.reason;
        if (report.native_code != 0) {
            error.native_code = report.native_code;
            copy_text(error.native_domain, field_text(report.native_domain));
        }
        if (report.message[0] != '\0') {
            copy_text(error.message, field_text(report.message));
        }
        return failure("probe", status, error);
    }
    if ((report.flags & SPOC_BE_PROBE_WARNING) != 0) {
        write_log(SPOC_BE_LOG_WARN, field_text(info_.name), field_text(report.message));
        copy_text(info_.message, field_text(report.message));
    }
    return {};
}

void plugin::take_report(const spoc_be_probe_report& report) {
    std::copy(std::begin(report.driver_version), std::end(report.driver_version),
              info_.driver_version);
    std::copy(std::begin(report.driver_minimum), std::end(report.driver_minimum),
              info_.driver_minimum);
    info_.native_code = report.native_code;
    info_.threads_started = report.threads_started;
    copy_text(info_.native_domain, field_text(report.native_domain));
    copy_text(info_.driver_name, field_text(report.driver_name));
    copy_text(info_.driver_path, field_text(report.driver_path));
    copy_text(info_.hint, field_text(report.hint));
    copy_text(info_.skipped, field_text(report.skipped));
}

finding plugin::enumerate() {
    // From here on a driver may run, whatever the outcome: a child forked later must not use it.
    drivers_may_be_alive();
    if (!told_at_exit_) {
        quiesce_at_exit(table_.quiesce);
        told_at_exit_ = true;
    }
    static std::uint64_t openings = 0;
    opened_ = ++openings;
    open_ = true;  // whatever comes of it, the plugin may hold something now
    if (finding found = run_probe(SPOC_BE_PROBE_ENUMERATE); !found.fine()) {
        drivers_may_be_alive();
        return found;
    }
    plugin_error error;
    const std::int32_t status = table_.open(host_.table(), nullptr, &error);
    // Again: exit handlers that the driver registered while it started must run after ours.
    drivers_may_be_alive();
    if (status < 0) {
        return failure("open", status, error);
    }
    finding found = read_devices();
    if (!found.fine()) {
        devices_.clear();
        close();
    }
    return found;
}

finding plugin::read_devices() {
    std::uint32_t count = 0;
    plugin_error error;
    if (const std::int32_t status = table_.device_count(&count, &error); status < 0) {
        return failure("device_count", status, error);
    }
    if (count == 0) {
        return {SPOC_BE_REASON_NO_DEVICE, "The driver works and reports no device."};
    }
    if (count > most_devices) {
        return {SPOC_BE_REASON_INCONSISTENT,
                say("The plugin reports an impossible number of devices (", count, ").")};
    }
    std::vector<spoc_be_device_info> found(count);
    for (std::uint32_t index = 0; index < count; ++index) {
        spoc_be_device_info& info = found[index];
        info.size = sizeof info;
        if (const std::int32_t status = table_.device_info(index, &info, &error); status < 0) {
            return failure("device_info", status, error);
        }
        info.index = index;
        terminate_texts(info);
        if (finding problem = check_claims(table_, info); !problem.fine()) {
            return problem;
        }
    }
    devices_ = std::move(found);
    info_.device_count = count;
    return {};
}

finding plugin::try_devices() {
    for (std::uint32_t index = 0; index < devices_.size(); ++index) {
        if (finding found = try_device(index); !found.fine()) {
            return found;
        }
    }
    return {};
}

finding plugin::try_device(std::uint32_t index) {
    spoc_be_device_desc desc{};
    desc.size = sizeof desc;
    spoc_be_device_result result{};
    result.size = sizeof result;
    plugin_error error;
    if (table_.device_open(index, &desc, &result, &error) < 0) {
        return {};  // an answer, such as no memory at this moment; whoever uses the device gets it
    }
    spoc_be_memory_info memory{};
    memory.size = sizeof memory;
    static_cast<void>(table_.device_memory(result.device, &memory, &error));
    static_cast<void>(table_.device_close(result.device, &error));
    return {};
}

void plugin::close() {
    if (!open_) {
        return;
    }
    open_ = false;
    plugin_error error;
    if (const std::int32_t status = table_.close(&error); status < 0) {
        write_log(SPOC_BE_LOG_WARN, field_text(info_.name),
                  say("Closing fails: ", failure("close", status, error).message));
    }
    if (info_.stage == SPOC_STAGE_ENUMERATED) {
        info_.stage = SPOC_STAGE_PASSIVE;
    }
}

}  // namespace spoc::detail
