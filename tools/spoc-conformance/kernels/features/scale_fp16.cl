// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `scale_fp16` for devices that take OPENCL_C.
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

__kernel void scale_fp16(__global const uint* in, __global uint* out) {
    const uint i = (uint)get_global_id(0);
    const half2 pair = as_half2(in[i]);
    out[i] = as_uint(pair * (half)1.5f + (half)0.25f);
}
