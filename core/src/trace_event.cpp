// SPDX-License-Identifier: Apache-2.0
#include "trace_event.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "json_string.hpp"
#include "text.hpp"

namespace spoc::detail {

void append_number(std::string& out, std::uint64_t number) {
    std::array<char, 24> digits;
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
}

void append_time(std::string& out, std::uint64_t ns) {
    append_number(out, ns / 1000);
    const std::uint64_t rest = ns % 1000;
    const std::array<char, 4> decimals = {'.', static_cast<char>('0' + rest / 100),
                                          static_cast<char>('0' + rest / 10 % 10),
                                          static_cast<char>('0' + rest % 10)};
    out.append(decimals.data(), decimals.size());
}

std::string place_of_this_thread() {
    return say("\"pid\":", ::getpid(), ",\"tid\":", ::syscall(SYS_gettid));
}

void append_head(std::string& out, char phase, std::string_view place, std::uint64_t at_ns) {
    out += ",\n{\"ph\":\"";
    out += phase;
    out += "\",";
    out += place;
    out += ",\"ts\":";
    append_time(out, at_ns);
}

void append_name(std::string& out, std::string_view name, std::string_view category) {
    out += ",\"name\":";
    append_json_string(out, name);
    out += ",\"cat\":";
    append_json_string(out, category);
}

std::string process_event(std::uint64_t at_ns) {
    std::string name = "unknown";
#ifdef __GLIBC__
    name = program_invocation_short_name;
#endif
    std::string event;
    append_head(event, 'M', place_of_this_thread(), at_ns);
    append_name(event, "process_name", "spoc");
    event += ",\"args\":{\"name\":";
    append_json_string(event, name);
    event += "}}";
    return event.substr(1);
}

}  // namespace spoc::detail
