// SPDX-License-Identifier: Apache-2.0
#include "mappings.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>

namespace cuda_double {

bool may_touch(const void* start, std::size_t bytes, bool writes) {
    auto at = reinterpret_cast<std::uintptr_t>(start);
    const std::uintptr_t end = at + bytes;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "re"),
                                                               std::fclose);
    if (maps == nullptr) {
        return true;  // nothing says otherwise
    }
    char line[512];
    // Mappings come in the order of their addresses.
    while (at < end && std::fgets(line, sizeof line, maps.get()) != nullptr) {
        std::uintptr_t first = 0;
        std::uintptr_t last = 0;
        char rights[5] = {};
        // NOLINTNEXTLINE(cert-err34-c): the kernel's own numbers
        if (std::sscanf(line, "%lx-%lx %4s", &first, &last, rights) == 3 && first <= at &&
            at < last) {
            if (rights[0] != 'r' || (writes && rights[1] != 'w')) {
                return false;
            }
            at = std::min(end, last);
        }
    }
    return at == end;
}

}  // namespace cuda_double
