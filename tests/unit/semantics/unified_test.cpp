// SPDX-License-Identifier: Apache-2.0

/// \file
/// Vectors in memory that the host and a device both address.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vector_fixture.hpp"

namespace spoc::test {
namespace {

using shared_vector = unified_vector<std::int32_t>;

/// Device d has unified memory, device e has not.
class unified_devices : public two_devices {
 public:
    explicit unified_devices(bool concurrent) {
        mock.gate.describe(0, SPOC_BE_KIND_INTEGRATED);
        mock.set_capability(SPOC_BE_CAP_UNIFIED_CONCURRENT,
                            concurrent ? SPOC_MOCK_YES : SPOC_MOCK_NO);
        begin();
    }

    std::optional<shared_vector> make() {
        std::optional<shared_vector> made(std::in_place, *d, elements);
        const std::vector<std::int32_t> first = numbers(1);
        {
            const host_writer<std::int32_t> writer = made->overwrite();
            std::copy(first.begin(), first.end(), writer.span().begin());
        }
        mock.forget();
        return made;
    }

    std::vector<std::uint32_t> accesses() const {
        std::vector<std::uint32_t> found;
        for (const spoc_mock_call& call : mock.calls("buffer_host_access")) {
            found.push_back(call.kind);
        }
        return found;
    }
};

/// The host may touch the memory while kernels run.
class fixture : public unified_devices {
 public:
    fixture() : unified_devices(true) {}
};

/// It may not, and says when it does.
class guarded_fixture : public unified_devices {
 public:
    guarded_fixture() : unified_devices(false) {}
};

}  // namespace

TEST_CASE_METHOD(fixture, "Unified memory is there or refused", "[R-001][U-1][U-2]") {
    CHECK(unified_available(*d));
    CHECK_FALSE(unified_available(*e));
    CHECK(thrown([&] { const shared_vector made(*e, elements); }) == "feature_not_supported none");
    CHECK(thrown([&] { const shared_vector made(*e, 0); }) == "invalid_argument length");
    CHECK(thrown([&] { const shared_vector made(*e, UINT64_MAX / 2); }) ==
          "invalid_argument length");
    CHECK(thrown([&] { const shared_vector made(*e, 1, 2); }) == "invalid_argument value");
    CHECK(mock.records().empty());
    const shared_vector made(*d, elements);
    CHECK(made.link(*d) == SPOC_LINK_UNIFIED);
    CHECK(place(made) == "both d");
    CHECK(mock.calls("buffer_create")[0].kind == SPOC_BE_BUFFER_UNIFIED);
}

TEST_CASE_METHOD(fixture,
                 "Whatever happens on its device, nothing is moved and both are up to date",
                 "[U-3][U-6]") {
    auto v = make();
    const std::function<void(shared_vector&)> operations[] = {
        [&](auto& one) { one.to_device(*d); }, [](auto& one) { one.to_host(); },
        [](auto& one) { one.to_host(true); },  [](auto& one) { one.sync(); },
        [](auto& one) { one.at(1); },          [](auto& one) { one.set(1, 5); },
        [](auto& one) { one.fill(4); }};
    for (const auto& operation : operations) {
        operation(*v);
        CHECK(place(*v) == "both d");
    }
    CHECK(mock.records().empty());
    v->write_range(2, std::vector<std::int32_t>{9});
    CHECK(place(*v) == "both d");
    CHECK(v->at(2) == 9);
    v->set(3, 8);
    std::vector<std::int32_t> got(4);
    v->read_range(0, got);
    CHECK(got == std::vector<std::int32_t>{4, 4, 9, 8});
}

TEST_CASE_METHOD(fixture, "Elsewhere it is copied as any vector is", "[U-3]") {
    auto v = make();
    v->to_device(*e);
    CHECK(place(*v) == "both e");
    CHECK(copies(SPOC_BE_COPY_H2D) == 1);
    v->write_range(0, numbers(6));
    CHECK(place(*v) == "stale_host e");
    v->to_device(*d);
    CHECK(copies(SPOC_BE_COPY_D2H) == 1);
    CHECK(place(*v) == "both d");
    std::vector<std::int32_t> got(elements);
    v->read_range(0, got);
    CHECK(got == numbers(6));
}

TEST_CASE_METHOD(fixture, "Host access waits for the streams that use the vector", "[U-4]") {
    auto v = make();
    auto other = make();
    const stream uses(*d, SPOC_STREAM_NON_BLOCKING);
    const stream unrelated(*d, SPOC_STREAM_NON_BLOCKING);
    const std::vector<std::int32_t> data = numbers(9);
    const std::vector<std::int32_t> other_data = numbers(1);
    mock.hold();
    v->write_range(uses, 0, data);
    other->write_range(unrelated, 0, data);
    CHECK(v->at(2) == data[2]);
    CHECK(mock.pending() == 1);
    CHECK(mock.count("buffer_host_access") == 0);
    v->write_range(uses, 0, other_data);
    v->fill(3);
    CHECK(mock.pending() == 1);
    CHECK(v->at(0) == 3);
    mock.release();
    unrelated.synchronize();
}

TEST_CASE_METHOD(guarded_fixture, "Where kernels forbid host access it waits for the whole device",
                 "[U-4]") {
    auto v = make();
    auto other = make();
    const stream unrelated(*d, SPOC_STREAM_NON_BLOCKING);
    const std::vector<std::int32_t> data = numbers(9);
    for (const bool write : {false, true}) {
        mock.hold();
        other->write_range(unrelated, 0, data);
        mock.forget();
        if (write) {
            v->set(0, 1);
        } else {
            v->at(0);
        }
        CHECK(mock.pending() == 0);
        mock.hold(false);
    }
}

TEST_CASE_METHOD(guarded_fixture, "Where kernels forbid host access it is announced", "[U-4]") {
    using list = std::vector<std::uint32_t>;
    auto v = make();
    v->at(0);
    CHECK(accesses() == list{SPOC_BE_HOST_ACQUIRE});
    mock.forget();
    v->fill(1);
    CHECK(accesses() == list{SPOC_BE_HOST_BEGIN_WRITE, SPOC_BE_HOST_END_WRITE});
    mock.forget();
    v->to_device(*e);
    CHECK(accesses() == list{SPOC_BE_HOST_ACQUIRE});
    v->write_range(0, numbers(6));
    mock.forget();
    CHECK(v->at(1) == 601);
    CHECK(accesses() ==
          list{SPOC_BE_HOST_BEGIN_WRITE, SPOC_BE_HOST_END_WRITE, SPOC_BE_HOST_ACQUIRE});
    CHECK(place(*v) == "both e");
    vector<std::int32_t> left = v->view(0, 2);
    vector<std::int32_t> right = v->view(2, 2);
    {
        const host_writer<std::int32_t> writer = left.write();
        CHECK(thrown([&] { right.write(); }) == "invalid_argument busy");
        right.to_device(*e);
        CHECK(thrown([&] { right.write(); }) == "invalid_argument busy");
        mock.forget();
    }
    CHECK(accesses() == list{SPOC_BE_HOST_END_WRITE});
    right.set(0, 1);
}

TEST_CASE_METHOD(guarded_fixture, "A host access that is refused leaves the vector usable",
                 "[R-003][U-4]") {
    auto v = make();
    mock.fail("buffer_host_access");
    CHECK(thrown([&] { v->write(); }) == "backend_error copy_failed");
    CHECK(place(*v) == "both d");
    CHECK(v->at(0) == 100);
    v->set(0, 2);
    CHECK(v->at(0) == 2);
}

TEST_CASE_METHOD(fixture, "Freed, a vector lives on in ordinary memory", "[U-6]") {
    for (const bool all : {false, true}) {
        auto v = make();
        const void* const before = v->host_unsynced().data();
        const vector<std::int32_t> view = v->view(0, 2);
        CHECK(thrown([&] { v->free_buffer(*d); }) == "invalid_argument busy");
        CHECK(thrown([&] { v->free_all_buffers(); }) == "invalid_argument busy");
        { auto gone = std::move(const_cast<vector<std::int32_t>&>(view)); }
        const stream on(*d);
        const std::vector<std::int32_t> data = numbers(7);
        mock.hold();
        v->write_range(on, 0, data);
        CHECK(thrown([&] { v->free_buffer(*d); }) == "invalid_argument busy");
        mock.hold(false);
        on.synchronize();
        if (all) {
            v->free_all_buffers();
        } else {
            v->free_buffer(*d);
        }
        CHECK(place(*v) == "host");
        CHECK(v->link(*d) == SPOC_LINK_NONE);
        CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
        CHECK(v->host_unsynced().data() != before);
        CHECK(copy_of(v->read()) == data);
        v->to_device(*d);
        CHECK(v->link(*d) == SPOC_LINK_SEPARATE);
    }
}

TEST_CASE("More unified memory than the device has free is refused unless asked for", "[U-7]") {
    two_devices on;
    on.mock.gate.describe(0, SPOC_BE_KIND_INTEGRATED);
    on.mock.device(0).memory_total = 1024;
    on.begin();
    const shared_vector some(*on.d, 128);
    on.mock.forget();
    CHECK(thrown([&] { const shared_vector made(*on.d, 129); }) == "backend_error oom");
    CHECK(on.mock.count("buffer_create") == 0);
    CHECK(thrown([&] { const shared_vector made(*on.d, 129, SPOC_UNIFIED_OVERSUBSCRIBE); }) ==
          "backend_error oom");
    // The plugin of the tests has no more than it says, but it was asked.
    CHECK(on.mock.count("buffer_create") == 2);
    const shared_vector fits(*on.d, 128);
}

TEST_CASE_METHOD(fixture, "In use, unified memory outlives its vector", "[R-225][U-2]") {
    const stream on(*d);
    const std::vector<std::int32_t> data = numbers(9);
    auto v = make();
    mock.hold();
    mock.on_wait(SPOC_MOCK_WAIT_FAIL);
    v->write_range(on, 0, data);
    v.reset();
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 1);
    mock.release();
    on.synchronize();
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == 0);
}

TEST_CASE_METHOD(fixture, "After a shutdown the memory is gone, and nobody touches it", "[U-2]") {
    auto v = make();
    const vector<std::int32_t> view = v->view(0, 2);
    runtime.stop();
    const std::string gone = "unavailable shut_down";
    CHECK(thrown([&] { v->read(); }) == gone);
    CHECK(thrown([&] { v->fill(1); }) == gone);
    CHECK(thrown([&] { v->host_unsynced(); }) == gone);
    CHECK(thrown([&] { view.read(); }) == gone);
    CHECK(thrown([&] { v->to_device(*e); }) == gone);
}

}  // namespace spoc::test
