// SPDX-License-Identifier: Apache-2.0

/// \file
/// For those who launch by other means than this library's.

#include <memory>
#include <span>
#include <vector>

#include <spoc/launch.h>

#include "device.hpp"
#include "lent_memory.hpp"
#include "session.hpp"
#include "stream.hpp"
#include "text.hpp"
#include "vector.hpp"

using namespace spoc::detail;

namespace {

outcome add_vectors(spoc_device device, std::span<const spoc_vector> vectors, use_list& out) {
    for (const spoc_vector vector : vectors) {
        SPOC_TRY(require_pointer(vector, "vector"));
        const spoc_vector_info info = vector->describe();
        if (info.freed != 0) {
            return outcome::invalid(SPOC_SUB_FREED,
                                    say("The memory of vector ", info.id, " was freed."));
        }
        std::shared_ptr<device_memory> memory = vector->memory_for(device);
        if (memory == nullptr) {
            return outcome::invalid(
                SPOC_SUB_LOCATION,
                say("Vector ", info.id, " has no buffer on device ", device->selector(), "."));
        }
        out.add(std::move(memory));
    }
    return {};
}

}  // namespace

spoc_status spoc_keep_until_done(spoc_stream stream, const spoc_owner* owner,
                                 const spoc_vector* vectors, uint32_t count,
                                 spoc_error* error) noexcept {
    return boundary("spoc_keep_until_done", error, [&]() -> outcome {
        session call;
        work_needs needs;
        SPOC_TRY(require_pointer(stream, "stream"));
        SPOC_TRY(require_pointer_for(count, vectors, "vectors"));
        SPOC_TRY(stream->state->check_not_closed());
        SPOC_TRY(add_vectors(&stream->state->device(), {vectors, count}, needs.uses));
        SPOC_TRY(call.enter());
        const std::shared_ptr<lent_memory> lent = lent_memory::of(owner);
        needs.uses.add(lent);
        SPOC_TRY(stream->state->keep({&needs, 1}));
        if (lent != nullptr) {
            lent->take();
        }
        return {};
    });
}

spoc_status spoc_vector_install_buffer(spoc_vector vector, spoc_device device, spoc_buffer buffer,
                                       spoc_error* error) noexcept {
    return boundary("spoc_vector_install_buffer", error, [&]() -> outcome {
        SPOC_TRY(require_pointer(vector, "vector"));
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(buffer, "buffer"));
        return vector->install(device, *buffer);
    });
}
