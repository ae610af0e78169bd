// SPDX-License-Identifier: Apache-2.0
#include "probe.hpp"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "backend.hpp"
#include "common/record.hpp"
#include "common/request.hpp"
#include "driver_library.hpp"
#include "driver_status.hpp"

namespace spoc::cudalike {
namespace {

/// CUDA 11.0: the oldest driver whose interface the plugin was written for.
constexpr int oldest_driver = 11000;

/// Why the driver cannot be used; NONE when it can, as far as was looked.
struct obstacle {
    std::uint32_t reason = SPOC_BE_REASON_NONE;
    driver::result code = driver::success;
    char message[400] = {};
};

/// Threads of this process.
std::uint32_t count_threads() noexcept {
    DIR* tasks = ::opendir("/proc/self/task");
    if (tasks == nullptr) {
        return 0;
    }
    std::uint32_t count = 0;
    while (const dirent* entry = ::readdir(tasks)) {  // NOLINT(concurrency-mt-unsafe): own stream
        count += entry->d_name[0] != '.' ? 1 : 0;
    }
    static_cast<void>(::closedir(tasks));
    return count;
}

bool kernel_module_is_loaded() noexcept {
    return ::access("/proc/driver/nvidia/version", F_OK) == 0 ||
           ::access("/dev/nvidiactl", F_OK) == 0 || ::access("/dev/dxg", F_OK) == 0 ||
           ::access("/dev/nvgpu", F_OK) == 0;
}

bool device_node_is_closed() noexcept {
    return ::access("/dev/nvidiactl", F_OK) == 0 && ::access("/dev/nvidiactl", R_OK | W_OK) != 0;
}

/// The version in the kernel module's own words: the first figure with two dots or one.
void read_kernel_driver(char (&out)[64]) noexcept {
    std::FILE* file = std::fopen("/proc/driver/nvidia/version", "re");
    if (file == nullptr) {
        return;
    }
    char line[256];
    if (std::fgets(line, sizeof line, file) != nullptr) {
        for (const char* at = line; *at != '\0'; ++at) {
            const std::size_t length = std::strspn(at, "0123456789.");
            if (length >= 5 && (at == line || at[-1] == ' ') &&
                std::memchr(at, '.', length) != nullptr) {
                plugin::copy_text(out, std::string_view(at, length));
                break;
            }
            at += length > 0 ? length - 1 : 0;
        }
    }
    static_cast<void>(std::fclose(file));
}

void open_library(backend& backend, obstacle& out) {
    if (backend.library != nullptr) {
        return;
    }
    spoc_be_error words{};
    words.size = sizeof words;
    driver_library opened;
    if (!opened.open(backend.host, backend.library_path, sizeof backend.library_path, &words)) {
        out.reason = words.reason;
        plugin::copy_text(out.message, words.message);
        return;
    }
    backend.library = opened.handle();
    backend.api = opened.functions();
}

std::uint32_t reason_of(driver::result code) noexcept {
    switch (code) {
        case driver::stub_library:
            return SPOC_BE_REASON_DRIVER_STUB;
        case driver::no_device:
        case driver::invalid_device:
            return kernel_module_is_loaded() ? SPOC_BE_REASON_NO_DEVICE
                                             : SPOC_BE_REASON_KERNEL_MODULE_MISSING;
        case driver::compat_not_supported_on_device:
            return SPOC_BE_REASON_DEVICE_UNSUPPORTED;
        default:
            return device_node_is_closed() ? SPOC_BE_REASON_NO_PERMISSION
                                           : SPOC_BE_REASON_DRIVER_INIT_FAILED;
    }
}

void refuse(obstacle& out, driver::result code, const char* origin) {
    spoc_be_error words{};
    words.size = sizeof words;
    static_cast<void>(fail_driver(&words, code, origin, origin));
    out.reason = reason_of(code);
    out.code = code;
    plugin::copy_text(out.message, words.message);
}

void count_devices(backend& backend, obstacle& out) {
    int count = 0;
    if (const driver::result asked = api().device_count(&count); asked != driver::success) {
        refuse(out, asked, driver::call::device_count);
        return;
    }
    if (count == 0) {
        out.reason = SPOC_BE_REASON_NO_DEVICE;
        plugin::copy_text(out.message,
                          "The driver shows no device to this process; "
                          "CUDA_VISIBLE_DEVICES may hide them.");
        return;
    }
    const auto shown = std::min(static_cast<std::uint32_t>(count), most_devices);
    for (std::uint32_t i = 0; i < shown; ++i) {
        if (const driver::result asked = api().device_get(&backend.devices[i], static_cast<int>(i));
            asked != driver::success) {
            refuse(out, asked, driver::call::device_get);
            return;
        }
    }
    backend.device_count = shown;
}

void initialize(backend& backend, obstacle& out) {
    if (backend.initialized) {
        return;
    }
    if (const driver::result begun = api().init(0); begun != driver::success) {
        refuse(out, begun, driver::call::init);
        return;
    }
    if (const driver::result asked = api().driver_version(&backend.driver_version);
        asked != driver::success) {
        refuse(out, asked, driver::call::driver_version);
        return;
    }
    if (backend.driver_version < oldest_driver) {
        out.reason = SPOC_BE_REASON_DRIVER_TOO_OLD;
        static_cast<void>(std::snprintf(out.message, sizeof out.message,
                                        "The driver is older than the plugin can use (CUDA %d.%d, "
                                        "at least %d.%d).",
                                        backend.driver_version / 1000,
                                        backend.driver_version % 1000 / 10, oldest_driver / 1000,
                                        oldest_driver % 1000 / 10));
        return;
    }
    read_kernel_driver(backend.kernel_driver);
    count_devices(backend, out);
    if (out.reason == SPOC_BE_REASON_NONE) {
        backend.compiler.open(backend.host);
        backend.initialized = true;
    }
}

/// As far as `level` asks.
obstacle look(std::uint32_t level) {
    obstacle found;
    open_library(the_backend, found);
    if (found.reason != SPOC_BE_REASON_NONE) {
        return found;
    }
    // Only the driver knows whether its kernel module is there: where it looks differs from one
    // kind of machine to another.
    if (level >= SPOC_BE_PROBE_ENUMERATE) {
        initialize(the_backend, found);
    }
    return found;
}

void fill(spoc_be_probe_report& report, const obstacle& found, std::uint32_t level) {
    report.level = level;
    report.reason = found.reason;
    report.native_code = found.code;
    plugin::copy_text(report.native_domain, found.code != driver::success ? "CUresult" : "");
    report.device_count =
        level >= SPOC_BE_PROBE_ENUMERATE ? the_backend.device_count : SPOC_BE_UNKNOWN_32;
    std::fill(std::begin(report.driver_version), std::end(report.driver_version),
              SPOC_BE_UNKNOWN_32);
    std::fill(std::begin(report.driver_minimum), std::end(report.driver_minimum),
              SPOC_BE_UNKNOWN_32);
    if (the_backend.driver_version > 0) {
        report.driver_version[0] = static_cast<std::uint32_t>(the_backend.driver_version / 1000);
        report.driver_version[1] =
            static_cast<std::uint32_t>(the_backend.driver_version % 1000 / 10);
    }
    report.driver_minimum[0] = oldest_driver / 1000;
    report.driver_minimum[1] = oldest_driver % 1000 / 10;
    plugin::copy_text(report.driver_name, "NVIDIA CUDA driver");
    plugin::copy_text(report.driver_path, the_backend.library_path);
    plugin::copy_text(report.message, found.message);
}

std::int32_t fail(spoc_be_error* error, const obstacle& found) {
    return plugin::fail(error,
                        {.status = SPOC_BE_UNAVAILABLE,
                         .reason = found.reason,
                         .native_code = found.code,
                         .native_domain = found.code != driver::success ? "CUresult" : ""},
                        "%s", found.message);
}

}  // namespace

std::int32_t probe(const spoc_be_host* host, std::uint32_t level, spoc_be_probe_report* report,
                   spoc_be_error* error) {
    the_backend.host.attach(host);
    const std::uint32_t threads_before = count_threads();
    const obstacle found = look(level);
    spoc_be_probe_report said{};
    fill(said, found, level);
    const std::uint32_t threads_now = count_threads();
    said.threads_started = threads_now > threads_before ? threads_now - threads_before : 0;
    plugin::write_record(report, said);
    return found.reason == SPOC_BE_REASON_NONE ? SPOC_BE_OK : fail(error, found);
}

std::int32_t open(const spoc_be_host* host, const spoc_be_ext* ext, spoc_be_error* error) {
    if (const std::int32_t status = plugin::check_request(0, 0, ext, error); status != SPOC_BE_OK) {
        return status;
    }
    the_backend.host.attach(host);
    const obstacle found = look(SPOC_BE_PROBE_ENUMERATE);
    return found.reason == SPOC_BE_REASON_NONE ? SPOC_BE_OK : fail(error, found);
}

std::int32_t close(spoc_be_error* /*error*/) {
    // The driver cannot be shut down, and its list of devices stays what it was.
    return SPOC_BE_OK;
}

}  // namespace spoc::cudalike
