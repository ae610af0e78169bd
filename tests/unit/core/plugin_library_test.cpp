// SPDX-License-Identifier: Apache-2.0
#include "plugin_library.hpp"

#include <dlfcn.h>
#include <libintl.h>
#include <locale.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
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

/// Puts the process into a locale in which the C library says `translated` for `words`. Only the
/// locale of the C library itself is used, since no other is sure to be there.
class translation {
 public:
    translation(const std::string& words, const std::string& translated) {
        const char* name = ::setlocale(LC_MESSAGES, "C.UTF-8");
        if (name == nullptr) {
            return;
        }
        const std::filesystem::path messages = folder_.path() / name / "LC_MESSAGES";
        std::filesystem::create_directories(messages);
        std::ofstream(messages / "libc.mo", std::ios::binary) << catalogue(words, translated);
        const char* before = ::bindtextdomain("libc", nullptr);
        before_ = before == nullptr ? "" : before;
        ::bindtextdomain("libc", folder_.path().c_str());
        works_ = ::dgettext("libc", words.c_str()) == translated;
    }
    ~translation() {
        if (!before_.empty()) {
            ::bindtextdomain("libc", before_.c_str());
        }
        static_cast<void>(::setlocale(LC_MESSAGES, "C"));
    }
    translation(const translation&) = delete;
    translation& operator=(const translation&) = delete;

    bool works() const noexcept { return works_; }

 private:
    /// A catalogue of gettext with one message: header, a length and offset for each text, texts.
    static std::string catalogue(const std::string& words, const std::string& translated) {
        const auto words_size = static_cast<std::uint32_t>(words.size());
        const auto translated_size = static_cast<std::uint32_t>(translated.size());
        constexpr std::uint32_t texts = 11 * sizeof(std::uint32_t);
        const std::uint32_t head[11] = {0x950412DE,
                                        0,
                                        1,
                                        28,
                                        36,
                                        0,
                                        texts,
                                        words_size,
                                        texts,
                                        translated_size,
                                        texts + words_size + 1};
        std::string result(reinterpret_cast<const char*>(head), sizeof head);
        return result.append(words).append(1, '\0').append(translated).append(1, '\0');
    }

    temporary_folder folder_;
    std::string before_;
    bool works_ = false;
};

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

TEST_CASE("The reason does not depend on the language in which the C library speaks") {
    const std::string words = "cannot allocate memory in static TLS block";
    const translation other(words, "kein Platz");
    if (!other.works()) {
        std::cout << "SKIP: the C library has no locale C.UTF-8 whose messages can be replaced\n";
        return;
    }
    const temporary_folder folder;
    plugin_file file;
    file.real_path = copy_of(folder, SPOC_TEST_ROOMLESS);
    const spoc_be_table* table = nullptr;
    const finding found = load_plugin_library(file, table);
    CHECK(std::string(spoc_reason_name(found.reason)) == "INTERNAL");
    CHECK(found.message.find(words) != std::string::npos);
    // The application's own language stays.
    CHECK(std::string(::dgettext("libc", words.c_str())) == "kein Platz");
}

}  // namespace spoc::detail
