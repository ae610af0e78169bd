// SPDX-License-Identifier: Apache-2.0
#include "sha256.hpp"

#include <string_view>

#include "support/catch.hpp"

using spoc::bench::sha256;

namespace {

void add(sha256& sum, std::string_view text) { sum.update(std::as_bytes(std::span(text))); }

}  // namespace

// The values are those of FIPS 180-2, appendix B.
TEST_CASE("the sum is that of the standard, however the data is cut") {
    sha256 whole;
    add(whole, "abc");
    CHECK(whole.finish() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256 parts;
    add(parts, "abcdbcdecdefdefgefghfghighijhijk");
    add(parts, "");
    add(parts, "ijkljklmklmnlmnomnopnopq");
    CHECK(parts.finish() == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}
