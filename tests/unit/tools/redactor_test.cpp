// SPDX-License-Identifier: Apache-2.0
#include "spoc-info/redactor.hpp"

#include <cstring>

#include "spoc-info/physical.hpp"
#include "support/catch.hpp"

using namespace spoc::info;

namespace {

redactor of_ann() {
    return redactor({{"/home/ann", "/data/people/ann"}, {"ann"}, {"box", "box.example.org"}});
}

std::string once(const std::string& text) { return of_ann().text(text); }

}  // namespace

TEST_CASE("a home directory is ~ wherever a path may begin", "[redactor]") {
    CHECK(once("/home/ann") == "~");
    CHECK(once("/opt:/home/ann/x:/data/people/ann/y") == "/opt:~/x:~/y");
    CHECK(once("The file \"/home/ann/x\" is not in /home/ann.") == "The file \"~/x\" is not in ~.");
    CHECK(once("file:///home/ann/x") == "file://~/x");
}

TEST_CASE("a home directory that only begins like it is somebody else's", "[redactor]") {
    CHECK(once("/home/anna/x") == "/home/<user-1>/x");
    CHECK(once("/home/ann.old /home/ann-2") == "/home/<user-1> /home/<user-2>");
    CHECK(once("/mnt/home/ann/x") == "/mnt/home/<user>/x");
}

TEST_CASE("names are replaced as whole words, in capitals or not", "[redactor]") {
    CHECK(once("owner ann (1000), group Ann") == "owner <user> (1000), group <user>");
    CHECK(once("annual plan_ann") == "annual plan_ann");
    CHECK(once("box.example.org, BOX and boxes") == "<host>, <host> and boxes");
}

TEST_CASE("other people are numbered, also in texts that came before", "[redactor]") {
    redactor names = of_ann();
    names.learn("/home/bob/lib:/home/ann:/Users/eve");
    names.learn_owner("carol", 1003);
    names.learn_owner("daemon", 1);
    CHECK(names.text("owner bob (1001), group daemon") == "owner <user-1> (1001), group daemon");
    CHECK(names.text("/home/bob/lib /Users/eve carol") ==
          "/home/<user-1>/lib /Users/<user-2> <user-3>");
}

TEST_CASE("a UUID keeps its form, and the same one its number", "[redactor]") {
    redactor names = of_ann();
    spoc_be_device_info info{};
    info.flags = SPOC_BE_DEVICE_HAS_UUID;
    std::memset(info.uuid, 0xA1, sizeof info.uuid);
    const std::string written = uuid_of(info).value_or("");
    const std::string first = "00000000-0000-0000-0000-000000000001";
    CHECK(names.text("GPU-" + written + ".") == "GPU-" + first + ".");
    CHECK(names.text("cuda:uuid=A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1A1,vk") ==
          "cuda:uuid=" + first + ",vk");
    CHECK(names.text("00112233-4455-6677-8899-aabbccddeeff").back() == '2');
    names.uuid(info.uuid);
    CHECK(uuid_of(info) == first);
}

TEST_CASE("what looks like a serial number is numbered", "[redactor]") {
    redactor names = of_ann();
    CHECK(names.text("serial 0323718045512, then 03ab718045512") ==
          "serial <serial-1>, then <serial-2>");
    CHECK(names.text("0323718045512 at 01:23:45:67:89:ab") == "<serial-1> at <serial-3>");
}

TEST_CASE("figures, versions, codes and PCI addresses stay", "[redactor]") {
    for (const char* text :
         {"Mesa 22.3.6 (git-0a1b2c3d4e)", "0000:65:00.0", "580.159.04", "16777216 bytes",
          "CUresult 999", "6.1.0-18-amd64", "deadbeefdeadbeef", "libspoc-cuda.so", "", "/", "//"}) {
        CHECK(once(text) == text);
    }
}
