// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gate.h"

namespace spoc::mock {

/// What was called, and where the host broke the contract. Used under the state's mutex.
class journal {
 public:
    /// Adds the records of one call, the first of which stands for it.
    void add(const spoc_mock_call& call) {
        ++counts_.at(call.entry);
        first_of_[call.number] = records_.size();
        records_.push_back(call);
    }
    void add_range(const spoc_mock_call& range) { records_.push_back(range); }
    void add_args(std::uint64_t number, std::vector<spoc_mock_arg> args) {
        args_[number] = std::move(args);
    }

    /// Writes what is known only at a call's end, unless the log was forgotten meanwhile.
    void finish(const spoc_mock_call& call) {
        const auto found = first_of_.find(call.number);
        if (found == first_of_.end()) {
            return;
        }
        records_[found->second] = call;
        for (std::size_t i = found->second + 1;
             i < records_.size() && records_[i].number == call.number; ++i) {
            records_[i].status = call.status;
            records_[i].done = call.done;
        }
    }

    void breach(std::string sentence) { breaches_.push_back(std::move(sentence)); }

    void forget() {
        counts_ = {};
        records_.clear();
        first_of_.clear();
        args_.clear();
        breaches_.clear();
    }

    std::uint64_t count(std::uint32_t entry) const { return counts_.at(entry); }
    const std::vector<spoc_mock_call>& records() const { return records_; }
    const std::vector<std::string>& breaches() const { return breaches_; }
    const std::vector<spoc_mock_arg>* args(std::uint64_t number) const {
        const auto found = args_.find(number);
        return found == args_.end() ? nullptr : &found->second;
    }

 private:
    std::array<std::uint64_t, spoc_mock_entry_end> counts_{};
    std::vector<spoc_mock_call> records_;
    std::map<std::uint64_t, std::size_t> first_of_;
    std::map<std::uint64_t, std::vector<spoc_mock_arg>> args_;
    std::vector<std::string> breaches_;
};

}  // namespace spoc::mock
