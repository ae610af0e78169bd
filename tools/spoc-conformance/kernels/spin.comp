// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `spin` for devices that take GLSL or SPIRV_SHADER.
#version 450

layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) writeonly buffer target_buffer { uint values[]; } target;
layout(push_constant) uniform scalars { uint seed; uint rounds; } given;

void main() {
    if (gl_GlobalInvocationID.x != 0) {
        return;
    }
    uint value = given.seed;
    for (uint i = 0; i < given.rounds; ++i) {
        value = value * 1664525u + 1013904223u;
        value ^= value >> 13;
    }
    target.values[0] = value;
}
