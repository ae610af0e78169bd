// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "env.hpp"
#include "outcome.hpp"

namespace spoc::detail {

/// Which backends the user wants, and in which order: SPOC_BACKENDS, SPOC_DISABLE_GPU,
/// SPOC_DISABLE_<BACKEND>.
class backend_filter {
 public:
    /// Reads the settings. `names` are the backends known or found; another name in SPOC_BACKENDS
    /// is an error.
    static outcome make(const settings& config, const std::vector<std::string>& names,
                        backend_filter& out);

    /// Why `name` is switched off, one sentence; empty when it is not.
    std::string why_disabled(std::string_view name) const;

    /// Place of `name` in the order of backends; smaller comes first. Names that share a place are
    /// ordered by name.
    std::size_t rank(std::string_view name) const;

 private:
    const settings* config_ = nullptr;
    std::vector<std::string> allowed_;
    std::vector<std::string> denied_;
};

/// An error about a name that is none, with the nearest of `names`.
outcome unknown_backend(std::string_view where, std::string_view name,
                        const std::vector<std::string>& names);

}  // namespace spoc::detail
