// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <spoc/native.h>

#include "plugin_fixture.hpp"
#include "support/catch.hpp"

using spoc::test::be_sized;
using spoc::test::plugin_fixture;

namespace {

constexpr spoc_be_param add_params[] = {
    {0, SPOC_BE_PARAM_BUFFER, SPOC_BE_ACCESS_READ_WRITE, SPOC_BE_ELEMENT_I32, 4, 0, 0, 0, 0, 0,
     "data"},
    {1, SPOC_BE_PARAM_SCALAR, SPOC_BE_ACCESS_READ, SPOC_BE_ELEMENT_I32, 4, 0, 0, 0, 0, 0, "addend"},
};

/// Adds to one element a block.
void add(const spoc_native_block* block, void* const* args) {
    static_cast<std::int32_t*>(args[0])[block->index[0]] += *static_cast<std::int32_t*>(args[1]);
}

constexpr spoc_native_kernel add_kernel = {SPOC_NATIVE_KERNEL_MAGIC, sizeof(spoc_native_kernel), 2,
                                           add_params, add};

struct launch_fixture : plugin_fixture {
    ~launch_fixture() {
        if (kernel != nullptr) {
            be.kernel_destroy(kernel, nullptr);
        }
        if (program != nullptr) {
            be.program_destroy(program, nullptr);
        }
    }

    void begin() {
        open();
        mock.gate.add_kernel("add", &add_kernel);
    }
    std::int32_t load(std::uint32_t format, const std::string& text = "") {
        auto desc = be_sized<spoc_be_program_desc>();
        desc.format = std::uint64_t{1} << format;
        desc.data = text.data();
        desc.bytes = text.size();
        desc.log = log;
        desc.log_capacity = sizeof log;
        return be.program_load(device(), &desc, &program, &error);
    }
    std::int32_t get(const char* name, std::vector<spoc_be_param> declared = {}) {
        auto desc = be_sized<spoc_be_kernel_desc>();
        desc.name = name;
        desc.params = declared.data();
        desc.param_count = static_cast<std::uint32_t>(declared.size());
        return be.kernel_get(program, &desc, &kernel, &error);
    }
    std::int32_t launch(spoc_be_stream stream, spoc_be_buffer data, std::int32_t addend,
                        std::uint32_t blocks, std::uint32_t flags = 0) {
        spoc_be_arg args[2] = {};
        args[0].kind = SPOC_BE_PARAM_BUFFER;
        args[0].access = SPOC_BE_ACCESS_READ_WRITE;
        args[0].buffer = data;
        args[1].index = 1;
        args[1].kind = SPOC_BE_PARAM_SCALAR;
        args[1].data = &addend;
        args[1].bytes = sizeof addend;
        auto request = be_sized<spoc_be_launch>();
        request.flags = flags;
        request.kernel = kernel;
        request.grid[0] = blocks;
        request.grid[1] = request.grid[2] = 1;
        request.block[0] = request.block[1] = request.block[2] = 1;
        request.arg_count = 2;
        request.args = args;
        request.tag = 42;
        return be.launch(stream, &request, &done, &error);
    }
    std::vector<std::int32_t> numbers(spoc_be_buffer buffer, std::size_t count) {
        std::vector<std::int32_t> found(count);
        CHECK(download(default_stream(), buffer, found.data(), count * 4, SPOC_BE_WAIT) ==
              SPOC_BE_OK);
        return found;
    }
    std::vector<spoc_be_param> params() {
        std::vector<spoc_be_param> found(4);
        std::uint32_t count = 0;
        REQUIRE(be.kernel_params(kernel, found.data(), 4, &count, &error) == SPOC_BE_OK);
        found.resize(count);
        return found;
    }

    spoc_be_program program = nullptr;
    spoc_be_kernel kernel = nullptr;
    char log[128] = {};
};

}  // namespace

TEST_CASE("a held launch has copied its scalars and runs when it is released") {
    launch_fixture it;
    it.begin();
    REQUIRE(it.load(SPOC_BE_FORMAT_NATIVE_SYMBOL) == SPOC_BE_OK);
    REQUIRE(it.get("add") == SPOC_BE_OK);
    spoc_be_buffer data = it.buffer(12);
    it.fill(it.default_stream(), data, 12, 0);
    it.mock.hold();
    CHECK(it.launch(it.default_stream(), data, 7, 3) == SPOC_BE_OK);
    CHECK(it.done == SPOC_BE_DONE_HOST);
    CHECK(it.mock.pending() == 1);
    CHECK(it.mock.release() == 1);
    it.mock.hold(false);
    CHECK(it.numbers(data, 3) == std::vector<std::int32_t>{7, 7, 7});
}

TEST_CASE("a launch is written down with its arguments") {
    launch_fixture it;
    it.begin();
    it.load(SPOC_BE_FORMAT_NATIVE_SYMBOL);
    it.get("add");
    spoc_be_buffer data = it.buffer(12);
    it.launch(it.default_stream(), data, 9, 2);
    const auto call = it.mock.calls("launch").back();
    CHECK(call.grid[0] == 2);
    CHECK(call.tag == 42);
    CHECK(call.kernel == it.mock.calls("kernel_get").back().kernel);
    const auto args = it.mock.args(call);
    REQUIRE(args.size() == 2);
    CHECK(args[0].buffer == it.mock.calls("buffer_create").back().dst);
    CHECK(args[0].access == SPOC_BE_ACCESS_READ_WRITE);
    std::int32_t scalar = 0;
    std::memcpy(&scalar, args[1].scalar, sizeof scalar);
    CHECK(scalar == 9);
}

TEST_CASE("a launch that is to fail later says so once, with its tag") {
    launch_fixture it;
    it.begin();
    it.load(SPOC_BE_FORMAT_NATIVE_SYMBOL);
    it.get("add");
    spoc_be_buffer data = it.buffer(4);
    it.fill(it.default_stream(), data, 4, 0);
    auto fault = it.mock.fault("launch", SPOC_BE_LAUNCH);
    fault.flags = SPOC_MOCK_FAULT_LATE;
    it.mock.fail(fault);
    CHECK(it.launch(it.default_stream(), data, 1, 1) == SPOC_BE_OK);
    CHECK(it.sync(it.default_stream()) == SPOC_BE_LAUNCH);
    CHECK(it.error.tag == 42);
    CHECK(it.sync(it.default_stream()) == SPOC_BE_OK);
    CHECK(it.numbers(data, 1) == std::vector<std::int32_t>{0});
}

TEST_CASE("launches of a stream that batches wait for a flush") {
    launch_fixture it;
    it.mock.set_capability(SPOC_BE_CAP_STREAM_DEFERRED, SPOC_MOCK_YES);
    it.begin();
    it.load(SPOC_BE_FORMAT_NATIVE_SYMBOL);
    it.get("add");
    it.mock.hold();
    spoc_be_buffer data = it.buffer(4);
    spoc_be_stream stream = it.stream();
    it.launch(stream, data, 1, 1);
    CHECK(it.mock.release() == 0);
    CHECK(it.be.stream_flush(stream, &it.error) == SPOC_BE_OK);
    CHECK(it.mock.release() == 1);
}

TEST_CASE("a poll of a buffer starts the batch that uses it") {
    launch_fixture it;
    it.mock.set_capability(SPOC_BE_CAP_STREAM_DEFERRED, SPOC_MOCK_YES);
    it.begin();
    it.load(SPOC_BE_FORMAT_NATIVE_SYMBOL);
    it.get("add");
    spoc_be_buffer data = it.buffer(4);
    it.launch(it.stream(), data, 1, 1);
    CHECK(it.mock.pending() == 1);
    CHECK(it.be.buffer_wait(data, SPOC_BE_ACCESS_READ, SPOC_BE_NO_WAIT, &it.error) == SPOC_BE_OK);
}

TEST_CASE("launches that do not fit their kernel are breaches") {
    launch_fixture it;
    it.mock.device().max_grid[0] = 2;
    it.begin();
    it.load(SPOC_BE_FORMAT_NATIVE_SYMBOL);
    it.get("add");
    spoc_be_buffer data = it.buffer(12);
    CHECK(it.launch(it.default_stream(), data, 1, 3) == SPOC_BE_INVALID);
    CHECK(it.expected_breaches().size() == 1);
}

TEST_CASE("a kernel says as much of itself as it was told") {
    const std::uint32_t level = GENERATE(SPOC_BE_REFLECTION_NONE, SPOC_BE_REFLECTION_ARITY,
                                         SPOC_BE_REFLECTION_SIZES, SPOC_BE_REFLECTION_FULL);
    launch_fixture it;
    it.begin();
    it.mock.set(SPOC_MOCK_REFLECTION, level);
    it.load(SPOC_BE_FORMAT_NATIVE_SYMBOL);
    it.get("add");
    auto info = be_sized<spoc_be_kernel_info>();
    CHECK(it.be.kernel_info(it.kernel, &info, &it.error) == SPOC_BE_OK);
    CHECK(info.reflection == level);
    const auto params = it.params();
    if (level == SPOC_BE_REFLECTION_NONE) {
        CHECK(info.param_count == SPOC_BE_UNKNOWN_32);
        CHECK(params.empty());
        return;
    }
    REQUIRE(params.size() == 2);
    CHECK(info.param_count == 2);
    CHECK((params[1].kind == SPOC_BE_PARAM_SCALAR) == (level >= SPOC_BE_REFLECTION_SIZES));
    CHECK((params[1].bytes == 4) == (level >= SPOC_BE_REFLECTION_SIZES));
    CHECK((params[0].access == SPOC_BE_ACCESS_READ_WRITE) == (level >= SPOC_BE_REFLECTION_FULL));
}

TEST_CASE("declared parameters count where reflection is silent") {
    launch_fixture it;
    it.begin();
    it.mock.set(SPOC_MOCK_REFLECTION, SPOC_BE_REFLECTION_NONE);
    it.load(SPOC_BE_FORMAT_NATIVE_SYMBOL);
    it.get("add", {add_params[0], add_params[1]});
    CHECK(it.params().size() == 2);
}

TEST_CASE("source text compiles when it begins with the right word") {
    launch_fixture it;
    it.mock.device().formats |= std::uint64_t{1} << SPOC_BE_FORMAT_CUDA_C;
    it.begin();
    CHECK(it.load(SPOC_BE_FORMAT_CUDA_C, "__global__ void add()") == SPOC_BE_COMPILE);
    CHECK(std::string(it.log).find("error") != std::string::npos);
    CHECK(it.load(SPOC_BE_FORMAT_CUDA_C, "mock_program subtract") == SPOC_BE_COMPILE);
    CHECK(it.load(SPOC_BE_FORMAT_HIP_C, "mock_program add") == SPOC_BE_FORMAT);
    REQUIRE(it.load(SPOC_BE_FORMAT_CUDA_C, "mock_program add") == SPOC_BE_OK);
    CHECK(it.get("subtract") == SPOC_BE_NOT_FOUND);
    CHECK(it.get("add") == SPOC_BE_OK);
}

TEST_CASE("a program's binary is a program") {
    launch_fixture it;
    it.begin();
    it.load(SPOC_BE_FORMAT_NATIVE_SYMBOL);
    std::string binary(64, '\0');
    std::uint64_t bytes = 0;
    CHECK(it.be.program_binary(it.program, binary.data(), 64, &bytes, &it.error) == SPOC_BE_OK);
    binary.resize(bytes);
    it.be.program_destroy(it.program, nullptr);
    it.program = nullptr;
    CHECK(it.load(SPOC_BE_FORMAT_DRIVER_BINARY, "nonsense") == SPOC_BE_FORMAT);
    REQUIRE(it.load(SPOC_BE_FORMAT_DRIVER_BINARY, binary) == SPOC_BE_OK);
    CHECK(it.get("add") == SPOC_BE_OK);
}
