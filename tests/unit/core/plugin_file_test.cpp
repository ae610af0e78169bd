// SPDX-License-Identifier: Apache-2.0
#include "plugin_file.hpp"

#include <elf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <spoc/backends.h>

#include "support/catch.hpp"
#include "support/recorder_file.hpp"

namespace spoc::detail {
namespace {

using test::temporary_folder;

/// Name of the reason that stands in the way of a file with these bytes.
std::string verdict(const temporary_folder& folder, std::string_view content, plugin_file& out) {
    const std::string path = folder.write("libspoc-rec.so", content);
    out = {};
    const finding found = examine_plugin_file(path, "rec", out);
    CHECK(found.fine() == found.message.empty());
    return spoc_reason_name(found.reason);
}

std::string verdict(const temporary_folder& folder, std::string_view content) {
    plugin_file ignored;
    return verdict(folder, content, ignored);
}

std::string verdict_of(const std::string& path) {
    plugin_file ignored;
    return spoc_reason_name(examine_plugin_file(path, "rec", ignored).reason);
}

/// A plugin called "rec" as it was built.
std::string plugin_bytes() {
    const temporary_folder folder;
    return test::read_file(test::write_recorder(folder, "rec"));
}

std::vector<Elf64_Phdr> segments_of(const std::string& bytes) {
    Elf64_Ehdr header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    std::vector<Elf64_Phdr> segments(header.e_phnum);
    std::memcpy(segments.data(), bytes.data() + header.e_phoff,
                header.e_phnum * sizeof(Elf64_Phdr));
    return segments;
}

/// Length of the file's header and of its program headers, which follow.
std::size_t header_bytes(const std::string& bytes) {
    return sizeof(Elf64_Ehdr) + segments_of(bytes).size() * sizeof(Elf64_Phdr);
}

template <typename Record>
void append_bytes(std::string& out, const Record& record) {
    out.append(reinterpret_cast<const char*>(&record), sizeof record);
}

std::string note(std::string_view owner, std::uint32_t type, std::string_view payload) {
    std::string bytes;
    append_bytes(bytes, Elf64_Nhdr{static_cast<Elf64_Word>(owner.size()),
                                   static_cast<Elf64_Word>(payload.size()), type});
    bytes += owner;
    bytes.resize((bytes.size() + 3) / 4 * 4);
    bytes += payload;
    bytes.resize((bytes.size() + 3) / 4 * 4);
    return bytes;
}

std::string our_payload(const char* name = "rec", std::uint16_t major = SPOC_BE_ABI_MAJOR,
                        std::uint32_t flavour = SPOC_BE_BUILD_FLAVOUR) {
    spoc_be_note payload{};
    payload.note_version = SPOC_BE_NOTE_VERSION;
    payload.major = major;
    payload.flavour = flavour;
    const std::string_view text = name;
    std::copy_n(text.data(), std::min(text.size(), sizeof payload.name), payload.name);
    std::strcpy(payload.version, "1");
    std::string bytes;
    append_bytes(bytes, payload);
    return bytes;
}

constexpr std::string_view our_owner("SPOC\0", 5);

std::string our_note(const std::string& payload = our_payload()) {
    return note(our_owner, SPOC_BE_NOTE_TYPE, payload);
}

/// The smallest file with a note segment; a test changes it before it asks for the bytes.
struct elf_file {
    Elf64_Ehdr header{};
    Elf64_Phdr segment{};
    std::string notes;

    explicit elf_file(std::string with_notes = our_note()) : notes(std::move(with_notes)) {
        const std::string real = plugin_bytes();
        std::memcpy(&header, real.data(), sizeof header);
        header.e_phoff = sizeof header;
        header.e_phnum = 1;
        segment.p_type = PT_NOTE;
        segment.p_offset = sizeof header + sizeof segment;
        segment.p_filesz = notes.size();
    }
    std::string bytes() const {
        std::string all;
        append_bytes(all, header);
        append_bytes(all, segment);
        return all + notes;
    }
};

}  // namespace

TEST_CASE("A file's name gives the backend's name or none") {
    CHECK(backend_of_file_name("libspoc-cuda.so") == "cuda");
    CHECK(backend_of_file_name("libspoc-a_0.so") == "a_0");
    CHECK(backend_of_file_name("libspoc-123456789012345.so") == "123456789012345");
    for (const char* other :
         {"", "libspoc-.so", "libspoc.so", "libspoc-cuda.so.1", "libspoc-cuda.dylib",
          "spoc-cuda.so", "libspoc-CUDA.so", "libspoc-cu da.so", "libspoc-cu-da.so",
          "libspoc-1234567890123456.so", "libspoc-so", "xlibspoc-cuda.so", "libspoc-cuda.sox",
          "libspoc-\xC3\xA4.so"}) {
        CAPTURE(other);
        CHECK(backend_of_file_name(other).empty());
    }
}

TEST_CASE("A plugin as it is built is fine and its note is read") {
    const temporary_folder folder;
    plugin_file file;
    CHECK(verdict(folder, plugin_bytes(), file) == "NONE");
    CHECK(file.real_path == (folder.path() / "libspoc-rec.so").string());
    REQUIRE(file.note);
    CHECK(std::string(file.note->name) == "rec");
    CHECK(file.note->major == SPOC_BE_ABI_MAJOR);
    CHECK(file.note->flavour == SPOC_BE_BUILD_FLAVOUR);
}

TEST_CASE("A plugin cut off anywhere is no library, and is read no further than it goes") {
    const temporary_folder folder;
    const std::string whole = plugin_bytes();
    std::size_t needed = 0;
    for (const Elf64_Phdr& segment : segments_of(whole)) {
        needed = std::max<std::size_t>(needed, segment.p_offset + segment.p_filesz);
    }
    const std::string path = folder.write("libspoc-rec.so", whole.substr(0, needed));
    CHECK(verdict_of(path) == "NONE");
    std::size_t wrong = 0;
    for (std::size_t length = needed; length > 0;) {
        length -= length <= header_bytes(whole) + 64 ? 1 : std::min<std::size_t>(length, 1009);
        std::filesystem::resize_file(path, length);
        wrong += verdict_of(path) == "NOT_ELF" ? 0 : 1;
    }
    CHECK(wrong == 0);
}

TEST_CASE("No byte of the headers, whatever it is, makes the reader stumble") {
    const temporary_folder folder;
    const std::string bytes = plugin_bytes();
    const std::string path = folder.write("libspoc-rec.so", bytes);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const auto put = [&file](std::size_t at, char value) {
        file.seekp(static_cast<std::streamoff>(at)).put(value).flush();
    };
    for (std::size_t at = 0; at < header_bytes(bytes); ++at) {
        for (const int value : {0x00, 0x7F, 0x80, 0xFF}) {
            put(at, static_cast<char>(value));
            const std::string reason = verdict_of(path);
            if (reason != "NONE" && reason != "NOT_ELF" && reason != "WRONG_ARCH") {
                CAPTURE(at, value);
                CHECK(reason == "one of the three");
            }
        }
        put(at, bytes[at]);
    }
    CHECK(verdict_of(path) == "NONE");
}

TEST_CASE("A file of the smallest size with a note is read") {
    const temporary_folder folder;
    plugin_file file;
    CHECK(verdict(folder, elf_file().bytes(), file) == "NONE");
    CHECK(file.note);
    CHECK(verdict(folder, elf_file("").bytes(), file) == "NONE");
    CHECK_FALSE(file.note);
}

TEST_CASE("Headers that claim more than there is are refused") {
    const temporary_folder folder;
    elf_file file;
    SECTION("more segments than the file holds") { file.header.e_phnum = 0xFFFF; }
    SECTION("segments beyond the end") { file.header.e_phoff = 1 << 20; }
    SECTION("segments beyond every end") { file.header.e_phoff = UINT64_MAX; }
    SECTION("segments at an end that wraps around") { file.header.e_phoff = UINT64_MAX - 8; }
    SECTION("a segment that is longer than the file") {
        file.segment.p_filesz = file.notes.size() + 1;
    }
    SECTION("a segment that begins beyond the end") { file.segment.p_offset = 1 << 20; }
    SECTION("a segment whose end wraps around") {
        file.segment.p_filesz = UINT64_MAX - file.segment.p_offset + 2;
    }
    SECTION("segments of another size") { file.header.e_phentsize = 32; }
    SECTION("a program") { file.header.e_type = ET_EXEC; }
    SECTION("an object file") { file.header.e_type = ET_REL; }
    CHECK(verdict(folder, file.bytes()) == "NOT_ELF");
}

TEST_CASE("Another machine is told as such") {
    const temporary_folder folder;
    elf_file file;
    SECTION("another processor") { file.header.e_machine = EM_SPARC; }
    SECTION("another word size") { file.header.e_ident[EI_CLASS] = ELFCLASS32; }
    SECTION("another byte order") { file.header.e_ident[EI_DATA] = 3; }
    CHECK(verdict(folder, file.bytes()) == "WRONG_ARCH");
}

TEST_CASE("A note that does not hold together is passed over") {
    const temporary_folder folder;
    std::string bytes;
    SECTION("cut off in its header") { bytes = our_note().substr(0, 11); }
    SECTION("cut off in its owner") { bytes = our_note().substr(0, 14); }
    SECTION("cut off in its payload") { bytes = our_note().substr(0, our_note().size() - 4); }
    SECTION("with the longest owner") {
        bytes = our_note();
        bytes.replace(0, 4, "\xFF\xFF\xFF\xFF");
    }
    SECTION("with the longest payload") {
        bytes = our_note();
        bytes.replace(4, 4, "\xFF\xFF\xFF\xFF");
    }
    SECTION("with a shorter payload") { bytes = our_note(our_payload().substr(0, 20)); }
    SECTION("of another owner") {
        bytes = note(std::string("SPOK\0", 5), SPOC_BE_NOTE_TYPE, our_payload());
    }
    SECTION("of an owner whose name goes on") {
        bytes = note(std::string("SPOCS", 5), SPOC_BE_NOTE_TYPE, our_payload());
    }
    SECTION("of an owner without its NUL") {
        bytes = note("SPOC", SPOC_BE_NOTE_TYPE, our_payload());
    }
    SECTION("of another type") { bytes = note(our_owner, 2, our_payload()); }
    SECTION("after a note that does not end") {
        bytes = note("GNU", 1, "x");
        bytes.replace(4, 4, "\x00\xFF\xFF\xFF", 4);
        bytes += our_note();
    }
    plugin_file file;
    CHECK(verdict(folder, elf_file(bytes).bytes(), file) == "NONE");
    CHECK_FALSE(file.note);
}

TEST_CASE("A note is found behind others, and may be longer than ours") {
    const temporary_folder folder;
    plugin_file file;
    const std::string others =
        note(std::string("GNU\0", 4), 3, "a build id") + note("", 1, "") + note("x", 9, "12345");
    CHECK(verdict(folder, elf_file(others + our_note()).bytes(), file) == "NONE");
    CHECK(file.note);
    CHECK(verdict(folder, elf_file(our_note(our_payload() + "more")).bytes(), file) == "NONE");
    CHECK(file.note);
    // The first of two counts.
    CHECK(verdict(folder, elf_file(our_note() + our_note(our_payload("other"))).bytes()) == "NONE");
    CHECK(verdict(folder, elf_file(our_note(our_payload("other")) + our_note()).bytes()) ==
          "INCONSISTENT");
}

TEST_CASE("What the note says is checked before the file is opened for good") {
    const temporary_folder folder;
    const auto with = [&folder](const std::string& payload) {
        return verdict(folder, elf_file(our_note(payload)).bytes());
    };
    CHECK(with(our_payload("rec", SPOC_BE_ABI_MAJOR + 1)) == "ABI_TOO_NEW");
    CHECK(with(our_payload("rec", SPOC_BE_ABI_MAJOR - 1)) == "ABI_TOO_OLD");
    CHECK(with(our_payload("reck")) == "INCONSISTENT");
    CHECK(with(our_payload("re")) == "INCONSISTENT");
    CHECK(with(our_payload("0123456789abcdef")) == "INCONSISTENT");  // without a NUL
    constexpr std::uint32_t sanitizers = SPOC_BE_FLAVOUR_ASAN | SPOC_BE_FLAVOUR_TSAN;
    CHECK(with(our_payload("rec", SPOC_BE_ABI_MAJOR, sanitizers)) == "WRONG_FLAVOUR");
    CHECK(with(our_payload("rec", SPOC_BE_ABI_MAJOR, 0)) == "NONE");
    CHECK(with(our_payload("rec", SPOC_BE_ABI_MAJOR, SPOC_BE_FLAVOUR_DEBUG)) == "NONE");
}

TEST_CASE("A note segment of more than a mebibyte is not read") {
    const temporary_folder folder;
    plugin_file file;
    std::string notes = our_note();
    notes.resize((1 << 20) + 1);
    CHECK(verdict(folder, elf_file(notes).bytes(), file) == "NONE");
    CHECK_FALSE(file.note);
    notes.resize(1 << 20);
    CHECK(verdict(folder, elf_file(notes).bytes(), file) == "NONE");
    CHECK(file.note);
}

TEST_CASE("Others may write neither the file, nor its folder, nor that of a link to it") {
    const temporary_folder folder;
    const temporary_folder links;
    const std::string path = folder.write("libspoc-rec.so", elf_file().bytes());
    const std::string link = (links.path() / "libspoc-rec.so").string();
    std::filesystem::create_symlink(path, link);
    const auto reason = [](const std::string& of) {
        plugin_file out;
        return std::string(spoc_reason_name(examine_plugin_file(of, "rec", out).reason));
    };
    const auto permit = [](const std::string& what, mode_t mode) {
        REQUIRE(::chmod(what.c_str(), mode) == 0);
    };
    CHECK(reason(link) == "NONE");
    permit(path, 0757);
    CHECK(reason(path) == "UNSAFE_PERMISSIONS");
    CHECK(reason(link) == "UNSAFE_PERMISSIONS");
    permit(path, 0775);  // the group matters to privileged programs only
    CHECK(reason(path) == "NONE");
    permit(folder.path().string(), 01777);
    CHECK(reason(path) == "UNSAFE_PERMISSIONS");
    CHECK(reason(link) == "UNSAFE_PERMISSIONS");
    permit(folder.path().string(), 0755);
    permit(links.path().string(), 0757);
    CHECK(reason(path) == "NONE");
    CHECK(reason(link) == "UNSAFE_PERMISSIONS");
}

TEST_CASE("What is no regular file is told without waiting for it") {
    const temporary_folder folder;
    const std::string path = (folder.path() / "libspoc-rec.so").string();
    plugin_file out;
    const auto reason = [&] {
        return std::string(spoc_reason_name(examine_plugin_file(path, "rec", out).reason));
    };
    CHECK(reason() == "FILE_UNREADABLE");
    REQUIRE(::mkfifo(path.c_str(), 0644) == 0);
    CHECK(reason() == "NOT_ELF");
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    CHECK(reason() == "NOT_ELF");
    std::filesystem::remove(path);
    std::filesystem::create_symlink("/dev/zero", path);
    CHECK(reason() == "NOT_ELF");
    std::filesystem::remove(path);
    std::filesystem::create_symlink("nowhere", path);
    const finding dangling = examine_plugin_file(path, "rec", out);
    CHECK(dangling.reason == SPOC_BE_REASON_FILE_UNREADABLE);
    CHECK(dangling.message.find("link") != std::string::npos);
}

}  // namespace spoc::detail
