// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `through_address` for devices that take GLSL or SPIRV_SHADER.
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer word_buffer { uint values[]; };
layout(std430, set = 0, binding = 0) writeonly buffer target_buffer { uint values[]; } target;
layout(push_constant) uniform scalars { uvec2 address; } given;

void main() {
    const uint i = gl_GlobalInvocationID.x;
    word_buffer words = word_buffer(given.address);
    target.values[i] = words.values[i];
    words.values[i] = i;
}
