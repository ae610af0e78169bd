// SPDX-License-Identifier: Apache-2.0

/// \file
/// Every mistake in arguments, function by function: it is told before any call of a plugin, and
/// leaves no trace.

#include "refusal_table.hpp"

namespace spoc::test {

TEST_CASE("A mistake is told before any call of a plugin, and leaves no trace",
          "[R-002][R-003][R-004][R-221][R-401][R-403][R-506][B67][B68]") {
    objects all;
    places out;
    list mistakes;
    for (const list& some :
         {about_streams(all, out), about_events(all, out), about_host_memory(all, out),
          about_copies(all, false), about_copies(all, true), about_buffers(all, out),
          about_making_vectors(all, out), about_vectors(all, out), about_views(all, out),
          about_shared_memory(all, out), about_ranges(all, true), about_ranges(all, false),
          about_stage(all)}) {
        mistakes.insert(mistakes.end(), some.begin(), some.end());
    }
    all.runtime.mock.forget();
    all.bare.forget();
    for (const mistake& one : mistakes) {
        CAPTURE(one.what);
        CHECK(one.call() == one.wanted);
        CHECK(all.runtime.mock.records().empty());
        CHECK(all.bare.records().empty());
        CHECK(out == places{});
        all.runtime.mock.forget();
    }
    CHECK(mistakes.size() > 230);
    REQUIRE(told(spoc_vector_end_write, all.writing->get()) == "ok");
}

}  // namespace spoc::test
