// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `tickets64` for devices that take GLSL or SPIRV_SHADER.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer total_buffer { uint64_t value; } total;
layout(std430, set = 0, binding = 1) writeonly buffer target_buffer { uint64_t values[]; } target;

void main() {
    target.values[gl_GlobalInvocationID.x] = atomicAdd(total.value, 1ul);
}
