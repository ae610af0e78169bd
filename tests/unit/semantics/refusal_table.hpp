// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the rows of the table of mistakes are made of. tests/integration/refusals_test.py looks
/// that no function is missing in it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pages.hpp"
#include "vector_fixture.hpp"

namespace spoc::test {

inline constexpr auto longest = UINT64_MAX;

/// Two devices of one backend, one of another without optional entries, and objects in every
/// condition that a call can meet. Nothing runs before a test releases it.
struct objects {
    objects() {
        runtime.mock.set_devices(2);
        runtime.more_files = ':' + bare.file();
        first = runtime.start();
        make_here(device(first));
        make_elsewhere(device(runtime.device(1)), device(runtime.device(2)));
        make_vectors(device(first), device(runtime.device(1)));
        runtime.mock.hold();
        runtime.mock.on_wait(SPOC_MOCK_WAIT_FAIL);
        copy_to_device(*open, busy_pinned->elements(), *busy);
        in_flight->write_range(*open, 0, written);
    }
    objects(const objects&) = delete;
    objects& operator=(const objects&) = delete;
    ~objects() {
        runtime.mock.hold(false);
        runtime.mock.on_wait(SPOC_MOCK_WAIT_RUN);
        runtime.mock.release();
    }

    void make_here(const device& here) {
        open.emplace(here);
        closed.emplace(here);
        closed->close();
        untimed.emplace(here, SPOC_STREAM_UNTIMED);
        memory.emplace(here, 64);
        freed.emplace(here, 64);
        freed->free();
        busy.emplace(here, 64);
        mark.emplace(here);
        timed.emplace(here, true);
        busy_pinned.emplace(here, 64);
        covered_pinned.emplace(here, elements);
        covering.emplace(vector<std::int32_t>::over(covered_pinned->elements().last(1)));
        registered.emplace(here, own.part(1, 1));
        read_only.emplace(here, std::span<const std::byte>(own.part(3, 1)));
    }
    void make_elsewhere(const device& second, const device& foreign) {
        other_stream.emplace(second);
        other_timed.emplace(second, true);
        foreign_stream.emplace(foreign);
        foreign_buffer.emplace(foreign, 64);
        foreign_mark.emplace(foreign);
    }

    void make_vectors(const device& here, const device& there) {
        for (auto* const one :
             {&at_host, &both, &stale_host, &stale_device, &writing, &in_flight}) {
            one->emplace(elements);
            (*one)->fill(1);
        }
        for (auto* const one : {&both, &stale_host, &stale_device, &in_flight}) {
            (*one)->to_device(here);
        }
        stale_host->write_range(0, written);
        stale_host->set_auto_sync(false);
        stale_device->fill(2);
        void* data = nullptr;
        REQUIRE(told(spoc_vector_begin_write, writing->get(), 0U, &data) == "ok");
        alone.emplace(here, elements);
        alone_freed.emplace(here, elements);
        alone_freed->free_all_buffers();
        elsewhere = there.get();
    }

    recording bare{"mockmin"};
    recorded_runtime runtime;
    pages own{4};
    spoc_device first = nullptr;
    std::optional<stream> open, closed, untimed, other_stream, foreign_stream;
    std::optional<buffer> memory, freed, busy, foreign_buffer;
    std::optional<event> mark, timed, other_timed, foreign_mark;
    std::optional<pinned_buffer<std::byte>> busy_pinned;
    std::optional<pinned_buffer<std::int32_t>> covered_pinned;
    std::optional<vector<std::int32_t>> covering;
    std::optional<host_registration> registered, read_only;
    std::vector<std::int32_t> written = numbers(5);
    std::optional<vector<std::int32_t>> at_host, both, stale_host, stale_device, writing, in_flight;
    std::optional<device_vector<std::int32_t>> alone, alone_freed;
    spoc_device elsewhere = nullptr;
};

/// Places for answers, which a refused call leaves alone.
struct places {
    spoc_stream stream = nullptr;
    spoc_event event = nullptr;
    spoc_buffer buffer = nullptr;
    spoc_host_memory host = nullptr;
    spoc_device device = nullptr;
    spoc_vector vector = nullptr;
    const void* read = nullptr;
    void* written = nullptr;
    std::uint32_t link = 66;
    std::int32_t flag = 77;
    double ms = -5;

    bool operator==(const places&) const = default;
};

/// A wrong call and what it must come to.
struct mistake {
    std::string what;
    std::string wanted;
    std::function<std::string()> call;
};

using list = std::vector<mistake>;

inline constexpr const char* null = "invalid_argument null";
inline constexpr const char* value = "invalid_argument value";
inline constexpr const char* bounds = "invalid_argument bounds";
inline constexpr const char* length = "invalid_argument length";
inline constexpr const char* wrong_device = "invalid_argument device";
inline constexpr const char* destroyed = "invalid_argument destroyed";
inline constexpr const char* gone = "invalid_argument freed";
inline constexpr const char* busy = "invalid_argument busy";
inline constexpr const char* overlap = "invalid_argument overlap";
inline constexpr const char* location = "invalid_argument location";
inline constexpr const char* stale = "invalid_argument stale_host";
inline constexpr const char* on_device_only = "invalid_argument device_only";
inline constexpr const char* kind = "invalid_argument kind";

/// A call with all its arguments.
template <typename Function, typename... Arguments>
std::function<std::string()> calling(Function function, Arguments... arguments) {
    return [=] { return told(function, arguments...); };
}

template <typename Answer>
inline constexpr Answer* no_place = nullptr;
inline constexpr const spoc_stream_options* no_options = nullptr;
inline constexpr const spoc_owner* no_owner = nullptr;

list about_streams(const objects& all, places& out);
list about_events(const objects& all, places& out);
list about_host_memory(const objects& all, places& out);
list about_buffers(const objects& all, places& out);
/// On a stream, or without one.
list about_copies(const objects& all, bool enqueued);
list about_making_vectors(const objects& all, places& out);
list about_vectors(const objects& all, places& out);
list about_views(const objects& all, places& out);
list about_shared_memory(const objects& all, places& out);
/// Of one direction.
list about_ranges(const objects& all, bool up);
/// Small writes whose source is the caller's again at once.
list about_stage(const objects& all);

}  // namespace spoc::test
