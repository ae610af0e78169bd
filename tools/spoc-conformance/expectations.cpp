// SPDX-License-Identifier: Apache-2.0
#include "expectations.hpp"

#include <algorithm>
#include <fstream>

#include <nlohmann/json.hpp>

#include "check.hpp"
#include "glob.hpp"

namespace spoc::conformance {
namespace {

using nlohmann::json;

constexpr const char* schema = "spoc-conformance-expect/1";

json read_document(const std::string& path) {
    std::ifstream file(path);
    if (!file) {
        throw bad_expectations(text(path, " cannot be read"));
    }
    try {
        return json::parse(file, nullptr, true, true);
    } catch (const json::exception& error) {
        throw bad_expectations(text(path, " is no JSON: ", error.what()));
    }
}

std::string member(const std::string& path, const json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string() ||
        found->get<std::string>().find_first_not_of(" \t") == std::string::npos) {
        throw bad_expectations(text(path, ": every entry needs \"", key, "\", a text"));
    }
    return found->get<std::string>();
}

void check_keys(const std::string& path, const json& object,
                std::initializer_list<const char*> known) {
    if (!object.is_object()) {
        throw bad_expectations(text(path, ": an object was expected"));
    }
    for (const auto& item : object.items()) {
        if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
            throw bad_expectations(text(path, ": \"", item.key(), "\" has no meaning here"));
        }
    }
}

}  // namespace

const char* verdict_name(verdict of) {
    switch (of) {
        case verdict::passed:
            return "passed";
        case verdict::failed:
            return "failed";
        case verdict::skipped:
            return "skipped";
        case verdict::unsupported:
            return "unsupported";
        case verdict::expected_failure:
            return "expected_failure";
        case verdict::unexpected_pass:
            return "unexpected_pass";
    }
    return "failed";
}

bool is_bad(verdict of) { return of == verdict::failed || of == verdict::unexpected_pass; }

expectations::expectations(const std::string& path, const case_list& cases,
                           const std::string& device_name) {
    const json document = read_document(path);
    check_keys(path, document, {"schema", "unsupported", "failing"});
    if (document.value("schema", "") != schema) {
        throw bad_expectations(text(path, ": \"schema\" is not \"", schema, "\""));
    }
    for (const char* kind : {"unsupported", "failing"}) {
        const json listed = document.value(kind, json::array());
        if (!listed.is_array()) {
            throw bad_expectations(text(path, ": \"", kind, "\" is not an array"));
        }
        for (const json& item : listed) {
            check_keys(path, item, {"case", "device", "reason"});
            const entry read{member(path, item, "case"), member(path, item, "reason"),
                             std::string_view(kind) == "unsupported"};
            if (std::none_of(cases.begin(), cases.end(), [&read](const test_case& candidate) {
                    return matches(read.pattern, candidate.name);
                })) {
                throw bad_expectations(text(path, ": no case matches \"", read.pattern, "\""));
            }
            if (!item.contains("device") || matches(member(path, item, "device"), device_name)) {
                entries_.push_back(read);
            }
        }
    }
}

const expectations::entry* expectations::find(const std::string& name) const {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(),
                     [&name](const entry& candidate) { return matches(candidate.pattern, name); });
    return found == entries_.end() ? nullptr : &*found;
}

verdict expectations::judge(const result& found) const {
    const entry* expected = find(found.name);
    switch (found.what) {
        case outcome::passed:
            return expected == nullptr ? verdict::passed : verdict::unexpected_pass;
        case outcome::failed:
            return expected == nullptr   ? verdict::failed
                   : expected->permanent ? verdict::unsupported
                                         : verdict::expected_failure;
        case outcome::skipped:
            return expected != nullptr && expected->permanent ? verdict::unsupported
                                                              : verdict::skipped;
    }
    return verdict::failed;
}

std::string expectations::reason_of(const std::string& name) const {
    const entry* expected = find(name);
    return expected == nullptr ? std::string() : expected->reason;
}

}  // namespace spoc::conformance
