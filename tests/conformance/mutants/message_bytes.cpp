// SPDX-License-Identifier: Apache-2.0
// Messages are no UTF-8 and hold control characters.
// Case: event/unknown_flag
#include <cstring>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t event_create(spoc_be_device device, uint32_t flags, spoc_be_event* out,
                     spoc_be_error* error) {
    constexpr char message[] = "Fehler\xFC\n\x1B]0;title\x07 passed            event/many";
    const int32_t status = original.event_create(device, flags, out, error);
    if (status < 0 && error != nullptr && error->size >= sizeof *error) {
        std::memcpy(error->message, message, sizeof message);
    }
    return status;
}

constexpr void change(spoc_be_table& be) { be.event_create = event_create; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
