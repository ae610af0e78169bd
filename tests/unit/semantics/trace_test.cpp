// SPDX-License-Identifier: Apache-2.0

/// \file
/// What `SPOC_TRACE` tells of work whose completion a test decides about.

#include <optional>
#include <string>
#include <vector>

#include "semantics_fixture.hpp"
#include "support/trace_document.hpp"

namespace spoc::test {
namespace {

/// The trace of a runtime is read after its end.
struct traced_device {
    traced_device() { runtime.variables.set("SPOC_TRACE", path); }
    traced_device(const traced_device&) = delete;
    traced_device& operator=(const traced_device&) = delete;
    ~traced_device() {
        // Without the variable the next start ends the trace.
        runtime.variables.unset("SPOC_TRACE");
        spoc_init(nullptr, nullptr);
        spoc_shutdown(nullptr);
    }

    trace_document end() {
        runtime.stop();
        return trace_document(path);
    }

    temporary_folder folder;
    std::string path = (folder.path() / "trace.json").string();
    recorded_runtime runtime;
    recording& mock = runtime.mock;
};

void mark(const char* name) { const trace_span span(name); }

}  // namespace

TEST_CASE_METHOD(traced_device, "Enqueued work is a span until it is proved complete", "[trace]") {
    const device dev(runtime.start());
    {
        const stream on(dev);
        const buffer target(dev, 64);
        const auto data = bytes(64);
        mock.hold();
        mark("before");
        copy_to_device(on, std::span(data).first(48), target);
        mark("enqueued");
        mock.release();
        mark("complete");
        CHECK(on.idle());
        mark("proved");
    }
    const trace_document found = end();
    REQUIRE(found.count("b", "copy H2D") == 1);
    const auto begun = found.of("b", "copy H2D").at(0);
    CHECK(begun["args"]["bytes"] == 48);
    CHECK(begun["args"]["device"] == "mock:0");
    CHECK(begun["args"]["stream"].get<int>() > 0);
    CHECK(found.time("B", "before") <= found.time("b", "copy H2D"));
    CHECK(found.time("b", "copy H2D") <= found.time("B", "enqueued"));
    CHECK(found.time("B", "complete") <= found.time("e", "copy H2D"));
    CHECK(found.time("e", "copy H2D") <= found.time("B", "proved"));
}

TEST_CASE_METHOD(traced_device, "Each kind of work has its name, and the ledger is counted",
                 "[trace]") {
    mock.set_devices(2);
    const device dev(runtime.start());
    {
        const device other(runtime.device(1));
        const stream on(dev);
        const buffer source(dev, 64);
        const buffer target(dev, 64);
        const buffer far(other, 64);
        auto data = bytes(64);
        mock.hold();
        copy_to_device(on, data, source);
        copy_on_device(on, source, 0, target, 0, 32);
        fill(on, target, 0, 16, std::uint8_t{1});
        copy_on_device(on, far, 0, target, 0, 8);
        copy_to_host(on, target, 0, std::span(data).first(4));
        mock.release();
        on.synchronize();
    }
    const trace_document found = end();
    const std::vector<std::pair<const char*, int>> wanted = {
        {"copy H2D", 64}, {"copy D2D", 32}, {"fill", 16}, {"copy peer", 8}, {"copy D2H", 4}};
    for (const auto& [name, size] : wanted) {
        CAPTURE(name);
        REQUIRE(found.count("b", name) == 1);
        CHECK(found.count("e", name) == 1);
        CHECK(found.of("b", name).at(0)["args"]["bytes"] == size);
    }
    std::vector<int> entries;
    for (const auto& event : found.of("C", "ledger entries")) {
        entries.push_back(event["args"]["entries"]);
    }
    CHECK(entries == std::vector{1, 2, 3, 4, 5, 4, 3, 2, 1, 0});
}

TEST_CASE_METHOD(traced_device, "What each device holds is counted", "[trace]") {
    mock.set_devices(2);
    const device dev(runtime.start());
    {
        const device other(runtime.device(1));
        const buffer some(dev, 64);
        std::optional<buffer> more(std::in_place, dev, 100);
        const buffer far(other, 5);
        more->free();
        mock.fail("buffer_create", SPOC_BE_DRIVER);
        CHECK(thrown([&] { const buffer none(dev, 7); }) == "backend_error driver");
    }
    const trace_document found = end();
    std::vector<int> here;
    std::vector<int> there;
    for (const auto& event : found.of("C", "device bytes")) {
        REQUIRE(event["args"].size() == 1);
        const bool first = event["args"].contains("mock:0");
        (first ? here : there).push_back(event["args"][first ? "mock:0" : "mock:1"]);
    }
    CHECK(here == std::vector{64, 164, 64, 0});
    CHECK(there == std::vector{5, 0});
}

TEST_CASE_METHOD(traced_device, "Work that is complete on return, or refused, ends with its call",
                 "[trace]") {
    const device dev(runtime.start());
    {
        const buffer target(dev, 64);
        const auto data = bytes(64);
        copy_to_device(data, target);
        mark("copied");
        mock.fail("fill");
        CHECK(thrown([&] { fill(target, 0, 64, std::uint8_t{1}); }) == "backend_error copy_failed");
        mark("refused");
    }
    const trace_document found = end();
    CHECK(found.time("e", "copy H2D") <= found.time("B", "copied"));
    CHECK(found.time("e", "copy H2D") >= found.time("b", "copy H2D"));
    CHECK(found.time("e", "fill") <= found.time("B", "refused"));
    CHECK(found.time("e", "fill") >= found.time("B", "copied"));
    CHECK(found.of("X", "spoc_fill").at(0)["args"]["status"] == "backend_error");
    CHECK_FALSE(found.of("X", "spoc_copy_to_device").at(0).contains("args"));
}

TEST_CASE_METHOD(traced_device, "Every function is a call in the trace, those that end objects too",
                 "[trace]") {
    const device dev(runtime.start());
    {
        const stream on(dev);
        event marked(dev);
        marked.record(on);
        marked.synchronize();
        const pinned_buffer<std::byte> memory(dev, 64);
        const vector<float> numbers(4);
    }
    const trace_document found = end();
    for (const char* name :
         {"spoc_init", "spoc_shutdown", "spoc_device_get", "spoc_stream_create",
          "spoc_stream_destroy", "spoc_event_create", "spoc_event_record", "spoc_event_synchronize",
          "spoc_event_destroy", "spoc_host_memory_allocate", "spoc_host_memory_destroy",
          "spoc_vector_create", "spoc_vector_destroy"}) {
        CAPTURE(name);
        REQUIRE(found.count("X", name) >= 1);
        CHECK(found.of("X", name).at(0)["dur"].get<double>() >= 0);
    }
}

}  // namespace spoc::test
