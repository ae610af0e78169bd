// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `through_address` for devices that take OPENCL_C.

__kernel void through_address(__global uint* out, ulong address) {
    const uint i = (uint)get_global_id(0);
    __global uint* words = (__global uint*)address;
    out[i] = words[i];
    words[i] = i;
}
