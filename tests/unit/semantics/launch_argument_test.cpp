// SPDX-License-Identifier: Apache-2.0

/// \file
/// What a launch refuses, before anything is done.

#include <sys/mman.h>

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "launch_fixture.hpp"

namespace spoc::test {
namespace {

struct record {
    float x, y, z;
};
struct four_floats {
    float x, y, z, w;
};

class fixture : public launching {
 public:
    fixture() {
        mock.device().max_block[2] = 64;
        begin_launching();
    }

    /// What a launch comes to, which must not have called the plugin.
    template <typename... Arguments>
    std::string refused(const kernel& k, const launch_shape& shape, const Arguments&... arguments) {
        mock.forget();
        std::string found = thrown([&] { launch(k, shape, arguments...); });
        CHECK(mock.records().empty());
        return found;
    }
    template <typename... Arguments>
    std::string refused(const kernel& k, const Arguments&... arguments) {
        return refused(k, launch_shape{}, arguments...);
    }

    vector<std::int32_t> v{elements};
};

/// Adds a kind, an access or an element to an argument that do not exist.
template <typename Change>
detail::tagged_argument changed(detail::tagged_argument argument, Change change) {
    change(argument.argument);
    return argument;
}

}  // namespace

TEST_CASE_METHOD(fixture, "A launch has as many arguments as its kernel has parameters",
                 "[R-903][H-35]") {
    const kernel add = get("add");
    CHECK(refused(add) == "invalid_argument arity");
    CHECK(refused(add, inout(v)) == "invalid_argument arity");
    CHECK(refused(add, inout(v), 1, 2) == "invalid_argument arity");
    CHECK(refused(get("none"), 1) == "invalid_argument arity");
    CHECK(refused(add, {.flags = SPOC_LAUNCH_INJECT_LENGTHS}, inout(v), 1) ==
          "invalid_argument arity");
    // Before anything else: a wrong number of wrong arguments.
    CHECK(refused(add, {.grid = 0}, 1, 2, 3) == "invalid_argument arity");
    // The flag is for kernels of which nothing is known.
    CHECK(refused(add, {.flags = SPOC_LAUNCH_UNCHECKED}, inout(v)) == "invalid_argument arity");
    CHECK(thrown([&] { launch(get("none"), {}); }) == "ok");
}

TEST_CASE_METHOD(fixture, "A kernel of which nothing is known is launched on the caller's word",
                 "[R-903]") {
    mock.set(SPOC_MOCK_REFLECTION, SPOC_BE_REFLECTION_NONE);
    const kernel add = get("add");
    CHECK(refused(add, inout(v), 1) == "invalid_argument arity");
    CHECK(thrown([&] { launch(add, {.flags = SPOC_LAUNCH_UNCHECKED}, inout(v), 1); }) == "ok");
    const kernel declared =
        get("add", {.parameters = {buffer_of(0, SPOC_ACCESS_INOUT), scalar_of(1)}});
    CHECK(refused(declared, inout(v)) == "invalid_argument arity");
    CHECK(refused(declared, inout(v), 1.0F) == "invalid_argument type");
    CHECK(thrown([&] { launch(declared, {}, inout(v), 1); }) == "ok");
}

TEST_CASE_METHOD(fixture, "Each argument is what its parameter takes", "[R-903]") {
    const kernel add = get("add");
    vector<float> floats(elements);
    vector<std::int64_t> longs(elements);
    vector<record> records(elements);
    CHECK(refused(add, inout(floats), 1) == "invalid_argument type");
    CHECK(refused(add, inout(longs), 1) == "invalid_argument type");
    CHECK(refused(add, inout(records), 1) == "invalid_argument type");
    CHECK(refused(add, inout(v), 1.0F) == "invalid_argument type");
    CHECK(refused(add, inout(v), std::int64_t{1}) == "invalid_argument type");
    CHECK(refused(add, inout(v), std::uint8_t{1}) == "invalid_argument type");
    CHECK(refused(add, 1, 1) == "invalid_argument type");
    CHECK(refused(add, inout(v), inout(v)) == "invalid_argument type");
    CHECK(refused(add, inout(v), local(4)) == "invalid_argument type");
    CHECK(refused(add, local(4), 1) == "invalid_argument type");
    CHECK(thrown([&] { launch(add, {}, inout(v), 1U); }) == "ok");
    // A scalar without a type is compared by its size.
    CHECK(refused(add, inout(v), std::int16_t{1}) == "invalid_argument type");
}

TEST_CASE_METHOD(fixture, "Of a parameter of which only the size is known, a scalar has that size",
                 "[R-903]") {
    // As a driver says that tells sizes alone: a pointer has 8 bytes.
    mock.set(SPOC_MOCK_REFLECTION, SPOC_BE_REFLECTION_ARITY);
    const kernel add = get("add", {.parameters = {parameter(0, SPOC_PARAMETER_UNKNOWN, 0, 0, 8),
                                                  parameter(1, SPOC_PARAMETER_UNKNOWN, 0, 0, 4)}});
    CHECK(refused(add, inout(v)) == "invalid_argument arity");
    CHECK(refused(add, inout(v), std::int64_t{1}) == "invalid_argument type");
    CHECK(refused(add, 1.0F, 1) == "invalid_argument type");
    CHECK(thrown([&] { launch(add, {}, inout(v), 1); }) == "ok");
}

TEST_CASE_METHOD(fixture, "Vectors of other kinds than the parameter's are refused", "[R-903]") {
    vector<float> floats(elements);
    vector<float16> halves(elements);
    vector<record> records(elements);
    vector<four_floats> fours(elements);
    vector<std::complex<float>> complex(elements);
    const buffer raw(*d, 64);
    CHECK(refused(get("halves"), inout(floats)) == "invalid_argument type");
    CHECK(thrown([&] { launch(get("halves"), {}, inout(halves)); }) == "ok");
    CHECK(refused(get("records"), inout(fours)) == "invalid_argument type");
    CHECK(refused(get("records"), inout(floats)) == "invalid_argument type");
    CHECK(thrown([&] { launch(get("records"), {}, inout(records)); }) == "ok");
    CHECK(refused(get("fours"), inout(records)) == "invalid_argument type");
    CHECK(refused(get("fours"), inout(complex)) == "invalid_argument type");
    CHECK(thrown([&] { launch(get("fours"), {}, inout(fours)); }) == "ok");
    CHECK(thrown([&] { launch(get("fours"), {}, inout(floats)); }) == "ok");
    CHECK(refused(get("doubles"), inout(complex)) == "invalid_argument type");
    CHECK(thrown([&] { launch(get("doubles"), {}, inout(raw)); }) == "ok");
}

TEST_CASE_METHOD(fixture, "Arguments are well formed", "[R-002]") {
    const kernel add = get("add");
    buffer freed(*d, 32);
    freed.free();
    buffer elsewhere(*e, 32);
    buffer empty(*d, 0);
    vector<std::int32_t> nothing(0);
    const auto with = [&](auto change) { return refused(add, changed(inout(v), change), 1); };
    CHECK(with([](spoc_argument& a) { a.kind = 0; }) == "invalid_argument value");
    CHECK(with([](spoc_argument& a) { a.kind = 6; }) == "invalid_argument value");
    CHECK(with([](spoc_argument& a) { a.access = 4; }) == "invalid_argument value");
    CHECK(with([](spoc_argument& a) { a.access = 7; }) == "invalid_argument value");
    CHECK(with([](spoc_argument& a) { a.element = 8; }) == "invalid_argument value");
    CHECK(with([](spoc_argument& a) { a.vector = nullptr; }) == "invalid_argument null");
    CHECK(with([](spoc_argument& a) { a.kind = SPOC_ARGUMENT_BUFFER; }) == "invalid_argument null");
    CHECK(with([](spoc_argument& a) { a.kind = SPOC_ARGUMENT_SCALAR; }) == "invalid_argument null");
    CHECK(refused(add, inout(freed), 1) == "invalid_argument freed");
    CHECK(refused(add, inout(elsewhere), 1) == "invalid_argument device");
    CHECK(refused(add, inout(empty), 1) == "invalid_argument length");
    CHECK(refused(add, inout(nothing), 1) == "invalid_argument length");
    CHECK(refused(get("room"), inout(v), local(0)) == "invalid_argument length");
    {
        const host_writer<std::int32_t> writer = v.write();
        CHECK(refused(add, inout(v), 1) == "invalid_argument busy");
    }
    detail::tagged_argument odd;
    const std::int32_t amount = 1;
    odd.argument.kind = SPOC_ARGUMENT_SCALAR;
    odd.argument.element = SPOC_ELEMENT_I32;
    odd.argument.data = &amount;
    odd.argument.bytes = 3;
    CHECK(refused(add, inout(v), odd) == "invalid_argument length");
    const spoc_launch_options* const no_options = nullptr;
    CHECK(told(spoc_launch, add.get(), no_options, spoc_stream{}) == "invalid_argument null");
    spoc_launch_options options = detail::options_of({}, {});
    const spoc_launch_options* const given = &options;
    CHECK(told(spoc_launch, spoc_kernel{}, given, spoc_stream{}) == "invalid_argument null");
    options.argument_count = 1;
    CHECK(told(spoc_launch, add.get(), given, spoc_stream{}) == "invalid_argument null");
    options.flags = 4;
    CHECK(told(spoc_launch, add.get(), given, spoc_stream{}) == "invalid_argument value");
    options.size = 0;
    CHECK(told(spoc_launch, add.get(), given, spoc_stream{}) == "invalid_argument value");
}

TEST_CASE_METHOD(fixture, "A vector in a launch has no more elements than 31 bits count",
                 "[R-206]") {
    const std::uint64_t count = (std::uint64_t{1} << 31U);
    void* const mapped = ::mmap(nullptr, count, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(mapped != MAP_FAILED);
    {
        auto huge = vector<std::uint8_t>::over(
            {static_cast<std::uint8_t*>(mapped), static_cast<std::size_t>(count)});
        CHECK(refused(get("add"), inout(huge), 1) == "invalid_argument length");
        CHECK_FALSE(huge.has_buffer(*d));
    }
    ::munmap(mapped, count);
}

TEST_CASE_METHOD(fixture, "What an argument shows lies in it", "[R-901][R-004]") {
    const kernel add = get("add");
    const auto part = [&](std::uint64_t offset, std::uint64_t count) {
        return refused(add, inout(v).part(offset, count), 1);
    };
    CHECK(part(0, 33) == "invalid_argument bounds");
    CHECK(part(4, 29) == "invalid_argument bounds");
    CHECK(part(36, 0) == "invalid_argument bounds");
    CHECK(part(UINT64_MAX, 4) == "invalid_argument bounds");
    CHECK(part(4, UINT64_MAX) == "invalid_argument bounds");
    CHECK(part(32, 0) == "invalid_argument length");
    CHECK(part(2, 4) == "invalid_argument bounds");  // the device asks for multiples of 4
    CHECK(thrown([&] { launch(add, {}, inout(v).part(28, 4), 1); }) == "ok");
}

TEST_CASE_METHOD(launching, "What one argument and one launch may have is limited", "[R-901]") {
    mock.device().max_binding = 32;
    mock.device().arg_bytes = 11;
    mock.device().arg_buffers = 2;
    begin_launching();
    vector<std::int32_t> v(elements);
    vector<std::int32_t> longer(elements + 1);
    const kernel add = get("add");
    CHECK(thrown([&] { launch(add, {}, inout(v), 1); }) == "ok");
    mock.forget();
    CHECK(thrown([&] { launch(add, {}, inout(longer), 1); }) == "invalid_argument too_much");
    mock.set(SPOC_MOCK_REFLECTION, SPOC_BE_REFLECTION_NONE);
    const kernel unknown = get("add");
    mock.forget();
    const launch_shape unchecked{.flags = SPOC_LAUNCH_UNCHECKED};
    CHECK(thrown([&] { launch(unknown, unchecked, 1, 2, 3); }) == "invalid_argument too_much");
    CHECK(thrown([&] { launch(unknown, unchecked, in(v), in(v), in(v)); }) ==
          "invalid_argument too_much");
    CHECK(mock.records().empty());
}

TEST_CASE_METHOD(fixture, "Sizes of scalars are added without overflow", "[R-004]") {
    mock.set(SPOC_MOCK_REFLECTION, SPOC_BE_REFLECTION_NONE);
    const kernel unknown = get("add");
    detail::tagged_argument half;
    half.argument.kind = SPOC_ARGUMENT_SCALAR;
    half.argument.data = &half;
    half.argument.bytes = std::uint64_t{1} << 63U;
    CHECK(refused(unknown, {.flags = SPOC_LAUNCH_UNCHECKED}, half, half) ==
          "invalid_argument too_much");
}

TEST_CASE_METHOD(fixture, "Arguments of one launch share only what is read", "[R-903]") {
    const kernel sum = get("sum");
    vector<std::int32_t> w(elements);
    const buffer raw(*d, elements * 4);
    CHECK(refused(sum, in(v), in(w), out(v)) == "invalid_argument overlap");
    CHECK(refused(sum, inout(v), in(v), out(w)) == "invalid_argument overlap");
    CHECK(refused(sum, in(raw), in(w), inout(raw)) == "invalid_argument overlap");
    CHECK(refused(sum, in(v).part(0, 12), in(w), out(v).part(8, 8)) == "invalid_argument overlap");
    CHECK(thrown([&] { launch(sum, {}, in(v), in(v), out(w)); }) == "ok");
    CHECK(thrown([&] { launch(sum, {}, in(v).part(0, 8), in(w), out(v).part(8, 8)); }) == "ok");
}

TEST_CASE_METHOD(launching, "Vectors over the same host memory share it on devices that work there",
                 "[R-903][R-219]") {
    mock.gate.describe(0, SPOC_BE_KIND_CPU);
    begin_launching();
    std::vector<std::int32_t> memory(elements + 2);
    auto first = vector<std::int32_t>::over(std::span(memory).first(elements));
    auto second = vector<std::int32_t>::over(std::span(memory).last(elements));
    vector<std::int32_t> w(elements);
    const kernel sum = get("sum");
    CHECK(thrown([&] { launch(sum, {}, in(first), in(w), out(second)); }) ==
          "invalid_argument overlap");
    CHECK(thrown([&] { launch(sum, {}, in(first), in(second), out(w)); }) == "ok");
}

TEST_CASE_METHOD(fixture, "Grid and block are extents that the device takes", "[R-905]") {
    const kernel add = get("add");
    const auto shaped = [&](const launch_shape& shape) { return refused(add, shape, inout(v), 1); };
    for (const launch_shape& shape : std::vector<launch_shape>{{.grid = {0, 1, 1}},
                                                               {.grid = {1, 0, 1}},
                                                               {.grid = {1, 1, 0}},
                                                               {.block = {0, 1, 1}},
                                                               {.block = {1, 0, 1}},
                                                               {.block = {1, 1, 0}},
                                                               {.block = 1025},
                                                               {.block = {1, 1025}},
                                                               {.block = {1, 1, 65}},
                                                               {.grid = {1, 65536}},
                                                               {.block = {512, 2, 2}},
                                                               {.shared_bytes = 49153}}) {
        CHECK(shaped(shape) == "invalid_argument bounds");
    }
    CHECK(refused(get("room"), {.shared_bytes = 49152}, inout(v), local(1)) ==
          "invalid_argument bounds");
    CHECK(refused(get("room"), inout(v), local(UINT64_MAX)) == "invalid_argument bounds");
    CHECK(thrown([&] { launch(add, {.block = 1024}, inout(v), 1); }) == "ok");
}

TEST_CASE_METHOD(fixture, "A block that the kernel fixes is the only one", "[R-901][R-905]") {
    mock.set(SPOC_MOCK_FIXED_BLOCK, 32);
    const kernel add = get("add");
    CHECK(refused(add, {.block = 16}, inout(v), 1) == "invalid_argument bounds");
    CHECK(refused(add, {.block = {32, 2}}, inout(v), 1) == "invalid_argument bounds");
    CHECK(thrown([&] { launch(add, {.block = 32}, inout(v), 1); }) == "ok");
}

TEST_CASE_METHOD(fixture, "A stream is the device's, and open", "[R-506][R-901]") {
    const kernel add = get("add");
    const stream other(*e);
    stream closed(*d);
    closed.close();
    mock.forget();
    CHECK(thrown([&] { launch(add, {}, other, inout(v), 1); }) == "invalid_argument device");
    CHECK(thrown([&] { launch(add, {}, closed, inout(v), 1); }) == "invalid_argument destroyed");
    CHECK(mock.records().empty());
    CHECK(place(v) == "host");
}

TEST_CASE_METHOD(launching, "What the device does not offer is refused", "[R-001][R-108]") {
    const std::uint32_t answer = GENERATE(SPOC_MOCK_NO, SPOC_MOCK_UNKNOWN);
    for (const std::uint32_t capability : {SPOC_BE_CAP_LOCAL_ARGS, SPOC_BE_CAP_DYNAMIC_SHARED,
                                           SPOC_BE_CAP_ARG_OFFSET, SPOC_BE_CAP_RAW_POINTER_ARGS}) {
        mock.set_capability(capability, answer);
    }
    begin_launching();
    vector<std::int32_t> v(elements);
    const kernel add = get("add");
    const kernel room = get("room");
    const kernel longs = get("longs");
    const std::uint64_t address = 1;
    detail::tagged_argument raw;
    raw.argument.kind = SPOC_ARGUMENT_ADDRESS;
    raw.argument.data = &address;
    mock.forget();
    CHECK(thrown([&] { launch(room, {}, inout(v), local(4)); }) == "feature_not_supported none");
    CHECK(thrown([&] { launch(add, {.shared_bytes = 4}, inout(v), 1); }) ==
          "feature_not_supported none");
    CHECK(thrown([&] { launch(add, {}, inout(v).part(4), 1); }) == "feature_not_supported none");
    CHECK(thrown([&] { launch(longs, {}, raw); }) == "feature_not_supported none");
    CHECK(mock.records().empty());
    CHECK(place(v) == "host");
    CHECK(thrown([&] { launch(longs, {}, address); }) == "ok");
}

}  // namespace spoc::test
