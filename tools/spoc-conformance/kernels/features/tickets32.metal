// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `tickets32` for devices that take MSL.
#include <metal_stdlib>

using namespace metal;

kernel void tickets32(device atomic_uint* total [[buffer(0)]], device uint* tickets [[buffer(1)]],
                      uint i [[thread_position_in_grid]]) {
    tickets[i] = atomic_fetch_add_explicit(total, 1U, memory_order_relaxed);
}
