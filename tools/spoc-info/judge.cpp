// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include <algorithm>
#include <string_view>

namespace spoc::info {
namespace {

void judge_requirements(model& m) {
    for (const requirement_result& requirement : m.requirements) {
        if (!requirement.met) {
            const std::string code = requirement.reason == SPOC_BE_REASON_NONE
                                         ? std::string()
                                         : std::string(spoc_reason_name(requirement.reason)) + ": ";
            m.problems.push_back(
                {1, SPOC_UNAVAILABLE, SPOC_SUB_NONE, requirement.reason,
                 "requirement " + requirement.expression + " is not met: " + code + requirement.why,
                 requirement.hint});
        }
    }
}

/// First thing that went wrong in a self-test.
std::string first_failure(const self_test_result& result) {
    for (const spoc_self_test_step& step : result.steps) {
        if (step.outcome == SPOC_STEP_FAILED) {
            return std::string("step ") + step.name + ": " + step.message;
        }
    }
    return result.trouble;
}

void judge_self_tests(model& m) {
    if (!m.self_tests) {
        return;
    }
    for (const self_test_result& result : *m.self_tests) {
        if (!result.passed()) {
            m.problems.push_back(
                {3, SPOC_BACKEND_ERROR, SPOC_SUB_NONE, SPOC_BE_REASON_NONE,
                 "the self-test of " + result.selector + " failed: " + first_failure(result), ""});
        }
    }
}

void judge_faulty(model& m) {
    for (const backend_facts& facts : m.backends) {
        const spoc_backend_info& entry = facts.info;
        if (entry.state == SPOC_STATE_FAULTY) {
            m.problems.push_back({3, SPOC_UNAVAILABLE, SPOC_SUB_NONE, entry.reason,
                                  std::string("plugin ") + entry.name + " is faulty: " +
                                      spoc_reason_name(entry.reason) + ": " + entry.message,
                                  entry.hint});
        }
    }
}

void judge_emptiness(const options& wanted, model& m) {
    // With --paths or --env alone nobody asked for a device.
    const bool devices_asked = !wanted.parts_only() || wanted.self_test || !wanted.device.empty();
    if (m.devices.empty() && devices_asked) {
        const std::string& filter = wanted.device.empty() ? wanted.backend : wanted.device;
        m.problems.push_back({1, SPOC_UNAVAILABLE, SPOC_SUB_NO_DEVICE, SPOC_BE_REASON_NO_DEVICE,
                              filter.empty() ? "no usable device" : "no device fits " + filter,
                              ""});
    }
}

bool has_disabled(const model& m) {
    return std::any_of(m.backends.begin(), m.backends.end(), [](const backend_facts& facts) {
        return facts.info.state == SPOC_STATE_DISABLED;
    });
}

bool hides_devices(const setting& variable) { return variable.name == "SPOC_DEVICES"; }

bool hides_backends(const setting& variable) {
    const std::string_view name = variable.name;
    return name == "SPOC_BACKENDS" || name.substr(0, 13) == "SPOC_DISABLE_";
}

}  // namespace

problem problem_of(const spoc_error& record, const std::string& hint) {
    problem p{1, record.status, record.sub_code, record.reason, record.message, hint};
    if (record.status == SPOC_INVALID_ARGUMENT) {
        p.exit_status = 2;
    } else if (record.reason != SPOC_BE_REASON_NONE) {
        const std::string backend =
            *record.backend == '\0' ? "" : std::string(record.backend) + ": ";
        p.message = backend + spoc_reason_name(record.reason) + ": " + record.message;
    }
    return p;
}

problem problem_of(const mistake& wrong) {
    return {2,
            SPOC_INVALID_ARGUMENT,
            SPOC_SUB_NAME,
            SPOC_BE_REASON_NONE,
            wrong.what(),
            "run 'spoc-info --help' for the options"};
}

void judge(const options& wanted, model& m) {
    judge_requirements(m);
    judge_self_tests(m);
    if (wanted.strict) {
        judge_faulty(m);
    }
    if (m.problems.empty() || m.worst()->exit_status == 3) {
        judge_emptiness(wanted, m);
    }
}

std::vector<std::string> notes_on(const model& m, const std::vector<setting>& settings) {
    std::vector<std::string> notes;
    if (m.is_wrong_use()) {
        return notes;
    }
    for (const setting& variable : settings) {
        if (!variable.value || variable.value->empty()) {
            continue;
        }
        const std::string text = variable.name + "=" + *variable.value;
        if (variable.ignored) {
            notes.push_back(text + " is ignored, since this process is privileged");
        } else if (hides_devices(variable)) {
            notes.push_back(text + " hides every other device");
        } else if (hides_backends(variable) && has_disabled(m)) {
            notes.push_back(text + " switches backends off");
        }
    }
    for (const device_facts& facts : m.devices) {
        if (!facts.memory_trouble.empty()) {
            notes.push_back(facts.selector +
                            " could not be asked for its free memory: " + facts.memory_trouble);
        }
    }
    return notes;
}

}  // namespace spoc::info
