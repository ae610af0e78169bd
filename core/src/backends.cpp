// SPDX-License-Identifier: Apache-2.0
#include <spoc/backends.h>

#include "session.hpp"

using namespace spoc::detail;

spoc_status spoc_backends_probe(uint32_t level, spoc_error* error) noexcept {
    return boundary("spoc_backends_probe", error, [&]() -> outcome {
        session call;
        if (level != SPOC_BE_PROBE_PASSIVE && level != SPOC_BE_PROBE_ENUMERATE) {
            return outcome::invalid(SPOC_SUB_VALUE, say("There is no probe level ", level, "."));
        }
        SPOC_TRY(call.enter());
        return call.backends().probe(level == SPOC_BE_PROBE_PASSIVE ? SPOC_STAGE_PASSIVE
                                                                    : SPOC_STAGE_ENUMERATED);
    });
}

spoc_status spoc_backend_count(uint32_t* out_count, spoc_error* error) noexcept {
    return boundary("spoc_backend_count", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(out_count, "out_count"));
        SPOC_TRY(call.enter());
        return call.backends().backend_count(*out_count);
    });
}

spoc_status spoc_backend_get(uint32_t index, spoc_backend_info* out_info,
                             spoc_error* error) noexcept {
    return boundary("spoc_backend_get", error, [&]() -> outcome {
        session call;
        spoc_backend_info info{};
        SPOC_TRY(require_sized(out_info, "out_info"));
        SPOC_TRY(call.enter());
        SPOC_TRY(call.backends().backend_info(index, info));
        return write_sized(info, out_info);
    });
}

spoc_status spoc_backend_require(const char* name, spoc_error* error) noexcept {
    return boundary("spoc_backend_require", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(name, "name"));
        SPOC_TRY(call.enter());
        return call.backends().require(name);
    });
}

spoc_status spoc_search_count(uint32_t* out_count, spoc_error* error) noexcept {
    return boundary("spoc_search_count", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(out_count, "out_count"));
        SPOC_TRY(call.enter());
        return call.backends().place_count(*out_count);
    });
}

spoc_status spoc_search_get(uint32_t index, spoc_search_place* out_place,
                            spoc_error* error) noexcept {
    return boundary("spoc_search_get", error, [&]() -> outcome {
        session call;
        spoc_search_place place{};
        SPOC_TRY(require_sized(out_place, "out_place"));
        SPOC_TRY(call.enter());
        SPOC_TRY(call.backends().place(index, place));
        return write_sized(place, out_place);
    });
}
