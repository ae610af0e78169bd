// SPDX-License-Identifier: Apache-2.0
#include "run_report.hpp"

#include <sys/utsname.h>

#include <array>
#include <cstdlib>
#include <thread>

#include <nlohmann/json.hpp>

#include "common/text.hpp"

namespace spoc::bench {
namespace {

using nlohmann::ordered_json;

ordered_json machine_json() {
    utsname system{};
    const bool known = ::uname(&system) == 0;
    std::array<double, 1> load{};
    const bool loaded = ::getloadavg(load.data(), 1) == 1;
    return {{"kernel", known ? ordered_json(system.release) : ordered_json()},
            {"architecture", known ? ordered_json(system.machine) : ordered_json()},
            {"cpus", std::thread::hardware_concurrency()},
            {"load_1min", loaded ? ordered_json(load[0]) : ordered_json()}};
}

ordered_json spread_json(const spread& of) {
    return {{"median", of.median}, {"min", of.least}, {"max", of.most}};
}

ordered_json row_json(const run_row& row) {
    const contest_figures& figures = row.figures;
    ordered_json json = {{"bench", row.bench}, {"what", row.subject.what}};
    json["baseline"] = row.subject.baseline;
    json["device"] = row.device;
    json["calls"] = figures.calls;
    json["rounds"] = figures.rounds;
    json["unit"] = "ns";
    json["raw"] = spread_json(figures.raw);
    json["spoc"] = spread_json(figures.spoc);
    json["over"] = spread_json(figures.over);
    json["ratio"] = spread_json(figures.ratio);
    json["control"] = spread_json(figures.control);
    json["target_over"] =
        row.subject.target_ns ? ordered_json(*row.subject.target_ns) : ordered_json();
    json["target_ratio"] =
        row.subject.target_ratio ? ordered_json(*row.subject.target_ratio) : ordered_json();
    json["verdict"] = row.judged;
    return json;
}

constexpr std::size_t bench_width = 13;
constexpr std::size_t what_width = 31;

}  // namespace

std::string run_heading() {
    return tools::pad("benchmark", bench_width) + tools::pad("what", what_width) +
           tools::formatted("%9s %9s %9s %8s %8s  %s\n", "raw ns", "spoc ns", "over ns", "target",
                            "control", "verdict");
}

std::string describe_row(const run_row& row) {
    const contest_figures& figures = row.figures;
    const std::string target =
        row.subject.target_ns      ? tools::formatted("%.0f", *row.subject.target_ns)
        : row.subject.target_ratio ? tools::formatted("x%.3f", *row.subject.target_ratio)
                                   : "-";
    return tools::pad(row.bench, bench_width) + tools::pad(row.subject.what, what_width) +
           tools::formatted("%9.1f %9.1f %9.1f %8s %8.3f  %s\n", figures.raw.median,
                            figures.spoc.median, figures.over.median, target.c_str(),
                            figures.control.median, row.judged.c_str());
}

std::string json_document(const run_report& report) {
    ordered_json json = {{"schema", "spoc-bench-run/1"}, {"machine", machine_json()}};
    json["results"] = ordered_json::array();
    for (const run_row& row : report.rows) {
        json["results"].push_back(row_json(row));
    }
    json["skipped"] = report.skipped;
    json["error"] = report.error.empty() ? ordered_json() : ordered_json(report.error);
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace spoc::bench
