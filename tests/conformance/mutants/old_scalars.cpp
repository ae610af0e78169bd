// SPDX-License-Identifier: Apache-2.0
// A launch gets the scalars of the launch before.
// Case: launch/arguments_are_copied
#include <cstddef>
#include <mutex>
#include <utility>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

std::mutex mutex;
std::vector<std::vector<std::byte>> before;

std::vector<std::vector<std::byte>> scalars_of(const spoc_be_launch& request) {
    std::vector<std::vector<std::byte>> scalars(request.arg_count);
    for (uint32_t i = 0; i < request.arg_count; ++i) {
        const spoc_be_arg& arg = request.args[i];
        if (arg.kind == SPOC_BE_PARAM_SCALAR) {
            const auto* bytes = static_cast<const std::byte*>(arg.data);
            scalars[i].assign(bytes, bytes + arg.bytes);
        }
    }
    return scalars;
}

int32_t launch(spoc_be_stream stream, const spoc_be_launch* request, uint32_t* done,
               spoc_be_error* error) {
    const std::lock_guard lock(mutex);
    const auto stale = std::exchange(before, scalars_of(*request));
    return launch_changed(stream, *request, done, error, [&stale](spoc_be_arg& arg) {
        if (arg.kind == SPOC_BE_PARAM_SCALAR && arg.index < stale.size() &&
            stale[arg.index].size() == arg.bytes) {
            arg.data = stale[arg.index].data();
        }
    });
}

constexpr void change(spoc_be_table& be) { be.launch = launch; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
