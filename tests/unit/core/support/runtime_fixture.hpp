// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <spoc/spoc.h>

#include "answer.hpp"
#include "environment.hpp"
#include "recorder_file.hpp"

namespace spoc::test {

/// The runtime with plugins of a test's own, and no others. At its end everything is given back,
/// and what the plugins saw must have kept to the contract.
class runtime_fixture {
 public:
    runtime_fixture() = default;
    runtime_fixture(const runtime_fixture&) = delete;
    runtime_fixture& operator=(const runtime_fixture&) = delete;
    ~runtime_fixture() {
        for (spoc_buffer buffer : buffers_) {
            spoc_buffer_destroy(buffer, nullptr);
        }
        stop();
        for (recorder* one : recorders_) {
            one->hook = nullptr;
            CHECK(one->breaches() == std::vector<std::string>{});
            CHECK(one->buffers == 0);
            CHECK(one->hostmems == 0);
            CHECK(one->streams == 0);
            CHECK(one->events == 0);
            CHECK(one->opened == 0);
            CHECK(one->unfinished == 0);
            CHECK_FALSE(one->held);
        }
    }

    /// Adds a plugin that can be found once the runtime starts.
    recorder& add(const std::string& name, entries which = entries::some) {
        const std::string file = write_recorder(folder, name, which);
        add_file(file);
        recorder& added = open_recorder(file);
        recorders_.push_back(&added);
        return added;
    }

    void add_file(const std::string& file) { files_ += (files_.empty() ? "" : ":") + file; }

    void start(std::uint32_t flags = 0) {
        variables.set("SPOC_PLUGIN_FILES", files_.empty() ? "/nothing" : files_);
        auto options = sized<spoc_options>();
        options.flags = flags;
        REQUIRE(told(spoc_init, &options) == "ok");
        running_ = true;
    }

    void stop() {
        if (running_) {
            running_ = false;
            CHECK(told(spoc_shutdown) == "ok");
        }
    }

    std::uint32_t device_count() {
        std::uint32_t count = 0;
        REQUIRE(told(spoc_device_count, &count) == "ok");
        return count;
    }

    spoc_device device_at(std::uint32_t id) {
        spoc_device found = nullptr;
        REQUIRE(told(spoc_device_get, id, &found) == "ok");
        REQUIRE(found != nullptr);
        return found;
    }

    /// A buffer that is destroyed with the fixture.
    spoc_buffer buffer(spoc_device device, std::uint64_t bytes) {
        spoc_buffer made = nullptr;
        REQUIRE(told(spoc_buffer_create, device, bytes, &made) == "ok");
        buffers_.push_back(made);
        return made;
    }

    temporary_folder folder;
    environment variables;

 private:
    std::string files_;
    std::vector<recorder*> recorders_;
    std::vector<spoc_buffer> buffers_;
    bool running_ = false;
};

/// One backend, "rec", with one device. A test changes the device first and then calls `begin`.
class device_fixture : public runtime_fixture {
 public:
    recorder& rec = add("rec");
    spoc_device device = nullptr;

    spoc_be_device_info& info() { return rec.devices[0]; }

    void begin() {
        start();
        device = device_at(0);
    }

    /// The same with a buffer, and the plugin has forgotten what that took.
    spoc_buffer begin_with_buffer(std::uint64_t bytes) {
        begin();
        spoc_buffer made = buffer(device, bytes);
        rec.forget();
        return made;
    }
};

/// Bytes that tell their places apart.
inline std::vector<std::byte> pattern(std::size_t bytes, unsigned seed = 1) {
    std::vector<std::byte> data(bytes);
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<std::byte>((i * 131 + i / 251 + seed) & 0xFFU);
    }
    return data;
}

/// What a buffer holds.
inline std::vector<std::byte> contents(spoc_buffer buffer) {
    auto info = sized<spoc_buffer_info>();
    REQUIRE(told(spoc_buffer_describe, buffer, &info) == "ok");
    std::vector<std::byte> data(info.bytes);
    REQUIRE(told(spoc_copy_to_host, buffer, std::uint64_t{0}, static_cast<void*>(data.data()),
                 info.bytes) == "ok");
    return data;
}

inline void upload(spoc_buffer buffer, const std::vector<std::byte>& data) {
    REQUIRE(told(spoc_copy_to_device, static_cast<const void*>(data.data()),
                 std::uint64_t{data.size()}, buffer, std::uint64_t{0}) == "ok");
}

}  // namespace spoc::test
