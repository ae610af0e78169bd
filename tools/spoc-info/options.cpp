// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include <spoc/runtime.h>

#include "common/arguments.hpp"

namespace spoc::info {
namespace {

/// Milliseconds of `--timeout`, rounded up so that a tiny one does not become 0, which means "the
/// default".
std::chrono::milliseconds read_timeout(double seconds) {
    constexpr double most = std::numeric_limits<std::uint32_t>::max() / 1000.0;
    if (!std::isfinite(seconds) || seconds <= 0 || seconds > most) {
        throw mistake("--timeout takes a number of seconds above 0 and at most 4294967");
    }
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
}

tools::colour_mode read_colour(const std::string& text) {
    if (text == "always") {
        return tools::colour_mode::always;
    }
    if (text == "never") {
        return tools::colour_mode::never;
    }
    if (text == "auto") {
        return tools::colour_mode::automatic;
    }
    throw mistake("--color takes auto, always or never");
}

/// An empty value would silently mean "all".
void require_value(const CLI::App& app, const char* name, const std::string& value) {
    if (app.count(name) > 0 && value.empty()) {
        throw mistake(std::string(name) + " takes a value that is not empty");
    }
}

/// What arrives as text and is checked after parsing.
struct raw_values {
    double timeout = 0;
    std::string colour = "auto";
};

void add_options(CLI::App& app, options& wanted, raw_values& raw) {
    app.set_help_flag("-h,--help", "print this text");
    app.add_flag("--json", wanted.json, "print one JSON document (see --schema)");
    app.add_flag("--verbose", wanted.verbose,
                 "print everything known about each backend and device");
    app.add_option("--backend", wanted.backend, "only this backend")->type_name("NAME");
    app.add_option("--device", wanted.device,
                   "only these devices: cuda:0, cuda:uuid=..., cuda:pci=..., *")
        ->type_name("SEL");
    app.add_option("--require", wanted.requirements,
                   "exit 1 unless this is there: cuda, cuda:0, any:pinned; repeatable")
        ->type_name("EXPR")
        ->allow_extra_args(false);
    app.add_flag("--selftest", wanted.self_test, "use each device in small and check every result");
    app.add_flag("--paths", wanted.paths,
                 "print where plugins were looked for, and what was found there");
    app.add_flag("--env", wanted.settings,
                 "print every environment variable SPOC reads, and what holds");
    app.add_flag("--redact", wanted.redact,
                 "hide names of people and of the machine, UUIDs and serial numbers");
    app.add_flag("--schema", wanted.schema, "print the JSON schema of --json");
    app.add_option("--timeout", raw.timeout, "seconds until the probe of a plugin is given up (10)")
        ->type_name("S");
    app.add_flag("--no-isolate", wanted.no_isolate,
                 "probe in this process: a driver that crashes ends spoc-info");
    app.add_flag("--strict", wanted.strict, "exit 3 if a plugin file is faulty");
    app.add_option("--color", raw.colour, "auto, always or never (auto)")->type_name("WHEN");
    app.set_version_flag("--version", std::string("spoc-info ") + spoc_version(),
                         "print the version");
    app.footer(
        "Exit status: 0 found; 1 not found, nothing usable, or a requirement unmet;\n"
        "2 wrong use; 3 self-test failed or, with --strict, a faulty plugin.");
}

}  // namespace

bool options::settings_only() const {
    return settings && !paths && !json && !verbose && !self_test && !strict && backend.empty() &&
           device.empty() && requirements.empty();
}

bool options::needs_devices() const {
    return !parts_only() || json || verbose || self_test || strict || !backend.empty() ||
           !device.empty();
}

command_line read_command_line(int argc, const char* const* argv) {
    CLI::App app("Shows the devices SPOC can use here, and why a backend is missing.", program);
    command_line result;
    raw_values raw;
    add_options(app, result.wanted, raw);
    const tools::arguments_result parsed = tools::read_arguments(app, argc, argv);
    if (parsed.mistake) {
        throw mistake(*parsed.mistake);
    }
    result.answer = parsed.answer;
    require_value(app, "--backend", result.wanted.backend);
    require_value(app, "--device", result.wanted.device);
    if (app.count("--timeout") > 0) {
        result.wanted.timeout = read_timeout(raw.timeout);
    }
    result.wanted.colour = read_colour(raw.colour);
    return result;
}

bool asks_for(std::string_view name, int argc, const char* const* argv) {
    // A value that means no asks for nothing. Any other shows what is wanted, even a mistaken one.
    constexpr std::string_view no[] = {"false", "off", "no", "disable", "0", "f", "n", "-"};
    return std::any_of(argv, argv + argc, [&](std::string_view word) {
        if (!word.starts_with(name)) {
            return false;
        }
        word.remove_prefix(name.size());
        return word.empty() || (word.front() == '=' && std::find(std::begin(no), std::end(no),
                                                                 word.substr(1)) == std::end(no));
    });
}

}  // namespace spoc::info
