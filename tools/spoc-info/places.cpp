// SPDX-License-Identifier: Apache-2.0
#include "places.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <string_view>

namespace spoc::info {
namespace {

struct directory_closer {
    void operator()(DIR* directory) const { closedir(directory); }
};

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string without_end_slashes(std::string path) {
    path.erase(path.find_last_not_of('/') + 1);
    return path;
}

bool is_directory(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_there(const std::string& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0;
}

std::string why_refused(const place_facts& place) {
    if (place.path.empty()) {
        return "the element is empty";
    }
    if (place.path.front() != '/') {
        return "the path is not absolute";
    }
    return "the file is not called libspoc-NAME.so";
}

std::string why_not_searched(const place_facts& place) {
    switch (place.verdict) {
        case SPOC_PLACE_MISSING:
            return "there is no such directory";
        case SPOC_PLACE_UNREADABLE:
            return is_directory(place.path) ? "this user may not read it" : "it is no directory";
        case SPOC_PLACE_REFUSED:
            return why_refused(place);
        case SPOC_PLACE_IGNORED_SECURE:
            return "this process is privileged, and its environment may not name files";
        case SPOC_PLACE_REPEATED:
            return "the same directory came before";
        default:
            return {};
    }
}

/// Names that are close to those of plugins and that the search does not take, such as
/// "libspoc-cuda.so.1", by byte value.
std::vector<std::string> near_misses(const place_facts& place) {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, directory_closer> directory(opendir(place.path.c_str()));
    while (const dirent* entry = directory == nullptr ? nullptr : readdir(directory.get())) {
        const std::string name = entry->d_name;
        const bool taken = std::any_of(place.found.begin(), place.found.end(),
                                       [&name](const found_file& f) { return f.name == name; });
        if (!taken && name.find("spoc-") != std::string::npos) {
            names.push_back(name);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

bool lies_in(const spoc_backend_info& entry, const place_facts& place) {
    const std::string file = entry.file;
    return place.source == SPOC_SEARCH_FILES
               ? file == place.path
               : !file.empty() && folder_of(file) == without_end_slashes(place.path);
}

place_facts describe(const spoc_search_place& searched,
                     const std::vector<spoc_backend_info>& entries) {
    place_facts place;
    place.path = searched.path;
    place.source = searched.source;
    place.verdict = searched.verdict;
    place.files = searched.files;
    place.why = why_not_searched(place);
    if (place.verdict != SPOC_PLACE_REFUSED && place.verdict != SPOC_PLACE_IGNORED_SECURE) {
        place.exists = is_there(place.path);
    }
    if (place.verdict != SPOC_PLACE_SEARCHED) {
        return place;
    }
    for (const spoc_backend_info& entry : entries) {
        if (lies_in(entry, place)) {
            place.found.push_back({name_of(entry.file), entry.name, entry.state, entry.reason});
        }
    }
    if (place.source != SPOC_SEARCH_FILES) {
        place.passed_over = near_misses(place);
    }
    return place;
}

}  // namespace

std::vector<place_facts> describe_places(const std::vector<spoc_search_place>& places,
                                         const std::vector<spoc_backend_info>& entries) {
    std::vector<place_facts> list;
    list.reserve(places.size());
    for (const spoc_search_place& place : places) {
        list.push_back(describe(place, entries));
    }
    return list;
}

const char* origin_text(std::uint32_t source) {
    switch (source) {
        case SPOC_SEARCH_APPLICATION:
            return "named by the program";
        case SPOC_SEARCH_FILES:
            return "from SPOC_PLUGIN_FILES";
        case SPOC_SEARCH_PATH:
            return "from SPOC_PLUGIN_PATH";
        case SPOC_SEARCH_LIBRARY:
            return "beside libspoc";
        default:
            return "chosen when libspoc was built";
    }
}

}  // namespace spoc::info
