// SPDX-License-Identifier: Apache-2.0
// The plugin dies when the host has no memory for it.
// Case: lifecycle/memory_ends_at_each_request
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
    auto* const count = static_cast<volatile uint64_t*>(host.mem(host.ctx, nullptr, 8, 8));
    *count = 1;
    host.mem(host.ctx, const_cast<uint64_t*>(count), 0, 1);
    return original.event_create(device, flags, out, error);
}

constexpr void change(spoc_be_table& be) {
    be.open = open;
    be.event_create = event_create;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
