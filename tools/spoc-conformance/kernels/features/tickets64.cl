// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `tickets64` for devices that take OPENCL_C.
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

__kernel void tickets64(volatile __global ulong* total, __global ulong* tickets) {
    tickets[get_global_id(0)] = atom_add(total, 1UL);
}
