// SPDX-License-Identifier: Apache-2.0
// Registrations are aligned to 64 KiB, as on machines with pages of that size.
#include "limits.hpp"
#include "mutants/mutant.hpp"

namespace spoc::mutant {
namespace {

constexpr uint32_t step = 65536;

int32_t device_info(uint32_t index, spoc_be_device_info* info, spoc_be_error* error) {
    return describe_changed(index, info, error,
                            [](spoc_be_device_info& of) { of.register_align = step; });
}

int32_t host_register(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                      spoc_be_hostmem_result* result, spoc_be_error* error) {
    const auto start = reinterpret_cast<uintptr_t>(desc->host);
    if (start % step != 0 || desc->bytes % step != 0) {
        return refuse(error, SPOC_BE_MISALIGNED, start % step != 0 ? start : desc->bytes, step,
                      "The range breaks the alignment of registrations (65536).");
    }
    return original.host_register(device, desc, result, error);
}

constexpr void change(spoc_be_table& be) {
    be.device_info = device_info;
    be.host_register = host_register;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
