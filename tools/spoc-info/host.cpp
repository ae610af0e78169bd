// SPDX-License-Identifier: Apache-2.0
#include "host.hpp"

#include <sys/utsname.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif

#include <fstream>

namespace spoc::info {
namespace {

std::optional<std::uint64_t> system_figure(int name) {
    const long value = sysconf(name);
    return value > 0 ? std::optional(static_cast<std::uint64_t>(value)) : std::nullopt;
}

/// Value of PRETTY_NAME in os-release(5), without quotes; empty where there is no such file.
std::string pretty_name() {
    std::ifstream file("/etc/os-release");
    const std::string key = "PRETTY_NAME=";
    for (std::string line; std::getline(file, line);) {
        if (line.compare(0, key.size(), key) == 0) {
            line.erase(0, key.size());
            if (line.size() > 1 && (line.front() == '"' || line.front() == '\'') &&
                line.back() == line.front()) {
                line = line.substr(1, line.size() - 2);
            }
            return line;
        }
    }
    return {};
}

bool is_secure() {
#if defined(__linux__)
    return getauxval(AT_SECURE) != 0;
#else
    return issetugid() != 0;
#endif
}

}  // namespace

host_facts host() {
    host_facts facts;
    struct utsname names {};
    if (uname(&names) == 0) {
        facts.os = names.sysname;
        facts.kernel = names.release;
        facts.machine = names.machine;
    }
    if (std::string pretty = pretty_name(); !pretty.empty()) {
        facts.os = std::move(pretty);
    }
    facts.cpu_count = system_figure(_SC_NPROCESSORS_ONLN);
    facts.page_size = system_figure(_SC_PAGESIZE);
    const auto pages = system_figure(_SC_PHYS_PAGES);
    if (pages && facts.page_size) {
        facts.memory_total = *pages * *facts.page_size;
    }
    facts.secure = is_secure();
    return facts;
}

}  // namespace spoc::info
