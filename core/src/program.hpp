// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <spoc/program.h>

#include "counted_handle.hpp"
#include "device_object.hpp"
#include "kernel.hpp"
#include "outcome.hpp"
#include "program_cache.hpp"

namespace spoc::detail {

/// What a program is loaded from.
struct program_source {
    std::uint32_t format = 0;  ///< `SPOC_FORMAT_*`
    std::string data;
    std::optional<std::string> options;
    std::optional<std::string> name;
};

/// Where a compiler's words go; the caller's.
struct build_log {
    char* text = nullptr;
    std::uint64_t capacity = 0;
    std::uint64_t* out_length = nullptr;
};

/// What a plugin made of one source or binary.
class loaded_program : public device_object {
 public:
    using device_object::device_object;
    ~loaded_program() override { static_cast<void>(finish()); }

    outcome load(const program_source& source, const build_log& log);
    outcome end() override;

    spoc_be_program handle() const noexcept { return handle_; }
    bool is_alive() const noexcept { return !ended_.load(); }
    /// The driver's binary; nothing where it gives none.
    std::optional<std::string> binary();

 private:
    spoc_be_program handle_ = nullptr;
    std::atomic<bool> ended_{false};
};

/// A program as the application sees it: compiled from its source, or found as a binary in the
/// cache. Handles share it when they were made of the same source.
class program_state {
 public:
    /// `keeps`: binaries are looked for and left in the cache.
    program_state(spoc_device device, program_source source, bool keeps);

    /// Finds or compiles it.
    outcome load(const program_cache& cache, const build_log& log);
    /// Gets a kernel. What a cached binary does not tell of its parameters is looked up in the
    /// cache too; where that fails the source is compiled after all, so that a kernel is checked
    /// alike whichever way its program came.
    outcome get_kernel(const program_cache& cache, const kernel_request& wanted,
                       std::shared_ptr<kernel_state>& out);

    spoc_device_s& device() const noexcept { return *device_; }
    /// Fails when a shutdown ended it.
    outcome check_usable() const;
    /// Whether it stands for this source and can be used.
    bool serves(const cache_key& key) const {
        return key.text() == key_.text() && check_usable().ok();
    }
    const cache_key& key() const noexcept { return key_; }
    std::uint32_t format() const noexcept { return source_.format; }

 private:
    bool load_binary(const program_cache& cache);
    outcome compile(const program_cache& cache, const build_log& log);
    bool get_from_binary(const program_cache& cache, const kernel_request& wanted,
                         std::shared_ptr<kernel_state>& out);

    const spoc_device device_;
    const program_source source_;
    const bool keeps_;
    const cache_key key_;
    mutable std::mutex mutex_;                ///< of the two below
    std::shared_ptr<loaded_program> binary_;  ///< out of the cache
    std::shared_ptr<loaded_program> compiled_;
};

/// The program of a source on a device: one that is alive and was made of the same, or a new one.
/// `cached` false: a new one in any case. The arguments were checked and the device is open.
outcome load_program(spoc_device device, program_source source, bool cached,
                     const program_cache& cache, const build_log& log,
                     std::shared_ptr<program_state>& out);

/// Whether programs of a format go through a compiler; the others are binaries already, or files.
bool is_compiled(std::uint32_t format) noexcept;

/// What tells the programs of a device apart.
cache_key key_of(const spoc_device_s& device, const program_source& source);

/// Fails when the device takes no programs, or none of this format.
outcome check_format(const spoc_device_s& device, std::uint32_t format);

}  // namespace spoc::detail

/// A handle on a program.
struct spoc_program_s {
    std::shared_ptr<spoc::detail::program_state> state;
    spoc::detail::counted_handle counted{};
};
