// SPDX-License-Identifier: Apache-2.0
// The first open leaves a process behind that holds standard output, as a compile server does.
// Case: lifecycle/close_is_repeatable
#include <unistd.h>

#include <atomic>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

std::atomic<int> opens;

int32_t open(const spoc_be_host* host, const spoc_be_ext* ext, spoc_be_error* error) {
    if (opens++ == 0 && fork() == 0) {
        setsid();
        sleep(600);
        _exit(0);
    }
    return original.open(host, ext, error);
}

constexpr void change(spoc_be_table& be) { be.open = open; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
