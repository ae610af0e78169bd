// SPDX-License-Identifier: Apache-2.0
#include "selector.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace spoc::detail {
namespace {

std::vector<selector> parse(std::string_view text) {
    std::vector<selector> found;
    const outcome parsed = parse_selectors("The argument", text, found);
    INFO(std::string(text));
    REQUIRE(parsed.ok());
    return found;
}

}  // namespace

TEST_CASE("A selector is read in each of its forms") {
    CHECK(parse("*")[0].backend.empty());
    CHECK_FALSE(parse("*")[0].index);
    CHECK(parse("cuda")[0].backend == "cuda");
    CHECK_FALSE(parse("cuda")[0].index);
    CHECK(parse("cuda:0")[0].index == 0U);
    CHECK(parse("cuda:007")[0].index == 7U);
    CHECK(parse("cuda:4294967295")[0].index == 4294967295U);
    const auto uuid = parse("x:uuid=0123ABcd-0000-0000-0000-0000000000ff")[0].uuid;
    REQUIRE(uuid);
    CHECK((*uuid)[0] == 0x01);
    CHECK((*uuid)[2] == 0xAB);
    CHECK((*uuid)[15] == 0xFF);
    const auto pci = parse("x:pci=10000:Ff:1f.7")[0].pci;
    REQUIRE(pci);
    CHECK(*pci == std::array<std::uint32_t, 4>{0x10000, 0xFF, 0x1F, 7});
    CHECK(*parse("x:pci=65:00.1")[0].pci == std::array<std::uint32_t, 4>{0, 0x65, 0, 1});
}

TEST_CASE("A list of selectors keeps its order and its repetitions") {
    const std::vector<selector> found = parse("cuda:1,*,cuda:1,native");
    REQUIRE(found.size() == 4);
    CHECK(found[0].text == "cuda:1");
    CHECK(found[1].text == "*");
    CHECK(found[2].index == 1U);
    CHECK(found[3].backend == "native");
}

TEST_CASE("What is no selector is refused with its text, and nothing is read") {
    const char* text = GENERATE(
        "", ",", "cuda,", ",cuda", "cuda,,native", ":", ":0", "cuda:", "*:0", "cuda:x", "cuda:-1",
        "cuda:+1", "cuda: 1", "cuda:1 ", "cuda:0x1", "cuda:4294967296", "cuda:0:0", "cuda:1.5",
        "cuda:uuid=", "cuda:uuid=0123", "cuda:uuid=0123456789abcdef0123456789abcdef0",
        "cuda:uuid=0123456789abcdef0123456789abcdeg", "cuda:uuid=+1234567890abcdef0123456789abcde",
        "cuda:pci=", "cuda:pci=65", "cuda:pci=65:0", "cuda:pci=0:65:0", "cuda:pci=0:0:65:0.0",
        "cuda:pci=0:65:0.0.0", "cuda:pci=:65:0.0", "cuda:pci=0:65:.0", "cuda:pci=0:65:0.",
        "cuda:pci=g:65:0.0", "cuda:pci=100000000:65:0.0", "cuda:UUID=0123", "cuda:name=x");
    CAPTURE(text);
    std::vector<selector> found(3);
    const outcome refused = parse_selectors("SPOC_DEVICES", text, found);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().status == SPOC_INVALID_ARGUMENT);
    CHECK(refused.error().sub_code == SPOC_SUB_NAME);
    CHECK(std::string(refused.error().message).find("SPOC_DEVICES holds \"") == 0);
    CHECK(found.size() == 3);
}

TEST_CASE("A selector fits by everything that it says") {
    spoc_be_device_info info{};
    info.index = 2;
    info.uuid[0] = 1;
    info.pci[3] = 5;
    const auto fits = [&info](const char* text) { return parse(text)[0].fits("cuda", info); };
    CHECK(fits("*"));
    CHECK(fits("cuda"));
    CHECK_FALSE(fits("cud"));
    CHECK_FALSE(fits("cudaa"));
    CHECK(fits("cuda:2"));
    CHECK_FALSE(fits("cuda:1"));
    CHECK_FALSE(fits("hip:2"));
    CHECK_FALSE(fits("cuda:uuid=01000000000000000000000000000000"));
    CHECK_FALSE(fits("cuda:pci=0:0:0.5"));
    info.flags = SPOC_BE_DEVICE_HAS_UUID;
    CHECK(fits("cuda:uuid=01000000000000000000000000000000"));
    CHECK_FALSE(fits("cuda:uuid=01000000000000000000000000000001"));
    CHECK_FALSE(fits("cuda:pci=0:0:0.5"));
    info.flags = SPOC_BE_DEVICE_HAS_PCI;
    CHECK(fits("cuda:pci=0:0:0.5"));
    CHECK_FALSE(fits("cuda:pci=0:0:0.4"));
    CHECK_FALSE(fits("cuda:pci=1:0:0.5"));
}

}  // namespace spoc::detail
