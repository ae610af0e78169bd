// SPDX-License-Identifier: Apache-2.0
// The suite's kernels for devices that take OPENCL_C.

__kernel void scale(__global const uint* in, __global uint* out, uint factor, uint count) {
    const uint i = (uint)get_global_id(0);
    if (i < count) {
        out[i] = in[i] * factor + i;
    }
}

__kernel void spin(__global uint* out, uint seed, uint rounds) {
    if (get_global_id(0) != 0) {
        return;
    }
    uint value = seed;
    for (uint i = 0; i < rounds; ++i) {
        value = value * 1664525U + 1013904223U;
        value ^= value >> 13;
    }
    out[0] = value;
}

__kernel void who(__global uint* out) {
    const uint thread =
        (uint)((get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) +
               get_global_id(0));
    __global uint* place = out + 16 * thread;
    for (uint axis = 0; axis < 3; ++axis) {
        place[axis] = (uint)get_global_id(axis);
        place[3 + axis] = (uint)get_group_id(axis);
        place[6 + axis] = (uint)get_local_id(axis);
        place[9 + axis] = (uint)get_num_groups(axis);
        place[12 + axis] = (uint)get_local_size(axis);
    }
    place[15] += 1;
}

typedef struct {
    uint a;
    uint b;
    uint c;
} triple;

__kernel void wide(__global uint* out, ulong value, triple three) {
    if (get_global_id(0) != 0) {
        return;
    }
    out[0] = (uint)value;
    out[1] = (uint)(value >> 32);
    out[2] = three.a;
    out[3] = three.b;
    out[4] = three.c;
}

// Every thread leaves its number and takes that of its mirror image in the block.
__kernel void mirror_local(__global uint* out, __local uint* scratch) {
    const uint local_id = (uint)get_local_id(0);
    scratch[local_id] = (uint)get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = scratch[get_local_size(0) - 1 - local_id];
}
