// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <nlohmann/json.hpp>

#include "support/catch.hpp"

using namespace spoc::bench;

namespace {

device_result loaded_result() {
    load_figures figures;
    figures.upload = load_figures::seconds(0.5);
    figures.readback = load_figures::seconds(0.25);
    figures.wall = load_figures::seconds(2);
    figures.sha256 = "0123";
    return {"native:0", "A \x1b[1mname\xff", load_plan{4'000'000'000, 1U << 20U, 4}, figures, ""};
}

}  // namespace

TEST_CASE("rates are decimal gigabytes a second, and names cannot steer a terminal") {
    CHECK(describe_result(loaded_result()) ==
          "native:0  A \uFFFD[1mname\uFFFD\n"
          "  loaded     4000000000 bytes in 2.000 s: 3815 pieces through 4 slots of 1.0 MiB\n"
          "  upload     8.00 GB/s\n"
          "  read back  16.00 GB/s\n"
          "  SHA-256    0123\n"
          "  result     verified\n");
}

TEST_CASE("a single byte is described in the singular") {
    device_result result = loaded_result();
    result.plan = load_plan{1, 1, 1};
    result.error = "It is wrong.";
    const std::string text = describe_result(result);
    CHECK(text.find("1 byte in 2.000 s: 1 piece through 1 slot of 1 B\n") != std::string::npos);
    CHECK(text.find("upload     0.000000 GB/s\n") != std::string::npos);
    CHECK(text.find("result     MISMATCH\n") != std::string::npos);
}

TEST_CASE("a mismatch names the first byte and how much is wrong") {
    load_figures figures;
    figures.first_mismatch = mismatch{1048577, 0x0A, 0xFF};
    figures.wrong_pieces = 2;
    CHECK(describe_mismatch(load_plan{10, 3, 2}, figures) ==
          "Byte 1048577 came back as 0xff instead of 0x0a; what came back differs from the file in "
          "2 of 4 pieces.");
}

TEST_CASE("the document of a load says what is not known with null") {
    load_report report{
        "fi\xffle", 4'000'000'000, {loaded_result(), {"cuda:0", "B", {}, {}, "It failed."}}, ""};
    const auto json = nlohmann::json::parse(json_document(report));
    CHECK(json["schema"] == "spoc-bench-load/1");
    CHECK(json["file"] == "fi\uFFFDle");
    CHECK(json["error"].is_null());
    REQUIRE(json["results"].size() == 2);
    CHECK(json["results"][0]["upload_gbps"] == 8.0);
    CHECK(json["results"][0]["verified"] == true);
    CHECK(json["results"][0]["error"].is_null());
    CHECK(json["results"][1]["error"] == "It failed.");
    CHECK(json["results"][1]["verified"] == false);
    for (const char* key : {"bytes", "slot_bytes", "slots", "pieces", "upload_gbps",
                            "readback_gbps", "wall_s", "sha256"}) {
        CAPTURE(key);
        CHECK(json["results"][0][key].is_null() == false);
        CHECK(json["results"][1][key].is_null());
    }
}

TEST_CASE("a rate that took no time is not known") {
    device_result result = loaded_result();
    result.figures->upload = load_figures::seconds(0);
    CHECK(describe_result(result).find("upload     too short to tell\n") != std::string::npos);
    load_report report{"file", 1, {result}, ""};
    CHECK(nlohmann::json::parse(json_document(report))["results"][0]["upload_gbps"].is_null());
}
