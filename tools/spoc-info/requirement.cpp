// SPDX-License-Identifier: Apache-2.0
#include "requirement.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "collect.hpp"
#include "nearest.hpp"
#include "options.hpp"

namespace spoc::info {
namespace {

struct wish {
    std::string selector;
    std::string capability_name;  ///< empty: none
    std::uint32_t capability = 0;
};

std::vector<std::string> capability_names() {
    std::vector<std::string> names;
    std::uint32_t bit = 0;
    for (std::uint32_t i = 0; const char* name = spoc_capability_at(i, &bit); ++i) {
        names.emplace_back(name);
    }
    return names;
}

/// Whether `text` can stand behind the colon of a selector.
bool is_position(std::string_view text) {
    return text.empty() || text.find('=') != std::string_view::npos ||
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

wish read_wish(const std::string& expression) {
    if (expression.empty() || expression.find(',') != std::string::npos) {
        throw mistake(
            "--require takes one expression, such as cuda, cuda:0 or any:pinned; repeat the option "
            "for more");
    }
    wish result{expression, {}, 0};
    const std::size_t colon = expression.rfind(':');
    const std::string tail =
        colon == std::string::npos ? std::string() : expression.substr(colon + 1);
    if (!tail.empty() && spoc_capability_find(tail.c_str(), &result.capability) != 0) {
        result.selector = expression.substr(0, colon);
        result.capability_name = tail;
    } else if (!is_position(tail) && expression.find('=') == std::string::npos) {
        throw mistake("--require " + expression + ": no capability is called " + tail +
                      "; did you mean " + detail::nearest(tail, capability_names()) + "?");
    }
    if (result.selector == "any") {
        result.selector = "*";
    }
    return result;
}

/// Whether one of `devices` offers the capability; else why not, device by device.
void judge_capability(const wish& wanted, const std::vector<device>& devices,
                      requirement_result& result) {
    for (const device& candidate : devices) {
        const capability_answer given =
            ask_capability(candidate, wanted.capability, wanted.capability_name);
        if (given.state == answer::yes) {
            result.met = true;
            result.why.clear();
            return;
        }
        result.why += (result.why.empty() ? "" : "; ") + std::string(candidate.selector()) +
                      (given.state == answer::no ? " does not offer it" : " does not say") +
                      (given.reason.empty() ? "" : ": " + given.reason);
    }
}

void judge(const wish& wanted, requirement_result& result) {
    const std::vector<device> devices = select_devices(wanted.selector);
    if (devices.empty()) {
        result.reason = SPOC_BE_REASON_NO_DEVICE;
        result.why = "no device fits " + wanted.selector;
        result.hint = "run spoc-info for the devices there are";
    } else if (wanted.capability_name.empty()) {
        result.met = true;
    } else {
        judge_capability(wanted, devices, result);
    }
}

}  // namespace

requirement_result judge_requirement(const std::string& expression) {
    const wish wanted = read_wish(expression);
    requirement_result result;
    result.expression = expression;
    try {
        judge(wanted, result);
    } catch (const unavailable& missing) {
        result.reason = missing.record().reason;
        result.why = missing.what();
        result.hint = hint_for(missing.record());
    }
    return result;
}

}  // namespace spoc::info
