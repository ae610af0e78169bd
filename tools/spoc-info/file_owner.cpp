// SPDX-License-Identifier: Apache-2.0
#include "file_owner.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "common/text.hpp"

namespace spoc::info {

file_owner owner_of(const std::string& path) {
    file_owner owner;
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        owner.trouble = std::strerror(errno);
        return owner;
    }
    const struct passwd* user = getpwuid(status.st_uid);
    const struct group* group = getgrgid(status.st_gid);
    owner.user = user == nullptr ? "unknown" : user->pw_name;
    owner.uid = status.st_uid;
    owner.group = group == nullptr ? "unknown" : group->gr_name;
    owner.gid = status.st_gid;
    owner.mode = static_cast<std::uint32_t>(status.st_mode) & 07777U;
    return owner;
}

std::string owner_text(const file_owner& owner) {
    if (!owner.trouble.empty()) {
        return owner.trouble;
    }
    return "owner " + owner.user + " (" + std::to_string(owner.uid) + "), group " + owner.group +
           " (" + std::to_string(owner.gid) + "), mode " + tools::formatted("%04o", owner.mode);
}

}  // namespace spoc::info
