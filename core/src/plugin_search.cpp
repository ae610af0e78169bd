// SPDX-License-Identifier: Apache-2.0
#include "plugin_search.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <set>
#include <utility>

#include "plugin_file.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

struct directory_closer {
    void operator()(DIR* directory) const noexcept { closedir(directory); }
};
using directory_stream = std::unique_ptr<DIR, directory_closer>;

/// Collects places and candidates; remembers which directories were read, by device and inode.
class searcher {
 public:
    void add_directory(std::uint32_t source, const std::string& path) {
        spoc_search_place& place = add_place(source, path);
        if (!path.starts_with('/')) {
            place.verdict = SPOC_PLACE_REFUSED;
            return;
        }
        const directory_stream stream(opendir(path.c_str()));
        if (stream == nullptr) {
            place.verdict = errno == ENOENT ? SPOC_PLACE_MISSING : SPOC_PLACE_UNREADABLE;
            return;
        }
        struct stat status {};
        if (fstat(dirfd(stream.get()), &status) == 0 &&
            !seen_.insert({status.st_dev, status.st_ino}).second) {
            place.verdict = SPOC_PLACE_REPEATED;
            return;
        }
        place.files = list_plugins(stream.get(), path);
    }

    void add_file(const std::string& path) {
        spoc_search_place& place = add_place(SPOC_SEARCH_FILES, path);
        const std::string_view name =
            backend_of_file_name(std::string_view(path).substr(path.rfind('/') + 1));
        if (!path.starts_with('/') || name.empty()) {
            place.verdict = SPOC_PLACE_REFUSED;
            return;
        }
        place.files = 1;
        result_.candidates.push_back({std::string(name), path});
    }

    void add_ignored(std::uint32_t source, const char* variable) {
        const char* value = std::getenv(variable);
        add_place(source, value == nullptr ? "" : value).verdict = SPOC_PLACE_IGNORED_SECURE;
    }

    search_result take() && { return std::move(result_); }

 private:
    spoc_search_place& add_place(std::uint32_t source, const std::string& path) {
        spoc_search_place& place = result_.places.emplace_back();
        place.size = sizeof place;
        place.source = source;
        copy_text(place.path, path);
        return place;
    }

    std::uint32_t list_plugins(DIR* directory, const std::string& path) {
        std::vector<std::string> names;
        while (const dirent* entry = readdir(directory)) {
            if (!backend_of_file_name(static_cast<const char*>(entry->d_name)).empty()) {
                names.emplace_back(static_cast<const char*>(entry->d_name));
            }
        }
        std::sort(names.begin(), names.end());
        for (const std::string& name : names) {
            result_.candidates.push_back({std::string(backend_of_file_name(name)),
                                          say(path, path.ends_with('/') ? "" : "/", name)});
        }
        return static_cast<std::uint32_t>(names.size());
    }

    search_result result_;
    std::set<std::pair<dev_t, ino_t>> seen_;
};

void add_environment(searcher& search, std::uint32_t source, const char* variable,
                     const settings& config) {
    if (ignored_as_secure(variable)) {
        search.add_ignored(source, variable);
        return;
    }
    const char* list = config.get(variable);
    if (list == nullptr) {
        return;
    }
    for (const std::string& element : split(list, ':')) {
        source == SPOC_SEARCH_FILES ? search.add_file(element)
                                    : search.add_directory(source, element);
    }
}

/// Address in this library, for finding its file.
const int anchor = 0;

}  // namespace

std::string library_directory() {
    // Where the file was when it was loaded: a relative name must not be looked up in whatever the
    // current directory is by now.
    Dl_info info{};
    void* map = nullptr;
    std::array<char, PATH_MAX> origin{};
    if (dladdr1(&anchor, &info, &map, RTLD_DL_LINKMAP) == 0 || info.dli_fname == nullptr ||
        dlinfo(map, RTLD_DI_ORIGIN, origin.data()) != 0 || origin[0] != '/') {
        return {};
    }
    const std::string_view name = info.dli_fname;
    const std::string path = say(origin.data(), "/", name.substr(name.rfind('/') + 1));
    std::array<char, PATH_MAX> resolved{};
    if (realpath(path.c_str(), resolved.data()) == nullptr) {
        return {};
    }
    const std::string real = resolved.data();
    return real.substr(0, real.rfind('/'));
}

search_result search_plugins(const std::vector<std::string>& application_dirs,
                             const settings& config) {
    searcher search;
    add_environment(search, SPOC_SEARCH_FILES, "SPOC_PLUGIN_FILES", config);
    if (config.get("SPOC_PLUGIN_FILES") != nullptr) {
        return std::move(search).take();
    }
    for (const std::string& directory : application_dirs) {
        search.add_directory(SPOC_SEARCH_APPLICATION, directory);
    }
    add_environment(search, SPOC_SEARCH_PATH, "SPOC_PLUGIN_PATH", config);
    if (const std::string own = library_directory(); !own.empty()) {
        search.add_directory(SPOC_SEARCH_LIBRARY, say(own, "/spoc/", SPOC_BE_ABI_MAJOR));
    }
    search.add_directory(SPOC_SEARCH_CONFIGURED, SPOC_PLUGIN_DIR);
    return std::move(search).take();
}

}  // namespace spoc::detail
