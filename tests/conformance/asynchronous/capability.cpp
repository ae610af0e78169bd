// SPDX-License-Identifier: Apache-2.0
#include "capability.hpp"

#include <algorithm>
#include <iterator>

#include "base.hpp"
#include "common/status.hpp"

namespace spoc::asynchronous {
namespace {

constexpr const char* yes = nullptr;

/// An answer that is not the native plugin's.
struct difference {
    uint32_t bit;
    const char* refusal;  ///< or `yes`
};

constexpr difference differences[] = {
    // A device with it gets no ranges to register (spoc/backend.h, host_register).
    {SPOC_BE_CAP_BUFFER_HOST_RANGE,
     "A buffer is made over a host range, and calls order who touches it."},
    {SPOC_BE_CAP_BUFFER_HOST_PTR, yes},
    {SPOC_BE_CAP_BUFFER_TRACKED, yes},
    {SPOC_BE_CAP_REGISTER, yes},
    {SPOC_BE_CAP_REGISTER_READ_ONLY, yes},
    {SPOC_BE_CAP_HOST_QUERY, yes},
    {SPOC_BE_CAP_COPY_ENQUEUED, yes},
    {SPOC_BE_CAP_PEER_COPY, yes},
    {SPOC_BE_CAP_STREAM_DEFERRED, "A launch is given to the stream's thread at once."},
    {SPOC_BE_CAP_LAUNCH_ENQUEUED, yes},
};

}  // namespace

void adjust_capabilities(spoc_be_device_info& info) {
    for (const difference& changed : differences) {
        const uint64_t bit = uint64_t{1} << changed.bit % 64;
        uint64_t& word = info.caps[changed.bit / 64];
        word = changed.refusal == yes ? word | bit : word & ~bit;
    }
}

int32_t cap_reason(uint32_t /*index*/, uint32_t cap, spoc_be_error* error) {
    const auto* found = std::find_if(std::begin(differences), std::end(differences),
                                     [cap](const difference& d) { return d.bit == cap; });
    if (found == std::end(differences)) {
        return base::table.cap_reason(0, cap, error);
    }
    if (found->refusal == yes) {
        return plugin::fail(error, {.status = SPOC_BE_INVALID},
                            "The answer to the capability is not no (%u).", cap);
    }
    plugin::write_error(error, {.status = SPOC_BE_UNSUPPORTED}, found->refusal);
    return SPOC_BE_OK;
}

}  // namespace spoc::asynchronous
