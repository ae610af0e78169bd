// SPDX-License-Identifier: Apache-2.0
#include "host_services.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "loader_words.hpp"
#include "log.hpp"
#include "process_state.hpp"
#include "text.hpp"
#include "trace.hpp"

namespace spoc::detail {
namespace {

/// What stands before each block from `mem`, directly below the address that the plugin sees.
struct block_header {
    void* start;              ///< as allocated
    std::uint64_t bytes;      ///< as asked
    std::uint64_t alignment;  ///< of the first request, kept through resizes
};

block_header* header_of(void* block) noexcept { return static_cast<block_header*>(block) - 1; }

void* allocate(std::uint64_t bytes, std::uint64_t alignment) noexcept {
    alignment = std::max<std::uint64_t>(alignment, alignof(std::max_align_t));
    constexpr std::uint64_t most_alignment = std::uint64_t{1} << 32;
    const std::uint64_t overhead = sizeof(block_header) + alignment;
    if (!std::has_single_bit(alignment) || alignment > most_alignment ||
        bytes > PTRDIFF_MAX - overhead) {
        return nullptr;
    }
    auto* start = static_cast<std::byte*>(std::malloc(bytes + overhead));
    if (start == nullptr) {
        return nullptr;
    }
    const auto first = reinterpret_cast<std::uintptr_t>(start) + sizeof(block_header);
    const std::uintptr_t aligned = (first + alignment - 1) & ~(alignment - 1);
    std::byte* block = start + (aligned - reinterpret_cast<std::uintptr_t>(start));
    *header_of(block) = {start, bytes, alignment};
    return block;
}

void write_error(spoc_be_error* error, std::uint32_t reason, std::string_view message) noexcept {
    if (error == nullptr) {
        return;
    }
    spoc_be_error record{};
    record.size = error->size;
    record.status = SPOC_BE_UNAVAILABLE;
    record.reason = reason;
    copy_text(record.origin, "dlopen");
    copy_text(record.message, message);
    std::memcpy(error, &record, std::min<std::size_t>(error->size, sizeof record));
}

void write_path(void* library, char* out_path, std::uint64_t capacity) noexcept {
    link_map* map = nullptr;
    if (out_path != nullptr && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr) {
        copy_text(out_path, capacity, map->l_name);
    }
}

void* open_loaded(const char* const* names) noexcept {
    for (; *names != nullptr; ++names) {
        if (void* library = dlopen(*names, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | RTLD_NOLOAD)) {
            return library;
        }
    }
    return nullptr;
}

/// Opens the first name that can be opened; collects the loader's words for the others.
void* open_first(const char* const* names, std::string& words) {
    for (; *names != nullptr; ++names) {
        if (void* library = dlopen(*names, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
            return library;
        }
        const char* text = dlerror();
        append(words, say(words.empty() ? "" : "; ", text == nullptr ? *names : text));
    }
    return nullptr;
}

}  // namespace

host_services::host_services(std::string topic, const settings& config)
    : topic_(std::move(topic)), config_(config) {
    table_.header = {SPOC_BE_HOST_MAGIC,
                     sizeof table_,
                     SPOC_BE_ABI_MAJOR,
                     SPOC_BE_ABI_MINOR,
                     SPOC_BE_BUILD_FLAVOUR,
                     0,
                     0};
    table_.ctx = this;
    table_.log = log;
    table_.mem = mem;
    table_.config = host_services::config;
    table_.vendor_open = vendor_open;
    table_.vendor_sym = vendor_sym;
    table_.vendor_close = vendor_close;
    table_.process_state = process_state_word();
    if (is_tracing()) {
        table_.trace_begin = host_services::trace_begin;
        table_.trace_end = host_services::trace_end;
    }
}

void host_services::log(void* ctx, std::uint32_t level, const char* text, std::uint64_t length) {
    if (text != nullptr) {
        write_log(level, static_cast<host_services*>(ctx)->topic_, {text, length});
    }
}

void* host_services::mem(void* ctx, void* block, std::uint64_t bytes, std::uint64_t alignment) {
    auto* self = static_cast<host_services*>(ctx);
    if (bytes == 0) {
        if (block != nullptr) {
            std::free(header_of(block)->start);
            self->live_blocks_.fetch_sub(1);
        }
        return nullptr;
    }
    void* fresh = allocate(bytes, block == nullptr ? alignment : header_of(block)->alignment);
    if (fresh == nullptr) {
        return nullptr;
    }
    if (block == nullptr) {
        self->live_blocks_.fetch_add(1);
    } else {
        std::memcpy(fresh, block, std::min(bytes, header_of(block)->bytes));
        std::free(header_of(block)->start);
    }
    return fresh;
}

const char* host_services::config(void* ctx, const char* key) {
    return key == nullptr ? nullptr : static_cast<host_services*>(ctx)->config_.config(key);
}

void* host_services::vendor_open(void* ctx, const char* const* names, char* out_path,
                                 std::uint64_t path_capacity, spoc_be_error* error) {
    static_cast<void>(ctx);
    try {
        const loader_words in_english;
        void* library = open_loaded(names);
        std::string words;
        if (library == nullptr) {
            library = open_first(names, words);
        }
        if (library == nullptr) {
            const bool forbidden = words.find("Permission denied") != std::string::npos;
            write_error(error,
                        forbidden ? SPOC_BE_REASON_NO_PERMISSION : SPOC_BE_REASON_DRIVER_NOT_FOUND,
                        say("No driver library can be opened: ", words, "."));
            return nullptr;
        }
        write_path(library, out_path, path_capacity);
        return library;
    } catch (...) {
        write_error(error, SPOC_BE_REASON_DRIVER_NOT_FOUND, "Ordinary host memory is exhausted.");
        return nullptr;
    }
}

void* host_services::vendor_sym(void* ctx, void* library, const char* symbol) {
    static_cast<void>(ctx);
    return dlsym(library, symbol);
}

void host_services::vendor_close(void* ctx, void* library) {
    static_cast<void>(ctx);
    static_cast<void>(dlclose(library));
}

void host_services::trace_begin(void* ctx, const char* name) {
    detail::trace_begin(name == nullptr ? "" : name, static_cast<host_services*>(ctx)->topic_);
}

void host_services::trace_end(void* ctx) {
    static_cast<void>(ctx);
    detail::trace_end();
}

}  // namespace spoc::detail
