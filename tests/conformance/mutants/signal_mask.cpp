// SPDX-License-Identifier: Apache-2.0
// Making a stream leaves the calling thread with a signal blocked.
// Case: thread/state_kept_with_streams
#include <signal.h>

#include "mutant.hpp"

namespace spoc::mutant {
namespace {

int32_t stream_create(spoc_be_device device, const spoc_be_stream_desc* desc, spoc_be_stream* out,
                      spoc_be_error* error) {
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
    return original.stream_create(device, desc, out, error);
}

constexpr void change(spoc_be_table& be) { be.stream_create = stream_create; }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
