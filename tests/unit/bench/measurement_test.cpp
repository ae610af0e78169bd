// SPDX-License-Identifier: Apache-2.0
#include "measurement.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "bench_case.hpp"
#include "support/catch.hpp"

namespace spoc::bench {
namespace {

contest_figures figures_of(double over, double control) {
    contest_figures figures;
    figures.over.median = over;
    figures.control.median = control;
    return figures;
}

}  // namespace

TEST_CASE("A spread is the median, the least and the most") {
    CHECK(spread_of({3}).median == 3);
    CHECK(spread_of({9, 1, 4}).median == 4);
    const spread even = spread_of({8, 2, 1, 4});
    CHECK(even.median == 3);
    CHECK(even.least == 1);
    CHECK(even.most == 8);
}

TEST_CASE("A control that is off says noise, whatever else was measured") {
    contest subject;
    subject.target_ns = 50;
    CHECK(verdict(subject, figures_of(10, 1)) == "met");
    CHECK(verdict(subject, figures_of(50, 1.019)) == "met");
    CHECK(verdict(subject, figures_of(51, 0.981)) == "missed");
    CHECK(verdict(subject, figures_of(10, 1.021)) == "noise");
    CHECK(verdict(subject, figures_of(10, 0.979)) == "noise");
    subject.target_ns.reset();
    CHECK(verdict(subject, figures_of(1e9, 1)) == "measured");
}

TEST_CASE("SPOC runs between two raw runs, with as many calls and its own preparations") {
    std::vector<std::string> log;
    const auto noting = [&](const char* word) {
        return [&log, word](std::uint64_t count) { log.push_back(word + std::to_string(count)); };
    };
    contest subject;
    subject.most_calls = 8;
    subject.raw = {noting("raw"), noting("before"), {}};
    subject.spoc = {noting("spoc"), {}, noting("after")};
    const contest_figures figures = measure(subject);
    CHECK(figures.calls == 8);
    const std::vector<std::string> raw = {"before2", "raw2", "before8", "raw8"};
    std::vector<std::string> wanted = raw;  // to see how many calls are enough
    for (std::uint64_t round = 0; round <= figures.rounds; ++round) {
        wanted.insert(wanted.end(), raw.begin(), raw.end());
        wanted.insert(wanted.end(), {"spoc2", "after2", "spoc8", "after8"});
        wanted.insert(wanted.end(), raw.begin(), raw.end());
    }
    CHECK(log == wanted);
}

TEST_CASE("Patterns choose benchmarks, each once") {
    CHECK(find_cases({"*"}).size() == bench_cases().size());
    const auto found = find_cases({"disp.event", "disp.?all", "disp.[ce]*"});
    REQUIRE(found.size() == 3);
    CHECK(std::string(found[0]->name) == "disp.event");
    CHECK(std::string(found[1]->name) == "disp.call");
    CHECK(std::string(found[2]->name) == "disp.copy");
    CHECK_THROWS_AS(find_cases({"disp.call", "none"}), std::invalid_argument);
}

}  // namespace spoc::bench
