// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "recorder.hpp"
#include "temporary_folder.hpp"

namespace spoc::test {

/// Which build of the recorder: with the optional entries that copying needs, or with none.
enum class entries { some, none };

inline std::string built_recorder(entries which = entries::some) {
    return which == entries::some ? SPOC_TEST_RECORDER : SPOC_TEST_BARE_RECORDER;
}

/// Writes the recorder as the plugin of backend `name` (at most 15 characters) and returns its
/// path. Each copy is a plugin of its own, whose state nothing has touched yet.
inline std::string write_recorder(const temporary_folder& folder, std::string name,
                                  entries which = entries::some) {
    const std::string placeholder("recorder_name_x\0", 16);
    std::string content = read_file(built_recorder(which));
    const std::string file_name = "libspoc-" + name + ".so";
    name.resize(placeholder.size());
    for (std::size_t at = content.find(placeholder); at != std::string::npos;
         at = content.find(placeholder, at)) {
        content.replace(at, name.size(), name);
    }
    return folder.write(file_name, content);
}

/// The state of the plugin in a file, which the library shares.
inline recorder& open_recorder(const std::string& file) {
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
        throw std::runtime_error(::dlerror());
    }
    const auto* table = static_cast<const spoc_be_table*>(::dlsym(library, SPOC_BE_SYMBOL));
    const void* found = nullptr;
    if (table == nullptr ||
        table->get_interface(recorder_interface, sizeof(recorder), &found, nullptr) != SPOC_BE_OK) {
        throw std::runtime_error("not the recorder: " + file);
    }
    return *static_cast<recorder*>(const_cast<void*>(found));
}

}  // namespace spoc::test
