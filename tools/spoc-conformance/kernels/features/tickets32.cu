// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `tickets32` for devices that take CUDA_C or HIP_C.

extern "C" __global__ void tickets32(unsigned int* total, unsigned int* tickets) {
    tickets[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(total, 1U);
}
