// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "device.hpp"
#include "session.hpp"
#include "sha256.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

#define SPOC_SAME(name) static_assert(SPOC_##name == SPOC_BE_##name)
SPOC_SAME(FORMAT_NATIVE_SYMBOL);
SPOC_SAME(FORMAT_OPENCL_C);
SPOC_SAME(FORMAT_SPIRV_KERNEL);
SPOC_SAME(FORMAT_SPIRV_SHADER);
SPOC_SAME(FORMAT_GLSL);
SPOC_SAME(FORMAT_CUDA_C);
SPOC_SAME(FORMAT_PTX);
SPOC_SAME(FORMAT_CUDA_BINARY);
SPOC_SAME(FORMAT_HIP_C);
SPOC_SAME(FORMAT_HIP_BINARY);
SPOC_SAME(FORMAT_MSL);
SPOC_SAME(FORMAT_METALLIB);
SPOC_SAME(FORMAT_WGSL);
SPOC_SAME(FORMAT_DRIVER_BINARY);
SPOC_SAME(ELEMENT_UNKNOWN);
SPOC_SAME(ELEMENT_F32);
SPOC_SAME(ELEMENT_F64);
SPOC_SAME(ELEMENT_F16);
SPOC_SAME(ELEMENT_I32);
SPOC_SAME(ELEMENT_I64);
SPOC_SAME(ELEMENT_U8);
SPOC_SAME(ELEMENT_RECORD);
#undef SPOC_SAME
static_assert(SPOC_PARAMETER_UNKNOWN == SPOC_BE_PARAM_UNKNOWN);
static_assert(SPOC_PARAMETER_BUFFER == SPOC_BE_PARAM_BUFFER);
static_assert(SPOC_PARAMETER_SCALAR == SPOC_BE_PARAM_SCALAR);
static_assert(SPOC_PARAMETER_LOCAL == SPOC_BE_PARAM_LOCAL);
static_assert(SPOC_PARAMETER_OTHER == SPOC_BE_PARAM_OTHER);

constexpr std::uint64_t bit(std::uint32_t format) { return std::uint64_t{1} << format; }

constexpr std::uint64_t compiled_formats =
    bit(SPOC_FORMAT_OPENCL_C) | bit(SPOC_FORMAT_SPIRV_KERNEL) | bit(SPOC_FORMAT_SPIRV_SHADER) |
    bit(SPOC_FORMAT_GLSL) | bit(SPOC_FORMAT_CUDA_C) | bit(SPOC_FORMAT_PTX) |
    bit(SPOC_FORMAT_HIP_C) | bit(SPOC_FORMAT_MSL) | bit(SPOC_FORMAT_WGSL);

bool gives_binaries(const spoc_device_s& device) {
    return device.offers(SPOC_BE_CAP_PROGRAM_BINARY) && device.table().program_binary != nullptr &&
           (device.info().formats & bit(SPOC_FORMAT_DRIVER_BINARY)) != 0;
}

void add_text(cache_key& key, const char* text) {
    key.add(text == nullptr ? std::string_view{} : std::string_view(text));
}

void add_optional(cache_key& key, const std::optional<std::string>& text) {
    key.add(std::uint64_t{text.has_value()}).add(text.value_or(""));
}

/// Which device it is: the same one again, or one that takes the same binaries for sure.
void add_device(cache_key& key, const spoc_device_s& device) {
    const spoc_be_device_info& info = device.info();
    key.add(field_text(info.name)).add(field_text(info.vendor)).add(field_text(info.arch));
    key.add(field_text(info.driver)).add(field_text(info.framework));
    key.add(std::uint64_t{info.compute_major}).add(std::uint64_t{info.compute_minor});
    const bool has_uuid = (info.flags & SPOC_BE_DEVICE_HAS_UUID) != 0;
    key.add(std::uint64_t{has_uuid});
    if (has_uuid) {
        key.add({reinterpret_cast<const char*>(info.uuid), sizeof info.uuid});
    } else {
        key.add(std::uint64_t{info.index});
    }
}

/// Of the parameters that a kernel of a program was found to have.
cache_key key_of(const cache_key& program, const kernel_request& wanted) {
    cache_key key = program;
    key.add("kernel").add(wanted.name);
    const auto add_bytes = [&key](const auto& all) {
        key.add({reinterpret_cast<const char*>(all.data()), all.size_bytes()});
    };
    add_bytes(wanted.parameters);
    add_bytes(wanted.constants);
    add_bytes(std::span(wanted.block));
    return key;
}

cache_key binary_key_of(const cache_key& program) { return cache_key(program).add("binary"); }

std::string to_text(std::span<const spoc_parameter> parameters) {
    return {reinterpret_cast<const char*>(parameters.data()), parameters.size_bytes()};
}

bool from_text(std::string_view text, std::vector<spoc_parameter>& out) {
    out.resize(text.size() / sizeof(spoc_parameter));
    if (!out.empty()) {
        std::memcpy(out.data(), text.data(), out.size() * sizeof(spoc_parameter));
    }
    return text.size() % sizeof(spoc_parameter) == 0;
}

/// The compiler's first words behind the plugin's sentence.
void add_log(outcome& failed, std::string_view log) {
    const std::size_t last = log.find_last_not_of(" \t\r\n.");
    if (last == std::string_view::npos) {
        return;
    }
    constexpr std::size_t most = 600;
    copy_text(failed.error().message,
              say(field_text(failed.error().message),
                  " The compiler says: ", cut(log.substr(0, last + 1), most), "."));
}

void write_empty(const build_log& log) {
    if (log.capacity > 0) {
        *log.text = '\0';
    }
    if (log.out_length != nullptr) {
        *log.out_length = 0;
    }
}

/// Programs that are alive, by device and source. Kept until the process ends: late destructors of
/// the application come here.
struct program_directory {
    using place = std::pair<spoc_device, sha256_digest>;

    std::mutex mutex;
    std::map<place, std::weak_ptr<program_state>> alive;
};

program_directory& directory() {
    static program_directory* const instance = new program_directory;
    return *instance;
}

std::shared_ptr<program_state> find_alive(const program_directory::place& at,
                                          const cache_key& key) {
    std::shared_ptr<program_state> program;
    {
        const std::lock_guard lock(directory().mutex);
        const auto found = directory().alive.find(at);
        program = found == directory().alive.end() ? nullptr : found->second.lock();
    }
    return program != nullptr && program->serves(key) ? program : nullptr;
}

void list_alive(const program_directory::place& at, const std::shared_ptr<program_state>& program) {
    const std::lock_guard lock(directory().mutex);
    std::erase_if(directory().alive, [](const auto& one) { return one.second.expired(); });
    directory().alive[at] = program;
}

}  // namespace

bool is_compiled(std::uint32_t format) noexcept { return (compiled_formats & bit(format)) != 0; }

cache_key key_of(const spoc_device_s& device, const program_source& source) {
    cache_key key;
    key.add(device.backend());
    add_text(key, device.table().version);
    add_text(key, device.table().build_id);
    add_device(key, device);
    key.add(std::uint64_t{source.format});
    add_optional(key, source.options);
    add_optional(key, source.name);
    key.add(source.data);
    return key;
}

/* ---- What a plugin made ---- */

outcome loaded_program::load(const program_source& source, const build_log& log) {
    begin();
    write_empty(log);
    std::array<char, 1024> own{};
    const bool is_given = log.capacity > 0;
    std::uint64_t length = 0;
    spoc_be_program_desc desc{};
    desc.size = sizeof desc;
    desc.format = bit(source.format);
    desc.data = source.data.empty() ? nullptr : source.data.data();
    desc.bytes = source.data.size();
    desc.options = source.options ? source.options->c_str() : nullptr;
    desc.name = source.name ? source.name->c_str() : nullptr;
    desc.log = is_given ? log.text : own.data();
    desc.log_capacity = is_given ? log.capacity : own.size();
    desc.log_length = &length;
    plugin_error error;
    const std::int32_t status =
        device().table().program_load(device().handle(), &desc, &handle_, &error);
    if (log.out_length != nullptr) {
        *log.out_length = length;
    }
    if (status >= 0) {
        return {};
    }
    outcome failed = device().failure(status, error, SPOC_SUB_MODULE_LOAD_FAILED);
    if (status == SPOC_BE_COMPILE) {
        add_log(failed, {desc.log, strnlen(desc.log, desc.log_capacity)});
    }
    return failed;
}

outcome loaded_program::end() {
    ended_.store(true);
    if (handle_ == nullptr) {
        return {};
    }
    plugin_error error;
    const std::int32_t status =
        device().table().program_destroy(std::exchange(handle_, nullptr), &error);
    return status >= 0 ? outcome{} : device().failure(status, error, SPOC_SUB_DRIVER);
}

std::optional<std::string> loaded_program::binary() {
    std::uint64_t bytes = 0;
    if (device().table().program_binary(handle_, nullptr, 0, &bytes, nullptr) < 0) {
        return std::nullopt;
    }
    std::string whole(bytes, '\0');
    const std::int32_t status =
        device().table().program_binary(handle_, whole.data(), whole.size(), &bytes, nullptr);
    return status >= 0 && bytes == whole.size() && bytes > 0 ? std::optional(std::move(whole))
                                                             : std::nullopt;
}

/* ---- Programs ---- */

program_state::program_state(spoc_device device, program_source source, bool keeps)
    : device_(device),
      source_(std::move(source)),
      keeps_(keeps && is_compiled(source_.format) && gives_binaries(*device)),
      key_(key_of(*device, source_)) {}

outcome program_state::load(const program_cache& cache, const build_log& log) {
    const std::lock_guard lock(mutex_);
    if (keeps_ && load_binary(cache)) {
        write_empty(log);
        return {};
    }
    return compile(cache, log);
}

bool program_state::load_binary(const program_cache& cache) {
    std::optional<std::string> found = cache.read(binary_key_of(key_));
    if (!found) {
        return false;
    }
    auto loaded = std::make_shared<loaded_program>(device_);
    const program_source binary{SPOC_FORMAT_DRIVER_BINARY, std::move(*found), std::nullopt,
                                source_.name};
    // A driver that does not take its own binary back, for whatever reason, compiles again.
    if (!loaded->load(binary, {}).ok()) {
        return false;
    }
    binary_ = std::move(loaded);
    return true;
}

outcome program_state::compile(const program_cache& cache, const build_log& log) {
    auto loaded = std::make_shared<loaded_program>(device_);
    SPOC_TRY(loaded->load(source_, log));
    compiled_ = std::move(loaded);
    if (keeps_) {
        if (const std::optional<std::string> binary = compiled_->binary()) {
            cache.write(binary_key_of(key_), *binary);
        }
    }
    return {};
}

outcome program_state::check_usable() const {
    const std::lock_guard lock(mutex_);
    const loaded_program* const known = compiled_ != nullptr ? compiled_.get() : binary_.get();
    return known != nullptr && known->is_alive()
               ? outcome{}
               : outcome::fail(SPOC_UNAVAILABLE, SPOC_SUB_SHUT_DOWN,
                               "The program belongs to a runtime that was shut down.");
}

bool program_state::get_from_binary(const program_cache& cache, const kernel_request& wanted,
                                    std::shared_ptr<kernel_state>& out) {
    const std::optional<std::string> known =
        binary_ == nullptr ? std::nullopt : cache.read(key_of(key_, wanted));
    std::vector<spoc_parameter> parameters;
    if (!known || !from_text(*known, parameters)) {
        return false;
    }
    auto made = std::make_shared<kernel_state>(device_);
    if (!made->make(binary_->handle(), wanted, parameters).ok() ||
        to_text(made->parameters()) != *known || !made->knows_parameters()) {
        return false;
    }
    out = std::move(made);
    return true;
}

outcome program_state::get_kernel(const program_cache& cache, const kernel_request& wanted,
                                  std::shared_ptr<kernel_state>& out) {
    SPOC_TRY(check_usable());
    for (const std::uint32_t capability : wanted.needs) {
        SPOC_TRY(check_offers(*device_, capability, "the kernel"));
    }
    if (!wanted.constants.empty()) {
        SPOC_TRY(check_offers(*device_, SPOC_BE_CAP_SPEC_CONSTANTS, "a constant"));
    }
    const std::lock_guard lock(mutex_);
    std::shared_ptr<kernel_state> made;
    if (!get_from_binary(cache, wanted, made)) {
        if (compiled_ == nullptr) {
            SPOC_TRY(compile(cache, {}));
        }
        made = std::make_shared<kernel_state>(device_);
        SPOC_TRY(made->make(compiled_->handle(), wanted, wanted.parameters));
        if (keeps_ && made->knows_parameters()) {
            cache.write(key_of(key_, wanted), to_text(made->parameters()));
        }
    }
    SPOC_TRY(made->check_features());
    out = std::move(made);
    return {};
}

outcome load_program(spoc_device device, program_source source, bool cached,
                     const program_cache& cache, const build_log& log,
                     std::shared_ptr<program_state>& out) {
    auto program = std::make_shared<program_state>(device, std::move(source), cached);
    const bool shared = cached && is_compiled(program->format());
    const program_directory::place at{device,
                                      shared ? sha256(program->key().text()) : sha256_digest{}};
    if (shared) {
        if (std::shared_ptr<program_state> found = find_alive(at, program->key())) {
            write_empty(log);
            out = std::move(found);
            return {};
        }
    }
    SPOC_TRY(program->load(cache, log));
    if (shared) {
        list_alive(at, program);
    }
    out = std::move(program);
    return {};
}

outcome check_format(const spoc_device_s& device, std::uint32_t format) {
    const auto about = [&device](outcome failed) {
        return std::move(failed).about(device.backend(), static_cast<std::int32_t>(device.id()));
    };
    if (device.table().program_load == nullptr) {
        return about(outcome::fail(SPOC_FEATURE_NOT_SUPPORTED, SPOC_SUB_NONE,
                                   say("Backend ", device.backend(), " loads no programs.")));
    }
    if ((device.info().formats & bit(format)) == 0) {
        return about(outcome::fail(
            SPOC_UNAVAILABLE, SPOC_SUB_SOURCE_LANG,
            say("Device ", device.selector(), " takes no programs of format ", format, ".")));
    }
    return {};
}

}  // namespace spoc::detail

using namespace spoc::detail;

namespace {

/// Reads as much of the caller's structure as it has.
outcome read_options(const spoc_program_options* given, spoc_program_options& out) {
    if (given == nullptr) {
        return {};
    }
    SPOC_TRY(require_sized(given, "options"));
    std::memcpy(&out, given, std::min<std::size_t>(given->size, sizeof out));
    if ((out.flags & ~SPOC_PROGRAM_NO_CACHE) != 0) {
        return outcome::invalid(SPOC_SUB_VALUE,
                                say("The program's flags ", out.flags, " are unknown."));
    }
    return require_pointer_for(out.log_capacity, out.log, "log");
}

outcome check_data(std::uint32_t format, const void* data, std::uint64_t bytes) {
    if (format > SPOC_FORMAT_DRIVER_BINARY) {
        return outcome::invalid(SPOC_SUB_VALUE, say("There is no program format ", format, "."));
    }
    SPOC_TRY(require_pointer_for(bytes, data, "data"));
    return bytes > 0 || format == SPOC_FORMAT_NATIVE_SYMBOL
               ? outcome{}
               : outcome::invalid(SPOC_SUB_LENGTH, "The program has no data.");
}

std::optional<std::string> owned(const char* text) {
    return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

}  // namespace

spoc_status spoc_program_load(spoc_device device, uint32_t format, const void* data, uint64_t bytes,
                              const spoc_program_options* options, spoc_program* out_program,
                              spoc_error* error) noexcept {
    return boundary("spoc_program_load", error, [&]() -> outcome {
        session call;
        spoc_program_options wanted{};
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(out_program, "out_program"));
        SPOC_TRY(check_data(format, data, bytes));
        SPOC_TRY(read_options(options, wanted));
        SPOC_TRY(call.enter());
        SPOC_TRY(check_format(*device, format));
        SPOC_TRY(device->open());
        auto program = std::make_unique<spoc_program_s>();
        program_source source{format, std::string(static_cast<const char*>(data), bytes),
                              owned(wanted.options), owned(wanted.name)};
        SPOC_TRY(
            load_program(device, std::move(source), (wanted.flags & SPOC_PROGRAM_NO_CACHE) == 0,
                         program_cache(call.config().cache_directory()),
                         {wanted.log, wanted.log_capacity, wanted.out_log_length}, program->state));
        program->counted = counted_handle(handle_kind::program, device->accounts(), bytes);
        *out_program = program.release();
        return {};
    });
}

void spoc_program_destroy(spoc_program program) noexcept {
    const traced_call traced("spoc_program_destroy");
    const call_guard guard;
    const std::unique_ptr<spoc_program_s> owned(program);
}
