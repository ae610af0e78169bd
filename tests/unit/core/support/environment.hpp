// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace spoc::test {

/// The environment without any SPOC variable but those that a test sets; as before at its end. No
/// other thread may look at the environment meanwhile.
class environment {
 public:
    environment() { remove_all(saved_); }
    ~environment() {
        std::vector<std::string> gone;
        remove_all(gone);
        for (const std::string& variable : saved_) {
            const std::size_t equals = variable.find('=');
            ::setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
        }
    }
    environment(const environment&) = delete;
    environment& operator=(const environment&) = delete;

    void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }
    void unset(const char* name) { ::unsetenv(name); }

 private:
    static void remove_all(std::vector<std::string>& out_removed) {
        for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
            if (std::string_view(*variable).starts_with("SPOC_")) {
                out_removed.emplace_back(*variable);
            }
        }
        for (const std::string& variable : out_removed) {
            ::unsetenv(variable.substr(0, variable.find('=')).c_str());
        }
    }

    std::vector<std::string> saved_;
};

}  // namespace spoc::test
