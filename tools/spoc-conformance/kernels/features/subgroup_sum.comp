// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `subgroup_sum` for devices that take GLSL or SPIRV_SHADER.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) writeonly buffer target_buffer { uint values[]; } target;

void main() {
    const uint place = 4 * gl_GlobalInvocationID.x;
    target.values[place] = gl_SubgroupID;
    target.values[place + 1] = gl_SubgroupInvocationID;
    target.values[place + 2] = subgroupAdd(1u);
    target.values[place + 3] = subgroupAdd(gl_LocalInvocationID.x);
}
