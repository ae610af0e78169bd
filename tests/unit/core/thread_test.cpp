// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "support/runtime_fixture.hpp"

namespace spoc::test {
namespace {

using bytes = std::vector<std::byte>;

constexpr std::size_t thread_count = 8;

/// Runs `body(number)` in some threads at once and waits for them.
template <typename Body>
void in_threads(Body body, std::size_t count = thread_count) {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i) {
        threads.emplace_back([body, i] { body(i); });
    }
}

bool round_trip(spoc_buffer buffer, std::uint64_t offset, const bytes& data) {
    bytes back(data.size());
    return spoc_copy_to_device(data.data(), data.size(), buffer, offset, nullptr) == SPOC_OK &&
           spoc_copy_to_host(buffer, offset, back.data(), back.size(), nullptr) == SPOC_OK &&
           back == data;
}

}  // namespace

TEST_CASE_METHOD(device_fixture, "Threads copy at once on one device, each to its own range") {
    // No page-locked memory, direct, and through one staging block.
    info().pageable_max = GENERATE(std::uint64_t{0}, std::uint64_t{1000}, SPOC_BE_NO_LIMIT);
    const spoc_buffer target = begin_with_buffer(thread_count * 4096);
    rec.recording = false;
    std::atomic<int> failures{0};
    in_threads([&](std::size_t number) {
        for (unsigned round = 0; round < 50; ++round) {
            const bytes data = pattern(1001, static_cast<unsigned>(number) * 7 + round);
            failures += round_trip(target, number * 4096, data) ? 0 : 1;
            failures +=
                spoc_fill(target, number * 4096 + 2048, 64, round, 4, nullptr) == SPOC_OK ? 0 : 1;
        }
    });
    rec.recording = true;
    CHECK(failures == 0);
}

TEST_CASE_METHOD(device_fixture, "Threads that meet at a device open it once") {
    rec.devices.resize(2, rec.devices[0]);
    start();
    std::atomic<int> failures{0};
    in_threads([&](std::size_t number) {
        spoc_device found = nullptr;
        spoc_buffer made = nullptr;
        failures += spoc_device_get(static_cast<std::uint32_t>(number % 2), &found, nullptr);
        failures += spoc_buffer_create(found, 64, &made, nullptr);
        failures += spoc_buffer_destroy(made, nullptr);
    });
    CHECK(failures == 0);
    CHECK(rec.count("open") == 1);
    CHECK(rec.count("device_open") == 2);
}

TEST_CASE_METHOD(device_fixture, "Threads make and destroy buffers at once") {
    begin();
    rec.recording = false;
    std::atomic<int> failures{0};
    in_threads([&](std::size_t number) {
        for (std::uint64_t round = 1; round <= 100; ++round) {
            spoc_buffer made = nullptr;
            failures += spoc_buffer_create(device, round * (number + 1), &made, nullptr);
            failures += spoc_fill(made, 0, round, 1, 1, nullptr);
            failures += spoc_buffer_destroy(made, nullptr);
        }
    });
    rec.recording = true;
    CHECK(failures == 0);
    CHECK(rec.buffers == 0);
}

TEST_CASE_METHOD(device_fixture,
                 "Copies both ways between two devices at once neither lock nor mix up") {
    rec.devices.resize(2, rec.devices[0]);
    begin();
    const std::array<spoc_buffer, 2> ends = {buffer(device, 4096), buffer(device_at(1), 4096)};
    rec.recording = false;
    std::atomic<int> failures{0};
    in_threads(
        [&](std::size_t number) {
            const spoc_buffer from = ends[number % 2];
            const spoc_buffer to = ends[1 - number % 2];
            for (int round = 0; round < 100; ++round) {
                failures += spoc_copy_on_device(from, number * 256, to, number * 256, 256, nullptr);
            }
        },
        4);
    rec.recording = true;
    CHECK(failures == 0);
}

TEST_CASE_METHOD(device_fixture,
                 "Out of memory frees no staging memory under a copy of another thread") {
    info().pageable_max = 0;
    const spoc_buffer target = begin_with_buffer(64 << 10);
    fault empty;
    empty.entry = "buffer_create";
    empty.status = SPOC_BE_OUT_OF_MEMORY;
    empty.times = 1 << 20;
    rec.faults.push_back(empty);
    std::atomic<int> failures{0};
    in_threads([&](std::size_t number) {
        const bytes data = pattern(8000, static_cast<unsigned>(number));
        for (int round = 0; round < 20; ++round) {
            if (number % 2 == 0) {
                failures += round_trip(target, number * 8192, data) ? 0 : 1;
            } else {
                spoc_buffer made = nullptr;
                failures +=
                    spoc_buffer_create(device, 64, &made, nullptr) == SPOC_BACKEND_ERROR ? 0 : 1;
            }
        }
    });
    CHECK(failures == 0);
}

TEST_CASE_METHOD(device_fixture, "Shutdown waits for calls in flight, and later ones are refused") {
    const spoc_buffer target = begin_with_buffer(thread_count * 4096);
    rec.recording = false;
    std::atomic<bool> running{true};
    std::atomic<std::size_t> busy{0};
    std::atomic<int> surprises{0};
    std::vector<std::jthread> threads;
    for (std::size_t number = 0; number < thread_count; ++number) {
        threads.emplace_back([&, number] {
            bytes data = pattern(4096, static_cast<unsigned>(number));
            for (bool counted = false; running; counted = true) {
                spoc_error error = SPOC_ERROR_INIT;
                const spoc_status status =
                    spoc_copy_to_device(data.data(), 4096, target, number * 4096, &error);
                const bool refused =
                    status == SPOC_UNAVAILABLE && error.sub_code == SPOC_SUB_SHUT_DOWN;
                surprises += status == SPOC_OK || refused ? 0 : 1;
                busy += counted ? 0 : 1;
            }
        });
    }
    while (busy < thread_count) {
        std::this_thread::yield();
    }
    stop();  // must not wait for calls that begin meanwhile and are refused: there is no end of
             // them
    running = false;
    threads.clear();
    rec.recording = true;
    CHECK(surprises == 0);
    CHECK_FALSE(rec.open);
}

TEST_CASE_METHOD(device_fixture,
                 "A call that is in the driver holds shutdown up until it returns") {
    const spoc_buffer target = begin_with_buffer(64);
    std::atomic<bool> entered{false};
    std::atomic<bool> returned{false};
    rec.hook = [&](std::string_view entry) {
        if (entry == "fill") {
            entered = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            returned = true;
        }
    };
    std::jthread caller([target] { spoc_fill(target, 0, 64, 0, 1, nullptr); });
    while (!entered) {
        std::this_thread::yield();
    }
    stop();
    CHECK(returned);
}

TEST_CASE_METHOD(device_fixture,
                 "A buffer may be destroyed while another thread shuts the runtime down") {
    begin();
    std::array<spoc_buffer, 2> made{};
    for (spoc_buffer& one : made) {
        REQUIRE(told(spoc_buffer_create, device, std::uint64_t{64}, &one) == "ok");
    }
    // Both calls meet at the worst moment: the device's buffers are about to be released.
    rec.hook = [&](std::string_view entry) {
        if (entry == "stream_sync") {
            std::jthread([&] {
                for (const spoc_buffer one : made) {
                    spoc_buffer_destroy(one, nullptr);
                }
            });
        }
    };
    stop();
    CHECK(rec.buffers == 0);
}

TEST_CASE_METHOD(device_fixture, "Threads that list, probe and enumerate at once agree") {
    rec.recording = false;
    start();
    std::atomic<int> failures{0};
    in_threads([&](std::size_t number) {
        for (int round = 0; round < 20; ++round) {
            std::uint32_t count = 0;
            spoc_backend_info info{};
            info.size = sizeof info;
            switch (number % 4) {
                case 0:
                    failures += spoc_backend_count(&count, nullptr);
                    break;
                case 1:
                    failures += spoc_backend_get(0, &info, nullptr);
                    break;
                case 2:
                    failures += spoc_backend_require("rec", nullptr);
                    break;
                default:
                    failures += spoc_device_count(&count, nullptr);
                    failures += count == 1 ? 0 : 1;
            }
        }
    });
    rec.recording = true;
    CHECK(failures == 0);
}

}  // namespace spoc::test
