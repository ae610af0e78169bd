// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `scale_int64` for devices that take GLSL or SPIRV_SHADER.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer source_buffer { uint64_t values[]; } source;
layout(std430, set = 0, binding = 1) writeonly buffer target_buffer { uint64_t values[]; } target;

void main() {
    const uint i = gl_GlobalInvocationID.x;
    target.values[i] = source.values[i] * 0x9E3779B97F4A7C15ul + uint64_t(i);
}
