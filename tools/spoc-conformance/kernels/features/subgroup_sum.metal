// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `subgroup_sum` for devices that take MSL.
#include <metal_stdlib>

using namespace metal;

kernel void subgroup_sum(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]],
                         uint local_id [[thread_position_in_threadgroup]],
                         uint team [[simdgroup_index_in_threadgroup]],
                         uint lane [[thread_index_in_simdgroup]]) {
    device uint* said = out + 4 * i;
    said[0] = team;
    said[1] = lane;
    said[2] = simd_sum(1U);
    said[3] = simd_sum(local_id);
}
