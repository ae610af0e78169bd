// SPDX-License-Identifier: Apache-2.0
#include "file_mapping.hpp"

#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>

namespace spoc::cudalike {
namespace {

struct close_file {
    void operator()(std::FILE* file) const noexcept { static_cast<void>(std::fclose(file)); }
};

/// One line of the system's list of mappings.
struct mapping {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char permissions[5] = {};
    std::uint64_t inode = 0;
};

/// False at a line that is none.
bool parse(const char* line, mapping& out) noexcept {
    // NOLINTNEXTLINE(cert-err34-c): the kernel writes these lines
    return std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %" SCNu64, &out.begin, &out.end,
                       out.permissions, &out.inode) == 4;
}

}  // namespace

bool is_private_file_mapping(const void* start, std::uint64_t bytes) noexcept {
    const std::unique_ptr<std::FILE, close_file> maps(std::fopen("/proc/self/maps", "re"));
    if (maps == nullptr) {
        return false;
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(start);
    const std::uintptr_t end = begin + bytes;
    char line[512];
    bool at_start = true;
    while (std::fgets(line, sizeof line, maps.get()) != nullptr) {
        mapping one;
        const bool is_start = at_start;
        // A long path makes a line of several pieces, of which only the first says something.
        at_start = std::char_traits<char>::find(line, std::char_traits<char>::length(line), '\n') !=
                   nullptr;
        if (is_start && parse(line, one) && one.begin < end && begin < one.end && one.inode != 0 &&
            one.permissions[3] == 'p') {
            return true;
        }
    }
    return false;
}

}  // namespace spoc::cudalike
