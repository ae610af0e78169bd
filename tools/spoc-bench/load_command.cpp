// SPDX-License-Identifier: Apache-2.0
#include "load_command.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <vector>

#include <spoc/spoc.hpp>

#include "chosen_devices.hpp"
#include "common/arguments.hpp"
#include "common/output.hpp"
#include "common/text.hpp"
#include "exit_status.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "slot_pipeline.hpp"
#include "source_file.hpp"

namespace spoc::bench {
namespace {

void complain(const std::string& message) {
    const std::string text = tools::printable(message);
    static_cast<void>(std::fprintf(stderr, "%s: %s\n", program_name, text.c_str()));
}

std::optional<std::uint64_t> known(std::uint64_t figure) {
    return figure == SPOC_BE_UNKNOWN_64 ? std::nullopt : std::optional(figure);
}

load_figures load_with_progress(const source_file& file, const device& where,
                                const load_plan& plan) {
    slot_pipeline pipeline(file, where, plan);
    progress shown(std::string(where.selector()), file.bytes());
    return pipeline.run(shown);
}

/// Why a device failed, as a sentence. Called while an exception is handled.
std::string current_error() {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return "The host is out of memory; smaller or fewer slots need less.";
    } catch (const std::exception& reason) {
        return reason.what();
    }
}

device_result load_into(const source_file& file, const device& where, const load_wish& wish) {
    device_result result{std::string(where.selector()), std::string(where.name()), {}, {}, {}};
    try {
        result.plan = plan_load(wish, file.bytes(),
                                {known(where.properties().max_alloc), where.memory_free()});
        result.figures = load_with_progress(file, where, *result.plan);
        if (result.figures->first_mismatch) {
            result.error = describe_mismatch(*result.plan, *result.figures);
        }
    } catch (...) {
        result.error = current_error();
    }
    return result;
}

/// Says at once what came of a device. False when stdout cannot be written.
bool announce(const device_result& result, bool json) {
    if (!result.error.empty()) {
        complain(result.selector + ": " + result.error);
    }
    return json || !result.figures || tools::write_stdout(program_name, describe_result(result));
}

void note_growth(const source_file& file) {
    if (file.current_bytes() > file.bytes()) {
        complain("Note: '" + file.path() + "' has grown meanwhile; its first " +
                 std::to_string(file.bytes()) + " bytes were loaded.");
    }
}

/// Fills `report` and returns the exit status.
int load_everywhere(const load_options& options, load_report& report) {
    const source_file file(options.path);
    report.file_bytes = file.bytes();
    const runtime running(careful_start());
    for (const device& where : chosen_devices(options.devices)) {
        report.results.push_back(load_into(file, where, options.wish));
        if (!announce(report.results.back(), options.json)) {
            return tools::exit_output;
        }
    }
    note_growth(file);
    const bool all_verified =
        std::all_of(report.results.begin(), report.results.end(),
                    [](const device_result& result) { return result.verified(); });
    return all_verified ? exit_ok : exit_failed;
}

int fail(load_report& report, const std::string& message, int status) {
    report.error = message;
    complain(message);
    return status;
}

int load_and_catch(const load_options& options, load_report& report) {
    try {
        return load_everywhere(options, report);
    } catch (const no_device& reason) {
        return fail(report, reason.what(), exit_no_device);
    } catch (const invalid_argument& mistake) {
        return fail(report, mistake.what(), tools::exit_usage);
    } catch (...) {
        return fail(report, current_error(), exit_failed);
    }
}

}  // namespace

int run_load(const load_options& options) {
    load_report report{options.path, {}, {}, {}};
    const int status = load_and_catch(options, report);
    if (options.json && !tools::write_stdout(program_name, json_document(report))) {
        return tools::exit_output;
    }
    return status;
}

}  // namespace spoc::bench
