// SPDX-License-Identifier: Apache-2.0
#include "plugin_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <vector>

#include "loader_words.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

/// Tells from the system loader's words what was missing. They are the only thing it gives.
std::uint32_t reason_of_loader_text(std::string_view text, std::string_view path) {
    const auto says = [text](std::string_view words) {
        return text.find(words) != std::string_view::npos;
    };
    if (says("undefined symbol")) {
        return SPOC_BE_REASON_UNRESOLVED_SYMBOL;
    }
    const bool about_the_file = text.starts_with(path);
    if (about_the_file && says("Permission denied")) {
        return SPOC_BE_REASON_FILE_UNREADABLE;
    }
    if (!about_the_file || says("' not found (required by")) {
        return SPOC_BE_REASON_MISSING_DEPENDENCY;
    }
    // The file is what the loader does not like, except where this process has no room for it.
    return says("static TLS block") || says("allocate memory") ? SPOC_BE_REASON_INTERNAL
                                                               : SPOC_BE_REASON_NOT_ELF;
}

/// Whether `address` lies in the object that `library` names, and not in one of its dependencies:
/// dlsym looks there too.
bool lies_in(void* library, const void* address) {
    link_map* own = nullptr;
    void* found = nullptr;
    Dl_info info{};
    return dlinfo(library, RTLD_DI_LINKMAP, &own) == 0 &&
           dladdr1(address, &info, &found, RTLD_DL_LINKMAP) != 0 && own == found;
}

struct entry_row {
    const char* name;
    std::size_t offset;
    bool required;
};

constexpr entry_row entries[] = {
#define SPOC_ENTRY_ROW(number, name, required) \
    {#name, offsetof(spoc_be_table, name), (required) != 0},
    SPOC_BE_ENTRY_LIST(SPOC_ENTRY_ROW)
#undef SPOC_ENTRY_ROW
};

using entry_pointer = void (*)();

bool has(const spoc_be_table& table, std::size_t offset) {
    entry_pointer entry = nullptr;
    std::memcpy(&entry, reinterpret_cast<const std::byte*>(&table) + offset, sizeof entry);
    return entry != nullptr;
}

std::string version_text(const spoc_be_header& header) {
    return say(header.major, ".", header.minor);
}

/// Sizes between which a table of major version 1 can lie: it reaches the last required entry, and
/// a bigger one than any contract will have is garbage.
constexpr std::uint32_t least_table_bytes =
    offsetof(spoc_be_table, fill) + sizeof(spoc_be_table::fill);
constexpr std::uint32_t most_table_bytes = 65536;

finding check_header(const spoc_be_header& header) {
    if (header.magic != SPOC_BE_MAGIC) {
        return {SPOC_BE_REASON_BAD_MAGIC,
                "The plugin's table does not begin with the magic number of a SPOC backend."};
    }
    if (header.major != SPOC_BE_ABI_MAJOR) {
        return {
            header.major < SPOC_BE_ABI_MAJOR ? SPOC_BE_REASON_ABI_TOO_OLD
                                             : SPOC_BE_REASON_ABI_TOO_NEW,
            say("The plugin's table is of ABI version ", version_text(header),
                "; this library speaks version ", SPOC_BE_ABI_MAJOR, ".", SPOC_BE_ABI_MINOR, ".")};
    }
    if (header.size < least_table_bytes) {
        return {SPOC_BE_REASON_ABI_TOO_OLD,
                say("The plugin's table is too short (", header.size, " bytes, at least ",
                    least_table_bytes, " are needed).")};
    }
    if (header.size > most_table_bytes || header.size % sizeof(void*) != 0) {
        return {SPOC_BE_REASON_INCONSISTENT,
                say("The plugin's table has an impossible size (", header.size, " bytes).")};
    }
    return {};
}

finding inconsistent(std::string message) {
    return {SPOC_BE_REASON_INCONSISTENT, std::move(message)};
}

finding check_required(const spoc_be_table& table) {
    for (const entry_row& entry : entries) {
        if (entry.required && !has(table, entry.offset)) {
            return {SPOC_BE_REASON_MISSING_REQUIRED_ENTRY,
                    say("The plugin's table lacks the required entry ", entry.name, ".")};
        }
    }
    return {};
}

finding check_group(const spoc_be_table& table, std::initializer_list<std::size_t> offsets,
                    std::string_view group) {
    const auto present = std::count_if(offsets.begin(), offsets.end(),
                                       [&](std::size_t offset) { return has(table, offset); });
    if (present != 0 && present != static_cast<std::ptrdiff_t>(offsets.size())) {
        return inconsistent(say("The plugin's table fills only a part of the group ", group, "."));
    }
    return {};
}

#define AT(name) offsetof(spoc_be_table, name)

finding check_groups(const spoc_be_table& table) {
    if (finding found =
            check_group(table, {AT(pinned_alloc), AT(pinned_free)}, "pinned_alloc, pinned_free");
        !found.fine()) {
        return found;
    }
    if (finding found = check_group(table, {AT(host_register), AT(host_unregister)},
                                    "host_register, host_unregister");
        !found.fine()) {
        return found;
    }
    if (finding found = check_group(table,
                                    {AT(program_load), AT(program_destroy), AT(kernel_get),
                                     AT(kernel_info), AT(kernel_params), AT(kernel_destroy)},
                                    "of programs and kernels");
        !found.fine()) {
        return found;
    }
    if (table.program_load == nullptr &&
        (table.launch != nullptr || table.program_binary != nullptr)) {
        return inconsistent(
            "The plugin's table has launch or program_binary without program_load.");
    }
    return {};
}

finding check_identity(const spoc_be_table& table, std::string_view name,
                       const std::optional<spoc_be_note>& note) {
    if (table.name == nullptr || table.vendor == nullptr || table.version == nullptr ||
        table.build_id == nullptr) {
        return inconsistent(
            "The plugin's table leaves its name, vendor, version or build id null.");
    }
    if (table.name != name) {
        return inconsistent(
            say("The file's name says backend ", name, ", its table says ", table.name, "."));
    }
    if (note && (note->major != table.header.major || note->flavour != table.header.flavour)) {
        return inconsistent("The plugin's note and table disagree about version or build flavour.");
    }
    return {};
}

struct claim_row {
    std::uint32_t capability;
    const char* capability_name;
    std::size_t offset;
    const char* entry_name;
};

#define CLAIM(capability, entry) \
    { SPOC_BE_CAP_##capability, #capability, AT(entry), #entry }
constexpr claim_row claims[] = {
    CLAIM(BUFFER_TRACKED, buffer_wait),    CLAIM(BUFFER_HOST_PTR, buffer_host_access),
    CLAIM(PINNED, pinned_alloc),           CLAIM(REGISTER, host_register),
    CLAIM(HOST_QUERY, host_query),         CLAIM(STREAM_DEFERRED, stream_flush),
    CLAIM(EVENT_TIMING, event_elapsed),    CLAIM(PEER_COPY, peer_query),
    CLAIM(PROGRAM_BINARY, program_binary), CLAIM(LAUNCH_ENQUEUED, launch),
    CLAIM(REFLECTION, kernel_params),
};
#undef CLAIM

bool claims_capability(const spoc_be_device_info& info, std::uint32_t capability) {
    const std::uint64_t bit = std::uint64_t{1} << (capability % 64);
    return (info.caps[capability / 64] & info.caps_known[capability / 64] & bit) != 0;
}

}  // namespace

finding load_plugin_library(const plugin_file& file, const spoc_be_table*& out_table) {
    const loader_words in_english;
    void* library = dlopen(file.real_path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
        const char* words = dlerror();
        const std::string text = words == nullptr ? "no reason given" : words;
        return {reason_of_loader_text(text, file.real_path),
                say("The system loader refuses the file: ", text, ".")};
    }
    const void* symbol = dlsym(library, SPOC_BE_SYMBOL);
    if (symbol == nullptr || !lies_in(library, symbol)) {
        // Not a plugin, so nothing of it is needed; NODELETE keeps it mapped all the same.
        static_cast<void>(dlclose(library));
        return {SPOC_BE_REASON_NO_ENTRY,
                say("The library does not define the symbol ", SPOC_BE_SYMBOL, ".")};
    }
    out_table = static_cast<const spoc_be_table*>(symbol);
    return {};
}

finding adopt_table(const spoc_be_table& table, std::string_view name,
                    const std::optional<spoc_be_note>& note, spoc_be_table& out) {
    if (finding found = check_header(table.header); !found.fine()) {
        return found;
    }
    out = {};
    std::memcpy(&out, &table, std::min<std::size_t>(table.header.size, sizeof out));
    if (finding found = check_identity(out, name, note); !found.fine()) {
        return found;
    }
    if (finding found = check_required(out); !found.fine()) {
        return found;
    }
    return check_groups(out);
}

finding check_claims(const spoc_be_table& table, const spoc_be_device_info& info) {
    for (const claim_row& claim : claims) {
        if (claims_capability(info, claim.capability) && !has(table, claim.offset)) {
            return inconsistent(
                say("Device ", info.index, " claims the capability ", claim.capability_name,
                    " but the plugin's table lacks its entry ", claim.entry_name, "."));
        }
    }
    const bool unified = claims_capability(info, SPOC_BE_CAP_BUFFER_UNIFIED);
    if (unified && !claims_capability(info, SPOC_BE_CAP_UNIFIED_CONCURRENT) &&
        !has(table, AT(buffer_host_access))) {
        return inconsistent(
            say("Device ", info.index,
                " claims BUFFER_UNIFIED without UNIFIED_CONCURRENT but the plugin's ",
                "table lacks its entry buffer_host_access."));
    }
    return {};
}

}  // namespace spoc::detail
