// SPDX-License-Identifier: Apache-2.0
// Each open costs a megabyte of the process's own memory.
// Case: lifecycle/open_and_close_often
#include <cstdlib>
#include <cstring>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t open(const spoc_be_host* host, const spoc_be_ext* ext, spoc_be_error* error) {
    constexpr size_t bytes = size_t{1} << 20;
    void* volatile const lost = std::malloc(bytes);
    std::memset(lost, 1, bytes);
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the leak is the fault
    return original.open(host, ext, error);
}

constexpr void change(spoc_be_table& be) { be.open = open; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
