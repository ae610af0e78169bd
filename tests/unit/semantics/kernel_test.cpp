// SPDX-License-Identifier: Apache-2.0

/// \file
/// Kernels: what is known of them, what they need of a device, and their ends.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch_fixture.hpp"

namespace spoc::test {
namespace {

class fixture : public launching {
 public:
    fixture() { begin_launching(); }

    spoc_kernel made = nullptr;
};

std::vector<std::uint32_t> kinds(const kernel& of) {
    std::vector<std::uint32_t> found;
    for (const spoc_parameter& one : of.parameters()) {
        found.push_back(one.kind);
    }
    return found;
}

}  // namespace

TEST_CASE_METHOD(fixture, "A kernel's figures and parameters are read once, when it is made",
                 "[R-903]") {
    mock.set(SPOC_MOCK_FIXED_BLOCK, 4);
    const kernel add = get("add");
    CHECK(mock.count("kernel_info") == 1);
    CHECK(mock.count("kernel_params") == 1);
    const std::size_t calls = mock.records().size();
    const spoc_kernel_info info = add.info();
    CHECK(info.parameter_count == 2);
    CHECK(info.device == d->get());
    CHECK(info.max_block_threads == 1024);
    CHECK(info.fixed_block[0] == 4);
    CHECK(info.registers == SPOC_BE_UNKNOWN_32);
    CHECK(kinds(add) == std::vector<std::uint32_t>{SPOC_PARAMETER_BUFFER, SPOC_PARAMETER_SCALAR});
    spoc_parameter one{};
    std::uint32_t count = 0;
    CHECK(told(spoc_kernel_parameters, add.get(), &one, 1U, &count) == "ok");
    CHECK(count == 2);
    CHECK(one.kind == SPOC_PARAMETER_BUFFER);
    CHECK(mock.records().size() == calls);
}

TEST_CASE_METHOD(fixture, "Declared parameters count where reflection is silent", "[R-903]") {
    const std::vector<spoc_parameter> declared = {buffer_of(0, SPOC_ACCESS_IN), scalar_of(1)};
    mock.set(SPOC_MOCK_REFLECTION, SPOC_BE_REFLECTION_NONE);
    CHECK(get("add").info().parameter_count == SPOC_BE_UNKNOWN_32);
    CHECK(get("add").parameters().empty());
    CHECK(get("add", {.parameters = declared}).parameters().at(0).access == SPOC_ACCESS_IN);
    mock.set(SPOC_MOCK_REFLECTION, SPOC_BE_REFLECTION_FULL);
    CHECK(get("add", {.parameters = declared}).parameters().at(0).access == SPOC_ACCESS_INOUT);
}

TEST_CASE_METHOD(fixture, "Wrong arguments of a kernel are found before the plugin is called",
                 "[R-002]") {
    const program all(*d, SPOC_FORMAT_NATIVE_SYMBOL, "");
    mock.forget();
    const auto ask_for = [&](const kernel_options& wanted) {
        return thrown([&] { kernel(all, "add", wanted); });
    };
    const spoc_kernel_options* const no_options = nullptr;
    CHECK(told(spoc_kernel_get, spoc_program{}, "add", no_options, &made) ==
          "invalid_argument null");
    CHECK(told(spoc_kernel_get, all.get(), static_cast<const char*>(nullptr), no_options, &made) ==
          "invalid_argument null");
    CHECK(told(spoc_kernel_get, all.get(), "add", no_options, static_cast<spoc_kernel*>(nullptr)) ==
          "invalid_argument null");
    CHECK(told(spoc_kernel_get, all.get(), "", no_options, &made) == "invalid_argument name");
    CHECK(ask_for({.parameters = {scalar_of(1)}}) == "invalid_argument arity");
    CHECK(ask_for({.parameters = {scalar_of(0), scalar_of(0)}}) == "invalid_argument arity");
    CHECK(ask_for({.parameters = {parameter(0, 5, 0, 0, 0)}}) == "invalid_argument value");
    CHECK(ask_for({.parameters = {parameter(0, 1, 0, 8, 0)}}) == "invalid_argument value");
    CHECK(ask_for({.constants = {{0, 3, 0}}}) == "invalid_argument value");
    CHECK(ask_for({.needs = {63}}) == "invalid_argument value");
    CHECK(ask_for({.block = {4, 0, 1}}) == "invalid_argument value");
    auto options = sized<spoc_kernel_options>();
    options.flags = 1;
    const spoc_kernel_options* const given = &options;
    CHECK(told(spoc_kernel_get, all.get(), "add", given, &made) == "invalid_argument value");
    options.flags = 0;
    options.parameter_count = 1;
    CHECK(told(spoc_kernel_get, all.get(), "add", given, &made) == "invalid_argument null");
    CHECK(made == nullptr);
    CHECK(mock.records().empty());
}

TEST_CASE_METHOD(fixture, "A name that the program does not hold is the driver's answer",
                 "[R-902]") {
    CHECK(thrown([&] { get("missing"); }) == "backend_error module_load_failed");
    CHECK(mock.gate.alive(SPOC_MOCK_KERNELS) == 0);
}

TEST_CASE_METHOD(fixture, "A kernel of which the plugin cannot tell is given back", "[R-003]") {
    const auto* const entry = GENERATE("kernel_info", "kernel_params");
    mock.fail(entry);
    CHECK(thrown([&] { get("add"); }) == "backend_error driver");
    CHECK(mock.count("kernel_destroy") == 1);
}

TEST_CASE_METHOD(launching, "A kernel needs what its parameters need, and unknown is no yes",
                 "[R-904][R-108]") {
    const std::uint32_t answer = GENERATE(SPOC_MOCK_NO, SPOC_MOCK_UNKNOWN);
    mock.set_capability(SPOC_BE_CAP_FP64, answer);
    mock.set_capability(SPOC_BE_CAP_INT64, answer);
    mock.set_capability(SPOC_BE_CAP_FP16, answer);
    begin_launching();
    for (const char* const name : {"doubles", "longs", "half"}) {
        CAPTURE(std::string(name));
        CHECK(thrown([&] { get(name); }) == "feature_not_supported none");
        CHECK(mock.gate.alive(SPOC_MOCK_KERNELS) == 0);
    }
    // Halves can be stored without arithmetic on them.
    CHECK(thrown([&] { get("halves"); }) == "ok");
    CHECK(thrown([&] { get("doubles", *e); }) == "ok");
}

TEST_CASE_METHOD(launching, "What a kernel is said to need is asked before the plugin is called",
                 "[R-904][R-108]") {
    mock.set_capability(SPOC_BE_CAP_SUBGROUPS, SPOC_MOCK_UNKNOWN);
    begin_launching();
    const program all(*d, SPOC_FORMAT_NATIVE_SYMBOL, "");
    mock.forget();
    CHECK(thrown([&] { kernel(all, "add", {.needs = {SPOC_BE_CAP_SUBGROUPS}}); }) ==
          "feature_not_supported none");
    CHECK(thrown([&] {
              kernel(all, "add", {.constants = {{0, 4, 1}}});
          }) == "feature_not_supported none");
    CHECK(mock.records().empty());
    CHECK(thrown([&] { kernel(all, "add", {.needs = {SPOC_BE_CAP_FP64}}); }) == "ok");
}

TEST_CASE_METHOD(fixture, "A kernel outlives its program", "[R-907]") {
    std::optional<program> all(std::in_place, *d, SPOC_FORMAT_NATIVE_SYMBOL, "");
    const kernel add(*all, "add");
    all.reset();
    CHECK(mock.gate.alive(SPOC_MOCK_PROGRAMS) == 0);
    placed_vector data(*this, "host");
    launch(add, one_each, inout(data.v), 5);
    CHECK(copy_of(data.v.read()) == plus(data.fresh, 5));
}

}  // namespace spoc::test
