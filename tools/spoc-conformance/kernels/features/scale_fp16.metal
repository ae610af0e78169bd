// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `scale_fp16` for devices that take MSL.
#include <metal_stdlib>

using namespace metal;

kernel void scale_fp16(device const uint* in [[buffer(0)]], device uint* out [[buffer(1)]],
                       uint i [[thread_position_in_grid]]) {
    const half2 pair = as_type<half2>(in[i]);
    out[i] = as_type<uint>(pair * half(1.5h) + half(0.25h));
}
