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

/// A device and what had to be asked for about it.
struct device_facts {
    explicit device_facts(const device& subject) : which(subject) {}

    device which;
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
    std::vector<spoc_search_place> places;
    std::vector<spoc_backend_info> backends;
    std::vector<device_facts> devices;
    std::vector<card> cards;
    std::optional<std::vector<self_test_result>> self_tests;  ///< with `--selftest`
    std::vector<requirement_result> requirements;
    std::optional<std::vector<spoc_setting>> settings;  ///< with `--env`
    std::vector<std::string> notes;                     ///< for stderr; not failures
    std::vector<problem> problems;

    /// The problem that decides the exit status, or null: wrong use before a fault before something
    /// missing.
    const problem* worst() const;

    /// Whether the worst is wrong use, so that nothing was asked of any device.
    bool is_wrong_use() const;
};

}  // namespace spoc::info
