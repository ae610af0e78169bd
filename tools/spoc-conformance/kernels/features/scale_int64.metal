// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `scale_int64` for devices that take MSL.
#include <metal_stdlib>

using namespace metal;

kernel void scale_int64(device const ulong* in [[buffer(0)]], device ulong* out [[buffer(1)]],
                        uint i [[thread_position_in_grid]]) {
    out[i] = in[i] * 0x9E3779B97F4A7C15UL + i;
}
