// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `scale` for devices that take GLSL or SPIRV_SHADER.
#version 450

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer source_buffer { uint values[]; } source;
layout(std430, set = 0, binding = 1) writeonly buffer target_buffer { uint values[]; } target;
layout(push_constant) uniform scalars { uint factor; uint count; } given;

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i < given.count) {
        target.values[i] = source.values[i] * given.factor + i;
    }
}
