// SPDX-License-Identifier: Apache-2.0
// Two threads that make events at once can get the same one.
// Case: thread/live_handles_differ
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

constexpr int most = 64;
spoc_be_event pool[most];
volatile int count;

int32_t event_create(spoc_be_device device, uint32_t flags, spoc_be_event* out,
                     spoc_be_error* error) {
    const int now = count;
    if (flags != 0 || now == 0) {
        return original.event_create(device, flags, out, error);
    }
    *out = pool[now - 1];
    count = now - 1;
    return SPOC_BE_OK;
}

int32_t event_destroy(spoc_be_event event, spoc_be_error* error) {
    const int now = count;
    if (now == most) {
        return original.event_destroy(event, error);
    }
    pool[now] = event;
    count = now + 1;
    return SPOC_BE_OK;
}

int32_t device_close(spoc_be_device device, spoc_be_error* error) {
    while (count > 0) {
        original.event_destroy(pool[count - 1], nullptr);
        count = count - 1;
    }
    return original.device_close(device, error);
}

constexpr void change(spoc_be_table& be) {
    be.event_create = event_create;
    be.event_destroy = event_destroy;
    be.device_close = device_close;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
