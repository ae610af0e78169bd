// SPDX-License-Identifier: Apache-2.0
// Copies take no ordinary memory.
#include "limits.hpp"
#include "mutants/mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t device_info(uint32_t index, spoc_be_device_info* info, spoc_be_error* error) {
    return describe_changed(index, info, error,
                            [](spoc_be_device_info& of) { of.pageable_max = 0; });
}

int32_t copy(spoc_be_stream stream, const spoc_be_copy* request, uint32_t* done,
             spoc_be_error* error) {
    for (uint32_t i = 0; i < request->count && request->kind <= SPOC_BE_COPY_D2H; ++i) {
        const bool is_ordinary = request->ranges[i].hostmem == nullptr;
        if (is_ordinary && (request->flags & SPOC_BE_CONSUME_HOST) == 0) {
            *done = SPOC_BE_DONE_ALL;
            return refuse(error, SPOC_BE_INVALID, request->ranges[i].bytes, 0,
                          "The host gave ordinary memory to a device that takes none.");
        }
    }
    return original.copy(stream, request, done, error);
}

constexpr void change(spoc_be_table& be) {
    be.device_info = device_info;
    be.copy = copy;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
