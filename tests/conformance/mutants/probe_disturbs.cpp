// SPDX-License-Identifier: Apache-2.0
// A probe while the backend is open closes it.
// Case: probe/while_open
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t probe(const spoc_be_host* host, uint32_t level, spoc_be_probe_report* report,
              spoc_be_error* error) {
    original.close(nullptr);
    return original.probe(host, level, report, error);
}

constexpr void change(spoc_be_table& be) { be.probe = probe; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
