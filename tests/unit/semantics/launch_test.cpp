// SPDX-License-Identifier: Apache-2.0

/// \file
/// Launches: what they run, and where they leave the elements.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "launch_fixture.hpp"

namespace spoc::test {
namespace {

class fixture : public launching {
 public:
    fixture() { begin_launching(); }

    /// What the plugin was last asked to launch.
    std::vector<spoc_mock_arg> last_arguments() const {
        return mock.args(mock.calls("launch").back());
    }
};

struct row {
    const char* name;
    std::function<void(launching&, vector<std::int32_t>&)> operation;
    struct {
        std::string place;
        std::uint64_t ups;
        std::uint64_t downs;
    } host, both, stale_host, stale_device;
};

}  // namespace

/* ---- What is run ---- */

TEST_CASE_METHOD(fixture, "A launch runs its kernel on what it is given, with one call",
                 "[R-901]") {
    const kernel sum = get("sum");
    vector<std::int32_t> a(elements);
    vector<std::int32_t> b(elements);
    vector<std::int32_t> c(elements);
    a.fill(3);
    b.fill(4);
    c.fill(0);
    launch(sum, one_each, in(a), in(b), out(c));
    CHECK(c.at(5) == 7);
    mock.forget();
    launch(sum, {.grid = {2, 3, 4}, .block = {4, 2, 1}, .tag = 9}, in(a), in(b), out(c));
    REQUIRE(mock.records().size() == 1);
    const spoc_mock_call call = mock.records().front();
    CHECK(call.entry == entry_number("launch"));
    CHECK(std::vector(call.grid, call.grid + 3) == std::vector<std::uint32_t>{2, 3, 4});
    CHECK(std::vector(call.block, call.block + 3) == std::vector<std::uint32_t>{4, 2, 1});
    CHECK(call.tag == 9);
    CHECK(call.flags == 0);
    const auto arguments = last_arguments();
    CHECK(arguments[0].access == SPOC_BE_ACCESS_READ);
    CHECK(arguments[2].access == SPOC_BE_ACCESS_WRITE);
    CHECK(arguments[2].bytes == elements * 4);
}

TEST_CASE_METHOD(fixture, "Arguments bind by index, in whichever order they come", "[R-913]") {
    const kernel add = get("add");
    placed_vector data(*this, "host");
    const std::int32_t amount = 7;
    spoc_argument arguments[2] = {};
    arguments[0].index = 1;
    arguments[0].kind = SPOC_ARGUMENT_SCALAR;
    arguments[0].element = SPOC_ELEMENT_I32;
    arguments[0].data = &amount;
    arguments[0].bytes = 4;
    arguments[1].kind = SPOC_ARGUMENT_VECTOR;
    arguments[1].vector = data.v.get();
    auto options = sized<spoc_launch_options>();
    std::fill(options.grid, options.grid + 3, 1U);
    std::fill(options.block, options.block + 3, 1U);
    options.grid[0] = elements;
    options.argument_count = 2;
    options.arguments = arguments;
    const spoc_launch_options* const given = &options;
    CHECK(told(spoc_launch, add.get(), given, spoc_stream{}) == "ok");
    CHECK(copy_of(data.v.read()) == plus(data.fresh, 7));
    arguments[0].index = 0;
    CHECK(told(spoc_launch, add.get(), given, spoc_stream{}) == "invalid_argument arity");
    arguments[0].index = 2;
    CHECK(told(spoc_launch, add.get(), given, spoc_stream{}) == "invalid_argument arity");
}

TEST_CASE_METHOD(fixture, "Raw buffers are arguments too", "[R-901]") {
    const kernel add = get("add");
    const auto before = numbers(1);
    buffer data(*d, elements * 4);
    copy_to_device(std::as_bytes(std::span(before)), data);
    launch(add, one_each, inout(data), 2);
    std::vector<std::int32_t> after(elements);
    copy_to_host(data, 0, std::as_writable_bytes(std::span(after)));
    CHECK(after == plus(before, 2));
}

TEST_CASE_METHOD(fixture, "A part of a vector can be shown", "[R-901]") {
    const kernel add = get("add");
    placed_vector data(*this, "host");
    launch(add, {.grid = 2}, inout(data.v).part(8, 8), 1);
    auto expected = data.fresh;
    ++expected[2];
    ++expected[3];
    CHECK(copy_of(data.v.read()) == expected);
    CHECK(last_arguments()[0].offset == 8);
    CHECK(last_arguments()[0].bytes == 8);
}

TEST_CASE_METHOD(fixture, "Lengths follow the vectors where that is asked for", "[R-906]") {
    const kernel lengths = get("lengths");
    placed_vector first(*this, "host");
    vector<std::int32_t> second(9);
    second.fill(0);
    launch(lengths, {.grid = 8, .flags = SPOC_LAUNCH_INJECT_LENGTHS}, inout(first.v),
           inout(second));
    CHECK(copy_of(first.v.read()) == plus(first.fresh, 9));
    CHECK(second.at(7) == 8);
    // Of a part, the length is that of the part.
    launch(lengths, {.grid = 1, .flags = SPOC_LAUNCH_INJECT_LENGTHS}, inout(first.v).part(0, 12),
           inout(second));
    CHECK(second.at(0) == 8 + 3);
}

TEST_CASE_METHOD(fixture, "Local and shared memory reach the plugin", "[R-901]") {
    vector<std::int32_t> v(elements);
    launch(get("room"), {.shared_bytes = 64}, inout(v), local(32));
    CHECK(mock.calls("launch").back().shared_bytes == 64);
    CHECK(last_arguments()[1].kind == SPOC_BE_PARAM_LOCAL);
    CHECK(last_arguments()[1].bytes == 32);
}

TEST_CASE_METHOD(launching, "A device address is passed where the device takes one", "[R-913]") {
    mock.set_capability(SPOC_BE_CAP_RAW_POINTER_ARGS, SPOC_MOCK_YES);
    begin_launching();
    const std::uint64_t address = 0x1234;
    detail::tagged_argument raw;
    raw.argument.kind = SPOC_ARGUMENT_ADDRESS;
    raw.argument.data = &address;
    launch(get("longs"), {}, raw);
    const spoc_mock_arg passed = mock.args(mock.calls("launch").back())[0];
    CHECK(passed.kind == SPOC_BE_PARAM_SCALAR);
    CHECK(passed.bytes == 8);
    CHECK(passed.scalar[0] == 0x34);
}

TEST_CASE_METHOD(fixture, "Launches go out at once", "[R-908]") {
    const kernel add = get("add");
    const stream on(*d);
    vector<std::int32_t> v(elements);
    v.fill(0);
    v.to_device(*d);
    hold();
    mock.forget();
    for (std::uint64_t i = 1; i <= 3; ++i) {
        launch(add, one_each, inout(v), 1);
        CHECK(mock.count("launch") == 2 * i - 1);
        launch(add, one_each, on, inout(v), 1);
        CHECK(mock.count("launch") == 2 * i);
        mock.release();
    }
    let_go();
    on.synchronize();
    CHECK(v.at(0) == 6);
}

TEST_CASE_METHOD(fixture, "The host reads what a launch wrote", "[R-912]") {
    const kernel add = get("add");
    vector<std::int32_t> v(elements);
    v.fill(0);
    mock.hold();
    for (std::int32_t i = 1; i <= 1000; ++i) {
        launch(add, one_each, inout(v), 1);
        REQUIRE(v.at(3) == i);
    }
}

/* ---- Where the elements are ---- */

TEST_CASE_METHOD(fixture, "Launches leave vectors as the table of transitions says",
                 "[R-208][R-901][R-915][R-916][H-21]") {
    const kernel here = get("add");
    const kernel there = get("add", *e);
    const auto run = [](const kernel& k, detail::tagged_argument argument) {
        launch(k, one_each, argument, 0);
    };
    const std::vector<row> rows = {
        {"writing on d",
         [&](launching&, auto& v) { run(here, inout(v)); },
         {"stale_host d", 1, 0},
         {"stale_host d", 0, 0},
         {"stale_host d", 0, 0},
         {"stale_host d", 1, 0}},
        {"reading on d",
         [&](launching&, auto& v) { run(here, in(v)); },
         {"both d", 1, 0},
         {"both d", 0, 0},
         {"stale_host d", 0, 0},
         {"both d", 1, 0}},
        {"writing on e",
         [&](launching&, auto& v) { run(there, out(v)); },
         {"stale_host e", 1, 0},
         {"stale_host e", 1, 0},
         {"stale_host e", 1, 1},
         {"stale_host e", 1, 0}},
        {"reading on e",
         [&](launching&, auto& v) { run(there, in(v)); },
         {"both e", 1, 0},
         {"both e", 1, 0},
         {"both e", 1, 1},
         {"both e", 1, 0}},
    };
    for (const row& tried : rows) {
        const auto check = [&](const std::string& state, const auto& expected) {
            CAPTURE(std::string(tried.name), state);
            placed_vector placed(*this, state);
            mock.forget();
            tried.operation(*this, placed.v);
            CHECK(place(placed.v) == expected.place);
            CHECK(copies(SPOC_BE_COPY_H2D) == expected.ups);
            CHECK(copies(SPOC_BE_COPY_D2H) == expected.downs);
            CHECK(placed.on_device() == placed.fresh);
            CHECK(copy_of(placed.v.read()) == placed.fresh);
        };
        check("host", tried.host);
        check("both d", tried.both);
        check("stale_host d", tried.stale_host);
        check("stale_device d", tried.stale_device);
    }
}

TEST_CASE_METHOD(fixture, "What a kernel only reads is not copied back", "[R-915][H-21]") {
    const kernel sum = get("sum");
    placed_vector a(*this, "host");
    placed_vector b(*this, "host");
    vector<std::int32_t> c(elements);
    launch(sum, one_each, in(a.v), in(b.v), out_full(c));
    mock.forget();
    static_cast<void>(a.v.read());
    static_cast<void>(b.v.read());
    CHECK(copies(SPOC_BE_COPY_D2H) == 0);
    static_cast<void>(c.read());
    CHECK(copies(SPOC_BE_COPY_D2H) == 1);
}

TEST_CASE_METHOD(fixture, "Without a tag an argument is what the kernel says of its parameter",
                 "[R-915][R-906]") {
    const kernel sum = get("sum");
    placed_vector a(*this, "host");
    placed_vector b(*this, "host");
    placed_vector c(*this, "host");
    launch(sum, one_each, detail::tagged(a.v, 0), detail::tagged(b.v, 0), detail::tagged(c.v, 0));
    CHECK(place(a.v) == "both d");
    CHECK(place(c.v) == "stale_host d");
    mock.set(SPOC_MOCK_REFLECTION, SPOC_BE_REFLECTION_SIZES);
    launch(get("sum"), one_each, detail::tagged(a.v, 0), detail::tagged(b.v, 0),
           detail::tagged(c.v, 0));
    CHECK(place(a.v) == "stale_host d");
}

TEST_CASE_METHOD(fixture, "What a kernel overwrites is not brought over", "[R-916]") {
    const kernel sum = get("sum");
    placed_vector a(*this, "both d");
    placed_vector c(*this, GENERATE("host", "both d", "stale_host d", "stale_device d"));
    mock.forget();
    launch(sum, one_each, in(a.v), in(a.v), out_full(c.v));
    CHECK(copies(SPOC_BE_COPY_H2D) == 0);
    CHECK(place(c.v) == "stale_host d");
    CHECK(last_arguments()[2].access == (SPOC_BE_ACCESS_WRITE | SPOC_BE_ACCESS_FULL));
    CHECK(c.v.at(1) == 2 * a.fresh[1]);
}

TEST_CASE_METHOD(fixture, "Of a vector of which a part is overwritten, the rest is brought over",
                 "[R-916]") {
    placed_vector v(*this, "host");
    const kernel add = get("add");
    launch(add, {.grid = 1}, out_full(v.v).part(0, 4), 1);
    CHECK(copies(SPOC_BE_COPY_H2D) == 1);
    CHECK(v.v.at(7) == v.fresh[7]);
}

TEST_CASE_METHOD(fixture, "A launch elsewhere brings over what another device has", "[R-901]") {
    const kernel add = get("add");
    const kernel there = get("add", *e);
    placed_vector v(*this, "host");
    launch(add, one_each, inout(v.v), 1);
    launch(there, one_each, inout(v.v), 1);
    launch(add, one_each, inout(v.v), 1);
    CHECK(copy_of(v.v.read()) == plus(v.fresh, 3));
}

TEST_CASE_METHOD(fixture, "Automatic synchronisation off does not keep a launch from moving data",
                 "[R-222]") {
    placed_vector v(*this, "stale_host d");
    v.v.set_auto_sync(false);
    launch(get("add", *e), one_each, inout(v.v), 1);
    CHECK(place(v.v) == "stale_host e");
}

TEST_CASE_METHOD(fixture, "A vector on its device alone is launched on there and nowhere else",
                 "[R-221]") {
    device_vector<std::int32_t> v(*d, elements);
    v.write_range(0, numbers(1));
    launch(get("add"), one_each, inout(v), 1);
    CHECK(place(v) == "device d");
    std::vector<std::int32_t> found(elements);
    v.read_range(0, found);
    CHECK(found == plus(numbers(1), 1));
    const kernel there = get("add", *e);
    CHECK(thrown([&] { launch(there, one_each, inout(v), 1); }) == "invalid_argument device_only");
    v.free_all_buffers();
    CHECK(thrown([&] { launch(get("add"), one_each, inout(v), 1); }) == "invalid_argument freed");
}

namespace {

/// The second device works in host memory.
class host_devices : public launching {
 public:
    host_devices() {
        mock.gate.describe(1, SPOC_BE_KIND_CPU);
        begin_launching();
    }
};

}  // namespace

TEST_CASE_METHOD(host_devices, "On a device in host memory a launch leaves the state as it is",
                 "[R-219]") {
    const kernel add = get("add", *e);
    placed_vector v(*this, "host");
    launch(add, one_each, inout(v.v), 1);
    CHECK(place(v.v) == "host");
    CHECK(copy_of(v.v.read()) == plus(v.fresh, 1));
    v.v.to_device(*e);
    mock.forget();
    launch(add, one_each, inout(v.v), 1);
    CHECK(place(v.v) == "both e");
    v.write(4);
    launch(add, one_each, inout(v.v), 1);
    CHECK(place(v.v) == "stale_device e");
    CHECK(mock.count("copy") == 0);
    CHECK(copy_of(v.v.read()) == plus(v.fresh, 1));
}

TEST_CASE_METHOD(host_devices, "What is written in host memory makes another device's copy old",
                 "[R-219][H-09]") {
    const kernel add = get("add", *e);
    placed_vector v(*this, "stale_host d");
    launch(add, one_each, in(v.v), 1);
    CHECK(place(v.v) == "both d");
    const auto read = copy_of(v.v.read());
    launch(add, one_each, inout(v.v), 1);
    CHECK(place(v.v) == "stale_device d");
    CHECK(copy_of(v.v.read()) == plus(read, 1));
    placed_vector whole(*this, "stale_host d");
    mock.forget();
    launch(add, one_each, out_full(whole.v), 1);
    CHECK(place(whole.v) == "stale_device d");
    CHECK(copies(SPOC_BE_COPY_D2H) == 0);
}

TEST_CASE_METHOD(host_devices, "Without a stream a launch in host memory is complete on return",
                 "[R-901][R-219]") {
    const kernel add = get("add", *e);
    placed_vector v(*this, "host");
    mock.hold();
    launch(add, one_each, inout(v.v), 1);
    CHECK(mock.calls("launch").back().flags == SPOC_BE_WAIT);
    CHECK(mock.pending() == 0);
    v.v.free_all_buffers();
    const stream on(*e);
    launch(add, one_each, on, inout(v.v), 1);
    CHECK(mock.calls("launch").back().flags == 0);
    CHECK(mock.pending() == 1);
    CHECK(copy_of(v.v.read()) == plus(v.fresh, 2));
}

}  // namespace spoc::test
