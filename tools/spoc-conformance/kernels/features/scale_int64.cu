// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `scale_int64` for devices that take CUDA_C or HIP_C.

extern "C" __global__ void scale_int64(const unsigned long long* in, unsigned long long* out) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * 0x9E3779B97F4A7C15ULL + i;
}
