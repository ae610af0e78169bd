// SPDX-License-Identifier: Apache-2.0
// The suite's kernel `who` for devices that take GLSL or SPIRV_SHADER. Its block can be chosen when
// the kernel is made.
#version 450

layout(local_size_x = 4, local_size_y = 2, local_size_z = 2) in;
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(std430, set = 0, binding = 0) buffer target_buffer { uint values[]; } target;

void write_axes(uint place, uvec3 axes) {
    target.values[place] = axes.x;
    target.values[place + 1] = axes.y;
    target.values[place + 2] = axes.z;
}

void main() {
    const uvec3 id = gl_GlobalInvocationID;
    const uvec3 extent = gl_NumWorkGroups * gl_WorkGroupSize;
    const uint place = 16 * ((id.z * extent.y + id.y) * extent.x + id.x);
    write_axes(place, id);
    write_axes(place + 3, gl_WorkGroupID);
    write_axes(place + 6, gl_LocalInvocationID);
    write_axes(place + 9, gl_NumWorkGroups);
    write_axes(place + 12, gl_WorkGroupSize);
    target.values[place + 15] += 1;
}
