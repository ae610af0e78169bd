// SPDX-License-Identifier: Apache-2.0

/// \file
/// Vectors in memory that the host and a device both address: the functions of spoc/unified.h.

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <spoc/unified.h>

#include "device.hpp"
#include "session.hpp"
#include "text.hpp"
#include "vector.hpp"

using namespace spoc::detail;

namespace {

outcome check_available(const spoc_device_s& device) {
    if (device.offers(SPOC_BE_CAP_BUFFER_UNIFIED)) {
        return {};
    }
    return outcome::fail(SPOC_FEATURE_NOT_SUPPORTED, SPOC_SUB_NONE,
                         say("Device ", device.selector(),
                             " has no memory that it and the host both address."))
        .about(device.backend(), static_cast<std::int32_t>(device.id()));
}

/// Refuses what the device does not have at this moment, as far as its driver says.
outcome check_fits(spoc_device_s& device, std::uint64_t bytes) {
    spoc_be_memory_info memory{};
    memory.size = sizeof memory;
    plugin_error error;
    const std::int32_t status = device.table().device_memory(device.handle(), &memory, &error);
    if (status < 0) {
        return device.failure(status, error, SPOC_SUB_CONTEXT);
    }
    // All-ones is "not known", for each of the two.
    const std::uint64_t most = std::min(memory.free, memory.total);
    if (bytes <= most) {
        return {};
    }
    return outcome::fail(
               SPOC_BACKEND_ERROR, SPOC_SUB_OOM,
               say("Device ", device.selector(), " has ", most, " bytes free, not ", bytes, "."))
        .figures(bytes, most)
        .about(device.backend(), static_cast<std::int32_t>(device.id()));
}

}  // namespace

outcome spoc_vector_s::place_unified(spoc_device device) {
    auto memory = std::make_shared<device_memory>(device, bytes(), memory_kind::unified, nullptr);
    memories_.reserve(1);
    SPOC_TRY(memory->allocate());
    if (memory->host_address() == nullptr) {
        return outcome::fail(SPOC_INTERNAL_ERROR, SPOC_SUB_NONE,
                             "The plugin gives no host address for unified memory.")
            .about(device->backend(), static_cast<std::int32_t>(device->id()));
    }
    host_ = std::make_shared<host_storage>(memory->host_address(), memory, &memory->ended());
    memories_.push_back(std::move(memory));
    location_ = {SPOC_LOCATION_BOTH, device};
    return {};
}

outcome spoc_vector_s::leave_unified(session& call, const memory_pointer& memory) {
    if (memory->kind() != memory_kind::unified) {
        return {};
    }
    auto ordinary = std::make_shared<host_storage>(bytes());
    SPOC_TRY(enter_host(call, false));
    std::memcpy(ordinary->start(), host(), bytes());
    host_ = std::move(ordinary);
    return {};
}

spoc_status spoc_unified_available(spoc_device device, int32_t* out_available,
                                   spoc_error* error) noexcept {
    return boundary("spoc_unified_available", error, [&]() -> outcome {
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(out_available, "out_available"));
        *out_available = device->offers(SPOC_BE_CAP_BUFFER_UNIFIED) ? 1 : 0;
        return {};
    });
}

spoc_status spoc_vector_create_unified(spoc_device device, uint32_t kind, uint64_t element_bytes,
                                       uint64_t count, uint32_t flags, spoc_vector* out_vector,
                                       spoc_error* error) noexcept {
    return boundary("spoc_vector_create_unified", error, [&]() -> outcome {
        session call;
        const element_type element{kind, element_bytes};
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(out_vector, "out_vector"));
        SPOC_TRY(check_elements(element, count));
        if (count == 0) {
            return outcome::invalid(SPOC_SUB_LENGTH, "A vector in unified memory has elements.");
        }
        if ((flags & ~SPOC_UNIFIED_OVERSUBSCRIBE) != 0) {
            return outcome::invalid(SPOC_SUB_VALUE, say("There is no flag in ", flags, "."));
        }
        SPOC_TRY(check_available(*device));
        SPOC_TRY(call.enter());
        SPOC_TRY(check_buffer_size(*device, element_bytes * count));
        SPOC_TRY(device->check_current());
        SPOC_TRY(device->open());
        if ((flags & SPOC_UNIFIED_OVERSUBSCRIBE) == 0) {
            SPOC_TRY(check_fits(*device, element_bytes * count));
        }
        auto made = std::make_unique<spoc_vector_s>(element, count, nullptr);
        SPOC_TRY(made->place_unified(device));
        *out_vector = made.release();
        return {};
    });
}
