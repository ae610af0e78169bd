// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `subgroup_sum` for devices that take CUDA_C or HIP_C.

// The value of the thread whose place in the subgroup differs in the bits of `mask`.
static __device__ unsigned int across(unsigned int value, int mask) {
#ifdef __HIP__
    return __shfl_xor(value, mask);
#else
    return __shfl_xor_sync(0xFFFFFFFFU, value, mask);
#endif
}

static __device__ unsigned int sum(unsigned int value) {
    for (int mask = 1; mask < warpSize; mask *= 2) {
        value += across(value, mask);
    }
    return value;
}

extern "C" __global__ void subgroup_sum(unsigned int* out) {
    const unsigned int size = warpSize;
    unsigned int* said = out + 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    said[0] = threadIdx.x / size;
    said[1] = threadIdx.x % size;
    said[2] = sum(1);
    said[3] = sum(threadIdx.x);
}
