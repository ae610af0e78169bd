// SPDX-License-Identifier: Apache-2.0

/// \file
/// Programs are compiled once: shared in a process, and kept in files.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "launch_fixture.hpp"

namespace spoc::test {
namespace {

constexpr std::uint64_t as_source = std::uint64_t{1} << SPOC_FORMAT_OPENCL_C;
constexpr std::uint64_t as_binary = std::uint64_t{1} << SPOC_FORMAT_DRIVER_BINARY;
// NOLINTNEXTLINE(cert-err58-cpp): without memory for it there is no test
const std::string text = "mock_program add sum";

class fixture : public launching {
 public:
    fixture() { begin_launching(); }

    program load(const device& where, const program_options& options = {}) {
        return {where, SPOC_FORMAT_OPENCL_C, text, options};
    }
    program load(const program_options& options = {}) { return load(*d, options); }

    /// As another process would find things.
    void restart() {
        runtime.stop();
        begin_launching();
    }

    /// Formats of the programs that the plugin was given since the last `forget`.
    std::vector<std::uint64_t> formats() const {
        std::vector<std::uint64_t> found;
        for (const spoc_mock_call& call : mock.calls("program_load")) {
            found.push_back(call.format);
        }
        return found;
    }
    using list = std::vector<std::uint64_t>;
};

void write(const std::filesystem::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

}  // namespace

TEST_CASE_METHOD(fixture, "A program that is alive is shared by those loaded from the same source",
                 "[R-907]") {
    {
        const program first = load();
        const program second = load();
        CHECK(formats() == list{as_source});
        std::string log = "x";
        const program third = load({.log = &log});
        CHECK(log.empty());
        const program named = load({.name = "other"});
        const program with_options = load({.options = "-O0"});
        const program with_none = load({.options = ""});
        CHECK(formats().size() == 4);
        const program apart = load({.flags = SPOC_PROGRAM_NO_CACHE});
        CHECK(formats() == list(5, as_source));
        CHECK(mock.gate.alive(SPOC_MOCK_PROGRAMS) == 5);
    }
    CHECK(mock.gate.alive(SPOC_MOCK_PROGRAMS) == 0);
}

TEST_CASE_METHOD(fixture, "The same source on two devices is two programs", "[R-907]") {
    const program here = load(*d);
    const program there = load(*e);
    CHECK(formats() == list{as_source, as_source});
    placed_vector v(*this, "host");
    launch(kernel(here, "add"), one_each, inout(v.v), 1);
    launch(kernel(there, "add"), one_each, inout(v.v), 1);
    CHECK(copy_of(v.v.read()) == plus(v.fresh, 2));
}

TEST_CASE_METHOD(launching, "Two devices that say they are one have programs of their own",
                 "[R-907]") {
    for (std::uint32_t i = 0; i < 2; ++i) {
        mock.device(i).flags |= SPOC_BE_DEVICE_HAS_UUID;
    }
    begin_launching();
    const program here(*d, SPOC_FORMAT_OPENCL_C, text);
    const program there(*e, SPOC_FORMAT_OPENCL_C, text);
    CHECK(mock.count("program_load") == 2);
    CHECK(kernel(there, "add").info().device == e->get());
}

TEST_CASE_METHOD(fixture, "What was compiled is found by later processes", "[R-907]") {
    load();
    CHECK(cache.files().size() == 1);
    restart();
    std::string log = "x";
    const program found = load({.log = &log});
    CHECK(formats() == list{as_binary});
    CHECK(log.empty());
    placed_vector v(*this, "host");
    launch(kernel(found, "add"), one_each, inout(v.v), 1);
    CHECK(copy_of(v.v.read()) == plus(v.fresh, 1));
}

TEST_CASE_METHOD(fixture, "Two kernels of one source are two", "[R-907]") {
    for (int round = 0; round < 2; ++round) {
        const program both = load();
        vector<std::int32_t> v(elements);
        vector<std::int32_t> w(elements);
        v.fill(1);
        launch(kernel(both, "add"), one_each, inout(v), 1);
        launch(kernel(both, "sum"), one_each, in(v), in(v), out_full(w));
        CHECK(w.at(2) == 4);
        v.free_all_buffers();
        w.free_all_buffers();
        restart();
    }
}

TEST_CASE_METHOD(fixture, "Another device, driver, source, name or option is another entry",
                 "[R-907]") {
    load();
    load({.name = "n"});
    load({.options = "n"});
    load({.options = ""});
    static_cast<void>(program(*d, SPOC_FORMAT_OPENCL_C, text + ' '));
    load(*e);
    CHECK(cache.files().size() == 6);
    runtime.stop();
    std::strcpy(mock.device().driver, "mock 1.1");
    begin_launching();
    load();
    CHECK(formats() == list{as_source});
    runtime.stop();
    std::strcpy(mock.device().arch, "mock_2");
    begin_launching();
    load();
    CHECK(formats() == list{as_source});
    runtime.stop();
    mock.device().flags |= SPOC_BE_DEVICE_HAS_UUID;
    begin_launching();
    load();
    CHECK(formats() == list{as_source});
    runtime.stop();
    mock.device().uuid[15] = 1;
    begin_launching();
    load();
    CHECK(formats() == list{as_source});
    restart();
    load();
    CHECK(formats() == list{as_binary});
}

TEST_CASE_METHOD(fixture, "A name that goes on into the source is another name", "[R-907]") {
    const program first(*d, SPOC_FORMAT_OPENCL_C, ' ' + text, {.name = "n"});
    const program second(*d, SPOC_FORMAT_OPENCL_C, text, {.name = "n "});
    CHECK(formats() == list{as_source, as_source});
    CHECK(cache.files().size() == 2);
}

TEST_CASE_METHOD(fixture, "A damaged entry is as if it were not there, and is replaced",
                 "[R-907]") {
    load();
    const std::filesystem::path file = cache.files().at(0);
    const std::string whole = read_file(file);
    std::vector<std::string> damaged;
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{20},
                                   whole.size() / 2, whole.size() - 33, whole.size() - 1}) {
        damaged.push_back(whole.substr(0, size));
    }
    for (std::size_t at = 0; at < whole.size(); at += 7) {
        damaged.push_back(whole);
        damaged.back()[at] ^= 1;
    }
    damaged.push_back(whole + '\0');
    for (const std::string& content : damaged) {
        write(file, content);
        mock.forget();
        CHECK(thrown([&] { load(); }) == "ok");
        CHECK(formats() == list{as_source});
        CHECK(read_file(file) == whole);
    }
    mock.forget();
    load();
    CHECK(formats() == list{as_binary});
}

TEST_CASE_METHOD(fixture, "An entry of another source under the same name is not taken",
                 "[R-907]") {
    load();
    const std::filesystem::path file = cache.files().at(0);
    static_cast<void>(program(*d, SPOC_FORMAT_OPENCL_C, "mock_program sum"));
    for (const std::filesystem::path& other : cache.files()) {
        if (other != file) {
            std::filesystem::copy_file(other, file,
                                       std::filesystem::copy_options::overwrite_existing);
        }
    }
    mock.forget();
    CHECK(thrown([&] { kernel(load(), "add"); }) == "ok");
    CHECK(formats() == list{as_source});
}

TEST_CASE_METHOD(fixture, "A file that others may write to is not taken", "[R-907]") {
    load();
    const std::filesystem::path file = cache.files().at(0);
    const auto others =
        GENERATE(std::filesystem::perms::group_write, std::filesystem::perms::others_write);
    std::filesystem::permissions(file, others, std::filesystem::perm_options::add);
    mock.forget();
    load();
    CHECK(formats() == list{as_source});
    std::filesystem::rename(file, cache.path() / "elsewhere");
    std::filesystem::create_symlink(cache.path() / "elsewhere", file);
    mock.forget();
    load();
    CHECK(formats() == list{as_source});
}

TEST_CASE_METHOD(fixture, "A binary that the driver does not take back is compiled again",
                 "[R-907]") {
    load();
    mock.forget();
    mock.fail("program_load", GENERATE(SPOC_BE_FORMAT, SPOC_BE_DRIVER, SPOC_BE_COMPILE));
    CHECK(thrown([&] { load(); }) == "ok");
    CHECK(formats() == list{as_binary, as_source});
}

TEST_CASE_METHOD(fixture, "A kernel out of a file is checked as one out of its source",
                 "[R-907][R-903]") {
    static_cast<void>(kernel(load(), "add"));
    CHECK(cache.files().size() == 2);
    restart();
    // A binary may know less than its source did.
    mock.set(SPOC_MOCK_REFLECTION, SPOC_BE_REFLECTION_NONE);
    const program found = load();
    const kernel add(found, "add");
    CHECK(formats() == list{as_binary});
    CHECK(add.parameters().size() == 2);
    vector<std::int32_t> v(elements);
    CHECK(thrown([&] { launch(add, {}, inout(v), 1.0F); }) == "invalid_argument type");
    // Of this one nothing was noted: the source is compiled after all.
    mock.set(SPOC_MOCK_REFLECTION, SPOC_BE_REFLECTION_FULL);
    CHECK(kernel(found, "sum").parameters().size() == 3);
    CHECK(formats() == list{as_binary, as_source});
    CHECK(thrown([&] { kernel(found, "missing"); }) == "backend_error module_load_failed");
}

TEST_CASE_METHOD(launching, "Where the driver gives no binaries nothing is kept", "[R-907]") {
    mock.set_capability(SPOC_BE_CAP_PROGRAM_BINARY, GENERATE(SPOC_MOCK_NO, SPOC_MOCK_UNKNOWN));
    begin_launching();
    static_cast<void>(kernel(program(*d, SPOC_FORMAT_OPENCL_C, text), "add"));
    CHECK(mock.count("program_binary") == 0);
    CHECK(cache.files().empty());
}

TEST_CASE_METHOD(fixture, "What is not to be kept is not", "[R-907]") {
    static_cast<void>(kernel(load({.flags = SPOC_PROGRAM_NO_CACHE}), "add"));
    get("add");  // native kernels are no sources
    CHECK(cache.files().empty());
    load();
    mock.forget();
    load({.flags = SPOC_PROGRAM_NO_CACHE});
    CHECK(formats() == list{as_source});
}

TEST_CASE_METHOD(fixture, "Native kernels added later are seen by programs loaded later",
                 "[R-907]") {
    static const test_kernel late({}, do_nothing);
    const program before(*d, SPOC_FORMAT_NATIVE_SYMBOL, "");
    add_native_kernel(*d, "late", late.description);
    const program after(*d, SPOC_FORMAT_NATIVE_SYMBOL, "");
    CHECK(thrown([&] { kernel(after, "late"); }) == "ok");
}

TEST_CASE("Without a place for it nothing is kept, and nothing fails", "[R-907]") {
    launching on;
    const std::string place =
        GENERATE(std::string("relative"), std::string("/proc/nowhere"), std::string("/dev/null"));
    ::setenv("XDG_CACHE_HOME", place.c_str(), 1);
    const char* const before = std::getenv("HOME");
    const std::string home = before == nullptr ? "" : before;
    ::unsetenv("HOME");
    on.begin_launching();
    CHECK(thrown([&] { kernel(program(*on.d, SPOC_FORMAT_OPENCL_C, text), "add"); }) == "ok");
    CHECK(on.cache.files().empty());
    if (before != nullptr) {
        ::setenv("HOME", home.c_str(), 1);
    }
}

TEST_CASE("The home directory's cache is the default", "[R-907]") {
    launching on;
    ::unsetenv("XDG_CACHE_HOME");
    const char* const before = std::getenv("HOME");
    const std::string home = before == nullptr ? "" : before;
    ::setenv("HOME", on.cache.path().c_str(), 1);
    on.begin_launching();
    static_cast<void>(program(*on.d, SPOC_FORMAT_OPENCL_C, text));
    REQUIRE(on.cache.files().size() == 1);
    CHECK(on.cache.files()[0].parent_path() == on.cache.path() / ".cache" / "spoc");
    if (before != nullptr) {
        ::setenv("HOME", home.c_str(), 1);
    } else {
        ::unsetenv("HOME");
    }
}

}  // namespace spoc::test
