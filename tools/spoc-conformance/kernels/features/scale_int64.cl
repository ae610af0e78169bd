// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `scale_int64` for devices that take OPENCL_C.

__kernel void scale_int64(__global const ulong* in, __global ulong* out) {
    const uint i = (uint)get_global_id(0);
    out[i] = in[i] * 0x9E3779B97F4A7C15UL + i;
}
