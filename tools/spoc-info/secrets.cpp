// SPDX-License-Identifier: Apache-2.0
#include "secrets.hpp"

#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace spoc::info {
namespace {

struct memory_freer {
    void operator()(char* text) const { std::free(text); }
};

void add(std::vector<std::string>& list, const std::string& text) {
    // One letter names nobody, and would be replaced all over the prose.
    if (text.size() > 1 && std::find(list.begin(), list.end(), text) == list.end()) {
        list.push_back(text);
    }
}

/// A home directory as it is written, and as it is without links.
void add_home(secrets& known, std::string path) {
    path.erase(path.find_last_not_of('/') + 1);
    if (path.empty() || path.front() != '/') {
        return;
    }
    add(known.homes, path);
    const std::unique_ptr<char, memory_freer> real(realpath(path.c_str(), nullptr));
    if (real != nullptr) {
        add(known.homes, real.get());
    }
}

void add_user(secrets& known, const std::string& name) {
    if (name != "root") {
        add(known.users, name);
    }
}

void add_account(secrets& known, const struct passwd* account) {
    if (account != nullptr) {
        add_user(known, account->pw_name);
        add_home(known, account->pw_dir);
    }
}

void add_environment(secrets& known) {
    if (const char* home = std::getenv("HOME")) {
        add_home(known, home);
    }
    for (const char* variable : {"USER", "LOGNAME", "SUDO_USER"}) {
        if (const char* name = std::getenv(variable)) {
            add_user(known, name);
            add_account(known, getpwnam(name));
        }
    }
}

void add_host(secrets& known, const std::string& name) {
    const std::string first_label = name.substr(0, name.find('.'));
    if (first_label != "localhost") {
        add(known.hosts, name);
        add(known.hosts, first_label);
    }
}

}  // namespace

secrets secrets_of_this_process() {
    secrets known;
    add_environment(known);
    add_account(known, getpwuid(getuid()));
    add_account(known, getpwuid(geteuid()));
    struct utsname names {};
    if (uname(&names) == 0) {
        add_host(known, names.nodename);
    }
    return known;
}

}  // namespace spoc::info
