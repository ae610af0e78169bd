// SPDX-License-Identifier: Apache-2.0
#include "file_owner.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "common/text.hpp"

namespace spoc::info {

std::string describe_owner(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        return std::strerror(errno);
    }
    const struct passwd* user = getpwuid(status.st_uid);
    const struct group* group = getgrgid(status.st_gid);
    const std::string mode =
        tools::formatted("%04o", static_cast<unsigned>(status.st_mode) & 07777U);
    return "owner " + (user == nullptr ? std::string("unknown") : std::string(user->pw_name)) +
           " (" + std::to_string(status.st_uid) + "), group " +
           (group == nullptr ? std::string("unknown") : std::string(group->gr_name)) + " (" +
           std::to_string(status.st_gid) + "), mode " + mode;
}

}  // namespace spoc::info
