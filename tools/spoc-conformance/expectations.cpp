// SPDX-License-Identifier: Apache-2.0
#include "expectations.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "check.hpp"
#include "glob.hpp"

namespace spoc::conformance {
namespace {

using nlohmann::json;

constexpr const char* schema = "spoc-conformance-expect/1";

/// Throws when the parser meets a key for the second time in an object: it would take the last
/// value without a word.
class key_watch {
 public:
    explicit key_watch(std::string path) : path_(std::move(path)) {}

    bool operator()(int /*depth*/, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start) {
            open_.emplace_back();
        } else if (event == json::parse_event_t::object_end) {
            open_.pop_back();
        } else if (event == json::parse_event_t::key &&
                   !open_.back().insert(parsed.get<std::string>()).second) {
            throw bad_expectations(
                text(path_, ": \"", parsed.get<std::string>(), "\" stands twice in one object"));
        }
        return true;
    }

 private:
    std::string path_;
    std::vector<std::set<std::string>> open_;
};

std::string read_file(const std::string& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        throw bad_expectations(text(path, " is a folder"));
    }
    std::ifstream file(path, std::ios::binary);
    std::ostringstream contents;
    if (!file || !(contents << file.rdbuf()) || file.bad()) {
        throw bad_expectations(text(path, " cannot be read, or is empty"));
    }
    return contents.str();
}

json read_document(const std::string& path) {
    try {
        return json::parse(read_file(path), key_watch(path), true, true);
    } catch (const json::exception& error) {
        throw bad_expectations(text(path, " is no JSON: ", error.what()));
    }
}

bool is_blank(const std::string& words) {
    return std::all_of(words.begin(), words.end(),
                       [](unsigned char byte) { return std::isspace(byte) != 0; });
}

std::string member(const std::string& path, const json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string() || is_blank(found->get<std::string>())) {
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
                           const std::string& device_name)
    : device_name_(device_name) {
    const json document = read_document(path);
    check_keys(path, document, {"schema", "unsupported", "failing"});
    const auto named = document.find("schema");
    if (named == document.end() || *named != schema) {
        throw bad_expectations(text(path, ": \"schema\" is not \"", schema, "\""));
    }
    for (const char* kind : {"unsupported", "failing"}) {
        const json listed = document.value(kind, json::array());
        if (!listed.is_array()) {
            throw bad_expectations(text(path, ": \"", kind, "\" is not an array"));
        }
        for (const json& item : listed) {
            check_keys(path, item, {"case", "device", "reason"});
            const std::string device =
                item.contains("device") ? member(path, item, "device") : std::string();
            add({member(path, item, "case"), device, member(path, item, "reason"),
                 std::string_view(kind) == "unsupported",
                 device.empty() || matches(device, device_name)},
                path, cases);
        }
    }
    check_contradictions(path, cases);
}

void expectations::add(const entry& read, const std::string& path, const case_list& cases) {
    if (std::none_of(cases.begin(), cases.end(), [&read](const test_case& candidate) {
            return matches(read.pattern, candidate.name);
        })) {
        throw bad_expectations(text(path, ": no case matches \"", read.pattern, "\""));
    }
    if (std::any_of(entries_.begin(), entries_.end(), [&read](const entry& other) {
            return other.pattern == read.pattern && other.device == read.device;
        })) {
        throw bad_expectations(text(path, ": \"", read.pattern, "\" is listed twice"));
    }
    entries_.push_back(read);
}

void expectations::check_contradictions(const std::string& path, const case_list& cases) const {
    for (const test_case& each : cases) {
        const auto says = [&each](bool permanent) {
            return [&each, permanent](const entry& candidate) {
                return candidate.counts && candidate.permanent == permanent &&
                       matches(candidate.pattern, each.name);
            };
        };
        if (std::any_of(entries_.begin(), entries_.end(), says(true)) &&
            std::any_of(entries_.begin(), entries_.end(), says(false))) {
            throw bad_expectations(
                text(path, ": ", each.name, " is listed as unsupported and as failing"));
        }
    }
}

const expectations::entry* expectations::find(const std::string& name) const {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&name](const entry& candidate) {
            return candidate.counts && matches(candidate.pattern, name);
        });
    return found == entries_.end() ? nullptr : &*found;
}

std::vector<unused_expectation> expectations::unused(const std::vector<result>& results) const {
    std::vector<unused_expectation> found;
    for (const entry& each : entries_) {
        const auto fits = [&each](const result& of) { return matches(each.pattern, of.name); };
        const auto tells = [&](const result& of) {
            return fits(of) && (each.permanent || of.what != outcome::skipped);
        };
        // Of cases that were not wanted, nothing is known.
        if (std::none_of(results.begin(), results.end(), fits) ||
            (each.counts && std::any_of(results.begin(), results.end(), tells))) {
            continue;
        }
        found.push_back({each.pattern, each.device, each.reason,
                         each.counts            ? std::string("all that it fits was skipped")
                         : device_name_.empty() ? std::string("there is no device")
                                                : text("the device is \"", device_name_, "\"")});
    }
    return found;
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
