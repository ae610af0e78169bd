// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include <spoc/backend.h>

#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"

/// \file
/// Requests of a newer host: extensions, flags and kinds that the plugin does not know. It skips
/// what it may skip and refuses the rest, and a refusal has done nothing.

namespace spoc::conformance {
namespace {

/// Extension types and a flag that no version of the contract will give a meaning.
constexpr std::uint32_t unknown_type = 0x7FFFFF01;
constexpr std::uint32_t unknown_flag = std::uint32_t{1} << 30;
constexpr std::uint32_t unknown_kind = 0x7FFFFF01;

/// What is new about a request.
struct novelty {
    const spoc_be_ext* ext = nullptr;
    std::uint32_t flags = 0;
    std::uint32_t kind = 0;  ///< instead of the ordinary one; 0: ordinary
};

template <typename Request>
Request request_with(const novelty& novelty) {
    auto request = sized<Request>();
    request.flags = novelty.flags;
    request.ext = novelty.ext;
    return request;
}

/// An answer record full of marks.
template <typename Record>
Record marked() {
    Record record;
    std::memset(&record, 0x5A, sizeof record);
    record.size = sizeof record;
    return record;
}

template <typename Record>
void expect_marks(const Record& record, const char* entry) {
    const auto before = marked<Record>();
    require(std::memcmp(&record, &before, sizeof record) == 0, entry,
            " failed and wrote to its answer.");
}

template <typename Handle>
Handle marked_handle() {
    static char mark = 0;
    return reinterpret_cast<Handle>(&mark);
}

/// One entry that takes requests. Asks, checks that a failure left the outputs alone, ends what a
/// success made, and returns the status.
struct asker {
    const char* entry;
    std::int32_t (*ask)(device& dev, const novelty& novelty, spoc_be_error* error);
};

std::int32_t ask_buffer(device& dev, const novelty& novelty, spoc_be_error* error) {
    auto desc = request_with<spoc_be_buffer_desc>(novelty);
    desc.kind = novelty.kind;
    desc.bytes = 64;
    auto made = marked<spoc_be_buffer_result>();
    const std::int32_t status = dev.be.buffer_create(dev.handle, &desc, &made, error);
    if (status < 0) {
        expect_marks(made, "buffer_create");
        return status;
    }
    auto failed = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.buffer_destroy(made.buffer, &failed), "buffer_destroy",
                  failed);
    return status;
}

std::int32_t ask_pinned(device& dev, const novelty& novelty, spoc_be_error* error) {
    auto desc = request_with<spoc_be_hostmem_desc>(novelty);
    desc.bytes = 64;
    auto made = marked<spoc_be_hostmem_result>();
    const std::int32_t status = dev.be.pinned_alloc(dev.handle, &desc, &made, error);
    if (status < 0) {
        expect_marks(made, "pinned_alloc");
        return status;
    }
    auto failed = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.pinned_free(made.hostmem, &failed), "pinned_free", failed);
    return status;
}

std::int32_t ask_register(device& dev, const novelty& novelty, spoc_be_error* error) {
    constexpr std::size_t bytes = std::size_t{1} << 16;
    alignas(bytes) static std::byte range[bytes];
    auto desc = request_with<spoc_be_hostmem_desc>(novelty);
    desc.bytes = bytes;
    desc.host = range;
    auto made = marked<spoc_be_hostmem_result>();
    const std::int32_t status = dev.be.host_register(dev.handle, &desc, &made, error);
    if (status < 0) {
        expect_marks(made, "host_register");
        return status;
    }
    auto failed = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.host_unregister(made.hostmem, &failed), "host_unregister",
                  failed);
    return status;
}

std::int32_t ask_stream(device& dev, const novelty& novelty, spoc_be_error* error) {
    const auto desc = request_with<spoc_be_stream_desc>(novelty);
    auto made = marked_handle<spoc_be_stream>();
    const std::int32_t status = dev.be.stream_create(dev.handle, &desc, &made, error);
    if (status < 0) {
        require(made == marked_handle<spoc_be_stream>(),
                "stream_create failed and wrote to its answer.");
        return status;
    }
    auto failed = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.stream_destroy(made, &failed), "stream_destroy", failed);
    return status;
}

/// Whether `status` says that the call was done, or else the buffer must be as before.
void expect_effect(device& dev, std::int32_t status, spoc_be_buffer buffer,
                   const byte_vector& before, const byte_vector& after, const char* entry) {
    dev.sync(dev.default_stream);
    expect_bytes(status < 0 ? before : after, dev.download(buffer, 0, before.size()),
                 text("The buffer after ", entry, " answered ", status_text(status)));
}

/// The entry sets it to DONE_ALL first. On error less than that means that a part is in flight: a
/// refusal has started none.
void expect_nothing_in_flight(std::int32_t status, std::uint32_t done, const char* entry) {
    require(status >= 0 || done == SPOC_BE_DONE_ALL, entry, " refused its request and says done ",
            done, ", as if a part of it were in flight.");
}

std::int32_t ask_copy(device& dev, const novelty& novelty, spoc_be_error* error) {
    const byte_vector before = pattern(64, 1);
    const byte_vector sent = pattern(64, 2);
    const spoc_be_buffer source = dev.buffer(sent);
    const spoc_be_buffer target = dev.buffer(before);
    const spoc_be_range range = between(source, 0, target, 0, 64);
    auto request = request_with<spoc_be_copy>(novelty);
    request.kind = novelty.kind == 0 ? SPOC_BE_COPY_D2D : novelty.kind;
    request.count = 1;
    request.ranges = &range;
    std::uint32_t done = SPOC_BE_DONE_NOTHING;
    const std::int32_t status = dev.be.copy(dev.default_stream, &request, &done, error);
    expect_nothing_in_flight(status, done, "copy");
    expect_effect(dev, status, target, before, sent, "copy");
    return status;
}

std::int32_t ask_fill(device& dev, const novelty& novelty, spoc_be_error* error) {
    const byte_vector before = pattern(64, 1);
    const spoc_be_buffer target = dev.buffer(before);
    auto request = request_with<spoc_be_fill>(novelty);
    request.buffer = target;
    request.bytes = 64;
    request.pattern = 0x5A;
    request.pattern_size = 1;
    std::uint32_t done = SPOC_BE_DONE_NOTHING;
    const std::int32_t status = dev.be.fill(dev.default_stream, &request, &done, error);
    expect_nothing_in_flight(status, done, "fill");
    expect_effect(dev, status, target, before, byte_vector(64, std::byte{0x5A}), "fill");
    return status;
}

constexpr std::array askers{asker{"buffer_create", ask_buffer},
                            asker{"pinned_alloc", ask_pinned},
                            asker{"host_register", ask_register},
                            asker{"stream_create", ask_stream},
                            asker{"copy", ask_copy},
                            asker{"fill", ask_fill}};

/// Skips the case where the device does not offer the entry.
void need_entry(const device& dev, const asker& of) {
    if (of.ask == ask_pinned) {
        dev.need(SPOC_BE_CAP_PINNED);
    }
    if (of.ask == ask_register) {
        dev.need_registration();
    }
}

void optional_extension(device& dev, const asker& of) {
    need_entry(dev, of);
    const spoc_be_ext second{unknown_type + 1, sizeof second, nullptr};
    const spoc_be_ext first{unknown_type, sizeof first, &second};
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, of.ask(dev, {.ext = &first}, &error), of.entry, error);
}

/// Asks with a required extension as the only, the first, and the last link of the chain.
template <typename Ask>
void expect_refused_extension(const char* entry, Ask&& ask) {
    constexpr std::uint32_t required = unknown_type | SPOC_BE_EXT_REQUIRED;
    const spoc_be_ext only{required, sizeof only, nullptr};
    const spoc_be_ext optional{unknown_type, sizeof optional, nullptr};
    const spoc_be_ext first{required, sizeof first, &optional};
    const spoc_be_ext last{unknown_type, sizeof last, &only};
    for (const spoc_be_ext* chain : {&only, &first, &last}) {
        auto error = sized<spoc_be_error>();
        expect_status(SPOC_BE_EXTENSION, ask(chain, &error), entry, error);
    }
    const std::int32_t silent = ask(&only, nullptr);
    require(silent == SPOC_BE_EXTENSION, entry, " without an error record answered ",
            status_text(silent), " instead of EXTENSION.");
}

void required_extension(device& dev, const asker& of) {
    need_entry(dev, of);
    expect_refused_extension(of.entry, [&](const spoc_be_ext* ext, spoc_be_error* error) {
        return of.ask(dev, {.ext = ext}, error);
    });
}

void flag_that_is_not_known(device& dev, const asker& of) {
    need_entry(dev, of);
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_UNSUPPORTED, of.ask(dev, {.flags = unknown_flag}, &error), of.entry,
                  error);
    const std::int32_t silent = of.ask(dev, {.flags = unknown_flag}, nullptr);
    require(silent == SPOC_BE_UNSUPPORTED, of.entry, " without an error record answered ",
            status_text(silent), " instead of UNSUPPORTED.");
}

void kind_that_is_not_known(device& dev, const asker& of) {
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_UNSUPPORTED, of.ask(dev, {.kind = unknown_kind}, &error), of.entry,
                  error);
}

void event_flag_that_is_not_known(device& dev) {
    auto made = marked_handle<spoc_be_event>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_UNSUPPORTED, dev.be.event_create(dev.handle, unknown_flag, &made, &error),
                  "event_create", error);
    require(made == marked_handle<spoc_be_event>(), "event_create failed and wrote to its answer.");
}

/* ---- open and device_open, which come before there is a device ---- */

std::int32_t ask_device(backend& opened, std::uint32_t index, const novelty& novelty,
                        spoc_be_error* error) {
    const auto desc = request_with<spoc_be_device_desc>(novelty);
    auto made = marked<spoc_be_device_result>();
    const std::int32_t status = opened.be.device_open(index, &desc, &made, error);
    if (status < 0) {
        expect_marks(made, "device_open");
        return status;
    }
    auto failed = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, opened.be.device_close(made.device, &failed), "device_close", failed);
    return status;
}

void device_open_optional_extension(const subject& subject) {
    backend opened(subject);
    const spoc_be_ext ext{unknown_type, sizeof ext, nullptr};
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, ask_device(opened, subject.device_index, {.ext = &ext}, &error),
                  "device_open", error);
    opened.close();
}

void device_open_required_extension(const subject& subject) {
    backend opened(subject);
    expect_refused_extension("device_open", [&](const spoc_be_ext* ext, spoc_be_error* error) {
        return ask_device(opened, subject.device_index, {.ext = ext}, error);
    });
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, ask_device(opened, subject.device_index, {}, &error),
                  "device_open after a refusal", error);
    opened.close();
}

void device_open_unknown_flag(const subject& subject) {
    backend opened(subject);
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_UNSUPPORTED,
                  ask_device(opened, subject.device_index, {.flags = unknown_flag}, &error),
                  "device_open", error);
    opened.close();
}

/// `open` is idempotent, so that an open backend can be asked.
void open_optional_extension(const subject& subject) {
    backend opened(subject);
    const spoc_be_ext ext{unknown_type, sizeof ext, nullptr};
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, opened.be.open(opened.services.table(), &ext, &error), "open", error);
    opened.close();
}

void open_required_extension(const subject& subject) {
    backend opened(subject);
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, opened.be.close(&error), "close", error);
    expect_refused_extension("open", [&](const spoc_be_ext* ext, spoc_be_error* record) {
        return opened.be.open(opened.services.table(), ext, record);
    });
    expect_status(SPOC_BE_OK, opened.be.close(&error), "close after a refused open", error);
    auto report = sized<spoc_be_probe_report>();
    expect_status(
        SPOC_BE_OK,
        opened.be.probe(opened.services.table(), SPOC_BE_PROBE_ENUMERATE, &report, &error), "probe",
        error);
    expect_status(SPOC_BE_OK, opened.be.open(opened.services.table(), nullptr, &error),
                  "open after a refusal", error);
    require(opened.device_count() > subject.device_index, "After a refused open the backend has ",
            opened.device_count(), " devices.");
    opened.close();
}

}  // namespace

void add_request_cases(case_list& cases) {
    cases.push_back({.name = "request/open_optional_extension", .run = open_optional_extension});
    cases.push_back({.name = "request/open_required_extension", .run = open_required_extension});
    cases.push_back(
        {.name = "request/device_open_optional_extension", .run = device_open_optional_extension});
    cases.push_back(
        {.name = "request/device_open_required_extension", .run = device_open_required_extension});
    cases.push_back({.name = "request/device_open_unknown_flag", .run = device_open_unknown_flag});
    const struct {
        const char* name;
        void (*run)(device&, const asker&);
    } novelties[] = {{"_optional_extension", optional_extension},
                     {"_required_extension", required_extension},
                     {"_unknown_flag", flag_that_is_not_known}};
    for (const asker& of : askers) {
        for (const auto& what : novelties) {
            cases.push_back(on_device(text("request/", of.entry, what.name),
                                      [of, run = what.run](device& dev) { run(dev, of); }));
        }
        if (of.ask == ask_buffer || of.ask == ask_copy) {
            cases.push_back(on_device(text("request/", of.entry, "_unknown_kind"),
                                      [of](device& dev) { kind_that_is_not_known(dev, of); }));
        }
    }
    cases.push_back(on_device("request/event_create_unknown_flag", event_flag_that_is_not_known));
}

}  // namespace spoc::conformance
