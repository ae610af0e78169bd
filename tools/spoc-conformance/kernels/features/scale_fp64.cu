// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `scale_fp64` for devices that take CUDA_C or HIP_C.

extern "C" __global__ void scale_fp64(const double* in, double* out) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * 1.5 + i;
}
