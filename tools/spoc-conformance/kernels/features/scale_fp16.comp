// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `scale_fp16` for devices that take GLSL or SPIRV_SHADER. Its buffers hold
// words: 16-bit values in buffers are another feature than computing with them.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer source_buffer { uint values[]; } source;
layout(std430, set = 0, binding = 1) writeonly buffer target_buffer { uint values[]; } target;

void main() {
    const uint i = gl_GlobalInvocationID.x;
    const f16vec2 pair = unpackFloat2x16(source.values[i]);
    target.values[i] = packFloat2x16(pair * 1.5hf + 0.25hf);
}
