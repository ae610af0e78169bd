// SPDX-License-Identifier: Apache-2.0
// A kernel ends with the program that it is from.
// Case: program/kernel_outlives_program_native_symbol
#include <map>
#include <mutex>

#include "common/status.hpp"
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

std::mutex mutex;
std::map<spoc_be_kernel, spoc_be_program> home;

int32_t kernel_get(spoc_be_program program, const spoc_be_kernel_desc* desc, spoc_be_kernel* out,
                   spoc_be_error* error) {
    const int32_t status = original.kernel_get(program, desc, out, error);
    if (status == SPOC_BE_OK) {
        const std::lock_guard lock(mutex);
        home[*out] = program;
    }
    return status;
}

int32_t program_destroy(spoc_be_program program, spoc_be_error* error) {
    {
        const std::lock_guard lock(mutex);
        for (auto& [kernel, owner] : home) {
            owner = owner == program ? nullptr : owner;
        }
    }
    return original.program_destroy(program, error);
}

int32_t launch(spoc_be_stream stream, const spoc_be_launch* request, uint32_t* done,
               spoc_be_error* error) {
    const std::lock_guard lock(mutex);
    *done = SPOC_BE_DONE_ALL;
    return home[request->kernel] == nullptr
               ? plugin::fail(error, {.status = SPOC_BE_INVALID}, "The program has ended.")
               : original.launch(stream, request, done, error);
}

constexpr void change(spoc_be_table& be) {
    be.kernel_get = kernel_get;
    be.program_destroy = program_destroy;
    be.launch = launch;
}

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
