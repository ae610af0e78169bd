// SPDX-License-Identifier: Apache-2.0
#include "log.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

// g++ 13 with fmt 9 at -O2 warns of overruns inside fmt that are none.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#include "env.hpp"

namespace spoc::detail {
namespace {

constexpr int off = -1;

std::optional<int> level_from(std::string_view name) {
    static constexpr std::array<std::string_view, 5> names = {"error", "warn", "info", "debug",
                                                              "trace"};
    const auto* found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) {
        return static_cast<int>(found - names.begin());
    }
    return name == "off" ? std::optional<int>(off) : std::nullopt;
}

struct levels {
    int general = SPOC_BE_LOG_WARN;
    std::map<std::string, int, std::less<>> by_topic;
};

std::optional<levels> parse(std::string_view text) {
    levels result;
    for (const std::string& part : split(text, ',')) {
        const std::size_t equals = part.find('=');
        const auto level = level_from(
            equals == std::string::npos ? part : std::string_view(part).substr(equals + 1));
        if (!level || equals == 0) {
            return std::nullopt;
        }
        if (equals == std::string::npos) {
            result.general = *level;
        } else {
            result.by_topic[part.substr(0, equals)] = *level;
        }
    }
    return result;
}

/// The logger is an object of our own that no registry knows: an application that links the same
/// spdlog library keeps its loggers and levels to itself. Never destroyed, since lines may be
/// written while the process ends.
struct state {
    std::mutex mutex;
    levels current;
    spdlog::logger logger{"spoc", std::make_shared<spdlog::sinks::stderr_sink_mt>()};

    state() {
        logger.set_pattern("spoc: %l: %v");
        logger.set_level(spdlog::level::trace);
    }
};

state& shared_state() {
    static state* const instance = new state;
    return *instance;
}

spdlog::level::level_enum spdlog_level(std::uint32_t level) {
    static constexpr std::array table = {spdlog::level::err, spdlog::level::warn,
                                         spdlog::level::info, spdlog::level::debug,
                                         spdlog::level::trace};
    return table[std::min<std::size_t>(level, table.size() - 1)];
}

/// A line is one line, and a driver's text does not steer the terminal.
std::string on_one_line(std::string_view text) {
    std::string line(text);
    std::replace_if(
        line.begin(), line.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
    return line;
}

}  // namespace

bool is_log_specification(std::string_view text) { return parse(text).has_value(); }

void configure_log(const char* specification) {
    state& log = shared_state();
    const std::lock_guard lock(log.mutex);
    log.current = specification == nullptr ? levels{} : parse(specification).value_or(levels{});
}

void write_log(std::uint32_t level, std::string_view topic, std::string_view text) noexcept {
    try {
        state& log = shared_state();
        {
            const std::lock_guard lock(log.mutex);
            const auto own = log.current.by_topic.find(topic);
            const int limit = own == log.current.by_topic.end() ? log.current.general : own->second;
            if (static_cast<int>(level) > limit) {
                return;
            }
        }
        log.logger.log(spdlog_level(level), "{}: {}", topic, on_one_line(text));
    } catch (...) {
        // A line that cannot be written must not become the caller's failure.
        return;
    }
}

}  // namespace spoc::detail
