// SPDX-License-Identifier: Apache-2.0

/// \file
/// Kernels run straight from a source.

#include <cstdint>
#include <string>
#include <vector>

#include "launch_fixture.hpp"

namespace spoc::test {
namespace {

constexpr std::uint32_t opencl = SPOC_FORMAT_OPENCL_C;
// NOLINTNEXTLINE(cert-err58-cpp): without memory for it there is no test
const std::string text = "mock_program add sum lengths";

class fixture : public launching {
 public:
    fixture() { begin_launching(); }

    /// Format of the last program that the plugin was given.
    std::uint64_t last_format() const { return mock.calls("program_load").back().format; }

    temporary_folder folder;
};

}  // namespace

TEST_CASE_METHOD(fixture, "A kernel is run straight from its source", "[R-906]") {
    placed_vector v(*this, "host");
    run_source(*d, opencl, text, "add", one_each, inout(v.v), 3);
    CHECK(copy_of(v.v.read()) == plus(v.fresh, 3));
    const stream on(*d);
    mock.hold();
    run_source(*d, opencl, text, "add", one_each, on, inout(v.v), 4);
    CHECK(mock.pending() == 1);
    let_go();
    CHECK(copy_of(v.v.read()) == plus(v.fresh, 7));
}

TEST_CASE_METHOD(fixture, "Lengths follow the vectors of a source where that is asked for",
                 "[R-906]") {
    placed_vector first(*this, "host");
    placed_vector second(*this, "host");
    run_source(*d, opencl, text, "lengths", {.grid = 8, .flags = SPOC_LAUNCH_INJECT_LENGTHS},
               inout(first.v), inout(second.v));
    CHECK(copy_of(first.v.read()) == plus(first.fresh, 8));
    CHECK(thrown([&] {
              run_source(*d, opencl, text, "lengths", {}, inout(first.v), inout(second.v));
          }) == "invalid_argument arity");
}

TEST_CASE_METHOD(fixture, "A source is compiled once for many runs", "[R-906][R-907]") {
    vector<std::int32_t> v(elements);
    v.fill(0);
    for (int i = 0; i < 3; ++i) {
        run_source(*d, opencl, text, "add", one_each, inout(v), 1);
    }
    CHECK(v.at(0) == 3);
    CHECK(mock.count("program_load") == 1);
    CHECK(mock.count("kernel_get") == 1);
    run_source(*d, opencl, text + ' ', "add", one_each, inout(v), 1);
    CHECK(mock.count("kernel_get") == 2);
    run_source(*e, opencl, text, "add", one_each, inout(v), 1);
    CHECK(mock.count("kernel_get") == 3);
    CHECK(v.at(0) == 5);
}

TEST_CASE_METHOD(fixture, "Of the kernels run from sources the last are kept", "[R-906]") {
    vector<std::int32_t> v(elements);
    std::string source = text;
    for (int i = 0; i < 70; ++i) {
        run_source(*d, opencl, source, "add", {}, inout(v), 1);
        source += ' ';
    }
    CHECK(mock.gate.alive(SPOC_MOCK_KERNELS) == 64);
}

TEST_CASE_METHOD(fixture, "A language that the device does not take is refused", "[R-906]") {
    vector<std::int32_t> v(elements);
    mock.forget();
    for (const std::uint32_t language :
         {SPOC_FORMAT_CUDA_C, SPOC_FORMAT_PTX, SPOC_FORMAT_GLSL, SPOC_FORMAT_SPIRV_SHADER,
          SPOC_FORMAT_MSL, SPOC_FORMAT_WGSL}) {
        CHECK(thrown([&] { run_source(*d, language, text, "add", {}, inout(v), 1); }) ==
              "unavailable source_lang");
    }
    CHECK(mock.records().empty());
}

TEST_CASE_METHOD(fixture, "What is wrong with a launch is found before its source is compiled",
                 "[R-906][R-002]") {
    vector<std::int32_t> v(elements);
    const stream other(*e);
    mock.forget();
    const auto run = [&](const launch_shape& shape, auto... arguments) {
        return thrown([&] { run_source(*d, opencl, text, "add", shape, arguments...); });
    };
    CHECK(run({.grid = 0}, inout(v), 1) == "invalid_argument bounds");
    CHECK(run({}, inout(v).part(0, 33), 1) == "invalid_argument bounds");
    CHECK(run({.flags = 4}, inout(v), 1) == "invalid_argument value");
    CHECK(thrown([&] { run_source(*d, opencl, text, "add", {}, other, inout(v), 1); }) ==
          "invalid_argument device");
    CHECK(thrown([&] { run_source(*d, opencl, text, "", {}, inout(v), 1); }) ==
          "invalid_argument name");
    CHECK(thrown([&] { run_source(*d, opencl, "", "add", {}, inout(v), 1); }) ==
          "invalid_argument length");
    CHECK(thrown([&] { run_source(*d, 14, text, "add", {}, inout(v), 1); }) ==
          "invalid_argument value");
    CHECK(mock.records().empty());
    CHECK(run({}, inout(v)) == "invalid_argument arity");
    CHECK(mock.count("launch") == 0);
}

TEST_CASE_METHOD(fixture, "A kernel of which nothing is known is run on the caller's word",
                 "[R-906][R-903]") {
    mock.set(SPOC_MOCK_REFLECTION, SPOC_BE_REFLECTION_NONE);
    placed_vector v(*this, "host");
    CHECK(thrown([&] { run_source(*d, opencl, text, "add", one_each, inout(v.v), 1); }) ==
          "invalid_argument arity");
    run_source(*d, opencl, text, "add", {.grid = 8, .flags = SPOC_LAUNCH_UNCHECKED},
               detail::tagged(v.v, 0), 1);
    // Nobody said that it is only read.
    CHECK(place(v.v) == "stale_host d");
    CHECK(copy_of(v.v.read()) == plus(v.fresh, 1));
}

TEST_CASE_METHOD(launching, "The end of a file's name says its language", "[R-906]") {
    mock.device().formats = 0xFFFFFFFF;
    mock.device(1).formats =
        std::uint64_t{1} << SPOC_FORMAT_SPIRV_KERNEL | std::uint64_t{1} << SPOC_FORMAT_HIP_C;
    begin_launching();
    const temporary_folder folder;
    vector<std::int32_t> v(elements);
    const auto run = [&](const device& where, const std::string& name) {
        const std::string path = folder.write(name, text);
        return thrown([&] { run_source_file(where, path, "add", {}, inout(v), 1); });
    };
    const struct {
        const char* name;
        std::uint32_t language;
    } files[] = {{"a.cu", SPOC_FORMAT_CUDA_C}, {"a.cl", SPOC_FORMAT_OPENCL_C},
                 {"a.ptx", SPOC_FORMAT_PTX},   {"a.spv", SPOC_FORMAT_SPIRV_SHADER},
                 {"a.comp", SPOC_FORMAT_GLSL}, {"a.glsl", SPOC_FORMAT_GLSL},
                 {"a.metal", SPOC_FORMAT_MSL}, {"a.wgsl", SPOC_FORMAT_WGSL}};
    std::uint64_t loads = 0;
    for (const auto& one : files) {
        CAPTURE(std::string(one.name));
        CHECK(run(*d, one.name) == "ok");
        const auto calls = mock.calls("program_load");
        // GLSL is the same program by either name.
        if (calls.size() > loads) {
            CHECK(calls.back().format == std::uint64_t{1} << one.language);
        } else {
            CHECK(std::string(one.name) == "a.glsl");
        }
        loads = calls.size();
    }
    CHECK(run(*e, "b.spv") == "ok");
    CHECK(mock.calls("program_load").back().format == 1U << SPOC_FORMAT_SPIRV_KERNEL);
    CHECK(run(*e, "b.cu") == "ok");
    CHECK(mock.calls("program_load").back().format == 1U << SPOC_FORMAT_HIP_C);
    mock.forget();
    CHECK(run(*d, "a.txt") == "invalid_argument name");
    CHECK(run(*d, "a") == "invalid_argument name");
    CHECK(thrown([&] { run_source_file(*d, "/nowhere/a.cl", "add", {}, inout(v), 1); }) ==
          "invalid_argument name");
    CHECK(run(*e, "c.cl") == "unavailable source_lang");
    CHECK(mock.records().empty());
}

TEST_CASE("What was run from a source ends with its device", "[R-907]") {
    launching on;
    on.begin_launching();
    vector<std::int32_t> v(elements);
    run_source(*on.d, opencl, text, "add", {}, inout(v), 1);
    v.free_all_buffers();
    on.runtime.stop();
    CHECK(on.mock.gate.alive(SPOC_MOCK_KERNELS) == 0);
    on.runtime.start();
    const device again(on.runtime.device(0));
    run_source(again, opencl, text, "add", {}, inout(v), 1);
    CHECK(on.mock.gate.alive(SPOC_MOCK_KERNELS) == 1);
}

}  // namespace spoc::test
