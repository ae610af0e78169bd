// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "unit/core/support/temporary_folder.hpp"

namespace spoc::test {

/// The events of a trace file. Throws when the file is no JSON document.
class trace_document {
 public:
    explicit trace_document(const std::string& path)
        : events_(nlohmann::json::parse(read_file(path)).at("traceEvents")) {}

    /// Those of one phase and, unless it is empty, one name, in the order of the file.
    std::vector<nlohmann::json> of(const std::string& phase, const std::string& name = "") const {
        std::vector<nlohmann::json> found;
        std::copy_if(events_.begin(), events_.end(), std::back_inserter(found),
                     [&](const nlohmann::json& event) {
                         return event.at("ph") == phase &&
                                (name.empty() || event.value("name", "") == name);
                     });
        return found;
    }
    std::size_t count(const std::string& phase, const std::string& name = "") const {
        return of(phase, name).size();
    }
    /// When the only event of that phase and name was, in microseconds.
    double time(const std::string& phase, const std::string& name) const {
        const auto found = of(phase, name);
        return found.size() == 1 ? found.front().at("ts").get<double>() : -1;
    }

 private:
    nlohmann::json events_;
};

}  // namespace spoc::test
