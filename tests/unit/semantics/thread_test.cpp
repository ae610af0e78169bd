// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "semantics_fixture.hpp"

namespace spoc::test {
namespace {

using fixture = held_device;

/// What a thread does with objects of its own. False when bytes are wrong.
bool copy_back_and_forth(const device& where, unsigned seed) {
    const auto data = bytes(4096, seed);
    std::vector<std::byte> got(4096);
    for (int round = 0; round < 25; ++round) {
        const stream up(where);
        const stream down(where);
        pinned_buffer<std::byte> memory(where, 4096);
        const buffer target(where, 4096);
        event mark(where);
        std::copy(data.begin(), data.end(), memory.data());
        copy_to_device(up, memory.elements(), target, 0, std::make_shared<int>(0));
        mark.record(up);
        wait(down, mark);
        copy_to_host(down, target, 0, got);
        down.synchronize();
        if (got != data) {
            return false;
        }
        copy_to_device(up, memory.elements(), target);
    }
    return true;
}

}  // namespace

TEST_CASE_METHOD(fixture, "Threads enqueue, synchronise and query one stream", "[R-512][R-540]") {
    const stream on(dev());
    const buffer target(dev(), 4096);
    const auto data = bytes(64);
    std::array<kept_alive, 4> sources;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        threads.emplace_back([&, i] {
            auto reference = sources[i].reference();
            for (int round = 0; round < 200; ++round) {
                copy_to_device(on, data, target, i * 1024, reference);
            }
        });
    }
    threads.emplace_back([&] {
        for (int round = 0; round < 200; ++round) {
            on.synchronize();
        }
    });
    threads.emplace_back([&] {
        for (int round = 0; round < 200; ++round) {
            static_cast<void>(on.idle());
        }
    });
    for (std::thread& one : threads) {
        one.join();
    }
    on.synchronize();
    for (const kept_alive& source : sources) {
        CHECK_FALSE(source.is_kept());
    }
}

TEST_CASE_METHOD(fixture, "Threads with objects of their own do not disturb each other",
                 "[R-541][R-540]") {
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (unsigned seed = 1; seed <= 3; ++seed) {
        threads.emplace_back([&, seed] { wrong += copy_back_and_forth(dev(), seed) ? 0 : 1; });
    }
    threads.emplace_back([&] {
        for (int round = 0; round < 50; ++round) {
            synchronize(dev());
        }
    });
    for (std::thread& one : threads) {
        one.join();
    }
    CHECK(wrong == 0);
    synchronize(dev());
    CHECK(mock.gate.alive(SPOC_MOCK_STREAMS) == 0);
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
    CHECK(mock.gate.alive(SPOC_MOCK_HOSTMEMS) == 0);
}

}  // namespace spoc::test
