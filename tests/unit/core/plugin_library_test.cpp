// SPDX-License-Identifier: Apache-2.0
#include "plugin_library.hpp"

#include <dlfcn.h>

#include <string>

#include <spoc/backends.h>

#include "support/catch.hpp"
#include "support/recorder_file.hpp"

namespace spoc::detail {
namespace {

using test::temporary_folder;

bool is_mapped(const std::string& path) {
    return ::dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD) != nullptr;
}

std::string copy_of(const temporary_folder& folder, const char* library) {
    return folder.write("libspoc-x.so", test::read_file(library));
}

}  // namespace

TEST_CASE("A plugin is loaded with its table, and for nobody else to see") {
    const temporary_folder folder;
    plugin_file file;
    file.real_path = test::write_recorder(folder, "rec");
    const spoc_be_table* table = nullptr;
    REQUIRE(load_plugin_library(file, table).fine());
    CHECK(std::string(table->name) == "rec");
    CHECK(::dlsym(RTLD_DEFAULT, SPOC_BE_SYMBOL) == nullptr);
    CHECK(is_mapped(file.real_path));
}

TEST_CASE("A library without a table is refused and stays mapped") {
    const temporary_folder folder;
    plugin_file file;
    file.real_path = copy_of(folder, SPOC_TEST_ENTRYLESS);
    const spoc_be_table* table = nullptr;
    const finding found = load_plugin_library(file, table);
    CHECK(found.reason == SPOC_BE_REASON_NO_ENTRY);
    CHECK(found.message.find(SPOC_BE_SYMBOL) != std::string::npos);
    CHECK(table == nullptr);
    CHECK(is_mapped(file.real_path));
}

TEST_CASE("A function that nobody has is missed when the file is opened, not when it is called") {
    const temporary_folder folder;
    plugin_file file;
    file.real_path = copy_of(folder, SPOC_TEST_UNRESOLVED);
    const spoc_be_table* table = nullptr;
    const finding found = load_plugin_library(file, table);
    CHECK(found.reason == SPOC_BE_REASON_UNRESOLVED_SYMBOL);
    CHECK(found.message.find("spoc_test_function_of_nobody") != std::string::npos);
    CHECK_FALSE(is_mapped(file.real_path));
}

}  // namespace spoc::detail
