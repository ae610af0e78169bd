// SPDX-License-Identifier: Apache-2.0
#include "image.hpp"

#include <elf.h>

#include <cinttypes>
#include <cstring>

#include "common/status.hpp"

namespace spoc::cudalike {
namespace {

/// Head of a container of several binaries, as the toolkit's own header describes it.
struct container_head {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t head_bytes;
    std::uint64_t body_bytes;
};
constexpr std::uint32_t container_magic = 0xBA55ED50;

template <typename Head>
bool read(const void* data, std::uint64_t bytes, std::uint64_t at, Head& out) {
    if (at > bytes || bytes - at < sizeof out) {
        return false;
    }
    std::memcpy(&out, static_cast<const char*>(data) + at, sizeof out);
    return true;
}

bool fits(std::uint64_t at, std::uint64_t length, std::uint64_t bytes) {
    return at <= bytes && length <= bytes - at;
}

/// Whether every section and segment of an ELF file lies in its bytes.
bool is_whole_elf(const void* data, std::uint64_t bytes) {
    Elf64_Ehdr head{};
    if (!read(data, bytes, 0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shnum == 0) {
        return false;
    }
    for (std::uint64_t i = 0; i < head.e_shnum; ++i) {
        Elf64_Shdr section{};
        const std::uint64_t at = i * head.e_shentsize;
        if (head.e_shoff > bytes || !read(data, bytes, head.e_shoff + at, section) ||
            (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
             !fits(section.sh_offset, section.sh_size, bytes))) {
            return false;
        }
    }
    for (std::uint64_t i = 0; i < head.e_phnum; ++i) {
        Elf64_Phdr segment{};
        const std::uint64_t at = i * head.e_phentsize;
        if (head.e_phoff > bytes || !read(data, bytes, head.e_phoff + at, segment) ||
            !fits(segment.p_offset, segment.p_filesz, bytes)) {
            return false;
        }
    }
    return true;
}

bool is_whole_container(const void* data, std::uint64_t bytes) {
    container_head head{};
    return read(data, bytes, 0, head) && head.magic == container_magic &&
           fits(head.head_bytes, head.body_bytes, bytes);
}

}  // namespace

std::int32_t check_image(const void* data, std::uint64_t bytes, spoc_be_error* error) {
    if (is_whole_elf(data, bytes) || is_whole_container(data, bytes)) {
        return SPOC_BE_OK;
    }
    return plugin::fail(
        error, {.status = SPOC_BE_FORMAT, .asked = bytes},
        "The bytes are no whole device binary, cubin or fatbin (%" PRIu64 " bytes).", bytes);
}

}  // namespace spoc::cudalike
