// SPDX-License-Identifier: Apache-2.0
#include "capability.hpp"

#include <algorithm>
#include <iterator>

#include "backend.hpp"
#include "common/status.hpp"
#include "device.hpp"

namespace spoc::cudalike {
namespace {

constexpr const char* yes = nullptr;

/// Why the answer is no, or `yes`.
using answer = const char* (*)(std::uint32_t index);

template <driver::attribute Which>
const char* by_attribute(std::uint32_t index, const char* refusal) {
    return attribute_of(index, Which) > 0 ? yes : refusal;
}

const char* always(std::uint32_t /*index*/) { return yes; }

const char* unified(std::uint32_t index) {
    if (api().memory_allocate_managed == nullptr) {
        return "The driver is too old for managed memory (cuMemAllocManaged).";
    }
    return by_attribute<driver::concurrent_managed_access>(
        index, "The host must not touch managed memory of this device while kernels run.");
}

const char* registers(std::uint32_t index) {
    return by_attribute<driver::host_register_supported>(
        index, "The device does not take host memory that was not allocated by the driver.");
}

const char* registers_read_only(std::uint32_t index) {
    const char* refusal = registers(index);
    return refusal != yes
               ? refusal
               : by_attribute<driver::read_only_host_register_supported>(
                     index, "The device does not take host memory that can only be read.");
}

const char* queries(std::uint32_t /*index*/) {
    return api().pointer_attributes != nullptr
               ? yes
               : "The driver is too old to be asked about a pointer (cuPointerGetAttributes).";
}

const char* overlaps(std::uint32_t index) {
    return by_attribute<driver::async_engine_count>(
        index, "The device has no copy engine that works beside kernels.");
}

const char* concurrent(std::uint32_t index) {
    return by_attribute<driver::concurrent_kernels>(index,
                                                    "The device runs one kernel after another.");
}

const char* reflects(std::uint32_t /*index*/) {
    return api().function_parameter != nullptr
               ? yes
               : "The driver is too old to be asked for a kernel's parameters "
                 "(cuFuncGetParamInfo, CUDA 12.4).";
}

const char* gives_binaries(std::uint32_t /*index*/) {
    return api().link_create != nullptr && api().link_add != nullptr &&
                   api().link_complete != nullptr && api().link_destroy != nullptr
               ? yes
               : "The driver has no linker (cuLinkCreate).";
}

const char* has_fp16(std::uint32_t index) {
    return capability_number(index) >= 53 ? yes
                                          : "The device computes no 16-bit floating point (compute "
                                            "capability below 5.3).";
}

const char* host_range(std::uint32_t /*index*/) {
    return "The device has memory of its own; a buffer is never the host's memory.";
}

const char* host_ptr(std::uint32_t /*index*/) {
    return "The driver makes no buffer over host memory; register the memory and copy, or use "
           "unified memory.";
}

const char* tracked(std::uint32_t /*index*/) {
    return "The driver tracks work by stream, not by buffer.";
}

const char* shared(std::uint32_t /*index*/) {
    return "The device copies to memory of its own or of the driver's.";
}

const char* hazard(std::uint32_t /*index*/) {
    return "Registering host memory is an ordinary operation of this driver.";
}

const char* batches(std::uint32_t /*index*/) {
    return "The ranges of one call are enqueued one by one.";
}

const char* deferred(std::uint32_t /*index*/) { return "The driver starts a launch by itself."; }

const char* timed_wait(std::uint32_t /*index*/) {
    return "The driver waits for ever or not at all.";
}

const char* constants(std::uint32_t /*index*/) {
    return "The driver fixes no values in a kernel; compile the program with other options.";
}

const char* local_arguments(std::uint32_t /*index*/) {
    return "A kernel has one dynamic shared array, whose size is that of the launch "
           "(shared_bytes).";
}

struct capability {
    std::uint32_t bit;
    answer refusal;
};

constexpr capability capabilities[] = {
    {SPOC_BE_CAP_BUFFER_HOST_RANGE, host_range},
    {SPOC_BE_CAP_BUFFER_HOST_PTR, host_ptr},
    {SPOC_BE_CAP_BUFFER_UNIFIED, unified},
    {SPOC_BE_CAP_UNIFIED_CONCURRENT, unified},
    {SPOC_BE_CAP_BUFFER_ADDRESS, always},
    {SPOC_BE_CAP_BUFFER_TRACKED, tracked},
    {SPOC_BE_CAP_MEMORY_FREE, always},
    {SPOC_BE_CAP_SHARED_MEMORY, shared},
    {SPOC_BE_CAP_PINNED, always},
    {SPOC_BE_CAP_PINNED_PORTABLE, always},
    {SPOC_BE_CAP_REGISTER, registers},
    {SPOC_BE_CAP_REGISTER_READ_ONLY, registers_read_only},
    {SPOC_BE_CAP_REGISTER_HAZARD, hazard},
    {SPOC_BE_CAP_HOST_QUERY, queries},
    {SPOC_BE_CAP_COPY_ENQUEUED, always},
    {SPOC_BE_CAP_COPY_BATCH, batches},
    {SPOC_BE_CAP_COPY_OVERLAP, overlaps},
    {SPOC_BE_CAP_PEER_COPY, always},
    {SPOC_BE_CAP_STREAM_BLOCKING, always},
    {SPOC_BE_CAP_STREAM_CONCURRENT, concurrent},
    {SPOC_BE_CAP_STREAM_DEFERRED, deferred},
    {SPOC_BE_CAP_EVENT_WAIT_DEVICE, always},
    {SPOC_BE_CAP_EVENT_TIMING, always},
    {SPOC_BE_CAP_TIMED_WAIT, timed_wait},
    {SPOC_BE_CAP_LAUNCH_ENQUEUED, always},
    {SPOC_BE_CAP_FREE_BLOCK, always},
    {SPOC_BE_CAP_SPEC_CONSTANTS, constants},
    {SPOC_BE_CAP_DYNAMIC_SHARED, always},
    {SPOC_BE_CAP_LOCAL_ARGS, local_arguments},
    {SPOC_BE_CAP_RAW_POINTER_ARGS, always},
    {SPOC_BE_CAP_ARG_OFFSET, always},
    {SPOC_BE_CAP_REFLECTION, reflects},
    {SPOC_BE_CAP_PROGRAM_BINARY, gives_binaries},
    {SPOC_BE_CAP_FP64, always},
    {SPOC_BE_CAP_FP16, has_fp16},
    {SPOC_BE_CAP_INT64, always},
    {SPOC_BE_CAP_ATOMICS32, always},
    {SPOC_BE_CAP_ATOMICS64, always},
    {SPOC_BE_CAP_SUBGROUPS, always},
};

const char* refusal_of(std::uint32_t index, std::uint32_t bit) {
    const auto* found = std::find_if(std::begin(capabilities), std::end(capabilities),
                                     [bit](const capability& one) { return one.bit == bit; });
    return found == std::end(capabilities) ? "The capability is not known." : found->refusal(index);
}

}  // namespace

void describe_capabilities(spoc_be_device_info& description) {
    for (const capability& one : capabilities) {
        const std::uint64_t bit = std::uint64_t{1} << one.bit % 64;
        description.caps_known[one.bit / 64] |= bit;
        description.caps[one.bit / 64] |= one.refusal(description.index) == yes ? bit : 0;
    }
}

bool offers(std::uint32_t index, std::uint32_t capability) noexcept {
    return refusal_of(index, capability) == yes;
}

std::int32_t cap_reason(std::uint32_t index, std::uint32_t cap, spoc_be_error* error) {
    const bool known = std::any_of(std::begin(capabilities), std::end(capabilities),
                                   [cap](const capability& one) { return one.bit == cap; });
    const char* refusal = known ? refusal_of(index, cap) : yes;
    if (refusal == yes) {
        return plugin::fail(error, {.status = SPOC_BE_INVALID},
                            "The answer to the capability is not no (%u).", cap);
    }
    plugin::write_error(error, {.status = SPOC_BE_UNSUPPORTED}, refusal);
    return SPOC_BE_OK;
}

}  // namespace spoc::cudalike
