// SPDX-License-Identifier: Apache-2.0
// An exit handler of the plugin ends the process with a signal.
// Case: stream/idle
#include <cstdlib>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t open(const spoc_be_host* host, const spoc_be_ext* ext, spoc_be_error* error) {
    static const bool registered = std::atexit(std::abort) == 0;
    static_cast<void>(registered);
    return original.open(host, ext, error);
}

constexpr void change(spoc_be_table& be) { be.open = open; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
