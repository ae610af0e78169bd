// SPDX-License-Identifier: Apache-2.0
#include "object.hpp"

#include <cstdlib>

namespace spoc::mock {

memory::memory(std::size_t size, std::size_t alignment) : bytes(nullptr) {
    void* block = nullptr;
    if (::posix_memalign(&block, alignment, size) == 0) {
        bytes = static_cast<std::byte*>(block);
        owned = true;
    }
}

memory::~memory() {
    if (owned) {
        std::free(bytes);
    }
}

}  // namespace spoc::mock
