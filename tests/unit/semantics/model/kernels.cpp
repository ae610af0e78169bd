// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include <cstdint>
#include <cstring>

namespace spoc::model {
namespace {

using byte = std::uint8_t;

byte* bytes_of(void* const* args, std::size_t index) { return static_cast<byte*>(args[index]); }
std::uint32_t number_of(void* const* args, std::size_t index) {
    std::uint32_t number = 0;
    std::memcpy(&number, args[index], sizeof number);
    return number;
}

/// Writes all that it is shown, and reads none of it.
void stamp(const spoc_native_block* block, void* const* args) {
    const std::uint32_t i = block->index[0];
    bytes_of(args, 0)[i] = static_cast<byte>(number_of(args, 1) + i);
}

void shift(const spoc_native_block* block, void* const* args) {
    byte& one = bytes_of(args, 0)[block->index[0]];
    one = static_cast<byte>(3U * one + number_of(args, 1));
}

void blend(const spoc_native_block* block, void* const* args) {
    const std::uint32_t i = block->index[0];
    bytes_of(args, 2)[i] = static_cast<byte>(5U * bytes_of(args, 0)[i] + bytes_of(args, 1)[i]);
}

/// Has more arguments than one entry of the ledger takes.
void mingle(const spoc_native_block* block, void* const* args) {
    const std::uint32_t i = block->index[0];
    byte& first = bytes_of(args, 0)[i];
    first = static_cast<byte>(first + number_of(args, 3) * bytes_of(args, 1)[i]);
    bytes_of(args, 2)[i] = static_cast<byte>(first ^ bytes_of(args, 4)[i]);
}

spoc_be_param parameter(std::uint32_t index, std::uint32_t kind, std::uint32_t access,
                        std::uint32_t element, std::uint32_t bytes) {
    spoc_be_param made{};
    made.index = index;
    made.kind = kind;
    made.access = access;
    made.element = element;
    made.bytes = bytes;
    made.set = made.binding = made.offset = SPOC_BE_UNKNOWN_32;
    return made;
}
/// Of elements of any type.
spoc_be_param any_memory(std::uint32_t index, std::uint32_t access) {
    return parameter(index, SPOC_BE_PARAM_BUFFER, access, SPOC_BE_ELEMENT_UNKNOWN, 0);
}
spoc_be_param integers(std::uint32_t index, std::uint32_t access) {
    return parameter(index, SPOC_BE_PARAM_BUFFER, access, SPOC_BE_ELEMENT_I32, 4);
}
spoc_be_param integer(std::uint32_t index) {
    return parameter(index, SPOC_BE_PARAM_SCALAR, SPOC_BE_ACCESS_READ, SPOC_BE_ELEMENT_I32, 4);
}

}  // namespace

const std::array<kernel_kind, kernel_count>& kernels() {
    static const std::array<kernel_kind, kernel_count> all = {
        kernel_kind{"stamp", {any_memory(0, SPOC_BE_ACCESS_WRITE), integer(1)}, stamp},
        kernel_kind{"shift", {integers(0, SPOC_BE_ACCESS_READ_WRITE), integer(1)}, shift},
        kernel_kind{"blend",
                    {any_memory(0, SPOC_BE_ACCESS_READ), any_memory(1, SPOC_BE_ACCESS_READ),
                     any_memory(2, SPOC_BE_ACCESS_WRITE)},
                    blend},
        kernel_kind{
            "mingle",
            {any_memory(0, SPOC_BE_ACCESS_READ_WRITE), any_memory(1, SPOC_BE_ACCESS_READ),
             any_memory(2, SPOC_BE_ACCESS_WRITE), integer(3), any_memory(4, SPOC_BE_ACCESS_READ)},
            mingle}};
    return all;
}

void add_kernels(const spoc_mock_gate& gate) {
    static std::array<spoc_native_kernel, kernel_count> described{};
    for (std::size_t i = 0; i < kernel_count; ++i) {
        const kernel_kind& one = kernels().at(i);
        described.at(i) = {SPOC_NATIVE_KERNEL_MAGIC, sizeof(spoc_native_kernel),
                           static_cast<std::uint32_t>(one.parameters.size()), one.parameters.data(),
                           one.run};
        gate.add_kernel(one.name, &described.at(i));
    }
}

}  // namespace spoc::model
