// SPDX-License-Identifier: Apache-2.0
#include "env.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>

#include <spoc/backends.h>

#include "debug.hpp"
#include "log.hpp"

namespace spoc::detail {
namespace {

bool any_value(std::string_view) { return true; }
bool switch_value(std::string_view value) { return value == "1" || value == "0"; }
bool absolute_value(std::string_view value) { return value.starts_with('/'); }
bool probe_value(std::string_view value) { return value == "isolated"; }

bool count_value(std::string_view value) {
    unsigned number = 0;
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
    return problem == std::errc{} && end == value.data() + value.size() && number >= 1 &&
           number <= 4096;
}

struct specification {
    const char* name;
    const char* key;  ///< under which plugins may ask for it, or null
    bool names_files;
    bool (*takes)(std::string_view value);
    const char* default_text;
    const char* summary;
};

constexpr specification specifications[] = {
    {"SPOC_PLUGIN_PATH", nullptr, true, any_value, "not set",
     "directories searched for plugins before the default ones, separated by ':'"},
    {"SPOC_PLUGIN_FILES", nullptr, true, any_value, "not set",
     "the only plugin files to use, absolute, separated by ':'"},
    {"SPOC_BACKENDS", nullptr, false, any_value, "all",
     "backends to use, in this order (cuda,vk), or to leave out (-hip)"},
    {"SPOC_DEVICES", nullptr, false, any_value, "all",
     "selectors of the devices to show (cuda:0,native)"},
    {"SPOC_DISABLE_GPU", nullptr, false, switch_value, "0",
     "1 leaves out every backend known to drive GPUs"},
    {"SPOC_DISABLE_CUDA", nullptr, false, switch_value, "0", "1 leaves out the cuda backend"},
    {"SPOC_DISABLE_HIP", nullptr, false, switch_value, "0", "1 leaves out the hip backend"},
    {"SPOC_DISABLE_OCL", nullptr, false, switch_value, "0", "1 leaves out the ocl backend"},
    {"SPOC_DISABLE_OPENCL", nullptr, false, switch_value, "0", "the same as SPOC_DISABLE_OCL"},
    {"SPOC_DISABLE_VK", nullptr, false, switch_value, "0", "1 leaves out the vk backend"},
    {"SPOC_DISABLE_VULKAN", nullptr, false, switch_value, "0", "the same as SPOC_DISABLE_VK"},
    {"SPOC_DISABLE_METAL", nullptr, false, switch_value, "0", "1 leaves out the metal backend"},
    {"SPOC_DISABLE_WEBGPU", nullptr, false, switch_value, "0", "1 leaves out the webgpu backend"},
    {"SPOC_DISABLE_NATIVE", nullptr, false, switch_value, "0", "1 leaves out the native backend"},
    {"SPOC_DISABLE_INTERP", nullptr, false, switch_value, "0", "1 leaves out the interp backend"},
    {"SPOC_DISABLE_INTERPRETER", nullptr, false, switch_value, "0",
     "the same as SPOC_DISABLE_INTERP"},
    {"SPOC_PROBE", nullptr, false, probe_value, "in this process",
     "isolated: probe every plugin in a process of its own first"},
    {"SPOC_LOG", nullptr, false, is_log_specification, "warn",
     "level, and levels by topic (info,cuda=trace); lines go to stderr"},
    {"SPOC_TRACE", nullptr, true, any_value, "not set",
     "file to write a trace of calls, enqueued work and counters to (%p: the process's number)"},
    {"SPOC_GPU_STATS", nullptr, false, any_value, "not set",
     "set to anything: accounts of device and page-locked memory go to stderr at exit"},
    {"SPOC_DEBUG", nullptr, false, is_debug_specification, "not set",
     "leaks,validate: say what was never given back, look for rules that are broken"},
    {"SPOC_VULKAN_HOST_IMPORT", nullptr, false, switch_value, "0",
     "1 lets Vulkan devices register the program's memory, never those of AMD's drivers"},
    {"SPOC_NATIVE_THREADS", "native.threads", false, count_value, "CPUs of the process",
     "threads that run kernels of the native backend (1 to 4096)"},
    {"XDG_CACHE_HOME", nullptr, true, absolute_value, "~/.cache",
     "directory of caches: compiled programs are kept in its folder spoc"},
    {"HOME", nullptr, true, any_value, "the account's",
     "home directory: the default place of caches, and what spoc-info --redact shows as ~"},
};

/// Whether a variable is read. Switches of backends that are not known here are, too.
bool is_ours(std::string_view name) {
    return name.starts_with("SPOC_") ||
           std::any_of(std::begin(specifications), std::end(specifications),
                       [name](const specification& spec) { return name == spec.name; });
}

}  // namespace

bool process_is_secure() noexcept { return getauxval(AT_SECURE) != 0; }

bool ignored_as_secure(std::string_view variable) noexcept {
    const auto* spec =
        std::find_if(std::begin(specifications), std::end(specifications),
                     [variable](const specification& s) { return variable == s.name; });
    return spec != std::end(specifications) && spec->names_files && process_is_secure() &&
           std::getenv(spec->name) != nullptr;
}

std::vector<std::string> split(std::string_view list, char separator) {
    std::vector<std::string> parts;
    for (std::size_t start = 0;;) {
        const std::size_t end = list.find(separator, start);
        parts.emplace_back(list.substr(start, end == std::string_view::npos ? end : end - start));
        if (end == std::string_view::npos) {
            return parts;
        }
        start = end + 1;
    }
}

settings settings::read() {
    settings result;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) {
            continue;
        }
        const std::string name(text.substr(0, equals));
        if (!is_ours(name) || equals + 1 >= text.size() || ignored_as_secure(name)) {
            continue;
        }
        result.entries_.push_back({name, std::string(text.substr(equals + 1))});
    }
    return result;
}

const char* settings::get(std::string_view name) const noexcept {
    for (const entry& candidate : entries_) {
        if (candidate.name == name) {
            return candidate.value.c_str();
        }
    }
    return nullptr;
}

const char* settings::config(std::string_view key) const noexcept {
    for (const specification& spec : specifications) {
        if (spec.key != nullptr && key == spec.key) {
            const char* value = get(spec.name);
            return value != nullptr && spec.takes(value) ? value : nullptr;
        }
    }
    return nullptr;
}

std::string settings::cache_directory() const {
    const char* const caches = get("XDG_CACHE_HOME");
    if (caches != nullptr && absolute_value(caches)) {
        return std::string(caches) + "/spoc";
    }
    const char* const home = get("HOME");
    return home != nullptr && absolute_value(home) ? std::string(home) + "/.cache/spoc" : "";
}

bool settings::is_on(std::string_view variable) const noexcept {
    const char* value = get(variable);
    return value != nullptr && std::string_view(value) == "1";
}

std::vector<settings::bad_value> settings::bad_values() const {
    std::vector<bad_value> found;
    for (const specification& spec : specifications) {
        const char* value = get(spec.name);
        if (value != nullptr && !spec.takes(value)) {
            found.push_back({spec.name, value, spec.default_text});
        }
    }
    return found;
}

}  // namespace spoc::detail

int32_t spoc_setting_get(uint32_t index, spoc_setting* out_setting) noexcept {
    using namespace spoc::detail;
    if (index >= std::size(specifications) || out_setting == nullptr) {
        return 0;
    }
    const specification& spec = specifications[index];
    const char* value = std::getenv(spec.name);
    spoc_setting found{};
    found.size = out_setting->size;
    found.flags =
        (ignored_as_secure(spec.name) ? SPOC_SETTING_IGNORED_SECURE : 0U) |
        (value != nullptr && *value != '\0' && !spec.takes(value) ? SPOC_SETTING_BAD_VALUE : 0U);
    found.name = spec.name;
    found.value = value;
    found.default_text = spec.default_text;
    found.summary = spec.summary;
    std::copy_n(reinterpret_cast<const char*>(&found),
                std::min<std::size_t>(out_setting->size, sizeof found),
                reinterpret_cast<char*>(out_setting));
    return 1;
}
