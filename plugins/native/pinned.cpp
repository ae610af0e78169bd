// SPDX-License-Identifier: Apache-2.0
#include "pinned.hpp"

#include "backend.hpp"
#include "common/object.hpp"
#include "common/record.hpp"
#include "common/request.hpp"

namespace spoc::native {

int32_t pinned_alloc(spoc_be_device /*device*/, const spoc_be_hostmem_desc* desc,
                     spoc_be_hostmem_result* result, spoc_be_error* error) {
    if (const int32_t status =
            plugin::check_request(desc->flags, SPOC_BE_HOSTMEM_READ_ONLY, desc->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    pages memory;
    if (const int32_t status = pages::allocate(desc->bytes, memory, error); status != SPOC_BE_OK) {
        return status;
    }
    spoc_be_hostmem_result made{};
    made.host = memory.start();
    made.bytes = memory.bytes();
    const int32_t status = plugin::make(the_backend.host, made.hostmem, error, std::move(memory));
    if (status == SPOC_BE_OK) {
        plugin::write_record(result, made);
    }
    return status;
}

int32_t pinned_free(spoc_be_hostmem hostmem, spoc_be_error* /*error*/) {
    plugin::destroy(the_backend.host, hostmem);
    return SPOC_BE_OK;
}

}  // namespace spoc::native
