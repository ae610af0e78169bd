// SPDX-License-Identifier: Apache-2.0
#include "elf_file.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <utility>

#include "check.hpp"

namespace spoc::conformance {
namespace {

constexpr unsigned char own_encoding =
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

/// Notes longer than this are none: real ones have less than a hundred bytes.
constexpr std::uint64_t most_note_bytes = std::uint64_t{1} << 20;

std::uint64_t aligned(std::uint64_t size, std::uint64_t alignment) {
    return (size + alignment - 1) / alignment * alignment;
}

}  // namespace

bool elf_symbol::is_exported() const {
    const bool seen =
        binding() == STB_GLOBAL || binding() == STB_WEAK || binding() == STB_GNU_UNIQUE;
    return is_defined() && seen && (visibility() == STV_DEFAULT || visibility() == STV_PROTECTED);
}

elf_file elf_file::read(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff length = file ? std::streamoff{file.tellg()} : -1;
    require(length >= 0, "The file ", path, " cannot be read.");
    byte_vector contents(static_cast<std::size_t>(length));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(contents.data()), length);
    require(file.gcount() == length, "The file ", path, " ended while it was read.");
    return elf_file(std::move(contents));
}

elf_file::elf_file(byte_vector contents) : contents_(std::move(contents)) {
    const std::span<const std::byte> ident = bytes(0, EI_NIDENT, "identification");
    require(std::memcmp(ident.data(), ELFMAG, SELFMAG) == 0,
            "The file does not begin with an ELF header.");
    header_ = record<Elf64_Ehdr>(0, "header");
    require(header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_ident[EI_DATA] == own_encoding,
            "The file is built for another word size or byte order than this program.");
    require(header_.e_phentsize == sizeof(Elf64_Phdr), "The file's program headers have ",
            header_.e_phentsize, " bytes each instead of ", sizeof(Elf64_Phdr), ".");
    for (std::uint64_t i = 0; i < header_.e_phnum; ++i) {
        const std::uint64_t at = header_.e_phoff + i * sizeof(Elf64_Phdr);
        segments_.push_back(record<Elf64_Phdr>(at, "program headers"));
    }
    read_dynamic();
}

std::span<const std::byte> elf_file::bytes(std::uint64_t offset, std::uint64_t count,
                                           std::string_view what) const {
    require(offset <= contents_.size() && count <= contents_.size() - offset, "The file's ", what,
            " would take ", count, " bytes from offset ", offset, ", and the file has ",
            contents_.size(), " bytes.");
    return std::span(contents_).subspan(offset, count);
}

template <typename Record>
Record elf_file::record(std::uint64_t offset, std::string_view what) const {
    Record value{};
    std::memcpy(&value, bytes(offset, sizeof value, what).data(), sizeof value);
    return value;
}

std::uint64_t elf_file::offset_of(std::uint64_t address, std::string_view what) const {
    for (const Elf64_Phdr& segment : segments_) {
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
            address - segment.p_vaddr < segment.p_filesz) {
            return segment.p_offset + (address - segment.p_vaddr);
        }
    }
    fail("The file's ", what, " is said to lie at address ", address,
         ", which no loaded segment holds.");
}

std::string elf_file::text_at(std::uint64_t offset, std::string_view what) const {
    const std::vector<std::uint64_t> table = values(DT_STRTAB);
    const std::vector<std::uint64_t> size = values(DT_STRSZ);
    require(!table.empty() && !size.empty() && offset < size.front(), "The file's ", what,
            " has its text at offset ", offset, ", outside the table of texts.");
    const std::span<const std::byte> texts =
        bytes(offset_of(table.front(), "table of texts"), size.front(), "table of texts");
    const auto begin = texts.begin() + static_cast<std::ptrdiff_t>(offset);
    const auto end = std::find(begin, texts.end(), std::byte{0});
    require(end != texts.end(), "The file's ", what, " has a text without an end.");
    return {reinterpret_cast<const char*>(&*begin), static_cast<std::size_t>(end - begin)};
}

std::vector<elf_note> elf_file::notes() const {
    std::vector<elf_note> found;
    for (const Elf64_Phdr& segment : segments_) {
        if (segment.p_type == PT_NOTE && segment.p_filesz <= most_note_bytes) {
            read_notes(segment, found);
        }
    }
    return found;
}

void elf_file::read_notes(const Elf64_Phdr& segment, std::vector<elf_note>& found) const {
    const std::span<const std::byte> all =
        bytes(segment.p_offset, segment.p_filesz, "note segment");
    // Segments of 8-byte alignment pad their notes to it, all others to 4 bytes.
    const std::uint64_t alignment = segment.p_align == 8 ? 8 : 4;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= all.size();) {
        Elf64_Nhdr head{};
        std::memcpy(&head, all.data() + at, sizeof head);
        const std::uint64_t owner = at + sizeof head;
        const std::uint64_t payload = aligned(owner + head.n_namesz, alignment);
        require(payload <= all.size() && head.n_descsz <= all.size() - payload,
                "The file has a note that reaches beyond its segment of ", all.size(), " bytes.");
        const char* name = reinterpret_cast<const char*>(all.data() + owner);
        found.push_back({std::string(name, strnlen(name, head.n_namesz)), head.n_type,
                         all.subspan(payload, head.n_descsz)});
        at = aligned(payload + head.n_descsz, alignment);
    }
}

void elf_file::read_dynamic() {
    const auto segment =
        std::find_if(segments_.begin(), segments_.end(),
                     [](const Elf64_Phdr& candidate) { return candidate.p_type == PT_DYNAMIC; });
    if (segment == segments_.end()) {
        return;
    }
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment->p_filesz;
         at += sizeof(Elf64_Dyn)) {
        const auto row = record<Elf64_Dyn>(segment->p_offset + at, "dynamic section");
        if (row.d_tag == DT_NULL) {
            return;
        }
        dynamic_.push_back(row);
    }
}

std::vector<std::uint64_t> elf_file::values(std::int64_t tag) const {
    std::vector<std::uint64_t> found;
    for (const Elf64_Dyn& row : dynamic_) {
        if (row.d_tag == tag) {
            found.push_back(row.d_un.d_val);
        }
    }
    return found;
}

std::vector<std::string> elf_file::texts(std::int64_t tag) const {
    std::vector<std::string> found;
    for (const std::uint64_t offset : values(tag)) {
        found.push_back(text_at(offset, "dynamic section"));
    }
    return found;
}

std::uint64_t elf_file::count_by_gnu_hash(std::uint64_t table) const {
    constexpr const char* what = "hash table of symbols";
    constexpr std::uint64_t head_bytes = 16;
    const auto buckets = record<std::uint32_t>(table, what);
    const std::uint64_t first_hashed = record<std::uint32_t>(table + 4, what);
    const std::uint64_t bloom_words = record<std::uint32_t>(table + 8, what);
    const std::uint64_t at = table + head_bytes + bloom_words * sizeof(std::uint64_t);
    const std::span<const std::byte> starts =
        bytes(at, std::uint64_t{buckets} * sizeof(std::uint32_t), what);
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < starts.size(); i += sizeof(std::uint32_t)) {
        std::uint32_t start = 0;
        std::memcpy(&start, starts.data() + i, sizeof start);
        last = std::max<std::uint64_t>(last, start);
    }
    if (last < first_hashed) {
        return first_hashed;
    }
    // The chain of the highest bucket ends with the last symbol, which has bit 0 of its hash set.
    const std::uint64_t chains = at + starts.size();
    while ((record<std::uint32_t>(chains + (last - first_hashed) * 4, what) & 1U) == 0) {
        ++last;
    }
    return last + 1;
}

std::uint64_t elf_file::count_by_sections() const {
    if (header_.e_shoff == 0 || header_.e_shentsize != sizeof(Elf64_Shdr)) {
        return 0;
    }
    for (std::uint64_t i = 0; i < header_.e_shnum; ++i) {
        const auto section =
            record<Elf64_Shdr>(header_.e_shoff + i * sizeof(Elf64_Shdr), "section headers");
        if (section.sh_type == SHT_DYNSYM) {
            return section.sh_size / sizeof(Elf64_Sym);
        }
    }
    return 0;
}

std::uint64_t elf_file::symbol_count() const {
    if (const auto table = values(DT_HASH); !table.empty()) {
        constexpr const char* what = "hash table of symbols";
        return record<std::uint32_t>(offset_of(table.front(), what) + 4, what);
    }
    // A GNU table knows the symbols that are defined; of a file that defines none, the sections
    // know the rest.
    std::uint64_t count = count_by_sections();
    if (const auto table = values(DT_GNU_HASH); !table.empty()) {
        count =
            std::max(count, count_by_gnu_hash(offset_of(table.front(), "hash table of symbols")));
    }
    return count;
}

std::vector<elf_symbol> elf_file::symbols() const {
    const auto table = values(DT_SYMTAB);
    if (table.empty()) {
        return {};
    }
    const std::uint64_t count = symbol_count();
    const std::uint64_t at = offset_of(table.front(), "table of symbols");
    require(count <= contents_.size() / sizeof(Elf64_Sym), "The file is said to have ", count,
            " symbols, more than it has room for.");
    std::vector<elf_symbol> found;
    for (std::uint64_t i = 1; i < count; ++i) {
        elf_symbol symbol;
        symbol.entry = record<Elf64_Sym>(at + i * sizeof(Elf64_Sym), "table of symbols");
        symbol.name = text_at(symbol.entry.st_name, "table of symbols");
        found.push_back(std::move(symbol));
    }
    return found;
}

}  // namespace spoc::conformance
