// SPDX-License-Identifier: Apache-2.0

/// \file
/// Buffers made over host memory: the functions of spoc/host_pointer.h.

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <spoc/host_pointer.h>

#include "device.hpp"
#include "lent_memory.hpp"
#include "session.hpp"
#include "sole_use.hpp"
#include "text.hpp"
#include "vector.hpp"

using namespace spoc::detail;

namespace {

outcome refusal(const spoc_device_s& device, std::uint32_t sub_code, std::string_view why) {
    return outcome::fail(
               SPOC_HOST_POINTER_REFUSED, sub_code,
               say("Device ", device.selector(), " makes no buffer over this memory: ", why))
        .about(device.backend(), static_cast<std::int32_t>(device.id()));
}

/// Whether drivers of this family make such buffers for their CPU devices.
bool family_has_them(const spoc_device_s& device) {
    const std::string_view framework = device.info().framework;
    return framework.substr(0, framework.find('/')) == "OpenCL";
}

/// Checks that the device makes a buffer over this memory, without asking it.
outcome check_host_pointer(const spoc_device_s& device, const void* host, std::uint64_t bytes) {
    if (device.offers(SPOC_BE_CAP_BUFFER_HOST_RANGE)) {
        return {};
    }
    if (!device.offers(SPOC_BE_CAP_BUFFER_HOST_PTR)) {
        return family_has_them(device)
                   ? refusal(device, SPOC_SUB_NOT_CPU_DEVICE, "it is no CPU device.")
                   : refusal(device, SPOC_SUB_UNSUPPORTED, "its backend makes none.");
    }
    const std::uint32_t alignment = device.info().host_ptr_align;
    const auto address = reinterpret_cast<std::uintptr_t>(host);
    if (alignment > 1 && alignment != SPOC_BE_UNKNOWN_32 && address % alignment != 0) {
        return refusal(device, SPOC_SUB_MISALIGNED,
                       say("it is not aligned to ", alignment, " bytes."))
            .figures(address, alignment);
    }
    if (bytes > device.info().max_alloc) {
        return refusal(device, SPOC_SUB_HOST_TOO_LARGE,
                       say(bytes, " bytes are more than its largest buffer, ",
                           device.info().max_alloc, "."))
            .figures(bytes, device.info().max_alloc);
    }
    return {};
}

/// A limit that the device does not state is a refusal too when its driver says it.
outcome as_refusal(outcome failed) {
    if (failed.ok()) {
        return failed;
    }
    spoc_error& record = failed.error();
    const std::pair<std::int32_t, std::uint32_t> refusals[] = {
        {SPOC_BE_UNSUPPORTED, SPOC_SUB_UNSUPPORTED},
        {SPOC_BE_MISALIGNED, SPOC_SUB_MISALIGNED},
        {SPOC_BE_TOO_LARGE, SPOC_SUB_HOST_TOO_LARGE}};
    for (const auto& [answer, sub_code] : refusals) {
        if (record.backend_status == answer) {
            record.status = SPOC_HOST_POINTER_REFUSED;
            record.sub_code = sub_code;
        }
    }
    return failed;
}

}  // namespace

outcome spoc_vector_s::make_over_host(spoc_device device, memory_pointer& out) {
    bool made = false;
    if (device->offers(SPOC_BE_CAP_BUFFER_HOST_RANGE)) {
        return as_refusal(make_memory(device, out, made));
    }
    SPOC_TRY(device->check_current());
    SPOC_TRY(device->open());
    out = std::make_shared<device_memory>(device, bytes(), memory_kind::host_pointer, host_);
    memories_.reserve(memories_.size() + 1);
    SPOC_TRY(as_refusal(out->allocate()));
    memories_.push_back(out);
    return {};
}

outcome spoc_vector_s::place_host_pointer(session& call, spoc_device device) {
    SPOC_TRY(check_has_host());
    SPOC_TRY(check_transferable());
    if (memory_on(device) != nullptr) {
        return outcome::invalid(SPOC_SUB_DUPLICATE, say("Vector ", id_, " has a buffer on device ",
                                                        device->selector(), " already."));
    }
    SPOC_TRY(check_host_pointer(*device, host(), bytes()));
    SPOC_TRY(call.enter());
    SPOC_TRY(freshen_parents(call, true));
    if (!location_.host_is_fresh()) {
        SPOC_TRY(read_back(call));
    }
    SPOC_TRY(enter_host(call, false));
    memory_pointer memory;
    SPOC_TRY(make_over_host(device, memory));
    location_ = {SPOC_LOCATION_BOTH, device};
    if (memory->is_host_storage()) {
        outdate_parents();
    }
    return {};
}

outcome spoc_vector_s::find_shared(spoc_device device, memory_pointer& out) const {
    out = memory_on(device);
    if (out != nullptr && out->shares_host()) {
        return out->check_usable();
    }
    return outcome::invalid(SPOC_SUB_LINK, say("Vector ", id_, " has no buffer over its memory on ",
                                               device->selector(), "."));
}

outcome spoc_vector_s::acquire(session& call, spoc_device device) {
    memory_pointer memory;
    SPOC_TRY(check_has_host());
    SPOC_TRY(check_transferable());
    SPOC_TRY(find_shared(device, memory));
    SPOC_TRY(call.enter());
    if (location_.is_fresh_on(device) && !location_.host_is_fresh()) {
        SPOC_TRY(read_back(call));
        location_.state = SPOC_LOCATION_BOTH;
        return {};
    }
    return settle_sharers(*memory);
}

outcome spoc_vector_s::publish(session& call, spoc_device device) {
    memory_pointer memory;
    SPOC_TRY(check_has_host());
    SPOC_TRY(check_transferable());
    SPOC_TRY(find_shared(device, memory));
    SPOC_TRY(call.enter());
    SPOC_TRY(move_whole(call, memory, true));
    location_ = {SPOC_LOCATION_BOTH, device};
    outdate_parents();
    return {};
}

void spoc_vector_s::wait_for_bare_memory() noexcept {
    try {
        for (const memory_pointer& memory : memories_) {
            if (memory->kind() == memory_kind::host_pointer && host_->is_bare()) {
                static_cast<void>(settle(*memory));
            }
        }
    } catch (...) {
        // What could not be waited for keeps the buffer; the driver's end of it waits.
        return;
    }
}

spoc_status spoc_vector_create_host_pointer(spoc_device device, uint32_t kind,
                                            uint64_t element_bytes, uint64_t count, void* host,
                                            const spoc_owner* owner, spoc_vector* out_vector,
                                            spoc_error* error) noexcept {
    return boundary("spoc_vector_create_host_pointer", error, [&]() -> outcome {
        session call;
        const element_type element{kind, element_bytes};
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(out_vector, "out_vector"));
        SPOC_TRY(check_elements(element, count));
        SPOC_TRY(require_pointer_for(count, host, "host"));
        const std::shared_ptr<lent_memory> lent = lent_memory::of(owner);
        auto made = std::make_unique<spoc_vector_s>(
            element, count, std::make_shared<host_storage>(host, element_bytes * count, lent));
        SPOC_TRY(made->place_host_pointer(call, device));
        *out_vector = made.release();
        if (lent != nullptr) {
            lent->take();
        }
        return {};
    });
}

spoc_status spoc_vector_attach_host_pointer(spoc_vector vector, spoc_device device,
                                            spoc_error* error) noexcept {
    return boundary("spoc_vector_attach_host_pointer", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(vector, "vector"));
        SPOC_TRY(require_pointer(device, "device"));
        const sole_use claimed = vector->claim();
        return vector->place_host_pointer(call, device);
    });
}

spoc_status spoc_vector_acquire_device_writes(spoc_vector vector, spoc_device device,
                                              spoc_error* error) noexcept {
    return boundary("spoc_vector_acquire_device_writes", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(vector, "vector"));
        SPOC_TRY(require_pointer(device, "device"));
        const sole_use claimed = vector->claim();
        return vector->acquire(call, device);
    });
}

spoc_status spoc_vector_publish_host_writes(spoc_vector vector, spoc_device device,
                                            spoc_error* error) noexcept {
    return boundary("spoc_vector_publish_host_writes", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(vector, "vector"));
        SPOC_TRY(require_pointer(device, "device"));
        const sole_use claimed = vector->claim();
        return vector->publish(call, device);
    });
}
