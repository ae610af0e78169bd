// SPDX-License-Identifier: Apache-2.0
#include "allocations.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

thread_local std::uint64_t count = 0;

}  // namespace

namespace spoc::test {

std::uint64_t allocations() noexcept { return count; }

}  // namespace spoc::test

// The library's calls come here too: a program's own operators take the place of everybody's.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    ++count;
    return std::malloc(bytes != 0 ? bytes : 1);
}

void* operator new(std::size_t bytes) {
    if (void* const made = operator new(bytes, std::nothrow)) {
        return made;
    }
    throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
