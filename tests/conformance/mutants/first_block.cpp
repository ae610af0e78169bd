// SPDX-License-Identifier: Apache-2.0
// A kernel keeps the block that it was first launched with.
// Case: honesty/free_block
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <mutex>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

std::mutex mutex;
std::map<spoc_be_kernel, std::array<uint32_t, 3>> first;

int32_t launch(spoc_be_stream stream, const spoc_be_launch* request, uint32_t* done,
               spoc_be_error* error) {
    spoc_be_launch changed = *request;
    {
        const std::lock_guard lock(mutex);
        const auto& block = request->block;
        const auto& kept =
            first.try_emplace(request->kernel, std::array{block[0], block[1], block[2]}).first;
        std::copy(kept->second.begin(), kept->second.end(), std::begin(changed.block));
    }
    return original.launch(stream, &changed, done, error);
}

int32_t kernel_destroy(spoc_be_kernel kernel, spoc_be_error* error) {
    {
        const std::lock_guard lock(mutex);
        first.erase(kernel);
    }
    return original.kernel_destroy(kernel, error);
}

constexpr void change(spoc_be_table& be) {
    be.launch = launch;
    be.kernel_destroy = kernel_destroy;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
