// SPDX-License-Identifier: Apache-2.0
#include "host.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace spoc::conformance {
namespace {

/// What stands before each block that the plugin gets, directly below its address.
struct block_header {
    void* start;
    std::uint64_t bytes;
    std::uint64_t alignment;
};

block_header* header_of(void* block) { return static_cast<block_header*>(block) - 1; }

/// A block filled with a pattern, so that a plugin that takes it for zeroed memory is found out.
void* allocate(std::uint64_t bytes, std::uint64_t alignment) {
    alignment = std::max<std::uint64_t>(alignment, alignof(std::max_align_t));
    const std::uint64_t room = bytes + sizeof(block_header) + alignment;
    auto* const start = room < bytes ? nullptr : static_cast<std::byte*>(std::malloc(room));
    if (start == nullptr) {
        return nullptr;
    }
    const auto first = reinterpret_cast<std::uintptr_t>(start) + sizeof(block_header);
    std::byte* const block = start + sizeof(block_header) + (-first & (alignment - 1));
    *header_of(block) = {start, bytes, alignment};
    std::memset(block, 0xA5, bytes);
    return block;
}

void fill_error(spoc_be_error* error, const char* message) {
    if (error == nullptr) {
        return;
    }
    spoc_be_error record{};
    record.size = error->size;
    record.status = SPOC_BE_UNAVAILABLE;
    record.reason = SPOC_BE_REASON_DRIVER_NOT_FOUND;
    static_cast<void>(std::snprintf(record.origin, sizeof record.origin, "dlopen"));
    static_cast<void>(std::snprintf(record.message, sizeof record.message, "%s", message));
    std::memcpy(error, &record, std::min<std::size_t>(error->size, sizeof record));
}

void* open_one(const char* name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); }

void* open_first(const char* const* names) {
    for (const char* const* name = names; *name != nullptr; ++name) {
        if (void* library = dlopen(*name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | RTLD_NOLOAD)) {
            return library;
        }
    }
    for (; *names != nullptr; ++names) {
        if (void* library = open_one(*names)) {
            return library;
        }
    }
    return nullptr;
}

void write_path(void* library, char* out_path, std::uint64_t capacity) {
    link_map* map = nullptr;
    if (out_path != nullptr && capacity > 0 && dlinfo(library, RTLD_DI_LINKMAP, &map) == 0) {
        static_cast<void>(std::snprintf(out_path, capacity, "%s", map->l_name));
    }
}

bool is_one_line(std::string_view line) {
    return std::none_of(line.begin(), line.end(),
                        [](unsigned char byte) { return byte < 0x20 && byte != '\t'; });
}

}  // namespace

host& host::make(std::uint32_t size) {
    // Kept: a plugin may use its host until the process ends.
    auto* const made = new host;  // NOLINT(cppcoreguidelines-owning-memory)
    const std::size_t room = std::max<std::size_t>(size, sizeof(spoc_be_host));
    made->bytes_ = std::make_unique<std::byte[]>(room);
    std::memset(made->bytes_.get(), 0xA5, room);
    spoc_be_host table{};
    table.header = {SPOC_BE_HOST_MAGIC,
                    size,
                    SPOC_BE_ABI_MAJOR,
                    SPOC_BE_ABI_MINOR,
                    SPOC_BE_BUILD_FLAVOUR,
                    0,
                    0};
    table.ctx = made;
    table.log = log;
    table.mem = mem;
    table.config = config;
    table.vendor_open = vendor_open;
    table.vendor_sym = vendor_sym;
    table.vendor_close = vendor_close;
    table.process_state = &made->state_;
    std::memcpy(made->bytes_.get(), &table, std::min<std::size_t>(size, sizeof table));
    return *made;
}

std::vector<std::string> host::requested_symbols() const {
    const std::lock_guard lock(requested_mutex_);
    return requested_;
}

void host::log(void* ctx, std::uint32_t level, const char* text, std::uint64_t length) {
    auto* const self = static_cast<host*>(ctx);
    if (level > SPOC_BE_LOG_TRACE || text == nullptr || length == 0 ||
        !is_one_line({text, length})) {
        ++self->bad_log_lines_;
    }
}

void* host::mem(void* ctx, void* block, std::uint64_t bytes, std::uint64_t alignment) {
    auto* const self = static_cast<host*>(ctx);
    if (bytes == 0) {
        if (block != nullptr) {
            std::free(header_of(block)->start);
            --self->live_blocks_;
        }
        return nullptr;
    }
    if (self->requests_left_.fetch_sub(1) <= 0) {
        return nullptr;
    }
    void* const fresh = allocate(bytes, block == nullptr ? alignment : header_of(block)->alignment);
    if (fresh != nullptr && block != nullptr) {
        std::memcpy(fresh, block, std::min(bytes, header_of(block)->bytes));
        std::free(header_of(block)->start);
    } else if (fresh != nullptr) {
        ++self->live_blocks_;
    }
    return fresh;
}

const char* host::config(void* ctx, const char* key) {
    auto* const self = static_cast<host*>(ctx);
    const auto found = self->config_.find(key);
    return found == self->config_.end() ? nullptr : found->second.c_str();
}

void* host::vendor_open(void* ctx, const char* const* names, char* out_path,
                        std::uint64_t path_capacity, spoc_be_error* error) {
    auto* const self = static_cast<host*>(ctx);
    ++self->vendor_opens_;
    if (self->deny_vendor_) {
        fill_error(error, "The conformance suite denies every driver library.");
        return nullptr;
    }
    void* const library =
        self->stand_in_.empty() ? open_first(names) : open_one(self->stand_in_.c_str());
    if (library == nullptr) {
        const char* words = dlerror();
        fill_error(error, words == nullptr ? "The library cannot be opened." : words);
        return nullptr;
    }
    write_path(library, out_path, path_capacity);
    return library;
}

void* host::vendor_sym(void* ctx, void* library, const char* symbol) {
    auto* const self = static_cast<host*>(ctx);
    {
        const std::lock_guard lock(self->requested_mutex_);
        if (std::find(self->requested_.begin(), self->requested_.end(), symbol) ==
            self->requested_.end()) {
            self->requested_.emplace_back(symbol);
        }
    }
    return self->hidden_.count(symbol) > 0 ? nullptr : dlsym(library, symbol);
}

void host::vendor_close(void* /*ctx*/, void* library) {
    if (library != nullptr) {
        static_cast<void>(dlclose(library));
    }
}

}  // namespace spoc::conformance
