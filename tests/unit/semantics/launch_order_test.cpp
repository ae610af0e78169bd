// SPDX-License-Identifier: Apache-2.0

/// \file
/// Launches: in which order they run, what they keep, and what they leave when they fail.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "allocations.hpp"
#include "launch_fixture.hpp"

namespace spoc::test {
namespace {

class fixture : public launching {
 public:
    fixture() { begin_launching(); }
};

}  // namespace

/* ---- Order ---- */

TEST_CASE_METHOD(fixture, "A launch without a stream waits for streams that use its vectors",
                 "[R-530][R-531]") {
    const kernel add = get("add");
    const stream on(*d, SPOC_STREAM_NON_BLOCKING);
    const stream beside(*d, SPOC_STREAM_NON_BLOCKING);
    placed_vector v(*this, "both d");
    placed_vector other(*this, "both d");
    mock.hold();
    launch(add, one_each, on, inout(v.v), 1);
    launch(add, one_each, beside, inout(other.v), 1);
    mock.forget();
    launch(add, one_each, inout(v.v), 1);
    CHECK(mock.count("stream_sync") == 1);
    CHECK(mock.pending(mock.calls("stream_sync").front().stream) == 0);
    launch(add, one_each, on, inout(v.v), 1);
    CHECK(mock.count("stream_sync") == 1);
    let_go();
}

TEST_CASE_METHOD(fixture, "A launch on a stream sees what was brought over for it", "[R-901]") {
    const kernel add = get("add");
    const stream on(*d, SPOC_STREAM_NON_BLOCKING);
    placed_vector v(*this, "host");
    mock.hold();
    launch(add, one_each, on, inout(v.v), 1);
    CHECK(mock.calls("copy").back().flags == SPOC_BE_WAIT);
    CHECK(mock.calls("launch").back().stream != mock.calls("copy").back().stream);
    CHECK(copy_of(v.v.read()) == plus(v.fresh, 1));
}

TEST_CASE_METHOD(fixture, "Launches on streams are ordered by events", "[R-522][R-901]") {
    const kernel add = get("add");
    const stream first(*d, SPOC_STREAM_NON_BLOCKING);
    const stream second(*d, SPOC_STREAM_NON_BLOCKING);
    placed_vector v(*this, "both d");
    event written(*d);
    hold();
    launch(add, one_each, first, inout(v.v), 1);
    written.record(first);
    wait(second, written);
    launch(add, one_each, second, inout(v.v), 10);
    CHECK(mock.release(SPOC_BE_FOREVER, mock.calls("launch").back().stream) == 0);
    let_go();
    CHECK(copy_of(v.v.read()) == plus(v.fresh, 11));
}

/* ---- What is kept ---- */

TEST_CASE_METHOD(fixture, "Work on a stream keeps what it uses, when every handle has ended",
                 "[R-510][R-514]") {
    const stream on(*d);
    auto v = std::make_unique<vector<std::int32_t>>(elements);
    auto raw = std::make_unique<buffer>(*d, elements * 4);
    auto sum = std::make_unique<kernel>(get("sum"));
    v->fill(1);
    v->to_device(*d);
    hold();
    mock.forget();
    launch(*sum, one_each, on, in(*v), in(*v), out(*raw));
    v.reset();
    raw.reset();
    sum.reset();
    CHECK(mock.count("buffer_destroy") == 0);
    CHECK(mock.count("kernel_destroy") == 0);
    let_go();
    on.synchronize();
    CHECK(mock.count("buffer_destroy") == 2);
    CHECK(mock.count("kernel_destroy") == 1);
}

TEST_CASE_METHOD(fixture, "More than a few memories are kept too", "[R-510]") {
    const stream on(*d);
    const kernel sixteen = get("sixteen");
    std::vector<buffer> all;
    std::vector<spoc_argument> arguments(16);
    for (std::uint32_t i = 0; i < 16; ++i) {
        all.emplace_back(*d, 4);
        arguments[i].index = i;
        arguments[i].kind = SPOC_ARGUMENT_BUFFER;
        arguments[i].buffer = all.back().get();
    }
    const spoc_launch_options options = detail::options_of({}, arguments);
    const spoc_launch_options* const given = &options;
    hold();
    CHECK(told(spoc_launch, sixteen.get(), given, on.get()) == "ok");
    mock.forget();
    for (buffer& one : all) {
        CHECK(thrown([&] { one.free(); }) == "invalid_argument busy");
    }
    all.clear();
    CHECK(mock.count("buffer_destroy") == 0);
    let_go();
    on.synchronize();
    CHECK(mock.count("buffer_destroy") == 16);
}

TEST_CASE_METHOD(fixture, "Freeing is refused while a stream's launch uses the memory", "[R-513]") {
    const stream on(*d);
    const kernel add = get("add");
    placed_vector v(*this, "both d");
    hold();
    launch(add, one_each, on, inout(v.v), 1);
    CHECK(thrown([&] { v.v.free_buffer(*d); }) == "invalid_argument busy");
    CHECK(thrown([&] { v.v.free_all_buffers(); }) == "invalid_argument busy");
    let_go();
    on.synchronize();
    CHECK(thrown([&] { v.v.free_buffer(*d); }) == "ok");
    CHECK(copy_of(v.v.read()) == plus(v.fresh, 1));
}

TEST_CASE_METHOD(fixture, "After a launch without a stream memory can be freed", "[R-513]") {
    mock.set(SPOC_MOCK_KEEPS_BUFFERS, 1);
    const kernel add = get("add");
    placed_vector v(*this, "both d");
    placed_vector other(*this, "both d");
    mock.hold();
    launch(add, one_each, inout(v.v), 1);
    launch(add, one_each, in(other.v), 0);
    CHECK(thrown([&] { other.v.free_buffer(*d); }) == "ok");
    CHECK(thrown([&] { v.v.free_buffer(*d); }) == "ok");
    CHECK(copy_of(v.v.read()) == plus(v.fresh, 1));
}

TEST_CASE_METHOD(fixture, "What a launch needs is noted before the driver is called",
                 "[R-512][H-03]") {
    struct during {
        const buffer* memory;
        std::string answer;
    };
    const stream on(*d);
    const kernel add = get("add");
    buffer data(*d, elements * 4);
    during seen{&data, ""};
    mock.gate.set_hook(
        [](void* place, std::uint32_t entry) {
            auto& found = *static_cast<during*>(place);
            if (entry == spoc_mock_entry_launch) {
                found.answer = told(spoc_buffer_free, found.memory->get());
            }
        },
        &seen);
    hold();
    launch(add, one_each, on, inout(data), 1);
    CHECK(seen.answer == "invalid_argument busy");
    let_go();
    on.synchronize();
    // And forgotten when the call fails.
    mock.fail("launch");
    CHECK(thrown([&] { launch(add, one_each, on, inout(data), 1); }) ==
          "backend_error launch_failed");
    mock.gate.set_hook(nullptr, nullptr);
    CHECK(thrown([&] { data.free(); }) == "ok");
}

TEST_CASE_METHOD(fixture, "Scalars are those of the moment of the call", "[R-514]") {
    const kernel add = get("add");
    const stream on(*d);
    placed_vector v(*this, "both d");
    mock.hold();
    std::int32_t expected = 0;
    {
        std::int32_t amount = 0;
        for (std::int32_t i = 1; i <= 100; ++i) {
            amount = i;
            expected += i;
            launch(add, one_each, on, inout(v.v), amount);
            amount = -1;
        }
    }
    let_go();
    on.synchronize();
    CHECK(copy_of(v.v.read()) == plus(v.fresh, expected));
}

TEST_CASE_METHOD(fixture, "A launch takes no memory on its way to the plugin", "[R-901]") {
    const stream on(*d);
    const kernel sixteen = get("sixteen");
    std::vector<vector<std::int32_t>> all;
    std::vector<spoc_argument> arguments(16);
    for (std::uint32_t i = 0; i < 16; ++i) {
        all.emplace_back(4);
        all.back().to_device(*d);
        arguments[i].index = i;
        arguments[i].kind = SPOC_ARGUMENT_VECTOR;
        arguments[i].vector = all.back().get();
    }
    const spoc_launch_options options = detail::options_of({}, arguments);
    std::uint64_t at_entry = 0;
    mock.gate.set_hook(
        [](void* place, std::uint32_t) { *static_cast<std::uint64_t*>(place) = allocations(); },
        &at_entry);
    hold();
    for (const spoc_stream where : {on.get(), spoc_stream{}}) {
        REQUIRE(spoc_launch(sixteen.get(), &options, where, nullptr) == SPOC_OK);
        const std::uint64_t before = allocations();
        REQUIRE(spoc_launch(sixteen.get(), &options, where, nullptr) == SPOC_OK);
        CHECK(at_entry == before);
        mock.release();
        mock.on_wait(SPOC_MOCK_WAIT_RUN);
        on.synchronize();
        hold();
    }
    mock.gate.set_hook(nullptr, nullptr);
    let_go();
}

TEST_CASE_METHOD(fixture, "One kernel is launched by several threads at once", "[R-541][R-901]") {
    const kernel add = get("add");
    std::vector<std::thread> all;
    std::vector<std::int32_t> sums(4);
    all.reserve(sums.size());
    for (std::int32_t& sum : sums) {
        all.emplace_back([&] {
            const kernel own = get("add");
            const stream on(*d);
            vector<std::int32_t> v(elements);
            v.fill(0);
            for (int i = 0; i < 100; ++i) {
                launch(add, one_each, on, inout(v), 1);
                launch(own, one_each, on, inout(v), 2);
            }
            on.synchronize();
            sum = v.at(7);
        });
    }
    for (std::thread& one : all) {
        one.join();
    }
    CHECK(sums == std::vector<std::int32_t>(4, 300));
}

/* ---- Failures ---- */

TEST_CASE_METHOD(fixture, "A launch that fails leaves its vectors as they were", "[R-003]") {
    struct fault {
        const char* entry;
        std::uint64_t skip;
    };
    const auto where =
        GENERATE(fault{"launch", 0}, fault{"buffer_create", 0}, fault{"buffer_create", 1},
                 fault{"buffer_create", 2}, fault{"copy", 0}, fault{"copy", 1});
    const std::string state = GENERATE("host", "both d", "stale_host d", "stale_device d");
    CAPTURE(std::string(where.entry), where.skip, state);
    const kernel sum = get("sum", *e);
    placed_vector a(*this, state);
    placed_vector b(*this, state);
    vector<std::int32_t> c(elements);
    const std::uint64_t buffers = mock.gate.alive(SPOC_MOCK_BUFFERS);
    const auto run = [&] { launch(sum, one_each, in(a.v), in(b.v), out_full(c)); };
    mock.fail(where.entry, SPOC_BE_DRIVER, where.skip);
    CHECK(thrown(run) != "ok");
    CHECK(place(a.v) == state);
    CHECK(place(b.v) == state);
    CHECK(place(c) == "host");
    CHECK_FALSE(a.v.has_buffer(*e));
    CHECK_FALSE(c.has_buffer(*e));
    CHECK(mock.gate.alive(SPOC_MOCK_BUFFERS) == buffers);
    CHECK(thrown(run) == "ok");
    CHECK(c.at(0) == a.fresh[0] + b.fresh[0]);
}

TEST_CASE_METHOD(fixture, "A launch of which a part is in flight is waited for", "[R-512]") {
    const stream on(*d);
    const kernel add = get("add");
    placed_vector v(*this, "both d");
    spoc_mock_fault partial = recording::fault("launch");
    partial.flags = SPOC_MOCK_FAULT_DONE;
    partial.done = SPOC_BE_DONE_NOTHING;
    const bool named = GENERATE(true, false);
    mock.fail(partial);
    mock.forget();
    CHECK(thrown([&] {
              if (named) {
                  launch(add, one_each, on, inout(v.v), 1);
              } else {
                  launch(add, one_each, inout(v.v), 1);
              }
          }) == "backend_error launch_failed");
    CHECK(mock.count("stream_sync") == 1);
    CHECK(place(v.v) == "both d");
    CHECK(thrown([&] { v.v.free_buffer(*d); }) == "ok");
}

TEST_CASE_METHOD(fixture, "A launch that fails later is named by its tag", "[R-911]") {
    const stream on(*d);
    const kernel add = get("add");
    placed_vector v(*this, "both d");
    spoc_mock_fault late = recording::fault("launch", SPOC_BE_LAUNCH);
    late.flags = SPOC_MOCK_FAULT_LATE;
    mock.fail(late);
    launch(add, {.grid = 1, .tag = 77}, on, inout(v.v), 1);
    try {
        on.synchronize();
        FAIL("the failure was not told");
    } catch (const backend_error& failed) {
        CHECK(failed.sub_code() == SPOC_SUB_LAUNCH_FAILED);
        CHECK(failed.record().tag == 77);
    }
    CHECK(thrown([&] { on.synchronize(); }) == "ok");
}

/* ---- For those who launch by other means ---- */

TEST_CASE_METHOD(fixture, "Work that somebody else enqueued keeps what it is said to use",
                 "[R-515]") {
    const stream on(*d);
    const kernel add = get("add");
    placed_vector v(*this, "both d");
    kept_alive watched;
    vector<std::int32_t> other(elements);
    other.to_device(*e);
    CHECK(thrown([&] { keep_until_done(on, {other.get()}); }) == "invalid_argument location");
    other.to_device(*d);
    hold();
    launch(add, {.grid = 1}, on, in(v.v), 0);  // something that the stream is not done with
    keep_until_done(on, {other.get()}, watched.reference());
    CHECK(watched.is_kept());
    CHECK(thrown([&] { other.free_buffer(*d); }) == "invalid_argument busy");
    let_go();
    on.synchronize();
    CHECK_FALSE(watched.is_kept());
    CHECK(thrown([&] { other.free_buffer(*d); }) == "ok");
}

TEST_CASE_METHOD(fixture, "Wrong arguments of what is kept are refused and take nothing",
                 "[R-515][R-002]") {
    stream on(*d);
    kept_alive watched;
    CHECK(thrown([&] { keep_until_done(on, {nullptr}, watched.reference()); }) ==
          "invalid_argument null");
    CHECK_FALSE(watched.is_kept());
    on.close();
    CHECK(thrown([&] { keep_until_done(on, {}, watched.reference()); }) ==
          "invalid_argument destroyed");
    CHECK_FALSE(watched.is_kept());
}

TEST_CASE_METHOD(fixture, "A vector takes a buffer over where it has none", "[R-515]") {
    vector<std::int32_t> v(elements);
    v.fill(5);
    buffer mine(*d, elements * 4);
    const spoc_buffer handle = mine.get();
    const auto install = [&](const device& where, spoc_buffer what) {
        return told(spoc_vector_install_buffer, v.get(), where.get(), what);
    };
    const buffer small(*d, elements * 4 - 1);
    CHECK(install(*e, handle) == "invalid_argument device");
    CHECK(install(*d, small.get()) == "invalid_argument length");
    mock.forget();
    CHECK(install(*d, handle) == "ok");
    CHECK(place(v) == "host");
    CHECK(v.link(*d) == SPOC_LINK_SEPARATE);
    CHECK(install(*d, small.get()) == "invalid_argument duplicate");
    CHECK(install(*d, handle) == "invalid_argument freed");
    v.to_device(*d);
    CHECK(mock.count("buffer_create") == 0);
    mine = buffer(*d, 4);  // the handle ends, the memory stays
    launch(get("add"), one_each, inout(v), 1);
    CHECK(v.at(0) == 6);
    mock.forget();
    v.free_buffer(*d);
    CHECK(mock.count("buffer_destroy") == 1);
    device_vector<std::int32_t> alone(*d, elements);
    buffer elsewhere(*e, elements * 4);
    CHECK(told(spoc_vector_install_buffer, alone.get(), e->get(), elsewhere.get()) ==
          "invalid_argument device_only");
    CHECK(thrown([&] { elsewhere.free(); }) == "ok");
}

}  // namespace spoc::test
