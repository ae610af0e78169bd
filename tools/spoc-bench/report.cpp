// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "common/text.hpp"
#include "hex.hpp"

namespace spoc::bench {
namespace {

using nlohmann::ordered_json;

/// 10^9 bytes a second, empty when it took no time that the clock can tell.
std::optional<double> gigabytes_per_second(std::uint64_t bytes, load_figures::seconds time) {
    return time.count() > 0 ? std::optional(static_cast<double>(bytes) / time.count() / 1e9)
                            : std::nullopt;
}

std::string fixed(double value, int decimals) {
    std::array<char, 64> text{};
    static_cast<void>(std::snprintf(text.data(), text.size(), "%.*f", decimals, value));
    return text.data();
}

std::string rate_text(std::uint64_t bytes, load_figures::seconds time) {
    const auto rate = gigabytes_per_second(bytes, time);
    return rate ? fixed(*rate, *rate < 0.1 ? 6 : 2) + " GB/s" : "too short to tell";
}

std::string counted(std::uint64_t number, const char* noun) {
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

ordered_json text_or_null(const std::string& text) {
    return text.empty() ? ordered_json() : ordered_json(text);
}

template <typename Value>
ordered_json value_or_null(const std::optional<Value>& value) {
    return value ? ordered_json(*value) : ordered_json();
}

void add_plan(ordered_json& json, const std::optional<load_plan>& plan) {
    json["bytes"] = plan ? ordered_json(plan->file_bytes) : ordered_json();
    json["slot_bytes"] = plan ? ordered_json(plan->slot_bytes) : ordered_json();
    json["slots"] = plan ? ordered_json(plan->slots) : ordered_json();
    json["pieces"] = plan ? ordered_json(plan->pieces()) : ordered_json();
}

void add_figures(ordered_json& json, std::uint64_t bytes, const load_figures& figures) {
    json["upload_gbps"] = value_or_null(gigabytes_per_second(bytes, figures.upload));
    json["readback_gbps"] = value_or_null(gigabytes_per_second(bytes, figures.readback));
    json["wall_s"] = figures.wall.count();
    json["sha256"] = figures.sha256;
}

ordered_json result_json(const device_result& result) {
    ordered_json json = {{"device", result.selector}, {"name", result.name}};
    add_plan(json, result.plan);
    if (result.plan && result.figures) {
        add_figures(json, result.plan->file_bytes, *result.figures);
    } else {
        for (const char* const key : {"upload_gbps", "readback_gbps", "wall_s", "sha256"}) {
            json[key] = nullptr;
        }
    }
    json["verified"] = result.verified();
    json["error"] = text_or_null(result.error);
    return json;
}

}  // namespace

std::string describe_mismatch(const load_plan& plan, const load_figures& figures) {
    const mismatch& first = figures.first_mismatch.value();
    return "Byte " + std::to_string(first.offset) + " came back as 0x" + hex(first.actual) +
           " instead of 0x" + hex(first.expected) + "; what came back differs from the file in " +
           std::to_string(figures.wrong_pieces) + " of " + counted(plan.pieces(), "piece") + ".";
}

std::string describe_result(const device_result& result) {
    const load_plan& plan = result.plan.value();
    const load_figures& figures = result.figures.value();
    std::string text = result.selector + "  " + tools::printable(result.name) + "\n";
    text += "  loaded     " + counted(plan.file_bytes, "byte") + " in " +
            fixed(figures.wall.count(), 3) + " s: " + counted(plan.pieces(), "piece") +
            " through " + counted(plan.slots, "slot") + " of " +
            tools::human_bytes(plan.slot_bytes) + "\n";
    text += "  upload     " + rate_text(plan.file_bytes, figures.upload) + "\n";
    text += "  read back  " + rate_text(plan.file_bytes, figures.readback) + "\n";
    text += "  SHA-256    " + figures.sha256 + "\n";
    text += "  result     " + std::string(result.verified() ? "verified" : "MISMATCH") + "\n";
    return text;
}

std::string json_document(const load_report& report) {
    ordered_json json = {{"schema", "spoc-bench-load/1"}, {"file", report.path}};
    json["bytes"] = value_or_null(report.file_bytes);
    json["results"] = ordered_json::array();
    for (const device_result& result : report.results) {
        json["results"].push_back(result_json(result));
    }
    json["error"] = text_or_null(report.error);
    // Names of files and devices may be no UTF-8.
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace spoc::bench
