// SPDX-License-Identifier: Apache-2.0
#include "capability.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>

#include "common/status.hpp"
#include "machine.hpp"

namespace spoc::native {
namespace {

static_assert(std::atomic<uint32_t>::is_always_lock_free);
static_assert(std::atomic<uint64_t>::is_always_lock_free);

constexpr const char* yes = nullptr;

/// A capability and why the answer is no.
struct capability {
    uint32_t bit;
    const char* refusal;  ///< or `yes`
};

constexpr capability capabilities[] = {
    {SPOC_BE_CAP_BUFFER_HOST_RANGE, yes},
    {SPOC_BE_CAP_BUFFER_HOST_PTR,
     "A buffer can be the host range itself, so none is made over it."},
    {SPOC_BE_CAP_BUFFER_UNIFIED, yes},
    {SPOC_BE_CAP_UNIFIED_CONCURRENT, yes},
    {SPOC_BE_CAP_BUFFER_ADDRESS, yes},
    {SPOC_BE_CAP_BUFFER_TRACKED,
     "Work is complete when its call returns, so a buffer has no pending users."},
    {SPOC_BE_CAP_MEMORY_FREE, yes},
    {SPOC_BE_CAP_SHARED_MEMORY, yes},
    {SPOC_BE_CAP_PINNED, yes},
    {SPOC_BE_CAP_PINNED_PORTABLE, yes},
    {SPOC_BE_CAP_REGISTER, "The device is the host, so there is no driver to lock a range for."},
    {SPOC_BE_CAP_REGISTER_READ_ONLY,
     "The device is the host, so there is no driver to lock a range for."},
    {SPOC_BE_CAP_REGISTER_HAZARD,
     "Nothing is registered with a driver, so no machine can be harmed by it."},
    {SPOC_BE_CAP_HOST_QUERY, "Page-locked and ordinary memory are alike to this device."},
    {SPOC_BE_CAP_COPY_ENQUEUED,
     "A copy runs on the calling thread and is complete when it returns."},
    {SPOC_BE_CAP_COPY_BATCH,
     "The ranges of one call are copied one by one, as those of many calls are."},
    {SPOC_BE_CAP_COPY_OVERLAP, yes},
    {SPOC_BE_CAP_PEER_COPY, "The backend has one device only."},
    {SPOC_BE_CAP_STREAM_BLOCKING, "A stream is never ordered against the default stream."},
    {SPOC_BE_CAP_STREAM_CONCURRENT, yes},
    {SPOC_BE_CAP_STREAM_DEFERRED, "A launch runs at once."},
    {SPOC_BE_CAP_EVENT_WAIT_DEVICE, yes},
    {SPOC_BE_CAP_EVENT_TIMING, yes},
    {SPOC_BE_CAP_TIMED_WAIT, yes},
    {SPOC_BE_CAP_LAUNCH_ENQUEUED,
     "A launch runs on the calling thread and its helpers and is complete when it returns."},
    {SPOC_BE_CAP_FREE_BLOCK, yes},
    {SPOC_BE_CAP_SPEC_CONSTANTS,
     "A kernel is compiled before the program is loaded, so no value can be fixed in it."},
    {SPOC_BE_CAP_DYNAMIC_SHARED, yes},
    {SPOC_BE_CAP_LOCAL_ARGS, yes},
    {SPOC_BE_CAP_RAW_POINTER_ARGS,
     "A launch keeps only memory that it is given as a buffer, not what an address in a scalar "
     "points to."},
    {SPOC_BE_CAP_ARG_OFFSET, yes},
    {SPOC_BE_CAP_REFLECTION, yes},
    {SPOC_BE_CAP_PROGRAM_BINARY,
     "A program is a shared object or the process itself, so there is no binary to hand out."},
    {SPOC_BE_CAP_FP64, yes},
    {SPOC_BE_CAP_FP16,
     SPOC_NATIVE_FP16
         ? yes
         : "The compiler of this build has no 16-bit floating point for this processor."},
    {SPOC_BE_CAP_INT64, yes},
    {SPOC_BE_CAP_ATOMICS32, yes},
    {SPOC_BE_CAP_ATOMICS64, yes},
    {SPOC_BE_CAP_SUBGROUPS,
     "A block is a loop on one thread, so there is nothing to operate across."},
};

const char* refusal_of(const capability& capability) {
    if (capability.bit == SPOC_BE_CAP_MEMORY_FREE && !this_machine().memory_readable) {
        return "The system does not say how much memory is available (/proc/meminfo).";
    }
    return capability.refusal;
}

}  // namespace

void describe_capabilities(spoc_be_device_info& info) {
    for (const capability& capability : capabilities) {
        const uint64_t bit = uint64_t{1} << capability.bit % 64;
        info.caps_known[capability.bit / 64] |= bit;
        info.caps[capability.bit / 64] |= refusal_of(capability) == yes ? bit : 0;
    }
}

int32_t cap_reason(uint32_t /*index*/, uint32_t cap, spoc_be_error* error) {
    const auto* found = std::find_if(std::begin(capabilities), std::end(capabilities),
                                     [cap](const capability& c) { return c.bit == cap; });
    const char* refusal = found == std::end(capabilities) ? yes : refusal_of(*found);
    if (refusal == yes) {
        return plugin::fail(error, {.status = SPOC_BE_INVALID},
                            "The answer to the capability is not no (%u).", cap);
    }
    plugin::write_error(error, {.status = SPOC_BE_UNSUPPORTED}, refusal);
    return SPOC_BE_OK;
}

}  // namespace spoc::native
