// SPDX-License-Identifier: Apache-2.0
#include "redactor.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "common/text.hpp"

namespace spoc::info {
namespace {

constexpr std::size_t uuid_digits = 32;
constexpr std::size_t least_serial = 12;
constexpr std::size_t address_length = 17;  // 01:23:45:67:89:ab
constexpr std::uint32_t first_person = 1000;
constexpr int deepest_home_folder = 3;
/// Words that reports, and these placeholders, are made of.
constexpr std::string_view plain_words[] = {
    "spoc",   "native", "any",    "cpu",    "gpu",    "lib",    "usr", "local", "opt",  "home",
    "driver", "linux",  "device", "plugin", "vulkan", "opencl", "bin", "build", "user", "users",
    "host",   "hidden", "serial", "debian", "ubuntu", "nvidia", "amd", "intel", "mesa", "address"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

/// Letters of other alphabets count: their bytes are above those of ASCII.
bool is_word(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

std::string small(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

std::size_t word_length(std::string_view text) {
    const auto* end = std::find_if_not(text.begin(), text.end(), is_word);
    return static_cast<std::size_t>(end - text.begin());
}

bool word_goes_on(std::string_view rest, std::size_t length) {
    return length < rest.size() && is_word(rest[length]);
}

/// Whether the name of a file goes on behind `length` bytes. A full stop that ends a sentence does
/// not count.
bool name_goes_on(std::string_view rest, std::size_t length) {
    if (length >= rest.size()) {
        return false;
    }
    const bool joins = rest[length] == '.' || rest[length] == '-';
    return is_word(rest[length]) || (joins && word_goes_on(rest, length + 1));
}

/// Length of the first component of a path.
std::size_t component_length(std::string_view rest) {
    std::size_t length = 0;
    while (name_goes_on(rest, length)) {
        ++length;
    }
    return length;
}

/// Length of the UUID that `rest` begins with, dashes anywhere between its digits; 0: none.
std::size_t uuid_length(std::string_view rest) {
    std::size_t digits = 0;
    std::size_t length = 0;
    for (; length < rest.size() && (is_hex(rest[length]) || rest[length] == '-'); ++length) {
        if (is_hex(rest[length])) {
            ++digits;
        } else if (digits == uuid_digits) {
            break;
        }
    }
    return digits == uuid_digits && !word_goes_on(rest, length) ? length : 0;
}

std::string digits_of(std::string_view uuid) {
    std::string digits = small(uuid);
    digits.erase(std::remove(digits.begin(), digits.end(), '-'), digits.end());
    return digits;
}

/// Whether `rest` begins with the six pairs of digits of a network card or the like.
bool is_address(std::string_view rest) {
    if (rest.size() < address_length || word_goes_on(rest, address_length)) {
        return false;
    }
    for (std::size_t i = 0; i < address_length; ++i) {
        if (i % 3 == 2 ? rest[i] != ':' : !is_hex(rest[i])) {
            return false;
        }
    }
    return true;
}

/// Length of what looks like a serial number; 0: nothing does.
std::size_t serial_length(std::string_view rest) {
    if (is_address(rest)) {
        return address_length;
    }
    const std::string_view word = rest.substr(0, word_length(rest));
    const bool looks_so = word.size() >= least_serial &&
                          std::all_of(word.begin(), word.end(), is_hex) &&
                          std::any_of(word.begin(), word.end(), is_digit);
    return looks_so ? word.size() : 0;
}

/// Number of `key`, a new one for a key not seen before; from 1.
std::size_t number_of(std::map<std::string, std::size_t>& numbers, const std::string& key) {
    return numbers.try_emplace(key, numbers.size() + 1).first->second;
}

/// Length of what looks like an IPv4 address of another machine; 0: nothing does.
std::size_t ip_length(std::string_view rest) {
    std::size_t length = 0;
    for (int part = 0; part < 4; ++part) {
        std::uint32_t value = 0;
        const char* const begin = rest.data() + length;
        const auto read = std::from_chars(begin, rest.data() + rest.size(), value);
        if (read.ec != std::errc{} || value > 255 || read.ptr - begin > 3) {
            return 0;
        }
        length = static_cast<std::size_t>(read.ptr - rest.data());
        if (part < 3 && (length >= rest.size() || rest[length++] != '.')) {
            return 0;
        }
    }
    const bool is_own = rest.substr(0, 4) == "127." || rest.substr(0, length) == "0.0.0.0";
    return is_own || name_goes_on(rest, length) ? 0 : length;
}

/// Where the names of people begin in the path that `rest` begins with; 0: nowhere.
struct home_folder {
    std::size_t length = 0;    ///< with the slash at its end
    bool is_of_homes = false;  ///< of nothing but home directories
};

home_folder folder_of_homes(std::string_view rest) {
    std::size_t at = 0;
    for (int depth = 0; depth < deepest_home_folder && at < rest.size() && rest[at] == '/';
         ++depth) {
        const std::size_t length = component_length(rest.substr(at + 1));
        const std::string_view component = rest.substr(at + 1, length);
        const std::string_view before = rest.substr(0, at);
        at += 1 + length;
        if (length == 0 || at >= rest.size() || rest[at] != '/') {
            return {};
        }
        const bool is_home = component == "home" || component == "Users";
        const bool is_media = component == "media" && (before.empty() || before == "/run");
        if (is_home || is_media) {
            return {at + 1, is_home};
        }
    }
    return {};
}

/// Whether a directory among homes holds those of a domain: "corp.example.com", "CORP". Somebody's
/// may look so too.
bool looks_like_domain(std::string_view component) {
    return component.find('.', 1) != std::string_view::npos ||
           (component.size() > 1 &&
            std::none_of(component.begin(), component.end(),
                         [](char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }) &&
            std::any_of(component.begin(), component.end(),
                        [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }));
}

/// Calls `use` with every position where a path may begin, and the byte before it.
template <typename Use>
void each_path(std::string_view text, Use use) {
    for (std::size_t at = text.find('/'); at != std::string_view::npos;
         at = text.find('/', at + 1)) {
        use(text.substr(at), at == 0 ? '\0' : text[at - 1]);
    }
}

bool may_precede_path(char before) { return !is_word(before) && before != '-' && before != '.'; }

}  // namespace

redactor::redactor(const secrets& known) {
    for (const std::string_view word : plain_words) {
        words_.emplace(word);
    }
    for (const std::string& home : known.homes) {
        homes_.emplace(home, "~");
    }
    for (const std::string& user : known.users) {
        names_.emplace(small(user), "<user>");
    }
    for (const std::string& host : known.hosts) {
        names_.emplace(small(host), "<host>");
        hosts_.insert(small(host));
    }
}

void redactor::learn_word(const std::string& word) { words_.insert(small(word)); }

void redactor::learn(std::string_view text) {
    each_path(text, [this](std::string_view rest, char before) {
        const home_folder folder = folder_of_homes(rest);
        if (!folder.is_of_homes || !may_precede_path(before) || at_own_home(rest)) {
            return;
        }
        const std::string_view below = rest.substr(folder.length);
        const std::string_view name = below.substr(0, component_length(below));
        if (!looks_like_domain(name)) {
            learn_owner(std::string(name), first_person);
        }
    });
}

void redactor::learn_owner(const std::string& user, std::uint32_t uid) {
    if (uid >= first_person && user.size() > 1 && names_.count(small(user)) == 0) {
        names_.emplace(small(user), "<user-" + std::to_string(++others_) + ">");
    }
}

redactor::finding redactor::at_own_home(std::string_view rest) const {
    finding longest;
    for (const auto& [home, placeholder] : homes_) {
        const bool fits = rest.substr(0, home.size()) == home && !name_goes_on(rest, home.size());
        if (fits && (!longest || longest->length < home.size())) {
            longest = replacement{home.size(), placeholder};
        }
    }
    return longest;
}

/// The placeholder of a directory among homes, or below "/media", where it may be a disk's.
std::string redactor::name_in_home(std::string_view name) {
    const std::string key = small(name);
    if (const auto known = names_.find(key); known != names_.end()) {
        return known->second;
    }
    const auto added = seen_.try_emplace(key, std::string());
    if (added.second) {
        added.first->second = "<user-" + std::to_string(++others_) + ">";
    }
    return added.first->second;
}

redactor::finding redactor::at_other_home(std::string_view rest) {
    const home_folder folder = folder_of_homes(rest);
    const std::string_view below = rest.substr(folder.length);
    const std::size_t length = folder.length == 0 ? 0 : component_length(below);
    const std::string_view name = below.substr(0, length);
    if (length == 0 || name == "root") {
        return std::nullopt;
    }
    replacement found{folder.length + length,
                      std::string(rest.substr(0, folder.length)) + name_in_home(name)};
    const std::string_view after = rest.substr(found.length);
    const std::size_t second =
        !after.empty() && after.front() == '/' ? component_length(after.substr(1)) : 0;
    if (folder.is_of_homes && looks_like_domain(name) && second != 0) {
        found.text += "/" + name_in_home(after.substr(1, second));
        found.length += 1 + second;
    }
    return found;
}

redactor::finding redactor::at_path(std::string_view rest, char before) {
    if (!may_precede_path(before)) {
        return std::nullopt;
    }
    const finding own = at_own_home(rest);
    return own ? own : at_other_home(rest);
}

redactor::finding redactor::at_name(std::string_view rest, char before) const {
    finding longest;
    for (const auto& [name, placeholder] : names_) {
        if (small(rest.substr(0, name.size())) != name || word_goes_on(rest, name.size()) ||
            (longest && longest->length >= name.size())) {
            continue;
        }
        std::size_t length = name.size();
        while (hosts_.count(name) != 0 && length < rest.size() && rest[length] == '.' &&
               name_goes_on(rest, length)) {
            length += 1 + component_length(rest.substr(length + 1));
        }
        const bool is_beside_at = before == '@' || rest.substr(length, 1) == "@";
        if (words_.count(name) == 0 || is_beside_at || length > name.size()) {
            longest = replacement{length, placeholder};
        }
    }
    return longest;
}

redactor::finding redactor::at_word(std::string_view rest, char before) {
    if (finding name = at_name(rest, before)) {
        return name;
    }
    if (const std::size_t length = uuid_length(rest); length != 0) {
        return replacement{length, uuid_placeholder(digits_of(rest.substr(0, length)))};
    }
    if (const std::size_t length = before == '.' || before == '-' ? 0 : ip_length(rest);
        length != 0) {
        const std::size_t number = number_of(addresses_, std::string(rest.substr(0, length)));
        return replacement{length, "<address-" + std::to_string(number) + ">"};
    }
    if (const std::size_t length = serial_length(rest); length != 0) {
        const std::size_t number = number_of(serials_, small(rest.substr(0, length)));
        return replacement{length, "<serial-" + std::to_string(number) + ">"};
    }
    return std::nullopt;
}

std::string redactor::text(std::string_view source) {
    std::string out;
    char before = '\0';
    while (!source.empty()) {
        const bool is_start = is_word(source.front()) && !is_word(before);
        finding found = source.front() == '/' ? at_path(source, before)
                        : is_start            ? at_word(source, before)
                                              : std::nullopt;
        const std::size_t plain = is_start ? word_length(source) : 1;
        const std::size_t length = found ? found->length : plain;
        out.append(found ? found->text : source.substr(0, length));
        before = source[length - 1];
        source.remove_prefix(length);
    }
    return out;
}

std::string redactor::person(const std::string& source) {
    const auto known = names_.find(small(source));
    return known == names_.end() ? text(source) : known->second;
}

void redactor::uuid(std::uint8_t (&bytes)[16]) {
    std::string digits;
    for (const std::uint8_t byte : bytes) {
        digits += tools::formatted("%02x", static_cast<unsigned>(byte));
    }
    std::size_t number = number_of(uuids_, digits);
    for (auto byte = std::rbegin(bytes); byte != std::rend(bytes); ++byte) {
        *byte = static_cast<std::uint8_t>(number & 0xFFU);
        number >>= 8;
    }
}

std::string redactor::uuid_placeholder(const std::string& digits) {
    return tools::formatted("00000000-0000-0000-0000-%012zx", number_of(uuids_, digits));
}

}  // namespace spoc::info
