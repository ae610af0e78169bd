// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "secrets.hpp"

namespace spoc::info {

/// Replaces what names people and machines in texts. What was the same before has the same
/// placeholder after, for as long as the object lives:
///
/// - a home directory is "~"; a directory that is nobody's here below a folder called home or
///   Users, which stands at most three deep ("/home", "/export/home", "/mnt/c/Users"), or below
///   "/media" or "/run/media", is "<user-1>"; where it looks like a domain, that below it as well;
/// - a user name is "<user>", that of somebody else "<user-1>", a host name "<host>", with the
///   labels of a domain that follow;
/// - a UUID is "00000000-0000-0000-0000-000000000001", which is still a UUID;
/// - 12 or more hexadecimal digits in a row, as in serial numbers, and a hardware address are
///   "<serial-1>", an IPv4 address other than this machine's own to itself "<address-1>".
///
/// Names are replaced where they are whole words, in capitals or not. One that is also a word of
/// SPOC's, such as that of a backend, is replaced only in a home directory, beside an "@", before
/// the labels of a domain, and where nothing but a name can stand (`person`). PCI addresses stay:
/// they say which slot, and nothing about whose.
class redactor {
 public:
    explicit redactor(const secrets& known);

    /// Takes note of a word that is to stay readable though somebody may be called so.
    void learn_word(const std::string& word);

    /// Takes note of other people whom `text` names as owners of home directories, so that they are
    /// hidden in texts that come before it, too.
    void learn(std::string_view text);

    /// Takes note of the owner of a file. Accounts of the system, whose numbers are below 1000, are
    /// nobody.
    void learn_owner(const std::string& user, std::uint32_t uid);

    /// `source` with placeholders.
    std::string text(std::string_view source);

    /// The same for a text that is the name of an account and nothing else, if it is one.
    std::string person(const std::string& source);

    /// The placeholder of a UUID.
    void uuid(std::uint8_t (&bytes)[16]);

 private:
    struct replacement {
        std::size_t length = 0;  ///< bytes of the source that it stands for
        std::string text;
    };
    using finding = std::optional<replacement>;

    finding at_path(std::string_view rest, char before);
    finding at_own_home(std::string_view rest) const;
    finding at_other_home(std::string_view rest);
    finding at_word(std::string_view rest, char before);
    finding at_name(std::string_view rest, char before) const;
    std::string name_in_home(std::string_view name);
    std::string uuid_placeholder(const std::string& digits);

    std::map<std::string, std::string> homes_;  ///< path to placeholder
    std::map<std::string, std::string> names_;  ///< in small letters, to placeholder
    std::set<std::string> hosts_;               ///< those of `names_` that machines have
    std::set<std::string> words_;               ///< in small letters: they stay
    std::map<std::string, std::string> seen_;   ///< names in paths alone, to placeholder
    std::map<std::string, std::size_t> uuids_;  ///< 32 digits to number
    std::map<std::string, std::size_t> addresses_;
    std::map<std::string, std::size_t> serials_;
    std::size_t others_ = 0;  ///< people who are not the user
};

}  // namespace spoc::info
