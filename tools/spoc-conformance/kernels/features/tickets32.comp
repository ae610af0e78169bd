// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `tickets32` for devices that take GLSL or SPIRV_SHADER.
#version 450

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer total_buffer { uint value; } total;
layout(std430, set = 0, binding = 1) writeonly buffer target_buffer { uint values[]; } target;

void main() {
    target.values[gl_GlobalInvocationID.x] = atomicAdd(total.value, 1u);
}
