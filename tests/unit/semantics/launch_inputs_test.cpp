// SPDX-License-Identifier: Apache-2.0

/// \file
/// `SPOC_DEBUG=validate` compares what a kernel was said only to read before and after it.

#include <cstdint>
#include <string>

#include "launch_fixture.hpp"
#include "unit/core/support/captured_stderr.hpp"

namespace spoc::test {
namespace {

/// Of `last_byte`'s argument: more than is read back at once.
constexpr std::uint64_t many = (std::uint64_t{3} << 20U) + 5;

/// Writes the last byte of `many`.
void last_byte(const spoc_native_block*, void* const* args) {
    static_cast<unsigned char*>(args[0])[many - 1] ^= 1U;
}

class fixture : public launching {
 public:
    fixture() {
        static const test_kernel last({buffer_of(0, SPOC_ACCESS_IN, SPOC_ELEMENT_U8, 1)},
                                      last_byte);
        mock.gate.add_kernel("last", &last.description);
        runtime.variables.set("SPOC_DEBUG", "validate");
        begin_launching();
    }

    /// What is said of the argument with that index.
    static std::string warning(unsigned index, const std::string& what, unsigned tag = 0) {
        return "spoc: warning: core: SPOC_DEBUG=validate: the kernel of the launch with tag " +
               std::to_string(tag) + " on device mock:0 wrote argument " + std::to_string(index) +
               " (" + what + "), which it was said only to read\n";
    }
    static std::string vector_name(const detail::vector_owner& v) {
        return "vector " + std::to_string(v.id());
    }
};

}  // namespace

TEST_CASE_METHOD(fixture, "A kernel that writes what it was said only to read is told of",
                 "[R-915]") {
    const kernel add = get("add");
    const stream on(*d);
    placed_vector v(*this, "both d");
    const buffer memory(*d, 4 * elements);
    captured_stderr said;
    SECTION("on the default stream") {
        launch(add, {.grid = 8, .tag = 7}, in(v.v), 1);
        CHECK(said.text() == warning(0, vector_name(v.v), 7));
    }
    SECTION("on a stream") {
        launch(add, one_each, on, in(v.v), 1);
        CHECK(said.text() == warning(0, vector_name(v.v)));
    }
    SECTION("a buffer") {
        launch(add, {}, in(memory), 1);
        CHECK(said.text() == warning(0, "a buffer"));
    }
    SECTION("in one of two arguments") {
        placed_vector w(*this, "host");
        launch(get("lengths"), one_each, inout(v.v), 0, in(w.v), 1);
        CHECK(said.text().empty());
        captured_stderr of_next;
        launch(get("lengths"), one_each, inout(v.v), 1, in(w.v), 1);
        CHECK(of_next.text() == warning(2, vector_name(w.v)));
    }
    SECTION("the last byte of many") {
        vector<unsigned char> large(many);
        large.fill(3);
        launch(get("last"), {}, detail::tagged(large, SPOC_ACCESS_UNKNOWN));
        CHECK(said.text() == warning(0, vector_name(large)));
    }
    CHECK(mock.count("launch") >= 1);
}

TEST_CASE_METHOD(fixture, "A kernel that keeps its word has nothing said of it", "[R-915]") {
    const stream on(*d);
    placed_vector a(*this, "host");
    placed_vector b(*this, "stale_host d");
    vector<std::int32_t> c(elements);
    captured_stderr said;
    launch(get("sum"), one_each, on, in(a.v), in(b.v), out_full(c));
    // Only what is shown counts.
    launch(get("add"), {.grid = 4}, on, inout(a.v).part(0, 16), 0);
    launch(get("add"), {.grid = 4}, on, in(a.v).part(16, 16), 0);
    on.synchronize();
    CHECK(said.text().empty());
    CHECK(place(b.v) == "stale_host d");
    CHECK(c.at(2) == a.fresh[2] + b.fresh[2]);
}

TEST_CASE_METHOD(fixture, "What cannot be looked at before the launch is not launched",
                 "[R-915][R-003]") {
    const kernel add = get("add");
    placed_vector v(*this, "both d");
    mock.fail("copy");
    CHECK(thrown([&] { launch(add, one_each, in(v.v), 0); }) == "backend_error copy_failed");
    CHECK(mock.count("launch") == 0);
    CHECK(place(v.v) == "both d");
    launch(add, one_each, in(v.v), 0);
}

TEST_CASE_METHOD(launching, "Without that word nothing is read back for a launch", "[R-915]") {
    begin_launching();
    const kernel add = get("add");
    placed_vector v(*this, "both d");
    mock.forget();
    launch(add, one_each, in(v.v), 1);
    CHECK(mock.records().size() == 1);
}

}  // namespace spoc::test
