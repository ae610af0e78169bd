// SPDX-License-Identifier: Apache-2.0
// Opening changes how the process answers a signal, and its environment.
// Case: lifecycle/signals_and_environment_are_kept
#include <csignal>
#include <cstdlib>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

void ignore(int /*number*/) {}

int32_t open(const spoc_be_host* host, const spoc_be_ext* ext, spoc_be_error* error) {
    static_cast<void>(std::signal(SIGSEGV, ignore));
    setenv("ACME_DRIVER_MODE", "1", 1);
    return original.open(host, ext, error);
}

constexpr void change(spoc_be_table& be) { be.open = open; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
