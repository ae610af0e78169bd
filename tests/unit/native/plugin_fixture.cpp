// SPDX-License-Identifier: Apache-2.0
#include "plugin_fixture.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <stdexcept>

#include "support/catch.hpp"

namespace spoc::test {

const spoc_be_table& table() {
    static const auto* loaded = [] {
        void* library = ::dlopen(SPOC_TEST_NATIVE_PLUGIN, RTLD_NOW | RTLD_LOCAL);
        void* symbol = library == nullptr ? nullptr : ::dlsym(library, SPOC_BE_SYMBOL);
        if (symbol == nullptr) {
            throw std::runtime_error(::dlerror());
        }
        return static_cast<const spoc_be_table*>(symbol);
    }();
    return *loaded;
}

std::size_t thread_count() {
    const std::filesystem::directory_iterator threads("/proc/self/task");
    return static_cast<std::size_t>(std::distance(begin(threads), end(threads)));
}

counting_host::counting_host(const char* threads) : threads_(threads) {
    services.header = {SPOC_BE_HOST_MAGIC,
                       sizeof services,
                       SPOC_BE_ABI_MAJOR,
                       SPOC_BE_ABI_MINOR,
                       SPOC_BE_BUILD_FLAVOUR,
                       0,
                       0};
    services.ctx = this;
    services.mem = mem;
    services.config = config;
    services.process_state = &process_state;
}

void* counting_host::mem(void* ctx, void* block, uint64_t bytes, uint64_t alignment) {
    auto& host = *static_cast<counting_host*>(ctx);
    if (bytes == 0) {
        host.live_blocks -= block != nullptr ? 1 : 0;
        std::free(block);
        return nullptr;
    }
    if (host.exhausted) {
        return nullptr;
    }
    ++host.live_blocks;
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

const char* counting_host::config(void* ctx, const char* key) {
    return std::strcmp(key, "native.threads") == 0 ? static_cast<counting_host*>(ctx)->threads_
                                                   : nullptr;
}

plugin_fixture::plugin_fixture(const char* threads) : host(threads) {
    error.size = sizeof error;
    REQUIRE(be.open(&host.services, nullptr, &error) == SPOC_BE_OK);
    const auto desc = sized<spoc_be_device_desc>();
    auto opened = sized<spoc_be_device_result>();
    REQUIRE(be.device_open(0, &desc, &opened, &error) == SPOC_BE_OK);
    device = opened.device;
    default_stream = opened.default_stream;
}

plugin_fixture::~plugin_fixture() {
    for (spoc_be_kernel kernel : kernels_) {
        CHECK(be.kernel_destroy(kernel, nullptr) == SPOC_BE_OK);
    }
    for (spoc_be_program program : programs_) {
        CHECK(be.program_destroy(program, nullptr) == SPOC_BE_OK);
    }
    for (spoc_be_event event : events_) {
        CHECK(be.event_destroy(event, nullptr) == SPOC_BE_OK);
    }
    for (spoc_be_stream stream : streams_) {
        CHECK(be.stream_destroy(stream, nullptr) == SPOC_BE_OK);
    }
    for (spoc_be_buffer buffer : buffers_) {
        CHECK(be.buffer_destroy(buffer, nullptr) == SPOC_BE_OK);
    }
    CHECK(be.device_close(device, nullptr) == SPOC_BE_OK);
    CHECK(be.close(nullptr) == SPOC_BE_OK);
    CHECK(host.live_blocks == 0);
}

spoc_be_buffer_result plugin_fixture::make(uint32_t kind, uint64_t bytes, void* range) {
    auto desc = sized<spoc_be_buffer_desc>();
    desc.kind = kind;
    desc.bytes = bytes;
    desc.host = range;
    auto result = sized<spoc_be_buffer_result>();
    REQUIRE(be.buffer_create(device, &desc, &result, &error) == SPOC_BE_OK);
    return result;
}

spoc_be_buffer plugin_fixture::buffer(uint64_t bytes) {
    return buffers_.emplace_back(make(SPOC_BE_BUFFER_DEVICE, bytes).buffer);
}

spoc_be_stream plugin_fixture::stream(uint32_t flags) {
    auto desc = sized<spoc_be_stream_desc>();
    desc.flags = flags;
    spoc_be_stream made = nullptr;
    REQUIRE(be.stream_create(device, &desc, &made, &error) == SPOC_BE_OK);
    return streams_.emplace_back(made);
}

spoc_be_event plugin_fixture::event(uint32_t flags) {
    spoc_be_event made = nullptr;
    REQUIRE(be.event_create(device, flags, &made, &error) == SPOC_BE_OK);
    return events_.emplace_back(made);
}

int32_t plugin_fixture::copy(uint32_t kind, const spoc_be_range& range) {
    auto copy = sized<spoc_be_copy>();
    copy.kind = kind;
    copy.count = 1;
    copy.ranges = &range;
    done = SPOC_BE_DONE_NOTHING;
    return be.copy(default_stream, &copy, &done, &error);
}

void plugin_fixture::upload(spoc_be_buffer dst, const void* src, uint64_t bytes) {
    spoc_be_range range{};
    range.dst = dst;
    range.host = const_cast<void*>(src);
    range.bytes = bytes;
    REQUIRE(copy(SPOC_BE_COPY_H2D, range) == SPOC_BE_OK);
}

void plugin_fixture::download(spoc_be_buffer src, void* dst, uint64_t bytes) {
    spoc_be_range range{};
    range.src = src;
    range.host = dst;
    range.bytes = bytes;
    REQUIRE(copy(SPOC_BE_COPY_D2H, range) == SPOC_BE_OK);
}

spoc_be_kernel plugin_fixture::kernel(const char* name, const spoc_native_kernel& kernel) {
    const void* found = nullptr;
    REQUIRE(be.get_interface(SPOC_NATIVE_KERNELS_INTERFACE, sizeof(spoc_native_kernels), &found,
                             &error) == SPOC_BE_OK);
    REQUIRE(static_cast<const spoc_native_kernels*>(found)->add(name, &kernel, &error) ==
            SPOC_BE_OK);
    auto desc = sized<spoc_be_program_desc>();
    desc.format = uint64_t{1} << SPOC_BE_FORMAT_NATIVE_SYMBOL;
    spoc_be_program program = nullptr;
    REQUIRE(be.program_load(device, &desc, &program, &error) == SPOC_BE_OK);
    programs_.push_back(program);
    auto wanted = sized<spoc_be_kernel_desc>();
    wanted.name = name;
    spoc_be_kernel got = nullptr;
    REQUIRE(be.kernel_get(program, &wanted, &got, &error) == SPOC_BE_OK);
    return kernels_.emplace_back(got);
}

spoc_native_kernel describe(spoc_native_function run, const std::vector<spoc_be_param>& params) {
    return {SPOC_NATIVE_KERNEL_MAGIC, sizeof(spoc_native_kernel),
            static_cast<uint32_t>(params.size()), params.data(), run};
}

spoc_be_param param(uint32_t index, uint32_t kind, uint32_t bytes) {
    spoc_be_param made{};
    made.index = index;
    made.kind = kind;
    made.bytes = bytes;
    return made;
}

spoc_be_arg buffer_arg(uint32_t index, spoc_be_buffer buffer, uint64_t offset) {
    spoc_be_arg arg{};
    arg.index = index;
    arg.kind = SPOC_BE_PARAM_BUFFER;
    arg.buffer = buffer;
    arg.offset = offset;
    return arg;
}

spoc_be_arg scalar_arg(uint32_t index, const void* data, uint64_t bytes) {
    spoc_be_arg arg{};
    arg.index = index;
    arg.kind = SPOC_BE_PARAM_SCALAR;
    arg.data = data;
    arg.bytes = bytes;
    return arg;
}

spoc_be_arg local_arg(uint32_t index, uint64_t bytes) {
    spoc_be_arg arg{};
    arg.index = index;
    arg.kind = SPOC_BE_PARAM_LOCAL;
    arg.bytes = bytes;
    return arg;
}

int32_t launch_call::run(spoc_be_stream stream) {
    auto launch = sized<spoc_be_launch>();
    launch.kernel = kernel;
    std::copy(grid.begin(), grid.end(), launch.grid);
    std::copy(block.begin(), block.end(), launch.block);
    launch.shared_bytes = shared_bytes;
    launch.arg_count = static_cast<uint32_t>(args.size());
    launch.args = args.data();
    launch.tag = tag;
    error.size = sizeof error;
    return table().launch(stream, &launch, &done, &error);
}

}  // namespace spoc::test
