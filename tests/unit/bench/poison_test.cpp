// SPDX-License-Identifier: Apache-2.0
#include "poison.hpp"

#include <array>

#include "support/catch.hpp"

TEST_CASE(
    "poison differs from both ends of the data, and that of the host from that of the device") {
    bool all_differ = true;
    for (unsigned first = 0; first < 256; ++first) {
        for (unsigned last = 0; last < 256; ++last) {
            const std::array data{static_cast<std::byte>(first), std::byte{0},
                                  static_cast<std::byte>(last)};
            const auto [device, host] = spoc::bench::choose_poison(data);
            all_differ = all_differ && device != host && device != first && device != last &&
                         host != first && host != last;
        }
    }
    CHECK(all_differ);
}
