// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "plugin_fixture.hpp"
#include "support/catch.hpp"

namespace spoc::test {
namespace {

void do_nothing(const spoc_native_block* /*block*/, void* const* /*args*/) {}

const spoc_native_kernels& kernels() {
    const void* found = nullptr;
    REQUIRE(table().get_interface(SPOC_NATIVE_KERNELS_INTERFACE, sizeof(spoc_native_kernels),
                                  &found, nullptr) == SPOC_BE_OK);
    return *static_cast<const spoc_native_kernels*>(found);
}

struct program_fixture : plugin_fixture {
    program_fixture() {
        desc.format = uint64_t{1} << SPOC_BE_FORMAT_NATIVE_SYMBOL;
        desc.log = log.data();
        desc.log_capacity = log.size();
        desc.log_length = &log_length;
        log.fill('#');
    }
    ~program_fixture() {
        if (kernel != nullptr) {
            be.kernel_destroy(kernel, nullptr);
        }
        if (program != nullptr) {
            be.program_destroy(program, nullptr);
        }
    }

    int32_t load(const std::string& path) {
        desc.data = path.data();
        desc.bytes = path.size();
        return be.program_load(device, &desc, &program, &error);
    }

    int32_t get(const char* name) {
        auto wanted = sized<spoc_be_kernel_desc>();
        wanted.name = name;
        return be.kernel_get(program, &wanted, &kernel, &error);
    }

    spoc_be_program_desc desc = sized<spoc_be_program_desc>();
    spoc_be_program program = nullptr;
    spoc_be_kernel kernel = nullptr;
    std::array<char, 64> log{};
    uint64_t log_length = 99;
};

}  // namespace

TEST_CASE_METHOD(program_fixture, "A kernel of a shared object runs and outlives its program") {
    std::string path = SPOC_TEST_NATIVE_KERNELS;
    path.append(GENERATE(0U, 1U), '\0');  // a NUL is not needed and may be there
    REQUIRE(load(path) == SPOC_BE_OK);
    CHECK(log[0] == '\0');
    CHECK(log_length == 0);
    REQUIRE(get("scale") == SPOC_BE_OK);
    be.program_destroy(std::exchange(program, nullptr), nullptr);

    std::array<float, 6> values{1, 2, 3, 4, 5, 6};
    const float factor = 2.5F;
    const spoc_be_buffer data = buffer(sizeof values);
    upload(data, values.data(), sizeof values);
    launch_call call{.kernel = kernel,
                     .args = {buffer_arg(0, data), scalar_arg(1, &factor, sizeof factor)},
                     .grid = {3, 1, 1},
                     .block = {2, 1, 1}};
    REQUIRE(call.run(default_stream) == SPOC_BE_OK);
    download(data, values.data(), sizeof values);
    CHECK(values == std::array<float, 6>{2.5F, 5, 7.5F, 10, 12.5F, 15});
}

TEST_CASE_METHOD(program_fixture, "A symbol that is no description is no kernel") {
    REQUIRE(load(SPOC_TEST_NATIVE_KERNELS) == SPOC_BE_OK);
    const char* name = GENERATE("absent", "short", "foreign", "function", "");
    CHECK(get(name) == SPOC_BE_NOT_FOUND);
    CHECK(kernel == nullptr);
    CHECK(std::string(error.message).find(name) != std::string::npos);
}

TEST_CASE_METHOD(program_fixture,
                 "A malformed description in a shared object is no kernel either") {
    REQUIRE(load(SPOC_TEST_NATIVE_KERNELS) == SPOC_BE_OK);
    CHECK(get("disordered") == SPOC_BE_NOT_FOUND);
    CHECK(std::string(error.message).find("well-formed") != std::string::npos);
}

TEST_CASE_METHOD(plugin_fixture, "A kernel claims no more reflection than its description holds") {
    static const std::vector<spoc_be_param> no_access{param(0, SPOC_BE_PARAM_SCALAR, 4),
                                                      param(1, SPOC_BE_PARAM_BUFFER)};
    static const std::vector<spoc_be_param> no_bytes{param(0, SPOC_BE_PARAM_SCALAR)};
    static const spoc_native_kernel sizes = describe(do_nothing, no_access);
    static const spoc_native_kernel arity = describe(do_nothing, no_bytes);
    auto info = sized<spoc_be_kernel_info>();
    REQUIRE(be.kernel_info(kernel("sizes", sizes), &info, &error) == SPOC_BE_OK);
    CHECK(info.reflection == SPOC_BE_REFLECTION_SIZES);
    CHECK(info.arg_bytes == 4);
    REQUIRE(be.kernel_info(kernel("arity", arity), &info, &error) == SPOC_BE_OK);
    CHECK(info.reflection == SPOC_BE_REFLECTION_ARITY);
    CHECK(info.arg_bytes == SPOC_BE_UNKNOWN_32);
}

TEST_CASE_METHOD(program_fixture, "A program that is no absolute path is a format error") {
    const std::string path = GENERATE(as<std::string>(), "kernels.so", "./kernels.so",
                                      std::string("/a\0b", 4), std::string("\0", 1));
    CHECK(load(path) == SPOC_BE_FORMAT);
    CHECK(program == nullptr);
}

TEST_CASE_METHOD(program_fixture, "A program of another format is a format error") {
    desc.format = uint64_t{1} << SPOC_BE_FORMAT_OPENCL_C;
    CHECK(load("kernel void k() {}") == SPOC_BE_FORMAT);
}

TEST_CASE_METHOD(program_fixture,
                 "A file that cannot be loaded is a compile error with the loader's words") {
    const std::string path = "/nowhere/" + std::string(200, 'k') + ".so";
    CHECK(load(path) == SPOC_BE_COMPILE);
    CHECK(std::string(error.message).find("/nowhere/kkk") != std::string::npos);
    CHECK(std::string(error.origin) == "dlopen");
    CHECK(log_length > path.size());
    CHECK(std::strlen(log.data()) == log.size() - 1);
    CHECK(program == nullptr);
    CHECK(load("/dev/null") == SPOC_BE_COMPILE);
}

TEST_CASE_METHOD(program_fixture,
                 "A program without data sees the kernels that were added before it") {
    static const spoc_native_kernel early = describe(do_nothing);
    static const spoc_native_kernel late = describe(do_nothing);
    REQUIRE(kernels().add("early", &early, &error) == SPOC_BE_OK);
    REQUIRE(load("") == SPOC_BE_OK);
    REQUIRE(kernels().add("late", &late, &error) == SPOC_BE_OK);
    CHECK(get("late") == SPOC_BE_NOT_FOUND);
    CHECK(get("scale") == SPOC_BE_NOT_FOUND);
    CHECK(get("early") == SPOC_BE_OK);
}

TEST_CASE("A name belongs to the first kernel that is added under it") {
    static const spoc_native_kernel first = describe(do_nothing);
    static const spoc_native_kernel second = describe(do_nothing);
    CHECK(kernels().add("taken", &first, nullptr) == SPOC_BE_OK);
    CHECK(kernels().add("taken", &first, nullptr) == SPOC_BE_OK);
    CHECK(kernels().add("taken", &second, nullptr) == SPOC_BE_BUSY);
}

TEST_CASE("A malformed description is not added") {
    std::vector<spoc_be_param> params{param(0, SPOC_BE_PARAM_BUFFER),
                                      param(1, SPOC_BE_PARAM_LOCAL)};
    spoc_native_kernel kernel = describe(do_nothing, params);
    const char* name = "malformed";
    SECTION("magic") { kernel.magic = 0; }
    SECTION("size") { --kernel.size; }
    SECTION("function") { kernel.run = nullptr; }
    SECTION("parameters missing") { kernel.params = nullptr; }
    SECTION("parameters out of order") { std::swap(params[0], params[1]); }
    SECTION("parameter of kind OTHER") { params[1].kind = SPOC_BE_PARAM_OTHER; }
    SECTION("parameter of kind UNKNOWN") { params[1].kind = SPOC_BE_PARAM_UNKNOWN; }
    SECTION("name missing") { name = nullptr; }
    SECTION("name empty") { name = ""; }
    CHECK(kernels().add(name, &kernel, nullptr) == SPOC_BE_INVALID);
}

TEST_CASE("A missing description is not added") {
    CHECK(kernels().add("missing", nullptr, nullptr) == SPOC_BE_INVALID);
}

TEST_CASE_METHOD(program_fixture, "A kernel reports its parameters as described") {
    REQUIRE(load(SPOC_TEST_NATIVE_KERNELS) == SPOC_BE_OK);
    REQUIRE(get("scale") == SPOC_BE_OK);
    auto info = sized<spoc_be_kernel_info>();
    REQUIRE(be.kernel_info(kernel, &info, &error) == SPOC_BE_OK);
    CHECK(info.reflection == SPOC_BE_REFLECTION_FULL);
    CHECK(info.param_count == 2);
    CHECK(info.arg_bytes == 4);
    CHECK(info.max_block_threads > 0);
    CHECK(info.fixed_block[0] == 0);

    const uint32_t capacity = GENERATE(0U, 1U, 2U, 5U);
    std::array<spoc_be_param, 5> params{};
    uint32_t count = 0;
    REQUIRE(be.kernel_params(kernel, params.data(), capacity, &count, &error) == SPOC_BE_OK);
    CHECK(count == 2);
    CHECK(std::string(params[0].name) == (capacity > 0 ? "data" : ""));
    CHECK(std::string(params[1].name) == (capacity > 1 ? "factor" : ""));
}

TEST_CASE_METHOD(program_fixture, "Constants are unsupported") {
    REQUIRE(load(SPOC_TEST_NATIVE_KERNELS) == SPOC_BE_OK);
    const spoc_be_constant constant{1, 4, 2};
    auto wanted = sized<spoc_be_kernel_desc>();
    wanted.name = "scale";
    wanted.constants = &constant;
    wanted.constant_count = 1;
    CHECK(be.kernel_get(program, &wanted, &kernel, &error) == SPOC_BE_UNSUPPORTED);
}

}  // namespace spoc::test
