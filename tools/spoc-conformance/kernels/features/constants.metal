// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `constants` for devices that take MSL.
#include <metal_stdlib>

using namespace metal;

constant uint first [[function_constant(1)]];
constant uint second [[function_constant(2)]];

kernel void constants(device uint* out [[buffer(0)]], uint thread_id [[thread_position_in_grid]]) {
    if (thread_id == 0) {
        out[0] = first;
        out[1] = second;
    }
}
