// SPDX-License-Identifier: Apache-2.0
// No more than 32 MiB of memory can be page-locked.
#include <map>
#include <mutex>

#include "limits.hpp"
#include "mutants/mutant.hpp"

namespace spoc::mutant {
namespace {

constexpr uint64_t budget = uint64_t{32} << 20;
std::mutex mutex;
std::map<spoc_be_hostmem, uint64_t> blocks;
uint64_t used;

int32_t device_info(uint32_t index, spoc_be_device_info* info, spoc_be_error* error) {
    return describe_changed(index, info, error,
                            [](spoc_be_device_info& of) { of.max_pinned = budget; });
}

int32_t pinned_alloc(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                     spoc_be_hostmem_result* result, spoc_be_error* error) {
    const std::lock_guard lock(mutex);
    if (desc->flags == 0 && desc->ext == nullptr && desc->bytes > budget - used) {
        return refuse(error, SPOC_BE_OUT_OF_MEMORY, desc->bytes, budget,
                      "The budget for page-locked memory is exhausted.");
    }
    const int32_t status = original.pinned_alloc(device, desc, result, error);
    if (status == SPOC_BE_OK) {
        used += desc->bytes;
        blocks[result->hostmem] = desc->bytes;
    }
    return status;
}

int32_t pinned_free(spoc_be_hostmem hostmem, spoc_be_error* error) {
    const std::lock_guard lock(mutex);
    used -= blocks[hostmem];
    blocks.erase(hostmem);
    return original.pinned_free(hostmem, error);
}

constexpr void change(spoc_be_table& be) {
    be.device_info = device_info;
    be.pinned_alloc = pinned_alloc;
    be.pinned_free = pinned_free;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
