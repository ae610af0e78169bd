// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <spoc/backend.h>

#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"

/// \file
/// Structures whose caller knows fewer or more bytes of them than the plugin does. A plugin writes
/// at most the `size` bytes that the caller says, and leaves `size` as it is.

namespace spoc::conformance {
namespace {

constexpr std::byte canary{0xEE};

/// A structure that the plugin fills, of a size of its caller's choice, with canaries behind it.
template <typename Record>
class sized_storage {
 public:
    explicit sized_storage(std::uint32_t size)
        : size_(size), bytes_(std::max<std::size_t>(size, sizeof(Record)) + 128, canary) {
        std::fill_n(bytes_.begin(), size, std::byte{0});
        std::memcpy(bytes_.data(), &size, sizeof size);
    }

    Record* get() { return reinterpret_cast<Record*>(bytes_.data()); }

    /// What the plugin wrote, zeros beyond.
    Record value() const {
        Record value{};
        std::memcpy(&value, bytes_.data(), std::min<std::size_t>(size_, sizeof value));
        return value;
    }

    void expect_kept(const char* entry) const {
        std::uint32_t size = 0;
        std::memcpy(&size, bytes_.data(), sizeof size);
        require(size == size_, entry, " changed the size of its answer from ", size_, " to ", size,
                ".");
        const auto beyond = bytes_.begin() + static_cast<std::ptrdiff_t>(size_);
        const auto touched =
            std::find_if(beyond, bytes_.end(), [](std::byte byte) { return byte != canary; });
        require(touched == bytes_.end(), entry, " was given ", size_,
                " bytes for its answer and wrote to byte ", touched - bytes_.begin(), ".");
    }

 private:
    std::uint32_t size_;
    byte_vector bytes_;
};

/// Sizes that a caller may have: some shorter than today's structure, or one longer.
template <typename Record>
std::vector<std::uint32_t> sizes(std::uint32_t least, bool longer) {
    constexpr std::uint32_t whole = sizeof(Record);
    if (longer) {
        return {whole + 64};
    }
    std::vector<std::uint32_t> found;
    for (const std::uint32_t size : {least, least + 8, whole / 16 * 8, whole - 8}) {
        if (size >= least && size < whole) {
            found.push_back(size);
        }
    }
    return found;
}

/* ---- the error record ---- */

void try_error_size(const device& dev, std::uint32_t size) {
    sized_storage<spoc_be_error> record(size);
    const void* found = nullptr;
    const std::int32_t status =
        dev.be.get_interface("spoc.conformance.nothing", 4, &found, record.get());
    require(status == SPOC_BE_UNSUPPORTED, "get_interface with an error record of ", size,
            " bytes answered ", status_text(status), " instead of UNSUPPORTED.");
    record.expect_kept("get_interface (its error record)");
    const spoc_be_error value = record.value();
    constexpr std::size_t to_status = offsetof(spoc_be_error, status) + sizeof value.status;
    require(size < to_status || value.status == SPOC_BE_UNSUPPORTED,
            "get_interface wrote the status ", status_text(value.status),
            " into an error record of ", size, " bytes.");
    if (size > offsetof(spoc_be_error, message)) {
        const std::size_t room =
            std::min(sizeof value.message, size - offsetof(spoc_be_error, message));
        require(strnlen(value.message, room) < room,
                "get_interface left a message without an end in an error record of ", size,
                " bytes.");
    }
}

void short_error(device& dev) {
    for (std::uint32_t size = sizeof(std::uint32_t); size < sizeof(spoc_be_error); ++size) {
        try_error_size(dev, size);
    }
}

void long_error(device& dev) { try_error_size(dev, sizeof(spoc_be_error) + 64); }

/* ---- answers ---- */

void try_report(device& dev, bool longer) {
    for (const std::uint32_t level : {SPOC_BE_PROBE_PASSIVE, SPOC_BE_PROBE_ENUMERATE}) {
        for (const std::uint32_t size : sizes<spoc_be_probe_report>(8, longer)) {
            sized_storage<spoc_be_probe_report> record(size);
            auto error = sized<spoc_be_error>();
            expect_status(SPOC_BE_OK,
                          dev.be.probe(dev.owner.services.table(), level, record.get(), &error),
                          "probe", error);
            record.expect_kept("probe");
            require(record.value().level == level, "probe at level ", level, " reported level ",
                    record.value().level, " in a report of ", size, " bytes.");
        }
    }
}

void try_device_info(device& dev, bool longer) {
    for (const std::uint32_t size : sizes<spoc_be_device_info>(8, longer)) {
        sized_storage<spoc_be_device_info> record(size);
        auto error = sized<spoc_be_error>();
        expect_status(SPOC_BE_OK, dev.be.device_info(dev.index, record.get(), &error),
                      "device_info", error);
        record.expect_kept("device_info");
        spoc_be_device_info got = record.value();
        got.size = dev.info.size;
        const std::size_t common = std::min<std::size_t>(size, sizeof got);
        expect_bytes(std::as_bytes(std::span(&dev.info, 1)).first(common),
                     std::as_bytes(std::span(&got, 1)).first(common),
                     text("device_info in a structure of ", size, " bytes"));
    }
}

void try_device_memory(device& dev, bool longer) {
    for (const std::uint32_t size : sizes<spoc_be_memory_info>(8, longer)) {
        sized_storage<spoc_be_memory_info> record(size);
        auto error = sized<spoc_be_error>();
        expect_status(SPOC_BE_OK, dev.be.device_memory(dev.handle, record.get(), &error),
                      "device_memory", error);
        record.expect_kept("device_memory");
    }
}

void try_buffer_result(device& dev, bool longer) {
    auto desc = sized<spoc_be_buffer_desc>();
    desc.bytes = 64;
    // The handle must have room.
    constexpr std::uint32_t least = offsetof(spoc_be_buffer_result, device_address);
    for (const std::uint32_t size : sizes<spoc_be_buffer_result>(least, longer)) {
        sized_storage<spoc_be_buffer_result> record(size);
        auto error = sized<spoc_be_error>();
        expect_status(SPOC_BE_OK, dev.be.buffer_create(dev.handle, &desc, record.get(), &error),
                      "buffer_create", error);
        record.expect_kept("buffer_create");
        require(record.value().buffer != nullptr, "buffer_create gave no buffer in a result of ",
                size, " bytes.");
        expect_status(SPOC_BE_OK, dev.be.buffer_destroy(record.value().buffer, &error),
                      "buffer_destroy", error);
    }
}

void try_hostmem_result(device& dev, bool longer) {
    dev.need(SPOC_BE_CAP_PINNED);
    auto desc = sized<spoc_be_hostmem_desc>();
    desc.bytes = 64;
    constexpr std::uint32_t least = offsetof(spoc_be_hostmem_result, host);
    for (const std::uint32_t size : sizes<spoc_be_hostmem_result>(least, longer)) {
        sized_storage<spoc_be_hostmem_result> record(size);
        auto error = sized<spoc_be_error>();
        expect_status(SPOC_BE_OK, dev.be.pinned_alloc(dev.handle, &desc, record.get(), &error),
                      "pinned_alloc", error);
        record.expect_kept("pinned_alloc");
        require(record.value().hostmem != nullptr, "pinned_alloc gave no handle in a result of ",
                size, " bytes.");
        expect_status(SPOC_BE_OK, dev.be.pinned_free(record.value().hostmem, &error), "pinned_free",
                      error);
    }
}

/// Holds two handles and nothing else, so that there is no shorter one.
void long_device_result(const subject& subject) {
    backend opened(subject);
    const auto desc = sized<spoc_be_device_desc>();
    sized_storage<spoc_be_device_result> record(sizeof(spoc_be_device_result) + 64);
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK,
                  opened.be.device_open(subject.device_index, &desc, record.get(), &error),
                  "device_open", error);
    record.expect_kept("device_open");
    expect_status(SPOC_BE_OK, opened.be.device_close(record.value().device, &error), "device_close",
                  error);
    opened.close();
}

/* ---- requests ---- */

/// A request of a newer host: `Request`, followed by fields that this plugin does not know, not
/// zero.
template <typename Request>
struct long_request {
    explicit long_request(const Request& known) : request(known) {
        std::memset(unknown, 0xA5, sizeof unknown);
        request.size = sizeof *this;
    }

    Request request;
    std::byte unknown[64];
};

void long_requests(device& dev) {
    auto error = sized<spoc_be_error>();
    auto buffer_desc = sized<spoc_be_buffer_desc>();
    buffer_desc.bytes = 64;
    const long_request wide_buffer(buffer_desc);
    auto made = sized<spoc_be_buffer_result>();
    expect_status(SPOC_BE_OK, dev.be.buffer_create(dev.handle, &wide_buffer.request, &made, &error),
                  "buffer_create", error);
    const long_request wide_stream(sized<spoc_be_stream_desc>());
    spoc_be_stream stream = nullptr;
    expect_status(SPOC_BE_OK,
                  dev.be.stream_create(dev.handle, &wide_stream.request, &stream, &error),
                  "stream_create", error);
    auto fill = sized<spoc_be_fill>();
    fill.flags = SPOC_BE_WAIT;
    fill.buffer = made.buffer;
    fill.bytes = 64;
    fill.pattern = 0x77;
    fill.pattern_size = 1;
    const long_request wide_fill(fill);
    std::uint32_t done = 0;
    expect_status(SPOC_BE_OK, dev.be.fill(stream, &wide_fill.request, &done, &error), "fill",
                  error);
    expect_bytes(byte_vector(64, std::byte{0x77}), dev.download(made.buffer, 0, 64),
                 "The buffer after a fill with a longer request");
    const spoc_be_buffer target = dev.buffer(64);
    const spoc_be_range range = between(made.buffer, 0, target, 0, 64);
    auto copy = sized<spoc_be_copy>();
    copy.kind = SPOC_BE_COPY_D2D;
    copy.flags = SPOC_BE_WAIT;
    copy.count = 1;
    copy.ranges = &range;
    const long_request wide_copy(copy);
    expect_status(SPOC_BE_OK, dev.be.copy(stream, &wide_copy.request, &done, &error), "copy",
                  error);
    expect_bytes(byte_vector(64, std::byte{0x77}), dev.download(target, 0, 64),
                 "The buffer after a copy with a longer request");
    expect_status(SPOC_BE_OK, dev.be.stream_destroy(stream, &error), "stream_destroy", error);
    expect_status(SPOC_BE_OK, dev.be.buffer_destroy(made.buffer, &error), "buffer_destroy", error);
}

void long_pinned_request(device& dev) {
    dev.need(SPOC_BE_CAP_PINNED);
    auto desc = sized<spoc_be_hostmem_desc>();
    desc.bytes = 64;
    const long_request wide(desc);
    auto made = sized<spoc_be_hostmem_result>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.pinned_alloc(dev.handle, &wide.request, &made, &error),
                  "pinned_alloc", error);
    expect_status(SPOC_BE_OK, dev.be.pinned_free(made.hostmem, &error), "pinned_free", error);
}

void long_device_request(const subject& subject) {
    backend opened(subject);
    const long_request wide(sized<spoc_be_device_desc>());
    auto made = sized<spoc_be_device_result>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK,
                  opened.be.device_open(subject.device_index, &wide.request, &made, &error),
                  "device_open", error);
    expect_status(SPOC_BE_OK, opened.be.device_close(made.device, &error), "device_close", error);
    opened.close();
}

}  // namespace

void add_record_cases(case_list& cases) {
    cases.push_back(on_device("record/short_error", short_error));
    cases.push_back(on_device("record/long_error", long_error));
    const struct {
        const char* name;
        void (*run)(device&, bool);
    } answers[] = {{"probe_report", try_report},
                   {"device_info", try_device_info},
                   {"memory_info", try_device_memory},
                   {"buffer_result", try_buffer_result},
                   {"hostmem_result", try_hostmem_result}};
    for (const auto& answer : answers) {
        for (const bool longer : {false, true}) {
            cases.push_back(
                on_device(text("record/", longer ? "long_" : "short_", answer.name),
                          [longer, run = answer.run](device& dev) { run(dev, longer); }));
        }
    }
    cases.push_back({.name = "record/long_device_result", .run = long_device_result});
    cases.push_back(on_device("record/long_requests", long_requests));
    cases.push_back(on_device("record/long_pinned_request", long_pinned_request));
    cases.push_back({.name = "record/long_device_request", .run = long_device_request});
}

}  // namespace spoc::conformance
