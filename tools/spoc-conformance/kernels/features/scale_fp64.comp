// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `scale_fp64` for devices that take GLSL or SPIRV_SHADER.
#version 450

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer source_buffer { double values[]; } source;
layout(std430, set = 0, binding = 1) writeonly buffer target_buffer { double values[]; } target;

void main() {
    const uint i = gl_GlobalInvocationID.x;
    target.values[i] = source.values[i] * 1.5lf + double(i);
}
