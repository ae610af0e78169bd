// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include <spoc/backend.h>

#include "common/status.hpp"

namespace spoc::native {
namespace {

constexpr uint64_t unknown = SPOC_BE_UNKNOWN_64;

/// The start of a file: enough for the first processor of /proc/cpuinfo and for all of what else is
/// read here. Empty when the file cannot be read.
std::string read_start(const std::string& path) {
    std::string text(16384, '\0');
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return {};
    }
    std::size_t length = 0;
    ssize_t got = 0;
    while ((got = ::read(file, text.data() + length, text.size() - length)) > 0) {
        length += static_cast<std::size_t>(got);
    }
    ::close(file);
    text.resize(length);
    return text;
}

/// The rest of the line "key: value" or "key value"; empty when there is none.
std::string_view field(std::string_view text, std::string_view key) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        const std::size_t value = line.find_first_not_of(" \t:", key.size());
        if (line.substr(0, key.size()) == key && value != key.size()) {
            return value == std::string_view::npos ? std::string_view() : line.substr(value);
        }
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return {};
}

/// The number that `text` starts with. The word "max" of a control group reads as unknown, which is
/// no limit here.
uint64_t number(std::string_view text) {
    uint64_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    return parsed.ec == std::errc() ? value : unknown;
}

uint64_t difference(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

uint64_t kilobytes(std::string_view text) {
    const uint64_t value = number(text);
    return value == unknown ? unknown : value * 1024;
}

/// What one control group leaves. Its count of used memory includes the page cache, which the
/// kernel gives up before it refuses anything: a process that read a large file would otherwise
/// seem to have nothing left.
memory_state group_memory(const std::string& folder) {
    const uint64_t limit = number(read_start(folder + "/memory.max"));
    const uint64_t used = number(read_start(folder + "/memory.current"));
    if (limit == unknown || used == unknown) {
        return {limit, unknown};
    }
    const std::string statistics = read_start(folder + "/memory.stat");
    uint64_t cache = 0;
    for (const char* key : {"inactive_file", "active_file"}) {
        const uint64_t bytes = number(field(statistics, key));
        cache += bytes == unknown ? 0 : bytes;
    }
    return {limit, difference(limit, difference(used, cache))};
}

/// Path of the process's own group below the mount point; empty for the root group and where
/// version 2 is not in use.
std::string own_group(const std::string& proc) {
    const std::string text = read_start(proc + "/self/cgroup");
    const std::string_view path = field(text, "0:");
    return path.size() > 1 && path[0] == '/' ? std::string(path) : std::string();
}

void copy_or(char* out, std::size_t capacity, std::string_view text, std::string_view otherwise) {
    plugin::copy_text(out, capacity, text.empty() ? otherwise : text);
}

uint32_t read_clock() {
    const uint64_t khz =
        number(read_start("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"));
    return khz < SPOC_BE_UNKNOWN_32 ? static_cast<uint32_t>(khz) : SPOC_BE_UNKNOWN_32;
}

machine read_machine() {
    machine result{};
    utsname system{};
    ::uname(&system);
    const std::string cpu = read_start("/proc/cpuinfo");
    copy_or(result.architecture, sizeof result.architecture, system.machine, "");
    copy_or(result.name, sizeof result.name, field(cpu, "model name"), system.machine);
    copy_or(result.vendor, sizeof result.vendor, field(cpu, "vendor_id"), "");
    // Of the process and not of the calling thread, which its application may have bound to one
    // CPU.
    const bool counted = ::sched_getaffinity(::getpid(), sizeof result.cpus, &result.cpus) == 0;
    result.cpu_count =
        counted ? static_cast<uint32_t>(CPU_COUNT(&result.cpus)) : SPOC_BE_UNKNOWN_32;
    result.clock_khz = read_clock();
    const memory_state memory = read_memory();
    result.memory_total = memory.total;
    result.memory_readable = memory.available != unknown;
    return result;
}

}  // namespace

const machine& this_machine() {
    static const machine result = read_machine();
    return result;
}

memory_state read_memory(const std::string& proc, const std::string& cgroups) {
    const std::string text = read_start(proc + "/meminfo");
    memory_state result{kilobytes(field(text, "MemTotal")), kilobytes(field(text, "MemAvailable"))};
    // A container's root group is not the machine's and has limits too, hence the last round with
    // an empty path.
    for (std::string path = own_group(proc);; path.erase(path.rfind('/'))) {
        const memory_state group = group_memory(cgroups + path);
        result.total = std::min(result.total, group.total);
        result.available = std::min(result.available, group.available);
        if (path.empty()) {
            return result;
        }
    }
}

}  // namespace spoc::native
