// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <spoc/spoc.hpp>

#include "physical.hpp"

/// \file
/// What spoc-info knows. Filled from libspoc, read by the views; the views ask nobody.

namespace spoc::info {

/// The machine and this process.
struct host_facts {
    std::string os;       ///< "Debian GNU/Linux 12 (bookworm)"
    std::string kernel;   ///< "6.1.0-18-amd64"
    std::string machine;  ///< "x86_64"
    std::optional<std::uint64_t> cpu_count;
    std::optional<std::uint64_t> page_size;
    std::optional<std::uint64_t> memory_total;
    bool secure = false;  ///< privileged: the environment may not name files
};

/// A device's answer about one capability.
struct capability_answer {
    std::string name;
    answer state = answer::unknown;
    std::string reason;  ///< empty for yes
};

/// A plugin file in a place of the search, and what became of it.
struct found_file {
    std::string name;     ///< "libspoc-acme.so"
    std::string backend;  ///< "acme"
    std::uint32_t state = SPOC_STATE_READY;
    std::uint32_t reason = SPOC_BE_REASON_NONE;
};

/// A place of the search.
struct place_facts {
    std::string path;
    std::uint32_t source = SPOC_SEARCH_APPLICATION;
    std::uint32_t verdict = SPOC_PLACE_SEARCHED;
    std::uint32_t files = 0;     ///< plugin files found there
    std::optional<bool> exists;  ///< empty: nobody looked
    std::string why;             ///< why it was not searched; empty when it was
    std::vector<found_file> found;
    std::vector<std::string> passed_over;  ///< files whose names are nearly those of plugins
};

/// Who may do what with a file.
struct file_owner {
    std::string user;  ///< "root"
    std::uint32_t uid = 0;
    std::string group;
    std::uint32_t gid = 0;
    std::uint32_t mode = 0;  ///< permission bits
    std::string trouble;     ///< why the rest is not known; empty when it is
};

/// An entry of the list of backends, and what was looked up about its file.
struct backend_facts {
    spoc_backend_info info{};
    std::optional<file_owner> file;  ///< only where permissions are the reason
    std::optional<file_owner> folder;
};

/// A device and what had to be asked for about it. The texts are copies, since the report may have
/// to hide some.
struct device_facts {
    explicit device_facts(const device& subject)
        : which(subject), selector(subject.selector()), properties(subject.properties()) {}

    device which;
    std::string selector;
    spoc_be_device_info properties;
    std::optional<std::uint64_t> memory_total;
    std::optional<std::uint64_t> memory_free;
    std::string memory_trouble;  ///< why the device could not be opened to ask
    std::vector<capability_answer> capabilities;
};

/// The self-test of one device.
struct self_test_result {
    std::string selector;
    std::vector<spoc_self_test_step> steps;
    std::string trouble;  ///< why it could not run; empty when it ran

    bool passed() const;
};

/// An expression of `--require`, judged.
struct requirement_result {
    std::string expression;
    bool met = false;
    std::uint32_t reason = SPOC_BE_REASON_NONE;
    std::string why;  ///< empty when met
    std::string hint;
};

/// An environment variable.
struct setting {
    std::string name;
    std::optional<std::string> value;  ///< as set, empty text included
    std::string default_text;          ///< what holds when it is not set; empty: nothing
    std::string summary;               ///< what it does, one line
    bool ignored = false;              ///< it names files, and the process is privileged
    bool bad_value = false;            ///< not a value that it takes
    bool is_read = true;               ///< a variable of SPOC at all
    std::string trouble;               ///< what is the matter with the value; empty: nothing

    /// Whether a value is set and in force, instead of the default.
    bool holds() const { return value && !value->empty() && is_read && !ignored && !bad_value; }
};

/// Something that makes the exit status other than 0.
struct problem {
    int exit_status = 1;
    spoc_status status = SPOC_UNAVAILABLE;
    std::uint32_t sub_code = SPOC_SUB_NONE;
    std::uint32_t reason = SPOC_BE_REASON_NONE;
    std::string message;
    std::string hint;
};

/// Everything gathered in one run.
struct model {
    host_facts host;
    std::vector<place_facts> places;
    std::vector<backend_facts> backends;
    std::vector<device_facts> devices;
    std::vector<card> cards;
    std::optional<std::vector<self_test_result>> self_tests;  ///< with `--selftest`
    std::vector<requirement_result> requirements;
    std::optional<std::vector<setting>> settings;  ///< with `--env`
    std::vector<std::string> notes;                ///< for stderr; not failures
    std::vector<problem> problems;
    bool redacted = false;  ///< what names people and machines was replaced

    /// The problem that decides the exit status, or null: wrong use before a fault before something
    /// missing.
    const problem* worst() const;

    /// Whether the worst is wrong use, so that nothing was asked of any device.
    bool is_wrong_use() const;
};

}  // namespace spoc::info
