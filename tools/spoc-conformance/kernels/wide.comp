// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `wide` for devices that take GLSL or SPIRV_SHADER.
#version 450

struct triple {
    uint a;
    uint b;
    uint c;
};

layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) writeonly buffer target_buffer { uint values[]; } target;
layout(push_constant) uniform scalars { uvec2 value; triple three; } given;

void main() {
    if (gl_GlobalInvocationID.x != 0) {
        return;
    }
    target.values[0] = given.value.x;
    target.values[1] = given.value.y;
    target.values[2] = given.three.a;
    target.values[3] = given.three.b;
    target.values[4] = given.three.c;
}
