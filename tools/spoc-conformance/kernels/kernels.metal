// SPDX-License-Identifier: Apache-2.0
// The suite's kernels for devices that take MSL.
#include <metal_stdlib>

using namespace metal;

kernel void scale(device const uint* in [[buffer(0)]], device uint* out [[buffer(1)]],
                  constant uint& factor [[buffer(2)]], constant uint& count [[buffer(3)]],
                  uint i [[thread_position_in_grid]]) {
    if (i < count) {
        out[i] = in[i] * factor + i;
    }
}

kernel void spin(device uint* out [[buffer(0)]], constant uint& seed [[buffer(1)]],
                 constant uint& rounds [[buffer(2)]], uint thread_id [[thread_position_in_grid]]) {
    if (thread_id != 0) {
        return;
    }
    uint value = seed;
    for (uint i = 0; i < rounds; ++i) {
        value = value * 1664525U + 1013904223U;
        value ^= value >> 13;
    }
    out[0] = value;
}

static void write_axes(device uint* place, uint3 axes) {
    place[0] = axes.x;
    place[1] = axes.y;
    place[2] = axes.z;
}

kernel void who(device uint* out [[buffer(0)]], uint3 id [[thread_position_in_grid]],
                uint3 extent [[threads_per_grid]],
                uint3 block_id [[threadgroup_position_in_grid]],
                uint3 local_id [[thread_position_in_threadgroup]],
                uint3 blocks [[threadgroups_per_grid]],
                uint3 block_extent [[threads_per_threadgroup]]) {
    device uint* place = out + 16 * ((id.z * extent.y + id.y) * extent.x + id.x);
    write_axes(place, id);
    write_axes(place + 3, block_id);
    write_axes(place + 6, local_id);
    write_axes(place + 9, blocks);
    write_axes(place + 12, block_extent);
    place[15] += 1;
}

struct triple {
    uint a;
    uint b;
    uint c;
};

kernel void wide(device uint* out [[buffer(0)]], constant ulong& value [[buffer(1)]],
                 constant triple& three [[buffer(2)]], uint thread_id [[thread_position_in_grid]]) {
    if (thread_id != 0) {
        return;
    }
    out[0] = static_cast<uint>(value);
    out[1] = static_cast<uint>(value >> 32);
    out[2] = three.a;
    out[3] = three.b;
    out[4] = three.c;
}

// Every thread leaves its number and takes that of its mirror image in the block.
kernel void mirror_local(device uint* out [[buffer(0)]],
                         threadgroup uint* scratch [[threadgroup(0)]],
                         uint i [[thread_position_in_grid]],
                         uint local_id [[thread_position_in_threadgroup]],
                         uint threads [[threads_per_threadgroup]]) {
    scratch[local_id] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = scratch[threads - 1 - local_id];
}
