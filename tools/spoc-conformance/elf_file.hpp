// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.hpp"

namespace spoc::conformance {

/// One note out of a file's note segments.
struct elf_note {
    std::string owner;
    std::uint32_t type = 0;
    std::span<const std::byte> payload;
};

/// One entry of the dynamic symbol table.
struct elf_symbol {
    std::string name;
    Elf64_Sym entry{};

    bool is_defined() const { return entry.st_shndx != SHN_UNDEF; }
    unsigned char binding() const { return ELF64_ST_BIND(entry.st_info); }
    unsigned char type() const { return ELF64_ST_TYPE(entry.st_info); }
    unsigned char visibility() const { return ELF64_ST_VISIBILITY(entry.st_other); }
    /// Whether the loader would give it to other files.
    bool is_exported() const;
};

/// A 64-bit ELF file of this machine's byte order, as the system's loader sees it: by its segments
/// and its dynamic section. Nothing in the file is trusted. Everything here throws `failure` with a
/// sentence on what is damaged, and reads no byte outside the file.
class elf_file {
 public:
    explicit elf_file(byte_vector contents);
    static elf_file read(const std::string& path);

    const Elf64_Ehdr& header() const { return header_; }
    const std::vector<Elf64_Phdr>& segments() const { return segments_; }
    std::vector<elf_note> notes() const;
    /// Up to the end mark; empty: the file has no dynamic section.
    const std::vector<Elf64_Dyn>& dynamic() const { return dynamic_; }
    /// Values of the dynamic section's rows with that tag.
    std::vector<std::uint64_t> values(std::int64_t tag) const;
    /// The texts that those values stand for.
    std::vector<std::string> texts(std::int64_t tag) const;
    std::vector<elf_symbol> symbols() const;

 private:
    std::span<const std::byte> bytes(std::uint64_t offset, std::uint64_t count,
                                     std::string_view what) const;
    template <typename Record>
    Record record(std::uint64_t offset, std::string_view what) const;
    /// Where in the file the loader takes the bytes at that address from.
    std::uint64_t offset_of(std::uint64_t address, std::string_view what) const;
    std::string text_at(std::uint64_t offset, std::string_view what) const;
    void read_notes(const Elf64_Phdr& segment, std::vector<elf_note>& found) const;
    void read_dynamic();
    std::uint64_t symbol_count() const;
    std::uint64_t count_by_gnu_hash(std::uint64_t table) const;
    std::uint64_t count_by_sections() const;

    byte_vector contents_;
    Elf64_Ehdr header_{};
    std::vector<Elf64_Phdr> segments_;
    std::vector<Elf64_Dyn> dynamic_;
};

}  // namespace spoc::conformance
