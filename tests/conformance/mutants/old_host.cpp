// SPDX-License-Identifier: Apache-2.0
// The end of the host's table is read though it is not there.
// Case: negotiation/short_host
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t open(const spoc_be_host* host, const spoc_be_ext* ext, spoc_be_error* error) {
    if (host->trace_begin != nullptr && host->trace_end != nullptr) {
        host->trace_begin(host->ctx, "open");
        host->trace_end(host->ctx);
    }
    return original.open(host, ext, error);
}

constexpr void change(spoc_be_table& be) { be.open = open; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
