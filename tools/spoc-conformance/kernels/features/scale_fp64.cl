// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `scale_fp64` for devices that take OPENCL_C.
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

__kernel void scale_fp64(__global const double* in, __global double* out) {
    const uint i = (uint)get_global_id(0);
    out[i] = in[i] * 1.5 + i;
}
