// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "load_plan.hpp"
#include "slot_pipeline.hpp"

namespace spoc::bench {

/// What became of one device.
struct device_result {
    std::string selector;
    std::string name;
    std::optional<load_plan> plan;        ///< empty when it failed before
    std::optional<load_figures> figures;  ///< empty when it failed
    std::string error;  ///< a sentence; empty when what came back is what was sent

    bool verified() const noexcept { return error.empty(); }
};

/// What became of a load.
struct load_report {
    std::string path;
    std::optional<std::uint64_t> file_bytes;  ///< empty when the file could not be opened
    std::vector<device_result> results;
    std::string error;  ///< why nothing was tried on any device, else empty
};

/// A sentence about what differs.
std::string describe_mismatch(const load_plan& plan, const load_figures& figures);

/// Lines for people about a device with figures.
std::string describe_result(const device_result& result);

/// One JSON document, schema "spoc-bench-load/1": sizes in bytes, times in seconds, null for what
/// is not known.
std::string json_document(const load_report& report);

}  // namespace spoc::bench
