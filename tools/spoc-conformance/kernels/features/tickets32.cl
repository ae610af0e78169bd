// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `tickets32` for devices that take OPENCL_C.

__kernel void tickets32(volatile __global uint* total, __global uint* tickets) {
    tickets[get_global_id(0)] = atomic_add(total, 1U);
}
