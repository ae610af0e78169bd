// SPDX-License-Identifier: Apache-2.0
#include "backend_filter.hpp"

#include <algorithm>
#include <cctype>

#include "known_backends.hpp"
#include "nearest.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

const known_backend* find_known(std::string_view name) {
    const auto* found =
        std::find_if(known_backends.begin(), known_backends.end(),
                     [name](const known_backend& known) { return known.name == name; });
    return found == known_backends.end() ? nullptr : found;
}

std::string disable_variable(std::string_view name) {
    std::string variable = "SPOC_DISABLE_";
    for (const char c : name) {
        variable.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
    }
    return variable;
}

}  // namespace

outcome unknown_backend(std::string_view where, std::string_view name,
                        const std::vector<std::string>& names) {
    return outcome::invalid(SPOC_SUB_NAME,
                            say(where, " names the backend \"", name,
                                "\", which is neither known nor found; the nearest name is \"",
                                nearest(name, names), "\"."));
}

outcome backend_filter::make(const settings& config, const std::vector<std::string>& names,
                             backend_filter& out) {
    backend_filter filter;
    filter.config_ = &config;
    const char* list = config.get("SPOC_BACKENDS");
    for (const std::string& element :
         list == nullptr ? std::vector<std::string>{} : split(list, ',')) {
        const bool denies = element.starts_with('-');
        const std::string name = denies ? element.substr(1) : element;
        if (!contains(names, name)) {
            return unknown_backend("SPOC_BACKENDS", name, names);
        }
        (denies ? filter.denied_ : filter.allowed_).push_back(name);
    }
    out = std::move(filter);
    return {};
}

std::string backend_filter::why_disabled(std::string_view name) const {
    if (contains(denied_, name)) {
        return say("SPOC_BACKENDS leaves out the backend ", name, ".");
    }
    if (!allowed_.empty() && !contains(allowed_, name)) {
        return say("SPOC_BACKENDS does not list the backend ", name, ".");
    }
    const known_backend* known = find_known(name);
    for (const std::string& variable :
         {disable_variable(name), disable_variable(known == nullptr ? name : known->long_name)}) {
        if (config_->is_on(variable)) {
            return say(variable, " is set to 1.");
        }
    }
    if (known != nullptr && known->drives_gpus && config_->is_on("SPOC_DISABLE_GPU")) {
        return "SPOC_DISABLE_GPU is set to 1.";
    }
    return {};
}

std::size_t backend_filter::rank(std::string_view name) const {
    const auto chosen = std::find(allowed_.begin(), allowed_.end(), name);
    if (chosen != allowed_.end()) {
        return static_cast<std::size_t>(chosen - allowed_.begin());
    }
    const known_backend* known = find_known(name);
    const std::size_t place = known == nullptr
                                  ? known_backends.size()
                                  : static_cast<std::size_t>(known - known_backends.data());
    return allowed_.size() + place;
}

}  // namespace spoc::detail
