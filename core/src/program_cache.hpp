// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace spoc::detail {

/// What an entry of the cache is found by. Each field is written with its length before it, so that
/// no two lists of fields are one text.
class cache_key {
 public:
    cache_key& add(std::string_view field);
    cache_key& add(std::uint64_t number);
    const std::string& text() const noexcept { return text_; }

 private:
    std::string text_;
};

/// What drivers made of programs, in files that later processes find: one file an entry, named by a
/// digest of its key. A file has the whole key in it, which is compared, and a digest of all of it:
/// what is cut off, damaged, somebody else's or unreadable is as if it were not there. Nothing here
/// fails; what cannot be written is not kept. Processes and threads may use one directory at once.
class program_cache {
 public:
    /// In `directory`, which is made on the first `write`; nowhere when it is empty.
    explicit program_cache(std::string directory) : directory_(std::move(directory)) {}

    std::optional<std::string> read(const cache_key& key) const noexcept;
    void write(const cache_key& key, std::string_view value) const noexcept;

 private:
    std::string path_of(const cache_key& key) const;

    std::string directory_;
};

}  // namespace spoc::detail
