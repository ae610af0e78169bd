// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <spoc/backend.h>

#include "support/recording/recording.hpp"

namespace spoc::test {

/// The least that the plugin asks of a host.
class small_host {
 public:
    small_host() {
        services.header = {SPOC_BE_HOST_MAGIC,
                           sizeof services,
                           SPOC_BE_ABI_MAJOR,
                           SPOC_BE_ABI_MINOR,
                           SPOC_BE_BUILD_FLAVOUR,
                           0,
                           0};
        services.ctx = this;
        services.config = [](void* ctx, const char* key) -> const char* {
            const auto& set = static_cast<small_host*>(ctx)->settings;
            const auto found = set.find(key);
            return found == set.end() ? nullptr : found->second.c_str();
        };
    }
    small_host(const small_host&) = delete;
    small_host& operator=(const small_host&) = delete;

    std::map<std::string, std::string> settings;
    spoc_be_host services{};
};

template <typename Record>
Record be_sized() {
    Record record{};
    record.size = sizeof(Record);
    return record;
}

/// The plugin over its table, with its first device open. Objects that a test makes end with it,
/// and work that it left is run before.
class plugin_fixture {
 public:
    plugin_fixture() { error.size = sizeof error; }
    plugin_fixture(const plugin_fixture&) = delete;
    plugin_fixture& operator=(const plugin_fixture&) = delete;
    ~plugin_fixture() { close(); }

    void open(std::uint32_t devices = 1) {
        mock.set_devices(devices);
        REQUIRE(be.open(&host.services, nullptr, &error) == SPOC_BE_OK);
        for (std::uint32_t i = 0; i < devices; ++i) {
            const auto desc = be_sized<spoc_be_device_desc>();
            auto made = be_sized<spoc_be_device_result>();
            REQUIRE(be.device_open(i, &desc, &made, &error) == SPOC_BE_OK);
            opened_.push_back(made);
        }
    }

    void close() {
        mock.hold(false);
        mock.on_wait(SPOC_MOCK_WAIT_RUN);
        mock.gate.forget_faults();
        mock.release();
        for (spoc_be_stream stream : streams_) {
            be.stream_sync(stream, SPOC_BE_FOREVER, nullptr);
            be.stream_destroy(stream, nullptr);
        }
        for (spoc_be_event event : events_) {
            be.event_destroy(event, nullptr);
        }
        for (spoc_be_buffer buffer : buffers_) {
            be.buffer_destroy(buffer, nullptr);
        }
        for (const auto& one : opened_) {
            be.stream_sync(one.default_stream, SPOC_BE_FOREVER, nullptr);
            be.device_close(one.device, nullptr);
        }
        if (!opened_.empty()) {
            opened_.clear();
            be.close(nullptr);
        }
    }

    spoc_be_device device(std::size_t index = 0) const { return opened_.at(index).device; }
    spoc_be_stream default_stream(std::size_t index = 0) const {
        return opened_.at(index).default_stream;
    }

    spoc_be_buffer buffer(std::uint64_t bytes, std::uint32_t kind = SPOC_BE_BUFFER_DEVICE,
                          void* memory = nullptr, std::size_t on = 0) {
        spoc_be_buffer made = bare_buffer(bytes, kind, memory, on);
        buffers_.push_back(made);
        return made;
    }
    /// One that the test ends itself.
    spoc_be_buffer bare_buffer(std::uint64_t bytes, std::uint32_t kind = SPOC_BE_BUFFER_DEVICE,
                               void* memory = nullptr, std::size_t on = 0) {
        auto desc = be_sized<spoc_be_buffer_desc>();
        desc.kind = kind;
        desc.bytes = bytes;
        desc.host = memory;
        auto made = be_sized<spoc_be_buffer_result>();
        REQUIRE(be.buffer_create(device(on), &desc, &made, &error) == SPOC_BE_OK);
        return made.buffer;
    }

    spoc_be_stream stream(std::uint32_t flags = SPOC_BE_STREAM_NON_BLOCKING) {
        spoc_be_stream made = bare_stream(flags);
        streams_.push_back(made);
        return made;
    }
    spoc_be_stream bare_stream(std::uint32_t flags = SPOC_BE_STREAM_NON_BLOCKING) {
        auto desc = be_sized<spoc_be_stream_desc>();
        desc.flags = flags;
        spoc_be_stream made = nullptr;
        REQUIRE(be.stream_create(device(), &desc, &made, &error) == SPOC_BE_OK);
        return made;
    }

    spoc_be_event event(std::uint32_t flags = 0) {
        spoc_be_event made = nullptr;
        REQUIRE(be.event_create(device(), flags, &made, &error) == SPOC_BE_OK);
        events_.push_back(made);
        return made;
    }

    static spoc_be_range upload_range(spoc_be_buffer dst, const void* from, std::uint64_t bytes,
                                      std::uint64_t offset = 0) {
        spoc_be_range range{};
        range.dst = dst;
        range.dst_offset = offset;
        range.host = const_cast<void*>(from);
        range.bytes = bytes;
        return range;
    }

    std::int32_t copy(spoc_be_stream stream, std::uint32_t kind,
                      const std::vector<spoc_be_range>& ranges, std::uint32_t flags = 0) {
        auto request = be_sized<spoc_be_copy>();
        request.kind = kind;
        request.flags = flags;
        request.count = static_cast<std::uint32_t>(ranges.size());
        request.ranges = ranges.data();
        done = 77;
        return be.copy(stream, &request, &done, &error);
    }
    std::int32_t upload(spoc_be_stream stream, spoc_be_buffer dst, const void* from,
                        std::uint64_t bytes, std::uint32_t flags = 0) {
        return copy(stream, SPOC_BE_COPY_H2D, {upload_range(dst, from, bytes)}, flags);
    }
    std::int32_t download(spoc_be_stream stream, spoc_be_buffer src, void* to, std::uint64_t bytes,
                          std::uint32_t flags = 0) {
        spoc_be_range range{};
        range.src = src;
        range.host = to;
        range.bytes = bytes;
        return copy(stream, SPOC_BE_COPY_D2H, {range}, flags);
    }
    std::int32_t fill(spoc_be_stream stream, spoc_be_buffer buffer, std::uint64_t bytes,
                      std::uint32_t pattern) {
        auto request = be_sized<spoc_be_fill>();
        request.buffer = buffer;
        request.bytes = bytes;
        request.pattern = pattern;
        request.pattern_size = 1;
        return be.fill(stream, &request, &done, &error);
    }
    std::int32_t sync(spoc_be_stream stream, std::uint64_t timeout_ns = SPOC_BE_FOREVER) {
        return be.stream_sync(stream, timeout_ns, &error);
    }

    std::uint64_t number(spoc_be_stream stream) const { return mock.gate.stream_number(stream); }

    /// Takes the breaches away, so that the end of the test does not find them.
    std::vector<std::string> expected_breaches() {
        auto found = mock.breaches();
        mock.forget();
        return found;
    }

    small_host host;
    recording mock;
    const spoc_be_table& be = mock.table;
    spoc_be_error error{};
    std::uint32_t done = 0;

 private:
    std::vector<spoc_be_device_result> opened_;
    std::vector<spoc_be_stream> streams_;
    std::vector<spoc_be_event> events_;
    std::vector<spoc_be_buffer> buffers_;
};

}  // namespace spoc::test
