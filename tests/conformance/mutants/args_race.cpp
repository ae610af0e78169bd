// SPDX-License-Identifier: Apache-2.0
// Arguments of launches are kept in one place, without a lock.
// Case: thread/contended_launches
#include <cstddef>
#include <cstring>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

constexpr uint32_t most = 16;
constexpr uint64_t most_bytes = 64;
spoc_be_arg slots[most];
std::byte scalars[most][most_bytes];

int32_t launch(spoc_be_stream stream, const spoc_be_launch* request, uint32_t* done,
               spoc_be_error* error) {
    for (uint32_t i = 0; i < request->arg_count && i < most; ++i) {
        slots[i] = request->args[i];
        if (slots[i].kind == SPOC_BE_PARAM_SCALAR && slots[i].bytes <= most_bytes) {
            std::memcpy(scalars[i], slots[i].data, slots[i].bytes);
            slots[i].data = scalars[i];
        }
    }
    spoc_be_launch changed = *request;
    changed.args = request->arg_count <= most ? slots : request->args;
    return original.launch(stream, &changed, done, error);
}

constexpr void change(spoc_be_table& be) { be.launch = launch; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
