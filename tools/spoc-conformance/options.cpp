// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <cmath>
#include <string_view>

#include <spoc/backend.h>
#include <spoc/backends.h>

#include "common/arguments.hpp"

namespace spoc::conformance {
namespace {

std::chrono::milliseconds read_timeout(double seconds) {
    constexpr double most = 86400;
    if (!std::isfinite(seconds) || seconds <= 0 || seconds > most) {
        throw mistake("--timeout takes a number of seconds above 0 and at most 86400");
    }
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
}

bool is_reason(std::string_view name) {
    for (std::uint32_t reason = SPOC_BE_REASON_DRIVER_NOT_FOUND;
         reason <= SPOC_BE_REASON_DRIVER_INIT_FAILED; ++reason) {
        if (name == spoc_reason_name(reason)) {
            return true;
        }
    }
    return false;
}

void read_stand_in(options& wanted, const std::string& word) {
    const std::size_t middle = word.find('=');
    const std::string reason = word.substr(0, middle);
    if (middle == std::string::npos || middle + 1 == word.size() || !is_reason(reason)) {
        throw mistake(
            "--absence takes REASON=FILE, with a reason a probe can give, such as "
            "NO_DEVICE=./libdriver.so");
    }
    wanted.stand_ins[reason] = word.substr(middle + 1);
}

struct raw_values {
    double timeout = 60;
    std::vector<std::string> stand_ins;
};

void add_options(CLI::App& app, options& wanted, raw_values& raw) {
    app.set_help_flag("-h,--help", "print this text");
    app.add_option("PLUGIN", wanted.plugin, "the plugin file: libspoc-NAME.so")->option_text(" ");
    app.add_flag("--list", wanted.list, "print the names of the cases and run none");
    app.add_option("--only", wanted.only,
                   "only cases whose name matches, such as 'copy/*'; repeatable")
        ->type_name("GLOB")
        ->allow_extra_args(false);
    app.add_option("--exclude", wanted.exclude, "no cases whose name matches; repeatable")
        ->type_name("GLOB")
        ->allow_extra_args(false);
    app.add_option("--device", wanted.device, "the device to use, by its number in the backend (0)")
        ->type_name("N");
    app.add_option("--expect", wanted.expect, "what is known not to pass, and why (a JSON file)")
        ->type_name("FILE");
    app.add_option("--absence", raw.stand_ins,
                   "a stand-in for the driver: the probe answers REASON; repeatable")
        ->type_name("REASON=FILE")
        ->allow_extra_args(false);
    app.add_flag("--json", wanted.json, "print one JSON document");
    app.add_flag("--verbose", wanted.verbose,
                 "print a line for each case, also for those that passed");
    app.add_option("--timeout", raw.timeout, "seconds until a case is given up (60)")
        ->type_name("S");
    app.add_flag("--no-isolate", wanted.no_isolate,
                 "run all in this process, for a debugger: stops at the first failure");
    app.set_version_flag("--version", std::string("spoc-conformance ") + SPOC_VERSION_TEXT,
                         "print the version");
    app.footer(
        "Exit status: 0 nothing failed that was not expected to; 1 failures, or an unexpected "
        "pass;\n"
        "2 wrong use, or a file that cannot be loaded as a plugin; 77 no device to test.");
}

}  // namespace

command_line read_command_line(int argc, const char* const* argv) {
    CLI::App app("Judges a SPOC backend plugin by the contract in spoc/backend.h.", program);
    command_line result;
    raw_values raw;
    add_options(app, result.wanted, raw);
    const tools::arguments_result parsed = tools::read_arguments(app, argc, argv);
    if (parsed.mistake) {
        throw mistake(*parsed.mistake);
    }
    result.answer = parsed.answer;
    if (!result.answer && !result.wanted.list && result.wanted.plugin.empty()) {
        throw mistake("which plugin file?");
    }
    if (app.count("--expect") > 0 && result.wanted.expect.empty()) {
        throw mistake("--expect takes the name of a file");
    }
    result.wanted.timeout = read_timeout(raw.timeout);
    for (const std::string& word : raw.stand_ins) {
        read_stand_in(result.wanted, word);
    }
    return result;
}

}  // namespace spoc::conformance
