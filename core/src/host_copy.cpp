// SPDX-License-Identifier: Apache-2.0

/// \file
/// Copies from the host's copy of one vector into that of another.

#include <cstring>
#include <memory>

#include "session.hpp"
#include "sole_use.hpp"
#include "text.hpp"
#include "vector.hpp"

using namespace spoc::detail;

namespace {

/// Elements of two vectors' host copies.
struct host_blit {
    spoc_vector source;
    std::uint64_t source_first;
    spoc_vector destination;
    std::uint64_t destination_first;
    std::uint64_t count;
};

outcome check_blit(const host_blit& wanted) {
    const element_type& from = wanted.source->element();
    const element_type& to = wanted.destination->element();
    if (from.kind != to.kind || from.bytes != to.bytes) {
        return outcome::invalid(SPOC_SUB_KIND,
                                say("The elements differ: kind ", from.kind, " with ", from.bytes,
                                    " bytes, and kind ", to.kind, " with ", to.bytes, "."));
    }
    SPOC_TRY(check_element_range(*wanted.source, wanted.source_first, wanted.count));
    SPOC_TRY(check_element_range(*wanted.destination, wanted.destination_first, wanted.count));
    SPOC_TRY(wanted.source->check_has_host());
    return wanted.destination->check_has_host();
}

outcome blit(session& call, const host_blit& wanted) {
    SPOC_TRY(check_blit(wanted));
    if (wanted.count == 0) {
        return {};
    }
    const std::uint64_t bytes = wanted.source->element().bytes;
    SPOC_TRY(wanted.source->read(call));
    SPOC_TRY(wanted.destination->begin_write(call, wanted.count == wanted.destination->count()));
    std::memmove(wanted.destination->host() + wanted.destination_first * bytes,
                 wanted.source->host() + wanted.source_first * bytes, wanted.count * bytes);
    return wanted.destination->end_write(call);
}

}  // namespace

spoc_status spoc_vector_blit(spoc_vector source, uint64_t source_first, spoc_vector destination,
                             uint64_t destination_first, uint64_t count,
                             spoc_error* error) noexcept {
    return boundary("spoc_vector_blit", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(source, "source"));
        SPOC_TRY(require_pointer(destination, "destination"));
        const sole_use claimed = destination->claim();
        return blit(call, {source, source_first, destination, destination_first, count});
    });
}

spoc_status spoc_vector_copy(spoc_vector source, spoc_vector* out_vector,
                             spoc_error* error) noexcept {
    return boundary("spoc_vector_copy", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(source, "source"));
        SPOC_TRY(require_pointer(out_vector, "out_vector"));
        const sole_use claimed = source->claim();
        SPOC_TRY(source->read(call));
        auto made = std::make_unique<spoc_vector_s>(
            source->element(), source->count(), std::make_shared<host_storage>(source->bytes()));
        if (source->bytes() > 0) {
            std::memcpy(made->host(), source->host(), source->bytes());
        }
        *out_vector = made.release();
        return {};
    });
}
