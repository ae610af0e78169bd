// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `constants` for devices that take GLSL or SPIRV_SHADER.
#version 450

layout(local_size_x = 1) in;
layout(constant_id = 1) const uint first = 1;
layout(constant_id = 2) const uint second = 2;
layout(std430, set = 0, binding = 0) writeonly buffer target_buffer { uint values[]; } target;

void main() {
    if (gl_GlobalInvocationID.x == 0) {
        target.values[0] = first;
        target.values[1] = second;
    }
}
