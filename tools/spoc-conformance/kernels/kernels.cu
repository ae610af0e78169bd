// SPDX-License-Identifier: Apache-2.0
// The suite's kernels for devices that take CUDA_C or HIP_C.

extern "C" __global__ void scale(const unsigned int* in, unsigned int* out, unsigned int factor,
                                 unsigned int count) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = in[i] * factor + i;
    }
}

extern "C" __global__ void spin(unsigned int* out, unsigned int seed, unsigned int rounds) {
    if (blockIdx.x != 0 || threadIdx.x != 0) {
        return;
    }
    unsigned int value = seed;
    for (unsigned int i = 0; i < rounds; ++i) {
        value = value * 1664525U + 1013904223U;
        value ^= value >> 13;
    }
    out[0] = value;
}

extern "C" __global__ void who(unsigned int* out) {
    const unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned int z = blockIdx.z * blockDim.z + threadIdx.z;
    const unsigned int width = gridDim.x * blockDim.x;
    const unsigned int height = gridDim.y * blockDim.y;
    unsigned int* place = out + 16 * ((z * height + y) * width + x);
    place[0] = x;
    place[1] = y;
    place[2] = z;
    place[3] = blockIdx.x;
    place[4] = blockIdx.y;
    place[5] = blockIdx.z;
    place[6] = threadIdx.x;
    place[7] = threadIdx.y;
    place[8] = threadIdx.z;
    place[9] = gridDim.x;
    place[10] = gridDim.y;
    place[11] = gridDim.z;
    place[12] = blockDim.x;
    place[13] = blockDim.y;
    place[14] = blockDim.z;
    place[15] += 1;
}

struct triple {
    unsigned int a;
    unsigned int b;
    unsigned int c;
};

extern "C" __global__ void wide(unsigned int* out, unsigned long long value, triple three) {
    if (blockIdx.x != 0 || threadIdx.x != 0) {
        return;
    }
    out[0] = static_cast<unsigned int>(value);
    out[1] = static_cast<unsigned int>(value >> 32);
    out[2] = three.a;
    out[3] = three.b;
    out[4] = three.c;
}

extern __shared__ unsigned int scratch[];

// Every thread leaves its number and takes that of its mirror image in the block.
extern "C" __global__ void mirror_shared(unsigned int* out) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    scratch[threadIdx.x] = i;
    __syncthreads();
    out[i] = scratch[blockDim.x - 1 - threadIdx.x];
}
