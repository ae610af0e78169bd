// SPDX-License-Identifier: Apache-2.0

/// \file
/// The functions of spoc/vector.h.

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "auto_sync.hpp"
#include "copy_arguments.hpp"
#include "device.hpp"
#include "lent_memory.hpp"
#include "session.hpp"
#include "text.hpp"
#include "vector.hpp"

using namespace spoc::detail;

namespace {

std::atomic<bool> process_auto_sync{true};

/// Bytes of an element of a kind; 0: any, `out_known` false: there is no such kind.
std::uint64_t bytes_of_kind(std::uint32_t kind, bool& out_known) noexcept {
    out_known = true;
    switch (kind) {
        case SPOC_KIND_UINT8:
            return 1;
        case SPOC_KIND_FLOAT16:
            return 2;
        case SPOC_KIND_FLOAT32:
        case SPOC_KIND_INT32:
            return 4;
        case SPOC_KIND_FLOAT64:
        case SPOC_KIND_INT64:
        case SPOC_KIND_COMPLEX32:
            return 8;
        case SPOC_KIND_RECORD:
            return 0;
        default:
            out_known = false;
            return 0;
    }
}

}  // namespace

namespace spoc::detail {

outcome check_elements(const element_type& element, std::uint64_t count) {
    bool known = false;
    const std::uint64_t wanted = bytes_of_kind(element.kind, known);
    if (!known) {
        return outcome::invalid(SPOC_SUB_KIND, say("There is no element kind ", element.kind, "."));
    }
    if (element.bytes == 0 || (wanted != 0 && element.bytes != wanted)) {
        return outcome::invalid(SPOC_SUB_LENGTH, say("An element of kind ", element.kind,
                                                     " does not have ", element.bytes, " bytes."));
    }
    if (count > PTRDIFF_MAX / element.bytes) {
        return outcome::invalid(SPOC_SUB_LENGTH,
                                say("The size of ", count, " elements overflows."));
    }
    return {};
}

outcome check_element_range(const spoc_vector_s& vector, std::uint64_t first, std::uint64_t count) {
    if (first <= vector.count() && count <= vector.count() - first) {
        return {};
    }
    return outcome::invalid(SPOC_SUB_BOUNDS,
                            say("The vector has ", vector.count(), " elements, and not ", count,
                                " from element ", first, " on."))
        .figures(count, first > vector.count() ? 0 : vector.count() - first);
}

}  // namespace spoc::detail

namespace {

outcome check_device_only(const element_type& element, std::uint64_t count) {
    SPOC_TRY(check_elements(element, count));
    if (element.kind == SPOC_KIND_RECORD) {
        return outcome::invalid(SPOC_SUB_KIND, "Records do not live on a device alone.");
    }
    if (count == 0 || count > SPOC_MOST_DEVICE_ELEMENTS) {
        return outcome::invalid(SPOC_SUB_LENGTH,
                                say("A vector on a device alone has 1 to ",
                                    SPOC_MOST_DEVICE_ELEMENTS, " elements, not ", count, "."))
            .figures(count, SPOC_MOST_DEVICE_ELEMENTS);
    }
    return {};
}

/// The device kernels and copies of which work in the host's memory takes host storage.
std::shared_ptr<host_storage> storage_for(const spoc_device_s& device, std::uint64_t bytes) {
    return device.offers(SPOC_BE_CAP_BUFFER_HOST_RANGE) ? std::make_shared<host_storage>(bytes)
                                                        : nullptr;
}

/// Which stream a ranged copy runs on: none is the default one.
order order_of(spoc_stream stream) { return {stream, stream != nullptr}; }

}  // namespace

bool spoc::detail::auto_sync_is_on() noexcept {
    return process_auto_sync.load(std::memory_order_relaxed);
}

spoc_status spoc_vector_create(uint32_t kind, uint64_t element_bytes, uint64_t count,
                               spoc_device hint, spoc_vector* out_vector,
                               spoc_error* error) noexcept {
    return boundary("spoc_vector_create", error, [&]() -> outcome {
        const element_type element{kind, element_bytes};
        SPOC_TRY(require_pointer(out_vector, "out_vector"));
        SPOC_TRY(check_elements(element, count));
        auto made = std::make_unique<spoc_vector_s>(
            element, count, std::make_shared<host_storage>(element_bytes * count));
        if (hint != nullptr) {
            made->expect_on(hint);
        }
        *out_vector = made.release();
        return {};
    });
}

spoc_status spoc_vector_create_over(uint32_t kind, uint64_t element_bytes, uint64_t count,
                                    void* host, const spoc_owner* owner, spoc_vector* out_vector,
                                    spoc_error* error) noexcept {
    return boundary("spoc_vector_create_over", error, [&]() -> outcome {
        const element_type element{kind, element_bytes};
        SPOC_TRY(require_pointer(out_vector, "out_vector"));
        SPOC_TRY(check_elements(element, count));
        SPOC_TRY(require_pointer_for(count, host, "host"));
        const std::shared_ptr<lent_memory> lent = lent_memory::of(owner);
        *out_vector =
            std::make_unique<spoc_vector_s>(
                element, count, std::make_shared<host_storage>(host, element_bytes * count, lent))
                .release();
        if (lent != nullptr) {
            lent->take();
        }
        return {};
    });
}

spoc_status spoc_vector_create_device_only(spoc_device device, uint32_t kind,
                                           uint64_t element_bytes, uint64_t count,
                                           spoc_vector* out_vector, spoc_error* error) noexcept {
    return boundary("spoc_vector_create_device_only", error, [&]() -> outcome {
        session call;
        const element_type element{kind, element_bytes};
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(out_vector, "out_vector"));
        SPOC_TRY(check_device_only(element, count));
        SPOC_TRY(call.enter());
        auto made = std::make_unique<spoc_vector_s>(element, count,
                                                    storage_for(*device, element_bytes * count));
        SPOC_TRY(made->place_on(device));
        *out_vector = made.release();
        return {};
    });
}

void spoc_vector_destroy(spoc_vector vector) noexcept {
    const traced_call traced("spoc_vector_destroy");
    // Memory that work needs lives on in that work; the rest ends here.
    const call_guard guard;
    if (vector != nullptr) {
        static_cast<void>(vector->claim());
    }
    const std::unique_ptr<spoc_vector_s> owned(vector);
    if (owned != nullptr && guard.state() == SPOC_BE_PROCESS_RUNNING) {
        owned->wait_for_bare_memory();
    }
}

spoc_status spoc_vector_describe(spoc_vector vector, spoc_vector_info* out_info,
                                 spoc_error* error) noexcept {
    return boundary("spoc_vector_describe", error, [&]() -> outcome {
        SPOC_TRY(require_pointer(vector, "vector"));
        const sole_use claimed = vector->claim();
        SPOC_TRY(require_sized(out_info, "out_info"));
        return write_sized(vector->describe(), out_info);
    });
}

spoc_status spoc_vector_link(spoc_vector vector, spoc_device device, uint32_t* out_link,
                             spoc_error* error) noexcept {
    return boundary("spoc_vector_link", error, [&]() -> outcome {
        SPOC_TRY(require_pointer(vector, "vector"));
        const sole_use claimed = vector->claim();
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(out_link, "out_link"));
        *out_link = vector->link(device);
        return {};
    });
}

spoc_status spoc_vector_set_auto_sync(spoc_vector vector, int32_t on, spoc_error* error) noexcept {
    return boundary("spoc_vector_set_auto_sync", error, [&]() -> outcome {
        SPOC_TRY(require_pointer(vector, "vector"));
        const sole_use claimed = vector->claim();
        vector->set_auto_sync(on != 0);
        return {};
    });
}

void spoc_set_auto_sync(int32_t on) noexcept { process_auto_sync.store(on != 0); }

spoc_status spoc_vector_read(spoc_vector vector, const void** out_data,
                             spoc_error* error) noexcept {
    return boundary("spoc_vector_read", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(vector, "vector"));
        const sole_use claimed = vector->claim();
        SPOC_TRY(require_pointer(out_data, "out_data"));
        SPOC_TRY(vector->read(call));
        *out_data = vector->host();
        return {};
    });
}

spoc_status spoc_vector_begin_write(spoc_vector vector, uint32_t flags, void** out_data,
                                    spoc_error* error) noexcept {
    return boundary("spoc_vector_begin_write", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(vector, "vector"));
        const sole_use claimed = vector->claim();
        SPOC_TRY(require_pointer(out_data, "out_data"));
        if ((flags & ~SPOC_WRITE_ALL) != 0) {
            return outcome::invalid(SPOC_SUB_VALUE, say("There is no flag in ", flags, "."));
        }
        SPOC_TRY(vector->begin_write(call, flags != 0));
        *out_data = vector->host();
        return {};
    });
}

spoc_status spoc_vector_end_write(spoc_vector vector, spoc_error* error) noexcept {
    return boundary("spoc_vector_end_write", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(vector, "vector"));
        const sole_use claimed = vector->claim();
        return vector->end_write(call);
    });
}

spoc_status spoc_vector_host_unsynced(spoc_vector vector, void** out_data,
                                      spoc_error* error) noexcept {
    return boundary("spoc_vector_host_unsynced", error, [&]() -> outcome {
        SPOC_TRY(require_pointer(vector, "vector"));
        const sole_use claimed = vector->claim();
        SPOC_TRY(require_pointer(out_data, "out_data"));
        SPOC_TRY(vector->check_has_host());
        *out_data = vector->host();
        return {};
    });
}

spoc_status spoc_vector_to_device(spoc_vector vector, spoc_device device,
                                  spoc_error* error) noexcept {
    return boundary("spoc_vector_to_device", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(vector, "vector"));
        const sole_use claimed = vector->claim();
        SPOC_TRY(require_pointer(device, "device"));
        return vector->to_device(call, device);
    });
}

spoc_status spoc_vector_to_host(spoc_vector vector, int32_t force, spoc_error* error) noexcept {
    return boundary("spoc_vector_to_host", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(vector, "vector"));
        const sole_use claimed = vector->claim();
        return vector->to_host(call, force != 0);
    });
}

spoc_status spoc_vector_sync(spoc_vector vector, spoc_error* error) noexcept {
    return boundary("spoc_vector_sync", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(vector, "vector"));
        const sole_use claimed = vector->claim();
        return vector->sync(call);
    });
}

spoc_status spoc_vector_free_buffer(spoc_vector vector, spoc_device device,
                                    spoc_error* error) noexcept {
    return boundary("spoc_vector_free_buffer", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(vector, "vector"));
        const sole_use claimed = vector->claim();
        SPOC_TRY(require_pointer(device, "device"));
        return vector->free_buffer(call, device);
    });
}

spoc_status spoc_vector_free_all_buffers(spoc_vector vector, spoc_error* error) noexcept {
    return boundary("spoc_vector_free_all_buffers", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(vector, "vector"));
        const sole_use claimed = vector->claim();
        return vector->free_all(call);
    });
}

spoc_status spoc_vector_write_range(spoc_vector vector, uint64_t offset, const void* source,
                                    uint64_t bytes, spoc_stream stream, const spoc_owner* owner,
                                    spoc_error* error) noexcept {
    return boundary("spoc_vector_write_range", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(vector, "vector"));
        const sole_use claimed = vector->claim();
        // One structure for both directions; a copy to the device only reads through it.
        auto* const host = static_cast<std::byte*>(const_cast<void*>(source));
        return vector->copy_range(call, {offset, host, bytes, true}, order_of(stream), owner);
    });
}

spoc_status spoc_vector_read_range(spoc_vector vector, uint64_t offset, void* destination,
                                   uint64_t bytes, spoc_stream stream, const spoc_owner* owner,
                                   spoc_error* error) noexcept {
    return boundary("spoc_vector_read_range", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(vector, "vector"));
        const sole_use claimed = vector->claim();
        auto* const host = static_cast<std::byte*>(destination);
        return vector->copy_range(call, {offset, host, bytes, false}, order_of(stream), owner);
    });
}

spoc_status spoc_vector_stage(spoc_vector vector, uint64_t offset, const void* source,
                              uint64_t bytes, spoc_stream stream, spoc_error* error) noexcept {
    return boundary("spoc_vector_stage", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(vector, "vector"));
        const sole_use claimed = vector->claim();
        auto* const host = static_cast<std::byte*>(const_cast<void*>(source));
        return vector->copy_range(call, {offset, host, bytes, true, true}, order_of(stream),
                                  nullptr);
    });
}
