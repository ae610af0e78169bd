// SPDX-License-Identifier: Apache-2.0

/// \file
/// Programs: loading, what a compiler says, and their ends.

#include <string>
#include <string_view>
#include <vector>

#include "launch_fixture.hpp"

namespace spoc::test {
namespace {

class fixture : public launching {
 public:
    fixture() { begin_launching(); }
};

spoc_program_options options_with_log(std::vector<char>& log, std::uint64_t& length) {
    auto options = sized<spoc_program_options>();
    options.log = log.data();
    options.log_capacity = log.size();
    options.out_log_length = &length;
    return options;
}

// NOLINTNEXTLINE(cert-err58-cpp): without memory for it there is no test
const std::string two_kernels = "mock_program add sum";

}  // namespace

TEST_CASE_METHOD(fixture, "A program in a language that the device does not take is refused",
                 "[R-902]") {
    CHECK(thrown([&] { program(*d, SPOC_FORMAT_PTX, two_kernels); }) == "unavailable source_lang");
    CHECK(mock.count("program_load") == 0);
    CHECK(thrown([&] { program(*d, SPOC_FORMAT_OPENCL_C, two_kernels); }) == "ok");
}

TEST_CASE("A backend without programs refuses them", "[R-005]") {
    recorded_runtime bare("mockmin");
    const device where(bare.start());
    CHECK(thrown([&] { program(where, SPOC_FORMAT_PTX, "x"); }) == "feature_not_supported none");
}

TEST_CASE_METHOD(fixture, "Wrong arguments of a program are found before the plugin is called",
                 "[R-002]") {
    spoc_program made = nullptr;
    std::vector<char> log(8, 'x');
    std::uint64_t length = 77;
    const auto load = [&](spoc_device where, std::uint32_t format, const void* data,
                          std::uint64_t count, const spoc_program_options* options,
                          spoc_program* out) {
        return told(spoc_program_load, where, format, data, count, options, out);
    };
    const void* const text = two_kernels.data();
    CHECK(load(nullptr, 1, text, 3, nullptr, &made) == "invalid_argument null");
    CHECK(load(d->get(), 1, text, 3, nullptr, nullptr) == "invalid_argument null");
    CHECK(load(d->get(), 1, nullptr, 3, nullptr, &made) == "invalid_argument null");
    CHECK(load(d->get(), 1, text, 0, nullptr, &made) == "invalid_argument length");
    CHECK(load(d->get(), 14, text, 3, nullptr, &made) == "invalid_argument value");
    auto options = options_with_log(log, length);
    options.flags = 2;
    CHECK(load(d->get(), 1, text, 3, &options, &made) == "invalid_argument value");
    options.flags = 0;
    options.log = nullptr;
    CHECK(load(d->get(), 1, text, 3, &options, &made) == "invalid_argument null");
    options.size = 0;
    CHECK(load(d->get(), 1, text, 3, &options, &made) == "invalid_argument value");
    CHECK(made == nullptr);
    CHECK(length == 77);
    CHECK(log[0] == 'x');
    CHECK(mock.records().empty());
}

TEST_CASE_METHOD(fixture, "What a compiler says is in the message, and as a whole in the log",
                 "[R-902]") {
    std::string log;
    std::string message;
    try {
        program(*d, SPOC_FORMAT_OPENCL_C, "mock_program add missing", {.log = &log});
    } catch (const backend_error& failed) {
        CHECK(failed.sub_code() == SPOC_SUB_COMPILE_FAILED);
        message = failed.what();
    }
    CHECK(contains(message, "error: no kernel missing was added"));
    CHECK(log == "program:1: error: no kernel missing was added\n");
    static_cast<void>(program(*d, SPOC_FORMAT_OPENCL_C, two_kernels, {.log = &log}));
    CHECK(log == "program: 2 kernels\n");
}

TEST_CASE_METHOD(fixture, "A log that does not fit is cut, and its length is told", "[R-902]") {
    std::vector<char> log(8, 'x');
    std::uint64_t length = 0;
    const auto options = options_with_log(log, length);
    spoc_program made = nullptr;
    const spoc_program_options* const given = &options;
    const answer failed = ask(spoc_program_load, d->get(), SPOC_FORMAT_OPENCL_C,
                              static_cast<const void*>("mock?"), std::uint64_t{5}, given, &made);
    CHECK(failed.text() == "backend_error compile_failed");
    CHECK(std::string(log.data()) == "program");
    CHECK(length == std::string("program:1: error: the first word is not mock_program\n").size());
    CHECK(made == nullptr);
}

TEST_CASE_METHOD(fixture, "A program that fails to load leaves nothing", "[R-003]") {
    mock.fail("program_load", SPOC_BE_OUT_OF_MEMORY);
    CHECK(thrown([&] { program(*d, SPOC_FORMAT_OPENCL_C, two_kernels); }) == "backend_error oom");
    CHECK(mock.gate.alive(SPOC_MOCK_PROGRAMS) == 0);
    CHECK(cache.files().empty());
}

TEST_CASE_METHOD(fixture, "A native kernel is offered once under a name", "[R-902]") {
    static const test_kernel mine({scalar_of(0)}, do_nothing);
    static const test_kernel other({scalar_of(0)}, do_nothing);
    add_native_kernel(*d, "mine", mine.description);
    add_native_kernel(*d, "mine", mine.description);
    CHECK(get("mine").parameters().size() == 1);
    CHECK(thrown([&] { add_native_kernel(*d, "mine", other.description); }) ==
          "invalid_argument duplicate");
    CHECK(thrown([&] { add_native_kernel(*d, "", other.description); }) == "invalid_argument name");
    spoc_native_kernel broken = other.description;
    broken.magic = 1;
    CHECK(thrown([&] { add_native_kernel(*d, "broken", broken); }) == "invalid_argument value");
    broken = other.description;
    broken.run = nullptr;
    CHECK(thrown([&] { add_native_kernel(*d, "broken", broken); }) == "invalid_argument value");
}

TEST_CASE("Programs and kernels end with their device", "[R-907]") {
    std::optional<program> late_program;
    std::optional<kernel> late_kernel;
    launching on;
    on.begin_launching();
    late_program.emplace(*on.d, SPOC_FORMAT_OPENCL_C, two_kernels);
    late_kernel.emplace(*late_program, "add");
    on.runtime.stop();
    CHECK(on.mock.gate.alive(SPOC_MOCK_KERNELS) == 0);
    CHECK(on.mock.gate.alive(SPOC_MOCK_PROGRAMS) == 0);
    CHECK(late_kernel->info().parameter_count == 2);
    CHECK(thrown([&] { launch(*late_kernel, {}, 1, 2); }) == "invalid_argument type");
    on.runtime.start();
    // The handles of the runtime that was shut down are not those of the new one.
    CHECK(thrown([&] { kernel(*late_program, "add"); }) == "unavailable shut_down");
    vector<std::int32_t> v(1);
    CHECK(thrown([&] { launch(*late_kernel, {}, inout(v), 2); }) == "unavailable shut_down");
}

}  // namespace spoc::test
