// SPDX-License-Identifier: Apache-2.0
#include "plugin_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "elf_machine.hpp"
#include "env.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

class file_descriptor {
 public:
    explicit file_descriptor(int fd) noexcept : fd_(fd) {}
    ~file_descriptor() {
        if (fd_ >= 0) {
            close(fd_);
        }
    }
    file_descriptor(const file_descriptor&) = delete;
    file_descriptor& operator=(const file_descriptor&) = delete;
    int get() const noexcept { return fd_; }

 private:
    int fd_;
};

std::string user_name(uid_t id) {
    std::array<char, 1024> storage{};
    passwd record{};
    passwd* found = nullptr;
    getpwuid_r(id, &record, storage.data(), storage.size(), &found);
    return found == nullptr ? std::to_string(id) : std::string(found->pw_name);
}

std::string group_name(gid_t id) {
    std::array<char, 1024> storage{};
    group record{};
    group* found = nullptr;
    getgrgid_r(id, &record, storage.data(), storage.size(), &found);
    return found == nullptr ? std::to_string(id) : std::string(found->gr_name);
}

std::string octal(mode_t mode) {
    std::string digits;
    for (int shift = 9; shift >= 0; shift -= 3) {
        digits.push_back(static_cast<char>('0' + ((mode >> shift) & 7U)));
    }
    return digits;
}

/// "owner root, group root, mode 0777"
std::string ownership(const struct stat& status) {
    return say("owner ", user_name(status.st_uid), ", group ", group_name(status.st_gid), ", mode ",
               octal(status.st_mode));
}

finding unreadable(const std::string& path, int error_number) {
    struct stat status {};
    std::string detail;
    if (error_number == EACCES && stat(path.c_str(), &status) == 0) {
        detail = say(" (", ownership(status), ")");
    } else if (error_number == ENOENT && lstat(path.c_str(), &status) == 0 &&
               S_ISLNK(status.st_mode)) {
        detail = " (the link points to nothing)";
    }
    return {SPOC_BE_REASON_FILE_UNREADABLE,
            say("The file cannot be opened: ", std::strerror(error_number), detail, ".")};
}

finding unsafe(std::string_view what, const std::string& path, const struct stat& status) {
    return {SPOC_BE_REASON_UNSAFE_PERMISSIONS,
            say("Others may write to the ", what, " ", path, " (", ownership(status), ").")};
}

bool foreign_owner(const struct stat& status) {
    return status.st_uid != 0 && status.st_uid != geteuid();
}

/// In a privileged process whoever can change a file, or replace it, would gain that privilege.
bool unsafe_when_secure(const struct stat& status) {
    return (status.st_mode & S_IWGRP) != 0 || foreign_owner(status);
}

finding check_permissions_of(std::string_view what, const std::string& path,
                             const struct stat& status) {
    if ((status.st_mode & S_IWOTH) != 0 || (process_is_secure() && unsafe_when_secure(status))) {
        return unsafe(what, path, status);
    }
    return {};
}

std::string directory_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

finding check_directory(const std::string& directory) {
    struct stat status {};
    if (stat(directory.c_str(), &status) != 0) {
        return unreadable(directory, errno);
    }
    return check_permissions_of("directory", directory, status);
}

/// A privileged process also refuses files below a directory that anybody may add to.
finding check_ancestors(std::string directory) {
    while (process_is_secure() && directory != "/") {
        directory = directory_of(directory);
        if (finding found = check_directory(directory); !found.fine()) {
            return found;
        }
    }
    return {};
}

finding check_permissions(const std::string& path, const std::string& real_path,
                          const struct stat& status) {
    if (finding found = check_permissions_of("file", real_path, status); !found.fine()) {
        return found;
    }
    // The directory that holds the link counts as much as the one that holds the file: either can
    // be made to name another.
    for (const std::string& directory : {directory_of(path), directory_of(real_path)}) {
        if (finding found = check_directory(directory); !found.fine()) {
            return found;
        }
    }
    return check_ancestors(directory_of(real_path));
}

bool read_exactly(int fd, void* out, std::size_t bytes, std::uint64_t offset) {
    auto* place = static_cast<char*>(out);
    while (bytes > 0) {
        const ssize_t got = pread(fd, place, bytes, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        place += got;
        offset += static_cast<std::uint64_t>(got);
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

constexpr unsigned char own_encoding =
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

finding not_elf(std::string_view why) {
    return {SPOC_BE_REASON_NOT_ELF, say("The file is no shared library: ", why, ".")};
}

finding read_header(int fd, Elf64_Ehdr& header) {
    if (!read_exactly(fd, header.e_ident, EI_NIDENT, 0) ||
        std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        return not_elf("it does not begin with an ELF header");
    }
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != own_encoding) {
        return {SPOC_BE_REASON_WRONG_ARCH,
                "The file is built for another word size or byte order than this process."};
    }
    if (!read_exactly(fd, &header, sizeof header, 0)) {
        return not_elf("it ends within its ELF header");
    }
    if (header.e_machine != own_machine) {
        return {SPOC_BE_REASON_WRONG_ARCH,
                say("The file is built for ELF machine ", header.e_machine,
                    ", this process is of machine ", own_machine, ".")};
    }
    if (header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr)) {
        return not_elf("its ELF header is of another kind");
    }
    return {};
}

/// Finds SPOC's note in one PT_NOTE segment's bytes.
std::optional<spoc_be_note> find_note(const std::vector<char>& segment) {
    constexpr std::size_t alignment = 4;
    const auto aligned = [](std::uint64_t size) {
        return (size + alignment - 1) / alignment * alignment;
    };
    for (std::uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= segment.size();) {
        Elf64_Nhdr head{};
        std::memcpy(&head, segment.data() + at, sizeof head);
        const std::uint64_t owner = at + sizeof head;
        const std::uint64_t payload = owner + aligned(head.n_namesz);
        if (payload + head.n_descsz > segment.size()) {
            return std::nullopt;
        }
        const bool ours =
            head.n_namesz == sizeof SPOC_BE_NOTE_OWNER && head.n_type == SPOC_BE_NOTE_TYPE &&
            std::memcmp(segment.data() + owner, SPOC_BE_NOTE_OWNER, sizeof SPOC_BE_NOTE_OWNER) == 0;
        if (ours && head.n_descsz >= sizeof(spoc_be_note)) {
            spoc_be_note note{};
            std::memcpy(&note, segment.data() + payload, sizeof note);
            return note;
        }
        at = payload + aligned(head.n_descsz);
    }
    return std::nullopt;
}

/// Longest note segment worth reading. Real ones are below 1 KiB; the field may hold anything.
constexpr std::uint64_t most_note_bytes = 1 << 20;

finding read_note(int fd, const Elf64_Ehdr& header, std::uint64_t file_bytes,
                  std::optional<spoc_be_note>& out) {
    std::vector<Elf64_Phdr> segments(header.e_phnum);
    if (!read_exactly(fd, segments.data(), segments.size() * sizeof(Elf64_Phdr), header.e_phoff)) {
        return not_elf("it ends within its program headers");
    }
    for (const Elf64_Phdr& segment : segments) {
        if (segment.p_offset > file_bytes || segment.p_filesz > file_bytes - segment.p_offset) {
            return not_elf("it is shorter than its program headers say");
        }
        if (segment.p_type != PT_NOTE || segment.p_filesz > most_note_bytes || out) {
            continue;
        }
        std::vector<char> bytes(segment.p_filesz);
        if (!read_exactly(fd, bytes.data(), bytes.size(), segment.p_offset)) {
            return not_elf("it shrank while it was read");
        }
        out = find_note(bytes);
    }
    return {};
}

finding check_flavour(std::uint32_t flavour) {
    constexpr std::uint32_t sanitizers = SPOC_BE_FLAVOUR_ASAN | SPOC_BE_FLAVOUR_TSAN;
    if ((flavour & sanitizers & ~SPOC_BE_BUILD_FLAVOUR) != 0) {
        return {SPOC_BE_REASON_WRONG_FLAVOUR,
                say("The plugin is built with ",
                    (flavour & SPOC_BE_FLAVOUR_ASAN) != 0 ? "AddressSanitizer" : "ThreadSanitizer",
                    " and this library is not; loading it would end the process.")};
    }
    return {};
}

finding check_note(const spoc_be_note& note, std::string_view name) {
    if (note.major != SPOC_BE_ABI_MAJOR) {
        return {
            note.major < SPOC_BE_ABI_MAJOR ? SPOC_BE_REASON_ABI_TOO_OLD
                                           : SPOC_BE_REASON_ABI_TOO_NEW,
            say("The plugin's note says ABI version ", note.major, ".", note.minor,
                "; this library speaks version ", SPOC_BE_ABI_MAJOR, ".", SPOC_BE_ABI_MINOR, ".")};
    }
    if (field_text(note.name) != name) {
        return {SPOC_BE_REASON_INCONSISTENT, say("The file's name says backend ", name,
                                                 ", its note says ", field_text(note.name), ".")};
    }
    return check_flavour(note.flavour);
}

finding open_failure(const std::string& path) { return unreadable(path, errno); }

}  // namespace

finding examine_plugin_file(const std::string& path, std::string_view name, plugin_file& out) {
    // Non-blocking, so that a FIFO does not hold the process up.
    const file_descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file.get() < 0) {
        return open_failure(path);
    }
    struct stat status {};
    std::array<char, PATH_MAX> resolved{};
    if (fstat(file.get(), &status) != 0 || realpath(path.c_str(), resolved.data()) == nullptr) {
        return open_failure(path);
    }
    if (!S_ISREG(status.st_mode)) {
        return not_elf(S_ISDIR(status.st_mode) ? "it is a directory" : "it is no regular file");
    }
    out.real_path = resolved.data();
    if (finding found = check_permissions(path, out.real_path, status); !found.fine()) {
        return found;
    }
    Elf64_Ehdr header{};
    if (finding found = read_header(file.get(), header); !found.fine()) {
        return found;
    }
    if (finding found =
            read_note(file.get(), header, static_cast<std::uint64_t>(status.st_size), out.note);
        !found.fine()) {
        return found;
    }
    return out.note ? check_note(*out.note, name) : finding{};
}

std::string_view backend_of_file_name(std::string_view file_name) noexcept {
    constexpr std::string_view prefix = "libspoc-";
    constexpr std::string_view suffix = ".so";
    constexpr std::size_t longest = sizeof(spoc_be_note::name) - 1;
    if (file_name.size() <= prefix.size() + suffix.size() || !file_name.starts_with(prefix) ||
        !file_name.ends_with(suffix)) {
        return {};
    }
    const std::string_view name =
        file_name.substr(prefix.size(), file_name.size() - prefix.size() - suffix.size());
    const bool well_formed = std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    return well_formed && name.size() <= longest ? name : std::string_view{};
}

}  // namespace spoc::detail
