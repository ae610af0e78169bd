// SPDX-License-Identifier: Apache-2.0
#include "selector.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "env.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

template <typename Number>
bool read_number(std::string_view text, int base, Number& out) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out, base);
    return !text.empty() && problem == std::errc{} && end == text.data() + text.size();
}

bool read_uuid(std::string_view text, selector& out) {
    std::string digits(text);
    std::erase(digits, '-');
    std::array<std::uint8_t, 16> bytes{};
    if (digits.size() != 2 * bytes.size()) {
        return false;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (!read_number(std::string_view(digits).substr(2 * i, 2), 16, bytes[i])) {
            return false;
        }
    }
    out.uuid = bytes;
    return true;
}

/// domain:bus:device.function, all hexadecimal; the domain may be left out.
bool read_pci(std::string_view text, selector& out) {
    std::vector<std::string> parts = split(text, ':');
    if (parts.size() == 2) {
        parts.insert(parts.begin(), "0");
    }
    const std::vector<std::string> last =
        parts.size() == 3 ? split(parts[2], '.') : std::vector<std::string>{};
    std::array<std::uint32_t, 4> address{};
    if (last.size() != 2 || !read_number(parts[0], 16, address[0]) ||
        !read_number(parts[1], 16, address[1]) || !read_number(last[0], 16, address[2]) ||
        !read_number(last[1], 16, address[3])) {
        return false;
    }
    out.pci = address;
    return true;
}

bool read_which(std::string_view text, selector& out) {
    constexpr std::string_view uuid = "uuid=";
    constexpr std::string_view pci = "pci=";
    if (text.starts_with(uuid)) {
        return read_uuid(text.substr(uuid.size()), out);
    }
    if (text.starts_with(pci)) {
        return read_pci(text.substr(pci.size()), out);
    }
    std::uint32_t index = 0;
    if (!read_number(text, 10, index)) {
        return false;
    }
    out.index = index;
    return true;
}

bool read_selector(std::string_view text, selector& out) {
    out.text = text;
    if (text == "*") {
        return true;
    }
    const std::size_t colon = text.find(':');
    out.backend = text.substr(0, colon);
    const bool named = !out.backend.empty() && out.backend != "*";
    return named && (colon == std::string_view::npos || read_which(text.substr(colon + 1), out));
}

}  // namespace

bool selector::fits(std::string_view device_backend, const spoc_be_device_info& info) const {
    if (!backend.empty() && backend != device_backend) {
        return false;
    }
    if (index && *index != info.index) {
        return false;
    }
    if (uuid && ((info.flags & SPOC_BE_DEVICE_HAS_UUID) == 0 ||
                 !std::equal(uuid->begin(), uuid->end(), info.uuid))) {
        return false;
    }
    return !pci || ((info.flags & SPOC_BE_DEVICE_HAS_PCI) != 0 &&
                    std::equal(pci->begin(), pci->end(), info.pci));
}

outcome parse_selectors(std::string_view where, std::string_view text, std::vector<selector>& out) {
    std::vector<selector> found;
    for (const std::string& element : split(text, ',')) {
        selector one;
        if (!read_selector(element, one)) {
            return outcome::invalid(SPOC_SUB_NAME,
                                    say(where, " holds \"", element,
                                        "\", which is no device selector; the forms are *, ",
                                        "backend, backend:index, backend:uuid=HEX and "
                                        "backend:pci=DOMAIN:BUS:DEVICE.FUNCTION."));
        }
        found.push_back(std::move(one));
    }
    out = std::move(found);
    return {};
}

}  // namespace spoc::detail
