// SPDX-License-Identifier: Apache-2.0
#include "sole_use.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace spoc::detail {
namespace {

/// A number that no other thread that is alive has.
std::uintptr_t own_number() noexcept {
    thread_local const char place = 0;
    return reinterpret_cast<std::uintptr_t>(&place);
}

[[noreturn]] void end_process(std::uint64_t id) noexcept {
    // No stream and no memory of the library's: the program is in an unknown state.
    char text[160];
    const int length =
        std::snprintf(text, sizeof text,
                      "spoc: validate: two threads use vector %llu at once; one at a time may.\n",
                      static_cast<unsigned long long>(id));
    if (write(STDERR_FILENO, text, static_cast<std::size_t>(length)) < 0) {
        std::perror("spoc: validate");
    }
    std::abort();
}

}  // namespace

void sole_use::begin(user_tag& tag, std::uint64_t id) noexcept {
    std::uintptr_t found = 0;
    if (tag.compare_exchange_strong(found, own_number(), std::memory_order_acquire)) {
        tag_ = &tag;
    } else if (found != own_number()) {
        end_process(id);
    }
}

}  // namespace spoc::detail
