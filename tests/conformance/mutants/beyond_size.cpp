// SPDX-License-Identifier: Apache-2.0
// The record of a failure is written whole, however long its caller says it is.
// Case: record/short_error
#include <utility>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t get_interface(const char* name, uint32_t min_size, const void** out, spoc_be_error* error) {
    if (error == nullptr) {
        return original.get_interface(name, min_size, out, error);
    }
    const uint32_t size = std::exchange(error->size, sizeof *error);
    const int32_t status = original.get_interface(name, min_size, out, error);
    error->size = size;
    return status;
}

constexpr void change(spoc_be_table& be) { be.get_interface = get_interface; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
