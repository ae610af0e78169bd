// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `tickets64` for devices that take CUDA_C or HIP_C.

extern "C" __global__ void tickets64(unsigned long long* total, unsigned long long* tickets) {
    tickets[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(total, 1ULL);
}
