// SPDX-License-Identifier: Apache-2.0
// The device's name is no UTF-8 and holds control characters.
// Case: device/texts
#include <cstddef>
#include <cstring>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t device_info(uint32_t index, spoc_be_device_info* info, spoc_be_error* error) {
    constexpr char name[] = "Acme\xAE \x1B[31mred\nnext line";
    const int32_t status = original.device_info(index, info, error);
    if (status == SPOC_BE_OK && info->size >= offsetof(spoc_be_device_info, name) + sizeof name) {
        std::memcpy(info->name, name, sizeof name);
    }
    return status;
}

constexpr void change(spoc_be_table& be) { be.device_info = device_info; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
