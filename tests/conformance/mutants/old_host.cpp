// SPDX-License-Identifier: Apache-2.0
// A service beyond the end of the host's table is used.
// Case: negotiation/short_host
#include <cstring>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t open(const spoc_be_host* host, const spoc_be_ext* ext, spoc_be_error* error) {
    // What a later version might put into the first reserved word.
    if (const uint64_t later = host->reserved[0]; later != 0) {
        void (*service)(void*) = nullptr;
        static_assert(sizeof service == sizeof later);
        std::memcpy(&service, &later, sizeof service);
        service(host->ctx);
    }
    return original.open(host, ext, error);
}

constexpr void change(spoc_be_table& be) { be.open = open; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
