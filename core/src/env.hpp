// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spoc::detail {

/// The settings of this process, read from the environment once when the runtime starts, so that
/// later changes by the application neither race with readers nor surprise anyone. This is the only
/// reader of the environment.
class settings {
 public:
    /// Reads the environment now. Settings that name files are left out in a privileged process.
    static settings read();

    /// Value of a variable, or null when it is not set, empty, or ignored. The text lives as long
    /// as the object.
    const char* get(std::string_view name) const noexcept;

    /// Value for a plugin's key such as "native.threads", or null.
    const char* config(std::string_view key) const noexcept;

    /// Where programs that were compiled are kept; empty: nowhere.
    std::string cache_directory() const;

    /// Whether `variable` is set to exactly "1".
    bool is_on(std::string_view variable) const noexcept;

    /// A value that its variable does not take, and what holds instead.
    struct bad_value {
        const char* name;
        const char* value;
        const char* default_text;
    };
    /// All of them. The texts live as long as the object.
    std::vector<bad_value> bad_values() const;

 private:
    struct entry {
        std::string name;
        std::string value;
    };
    std::vector<entry> entries_;
};

/// Whether the kernel marked this process as privileged (set-user-id, set-group-id, file
/// capabilities).
bool process_is_secure() noexcept;

/// Whether `variable` is set although a privileged process ignores it.
bool ignored_as_secure(std::string_view variable) noexcept;

/// Elements of a list with the given separator; empty elements are kept.
std::vector<std::string> split(std::string_view list, char separator);

}  // namespace spoc::detail
