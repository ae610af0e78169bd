// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include "plugin_fixture.hpp"
#include "support/catch.hpp"

namespace spoc::test {
namespace {

bool is_aligned(const void* address, std::size_t alignment) {
    return reinterpret_cast<uintptr_t>(address) % alignment == 0;
}

/// Counts each thread of the launch once, at its place.
void count_threads(const spoc_native_block* block, void* const* args) {
    auto* counts = static_cast<uint32_t*>(args[0]);
    const auto& [bx, by, bz] = block->block;
    for (uint32_t z = 0; z < bz; ++z) {
        for (uint32_t y = 0; y < by; ++y) {
            for (uint32_t x = 0; x < bx; ++x) {
                const uint32_t gx = block->index[0] * bx + x;
                const uint32_t gy = block->index[1] * by + y;
                const uint32_t gz = block->index[2] * bz + z;
                ++counts[(gz * block->grid[1] * by + gy) * block->grid[0] * bx + gx];
            }
        }
    }
}

spoc_be_kernel count_kernel(plugin_fixture& fixture) {
    static const std::vector<spoc_be_param> params{param(0, SPOC_BE_PARAM_BUFFER)};
    static const spoc_native_kernel description = describe(count_threads, params);
    return fixture.kernel("count", description);
}

/// Takes the shared and two local memories of a block as its own for a while, and counts the blocks
/// that saw them so.
void use_scratch(const spoc_native_block* block, void* const* args) {
    auto& good_blocks = **static_cast<std::atomic<uint32_t>**>(args[1]);
    const std::array<void*, 3> places{block->shared, args[0], args[2]};
    const std::array<std::size_t, 3> sizes{block->shared_bytes, 100, 7};
    const auto mark = static_cast<int>(block->index[0] & 0x7FU);
    for (std::size_t i = 0; i < places.size(); ++i) {
        std::memset(places[i], mark, sizes[i]);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    bool good = true;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto* bytes = static_cast<const char*>(places[i]);
        good = good && is_aligned(bytes, 64) &&
               std::all_of(bytes, bytes + sizes[i], [mark](char byte) { return byte == mark; });
    }
    good_blocks += good ? 1 : 0;
}

/// Scalar i has i + 1 bytes, each i + 1. The 17th argument is the address of the verdict.
void check_scalars(const spoc_native_block* block, void* const* args) {
    bool good = block->shared == nullptr;
    for (int i = 0; i < 16; ++i) {
        const auto* bytes = static_cast<const char*>(args[i]);
        good = good && is_aligned(bytes, 16) &&
               std::all_of(bytes, bytes + i + 1, [i](char byte) { return byte == i + 1; });
    }
    *static_cast<bool*>(args[16]) = good;
}

void throw_in_block_3(const spoc_native_block* block, void* const* /*args*/) {
    if (block->index[0] == 3) {
        throw std::runtime_error("a kernel must not do this");
    }
}

void write_byte(const spoc_native_block* /*block*/, void* const* args) {
    *static_cast<char*>(args[0]) = 'x';
}

}  // namespace

TEST_CASE_METHOD(plugin_fixture, "Every thread of a three-dimensional launch runs once") {
    using extent = std::array<uint32_t, 3>;
    const auto grid =
        GENERATE(extent{1, 1, 1}, extent{7, 1, 1}, extent{3, 5, 2}, extent{50, 20, 3});
    const auto block = GENERATE(extent{1, 1, 1}, extent{4, 3, 2}, extent{64, 1, 1});
    const uint32_t threads = grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2];
    std::vector<uint32_t> counts(threads);
    const spoc_be_buffer target = buffer(threads * sizeof(uint32_t));
    upload(target, counts.data(), threads * sizeof(uint32_t));

    launch_call call{.kernel = count_kernel(*this),
                     .args = {buffer_arg(0, target)},
                     .grid = grid,
                     .block = block};
    REQUIRE(call.run(default_stream) == SPOC_BE_OK);
    CHECK(call.done == SPOC_BE_DONE_ALL);
    download(target, counts.data(), threads * sizeof(uint32_t));
    CHECK(counts == std::vector<uint32_t>(threads, 1));
}

TEST_CASE_METHOD(plugin_fixture, "A launch of many small blocks runs each once") {
    constexpr uint32_t blocks = 100003;
    std::vector<uint32_t> counts(blocks);
    const spoc_be_buffer target = buffer(blocks * sizeof(uint32_t));
    upload(target, counts.data(), blocks * sizeof(uint32_t));
    launch_call call{
        .kernel = count_kernel(*this), .args = {buffer_arg(0, target)}, .grid = {blocks, 1, 1}};
    REQUIRE(call.run(default_stream) == SPOC_BE_OK);
    download(target, counts.data(), blocks * sizeof(uint32_t));
    CHECK(std::all_of(counts.begin(), counts.end(), [](uint32_t count) { return count == 1; }));
}

TEST_CASE_METHOD(plugin_fixture, "Shared and local memory belong to one block at a time") {
    static const std::vector<spoc_be_param> params{param(0, SPOC_BE_PARAM_LOCAL),
                                                   param(1, SPOC_BE_PARAM_SCALAR, sizeof(void*)),
                                                   param(2, SPOC_BE_PARAM_LOCAL)};
    static const spoc_native_kernel description = describe(use_scratch, params);
    std::atomic<uint32_t> good_blocks{0};
    const std::atomic<uint32_t>* address = &good_blocks;
    launch_call call{
        .kernel = kernel("scratch", description),
        .args = {local_arg(0, 100), scalar_arg(1, &address, sizeof(void*)), local_arg(2, 7)},
        .grid = {100, 1, 1},
        .shared_bytes = GENERATE(1U, 3000U)};
    REQUIRE(call.run(default_stream) == SPOC_BE_OK);
    CHECK(good_blocks == 100);
}

TEST_CASE_METHOD(plugin_fixture, "More scratch than a block has is too large") {
    static const std::vector<spoc_be_param> params{param(0, SPOC_BE_PARAM_LOCAL)};
    static const spoc_native_kernel description = describe(write_byte, params);
    auto info = sized<spoc_be_device_info>();
    REQUIRE(be.device_info(0, &info, &error) == SPOC_BE_OK);
    const spoc_be_kernel local = kernel("local", description);

    launch_call most{
        .kernel = local, .args = {local_arg(0, info.shared_per_block - 5)}, .shared_bytes = 5};
    CHECK(most.run(default_stream) == SPOC_BE_OK);
    const uint64_t bytes = GENERATE_COPY(info.shared_per_block - 4, ~uint64_t{0});
    launch_call more{.kernel = local, .args = {local_arg(0, bytes)}, .shared_bytes = 5};
    CHECK(more.run(default_stream) == SPOC_BE_TOO_LARGE);
    CHECK(more.done == SPOC_BE_DONE_ALL);
    CHECK(more.error.asked > more.error.limit);
    CHECK(more.error.limit == info.shared_per_block);
}

TEST_CASE_METHOD(plugin_fixture,
                 "Scalars of 1 to 16 bytes arrive whole and aligned from anywhere") {
    static const std::vector<spoc_be_param> params = [] {
        std::vector<spoc_be_param> all;
        for (uint32_t i = 0; i < 16; ++i) {
            all.push_back(param(i, SPOC_BE_PARAM_SCALAR, i + 1));
        }
        all.push_back(param(16, SPOC_BE_PARAM_BUFFER));
        return all;
    }();
    static const spoc_native_kernel description = describe(check_scalars, params);

    std::vector<char> bytes(1);  // an odd start
    std::vector<spoc_be_arg> args;
    for (char i = 1; i <= 16; ++i) {
        bytes.insert(bytes.end(), static_cast<std::size_t>(i), i);
    }
    std::size_t at = 1;
    for (uint32_t i = 0; i < 16; ++i) {
        args.push_back(scalar_arg(i, bytes.data() + at, i + 1));
        at += i + 1;
    }
    bool good = false;
    const auto verdict = make(SPOC_BE_BUFFER_HOST_RANGE, sizeof good, &good);
    args.push_back(buffer_arg(16, verdict.buffer));
    launch_call call{.kernel = kernel("scalars", description), .args = args};
    CHECK(call.run(default_stream) == SPOC_BE_OK);
    CHECK(good);
    be.buffer_destroy(verdict.buffer, nullptr);
}

TEST_CASE_METHOD(plugin_fixture, "An argument's offset moves what the kernel sees, to the byte") {
    static const std::vector<spoc_be_param> params{param(0, SPOC_BE_PARAM_BUFFER)};
    static const spoc_native_kernel description = describe(write_byte, params);
    std::array<char, 5> bytes{"...."};
    const spoc_be_buffer target = buffer(4);
    upload(target, bytes.data(), 4);
    launch_call call{.kernel = kernel("byte", description), .args = {buffer_arg(0, target, 3)}};
    REQUIRE(call.run(default_stream) == SPOC_BE_OK);
    download(target, bytes.data(), 4);
    CHECK(std::string(bytes.data()) == "...x");
}

TEST_CASE_METHOD(plugin_fixture,
                 "A launch with another number of arguments than the kernel takes is invalid") {
    const spoc_be_buffer target = buffer(4);
    launch_call none{.kernel = count_kernel(*this)};
    CHECK(none.run(default_stream) == SPOC_BE_INVALID);
    CHECK(none.done == SPOC_BE_DONE_ALL);
    launch_call two{.kernel = count_kernel(*this),
                    .args = {buffer_arg(0, target), buffer_arg(1, target)}};
    CHECK(two.run(default_stream) == SPOC_BE_INVALID);
}

TEST_CASE_METHOD(plugin_fixture, "A kernel that throws fails its launch and harms no other") {
    static const spoc_native_kernel description = describe(throw_in_block_3);
    launch_call call{.kernel = kernel("throwing", description), .grid = {1000, 1, 1}};
    CHECK(call.run(default_stream) == SPOC_BE_LAUNCH);
    CHECK(call.done == SPOC_BE_DONE_ALL);
    CHECK(call.error.tag == call.tag);
    CHECK(be.stream_sync(default_stream, SPOC_BE_FOREVER, &error) == SPOC_BE_OK);

    call.grid = {3, 1, 1};
    CHECK(call.run(default_stream) == SPOC_BE_OK);
}

TEST_CASE_METHOD(plugin_fixture, "Many threads launch one kernel at once on streams of their own") {
    constexpr uint32_t blocks = 500;
    constexpr std::size_t launchers = 8;
    const spoc_be_kernel kernel = count_kernel(*this);
    std::vector<spoc_be_buffer> targets;
    const std::vector<uint32_t> zeros(blocks);
    targets.reserve(launchers);
    for (std::size_t i = 0; i < launchers; ++i) {
        targets.push_back(buffer(blocks * sizeof(uint32_t)));
        upload(targets.back(), zeros.data(), blocks * sizeof(uint32_t));
    }
    std::vector<std::future<int>> failures;
    failures.reserve(launchers);
    for (spoc_be_buffer target : targets) {
        failures.push_back(std::async(std::launch::async, [target, kernel, own = stream()] {
            int failed = 0;
            for (int round = 0; round < 50; ++round) {
                launch_call call{
                    .kernel = kernel, .args = {buffer_arg(0, target)}, .grid = {blocks, 1, 1}};
                failed += call.run(own) == SPOC_BE_OK ? 0 : 1;
            }
            return failed;
        }));
    }
    for (std::future<int>& failed : failures) {
        CHECK(failed.get() == 0);
    }
    for (spoc_be_buffer target : targets) {
        std::vector<uint32_t> counts(blocks);
        download(target, counts.data(), blocks * sizeof(uint32_t));
        CHECK(counts == std::vector<uint32_t>(blocks, 50));
    }
}

TEST_CASE("Threads start with the first launch that shares work and end with the backend") {
    const std::size_t before = thread_count();
    {
        plugin_fixture fixture("3");
        const spoc_be_buffer target = fixture.buffer(400);
        const spoc_be_kernel kernel = count_kernel(fixture);
        launch_call one{.kernel = kernel, .args = {buffer_arg(0, target)}};
        CHECK(one.run(fixture.default_stream) == SPOC_BE_OK);
        CHECK(thread_count() == before);
        launch_call many{.kernel = kernel, .args = {buffer_arg(0, target)}, .grid = {100, 1, 1}};
        CHECK(many.run(fixture.default_stream) == SPOC_BE_OK);
        CHECK(thread_count() == before + 2);
    }
    CHECK(thread_count() == before);
}

TEST_CASE("A width of one thread starts none") {
    const std::size_t before = thread_count();
    plugin_fixture fixture("1");
    const spoc_be_buffer target = fixture.buffer(400);
    launch_call many{
        .kernel = count_kernel(fixture), .args = {buffer_arg(0, target)}, .grid = {100, 1, 1}};
    CHECK(many.run(fixture.default_stream) == SPOC_BE_OK);
    CHECK(thread_count() == before);
}

TEST_CASE("A launch completes without its helpers once the process is leaving") {
    plugin_fixture fixture("4");
    const spoc_be_buffer target = fixture.buffer(400);
    launch_call many{
        .kernel = count_kernel(fixture), .args = {buffer_arg(0, target)}, .grid = {100, 1, 1}};
    CHECK(many.run(fixture.default_stream) == SPOC_BE_OK);
    SECTION("by the host's word") {
        __atomic_store_n(&fixture.host.process_state, SPOC_BE_PROCESS_EXITING, __ATOMIC_RELAXED);
    }
    SECTION("by a call") { fixture.be.quiesce(SPOC_BE_QUIESCE_SHUTDOWN); }
    CHECK(many.run(fixture.default_stream) == SPOC_BE_OK);
}

}  // namespace spoc::test
