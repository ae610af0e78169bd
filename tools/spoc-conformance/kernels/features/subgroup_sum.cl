// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `subgroup_sum` for devices that take OPENCL_C.
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif

__kernel void subgroup_sum(__global uint* out) {
    const uint thread_id = (uint)get_local_id(0);
    __global uint* said = out + 4 * get_global_id(0);
    said[0] = get_sub_group_id();
    said[1] = get_sub_group_local_id();
    said[2] = sub_group_reduce_add(1U);
    said[3] = sub_group_reduce_add(thread_id);
}
