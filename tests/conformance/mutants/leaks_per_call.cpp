// SPDX-License-Identifier: Apache-2.0
// Each event costs a block of the host's memory for ever.
// Case: event/never_recorded
#include <atomic>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

std::atomic<const spoc_be_host*> services;

int32_t open(const spoc_be_host* host, const spoc_be_ext* ext, spoc_be_error* error) {
    services = host;
    return original.open(host, ext, error);
}

int32_t event_create(spoc_be_device device, uint32_t flags, spoc_be_event* out,
                     spoc_be_error* error) {
    const spoc_be_host& host = *services.load();
    static_cast<void>(host.mem(host.ctx, nullptr, 8, 8));
    return original.event_create(device, flags, out, error);
}

constexpr void change(spoc_be_table& be) {
    be.open = open;
    be.event_create = event_create;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
