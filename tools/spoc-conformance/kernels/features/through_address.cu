// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `through_address` for devices that take CUDA_C or HIP_C.

extern "C" __global__ void through_address(unsigned int* out, unsigned long long address) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int* words = reinterpret_cast<unsigned int*>(address);
    out[i] = words[i];
    words[i] = i;
}
