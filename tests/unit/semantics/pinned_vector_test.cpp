// SPDX-License-Identifier: Apache-2.0

/// \file
/// Page-locked memory that vectors have their host storage in.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "launch_fixture.hpp"
#include "pages.hpp"

namespace spoc::test {
namespace {

constexpr const char* busy = "invalid_argument busy";

/// Device d is integrated, device e works in host memory.
class fixture : public launching {
 public:
    fixture() {
        mock.gate.describe(0, SPOC_BE_KIND_INTEGRATED);
        mock.gate.describe(1, SPOC_BE_KIND_CPU);
        begin_launching();
        memory.emplace(*d, elements);
        std::fill(memory->elements().begin(), memory->elements().end(), 3);
        mock.forget();
    }

    /// What releasing the memory comes to, which calls no plugin where it is refused.
    std::string released() {
        const std::uint64_t before = mock.records().size();
        std::string answer = thrown([&] { memory->release(); });
        CHECK((answer == "ok" || mock.records().size() == before));
        CHECK(memory->is_live() == (answer != "ok"));
        return answer;
    }

    std::optional<pinned_buffer<std::int32_t>> memory;
};

}  // namespace

TEST_CASE_METHOD(fixture, "Memory that a live vector lies over is not released", "[R-604]") {
    using numbers_vector = vector<std::int32_t>;
    const auto all = memory->elements();
    std::optional<numbers_vector> over;
    SECTION("all of it") { over.emplace(numbers_vector::over(all)); }
    SECTION("its first element") { over.emplace(numbers_vector::over(all.first(1))); }
    SECTION("its last element") { over.emplace(numbers_vector::over(all.last(1))); }
    SECTION("a view, when its vector is gone") {
        const numbers_vector whole = numbers_vector::over(all);
        over.emplace(whole.view(2, 1));
    }
    SECTION("a buffer made over it") {
        over.emplace(host_ptr_buffer<std::int32_t>::of_span(*d, all));
    }
    CHECK(released() == busy);
    CHECK(over->at(0) == 3);
    CHECK(released() == busy);
    over.reset();
    CHECK(released() == "ok");
    CHECK(mock.gate.alive(SPOC_MOCK_HOSTMEMS) == 0);
}

TEST_CASE_METHOD(fixture, "Vectors elsewhere do not keep memory from being released", "[R-604]") {
    const pages own(1);
    auto* const there = reinterpret_cast<std::int32_t*>(own.all().data());
    const auto beside = vector<std::int32_t>::over({there, elements});
    const auto nothing = vector<std::int32_t>::over(memory->elements().first(0));
    const vector<std::int32_t> ordinary(elements);
    CHECK(released() == "ok");
}

TEST_CASE_METHOD(fixture, "Work in the memory of a vector that is gone keeps it",
                 "[R-604][R-225]") {
    const stream on(*e);
    const kernel add = get("add", *e);
    hold();
    {
        auto v = vector<std::int32_t>::over(memory->elements());
        launch(add, one_each, on, inout(v), 1);
    }
    CHECK(released() == busy);
    let_go();
    on.synchronize();
    CHECK(memory->elements()[7] == 4);
    CHECK(released() == "ok");
}

TEST_CASE_METHOD(fixture, "A registration ends under a vector, which stays", "[R-604][R-610]") {
    const pages own(1);
    const std::span<std::int32_t> all(reinterpret_cast<std::int32_t*>(own.all().data()), elements);
    host_registration locked(*d, own.all());
    auto v = vector<std::int32_t>::over(all);
    v.fill(5);
    locked.release();
    CHECK_FALSE(is_live(own.all()));
    v.to_device(*d);
    CHECK(v.at(7) == 5);
}

TEST_CASE_METHOD(fixture, "A vector's owner may release what the vector lay over",
                 "[R-604][R-638]") {
    std::string answer = "never";
    std::optional<vector<std::int32_t>> v = vector<std::int32_t>::over(
        memory->elements(), std::shared_ptr<void>(&answer, [&](void*) { answer = released(); }));
    CHECK(answer == "never");
    v.reset();
    CHECK(answer == "ok");
}

}  // namespace spoc::test
