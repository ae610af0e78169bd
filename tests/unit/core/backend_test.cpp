// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "support/runtime_fixture.hpp"

namespace spoc::test {
namespace {

using strings = std::vector<std::string>;

std::vector<spoc_backend_info> list() {
    std::uint32_t count = 0;
    REQUIRE(told(spoc_backend_count, &count) == "ok");
    std::vector<spoc_backend_info> found(count, sized<spoc_backend_info>());
    for (std::uint32_t i = 0; i < count; ++i) {
        REQUIRE(told(spoc_backend_get, i, &found[i]) == "ok");
    }
    return found;
}

spoc_backend_info entry(const std::string& name) {
    for (const spoc_backend_info& one : list()) {
        if (one.name == name) {
            return one;
        }
    }
    FAIL("no entry of that name: " + name);
    return {};
}

/// "state REASON" of a backend.
std::string standing(const std::string& name) {
    const spoc_backend_info found = entry(name);
    return std::string(spoc_state_name(found.state)) + ' ' + spoc_reason_name(found.reason);
}

strings names() {
    strings found;
    for (const spoc_backend_info& one : list()) {
        found.emplace_back(one.name);
    }
    return found;
}

}  // namespace

TEST_CASE_METHOD(runtime_fixture, "Known backends without a file are listed as absent", "[R-101]") {
    start();
    CHECK(names() == strings{"cuda", "hip", "ocl", "vk", "metal", "native"});
    CHECK(standing("cuda") == "absent NOT_INSTALLED");
    CHECK(standing("metal") == "absent PLATFORM_UNSUPPORTED");
    const spoc_backend_info absent = entry("cuda");
    CHECK(absent.stage == SPOC_STAGE_NONE);
    CHECK(absent.device_count == SPOC_BE_UNKNOWN_32);
    CHECK(absent.driver_version[0] == SPOC_BE_UNKNOWN_32);
    CHECK(absent.abi_major == 0);
    CHECK(std::string(absent.file).empty());
    CHECK(contains(absent.message, "libspoc-cuda.so"));
    CHECK(contains(absent.hint, "SPOC_PLUGIN_PATH"));
}

TEST_CASE_METHOD(device_fixture, "An entry goes from listed to probed to enumerated") {
    rec.report.driver_version[0] = 12;
    rec.report.threads_started = 3;
    std::strcpy(rec.report.driver_name, "Recorder driver");
    std::strcpy(rec.report.skipped, "old device: too old\n");
    start();
    const spoc_backend_info listed = entry("rec");
    CHECK(listed.state == SPOC_STATE_READY);
    CHECK(listed.stage == SPOC_STAGE_PASSIVE);
    CHECK(listed.device_count == SPOC_BE_UNKNOWN_32);
    CHECK(listed.abi_major == SPOC_BE_ABI_MAJOR);
    CHECK(listed.driver_version[0] == 12);
    CHECK(std::string(listed.driver_name) == "Recorder driver");
    CHECK(std::string(listed.plugin_vendor) == "SPOC");
    CHECK(std::string(listed.file) == (folder.path() / "libspoc-rec.so").string());
    CHECK(std::string(listed.message).empty());
    CHECK(listed.elapsed_ns > 0);
    CHECK(told(spoc_backends_probe, SPOC_BE_PROBE_ENUMERATE) == "ok");
    const spoc_backend_info enumerated = entry("rec");
    CHECK(enumerated.stage == SPOC_STAGE_ENUMERATED);
    CHECK(enumerated.device_count == 1);
    CHECK(enumerated.threads_started == 3);
    CHECK(std::string(enumerated.skipped) == "old device: too old\n");
}

TEST_CASE_METHOD(device_fixture, "An index beyond the list is told with both figures") {
    start();
    auto info = sized<spoc_backend_info>();
    const answer beyond = ask(spoc_backend_get, 99U, &info);
    CHECK(beyond.text() == "invalid_argument bounds");
    CHECK(beyond.error.asked == 99);
    CHECK(beyond.error.limit == names().size());
    CHECK(std::string(info.name).empty());
}

TEST_CASE_METHOD(device_fixture, "A switch that is exactly 1 disables, and nothing else does",
                 "[R-103]") {
    SECTION("any backend by its own name") {
        variables.set("SPOC_DISABLE_REC", "1");
        start();
        CHECK(standing("rec") == "disabled DISABLED_BY_USER");
        CHECK(contains(entry("rec").message, "SPOC_DISABLE_REC"));
        CHECK(device_count() == 0);
        CHECK(rec.entries() == strings{});
        CHECK(told(spoc_backend_require, "rec") == "unavailable disabled");
    }
    SECTION("other values do not") {
        variables.set("SPOC_DISABLE_REC", GENERATE("0", "yes", "true", "11", " 1", ""));
        start();
        CHECK(standing("rec") == "ready NONE");
    }
    SECTION("nor does the switch for GPUs, which it may not drive") {
        variables.set("SPOC_DISABLE_GPU", "1");
        start();
        CHECK(standing("rec") == "ready NONE");
        CHECK(standing("cuda") == "disabled DISABLED_BY_USER");
        CHECK(standing("metal") == "disabled DISABLED_BY_USER");
        CHECK(standing("native") == "absent NOT_INSTALLED");
    }
}

TEST_CASE_METHOD(runtime_fixture, "A switch has two spellings where the backend has two names",
                 "[R-103]") {
    struct spelling {
        const char* variable;
        const char* backend;
    };
    const auto one = GENERATE(
        spelling{"SPOC_DISABLE_OCL", "ocl"}, spelling{"SPOC_DISABLE_OPENCL", "ocl"},
        spelling{"SPOC_DISABLE_VK", "vk"}, spelling{"SPOC_DISABLE_VULKAN", "vk"},
        spelling{"SPOC_DISABLE_CUDA", "cuda"}, spelling{"SPOC_DISABLE_HIP", "hip"},
        spelling{"SPOC_DISABLE_METAL", "metal"}, spelling{"SPOC_DISABLE_WEBGPU", "webgpu"},
        spelling{"SPOC_DISABLE_NATIVE", "native"}, spelling{"SPOC_DISABLE_INTERP", "interp"},
        spelling{"SPOC_DISABLE_INTERPRETER", "interp"});
    add(one.backend);
    variables.set(one.variable, "1");
    start();
    CHECK(standing(one.backend) == "disabled DISABLED_BY_USER");
    CHECK(device_count() == 0);
}

TEST_CASE_METHOD(device_fixture, "SPOC_BACKENDS allows and denies by name", "[R-112]") {
    add("other");
    SECTION("what is not listed is disabled") {
        variables.set("SPOC_BACKENDS", "other");
        start();
        CHECK(standing("rec") == "disabled DISABLED_BY_USER");
        CHECK(contains(entry("rec").message, "does not list"));
        CHECK(standing("other") == "ready NONE");
        CHECK(standing("cuda") == "disabled DISABLED_BY_USER");
        CHECK(names().front() == "other");
    }
    SECTION("what is left out is disabled, and nothing else") {
        variables.set("SPOC_BACKENDS", "-rec");
        start();
        CHECK(standing("rec") == "disabled DISABLED_BY_USER");
        CHECK(contains(entry("rec").message, "leaves out"));
        CHECK(standing("other") == "ready NONE");
        CHECK(standing("cuda") == "absent NOT_INSTALLED");
    }
    CHECK(rec.entries() == strings{});
}

TEST_CASE_METHOD(device_fixture,
                 "A name in SPOC_BACKENDS that fits nothing is an error with the nearest one") {
    struct slip {
        const char* value;
        const char* nearest;
    };
    const auto one =
        GENERATE(slip{"cudda", "cuda"}, slip{"rec,-reck", "rec"}, slip{"ntive", "native"},
                 slip{"-", "vk"}, slip{"rec,", "vk"}, slip{"rec, cuda", "cuda"});
    variables.set("SPOC_BACKENDS", one.value);
    start();
    std::uint32_t count = 77;
    const answer slipped = ask(spoc_backend_count, &count);
    CHECK(slipped.text() == "invalid_argument name");
    CHECK(contains(slipped.message(), "SPOC_BACKENDS"));
    CHECK(contains(slipped.message(), "\"" + std::string(one.nearest) + "\""));
    CHECK(count == 77);
    CHECK(told(spoc_search_count, &count) == "invalid_argument name");
    CHECK(told(spoc_backend_require, "rec") == "invalid_argument name");
    CHECK(rec.entries() == strings{});
}

TEST_CASE_METHOD(runtime_fixture, "Requiring one backend enumerates that one alone") {
    recorder& wanted = add("wanted");
    recorder& other = add("other");
    start();
    CHECK(told(spoc_backend_require, "wanted") == "ok");
    CHECK(wanted.open);
    CHECK(other.entries() == strings{});
}

TEST_CASE_METHOD(device_fixture,
                 "Requiring a backend that is not there says why and takes no other") {
    start();
    const answer absent = ask(spoc_backend_require, "hip");
    CHECK(absent.text() == "unavailable library_not_found");
    CHECK(absent.error.reason == SPOC_BE_REASON_NOT_INSTALLED);
    CHECK(std::string(absent.error.backend) == "hip");
    CHECK(contains(absent.message(), "libspoc-hip.so"));
    CHECK(told(spoc_backend_require, "metal") == "unavailable library_not_found");
    CHECK(told(spoc_backend_require, "webgpu") ==
          "unavailable library_not_found");  // known, not listed
    CHECK(rec.entries() == strings{});
    const answer unknown = ask(spoc_backend_require, "reck");
    CHECK(unknown.text() == "invalid_argument name");
    CHECK(contains(unknown.message(), "\"rec\""));
}

TEST_CASE_METHOD(device_fixture,
                 "A probe's reason is the entry's, with the driver's number and the hint",
                 "[R-116]") {
    rec.report.reason = SPOC_BE_REASON_DRIVER_TOO_OLD;
    rec.report.native_code = 35;
    std::strcpy(rec.report.native_domain, "RecorderResult");
    std::strcpy(rec.report.message, "The driver is version 1, version 2 is needed.");
    SECTION("with a hint of its own") { std::strcpy(rec.report.hint, "buy a newer one"); }
    SECTION("with the common hint") {}
    start();
    const spoc_backend_info found = entry("rec");
    CHECK(standing("rec") == "unusable DRIVER_TOO_OLD");
    CHECK(found.native_code == 35);
    CHECK(std::string(found.native_domain) == "RecorderResult");
    CHECK(std::string(found.message) == "The driver is version 1, version 2 is needed.");
    CHECK(std::string(found.hint) == (rec.report.hint[0] != '\0'
                                          ? "buy a newer one"
                                          : spoc_reason_hint(SPOC_BE_REASON_DRIVER_TOO_OLD)));
    const answer required = ask(spoc_backend_require, "rec");
    CHECK(required.text() == "unavailable init_failed");
    CHECK(required.error.reason == SPOC_BE_REASON_DRIVER_TOO_OLD);
    CHECK(required.message() == found.message);
}

TEST_CASE_METHOD(device_fixture, "A required backend that is not ready gives the driver's number",
                 "[R-116]") {
    rec.report.reason = SPOC_BE_REASON_DRIVER_TOO_OLD;
    rec.report.native_code = 35;
    std::strcpy(rec.report.native_domain, "RecorderResult");
    start();
    const answer required = ask(spoc_backend_require, "rec");
    CHECK(required.error.native_code == 35);
    CHECK(std::string(required.error.native_domain) == "RecorderResult");
}

TEST_CASE_METHOD(device_fixture, "A backend that does not open keeps the driver's number",
                 "[R-116]") {
    fault broken;
    broken.entry = GENERATE("open", "device_count", "device_info");
    broken.native_code = 35;
    broken.message = "It does not start.";
    rec.faults.push_back(broken);
    start();
    CHECK(told(spoc_backends_probe, SPOC_BE_PROBE_ENUMERATE) == "ok");
    const spoc_backend_info found = entry("rec");
    CHECK(standing("rec") == "unusable DRIVER_INIT_FAILED");
    CHECK(std::string(found.message) == "It does not start.");
    CHECK(found.native_code == 35);
    CHECK(std::string(found.native_domain) == "RecorderResult");
}

TEST_CASE_METHOD(device_fixture, "A reason that no probe may give counts as a failed driver") {
    rec.report.reason = GENERATE(SPOC_BE_REASON_NOT_INSTALLED, SPOC_BE_REASON_SHADOWED,
                                 SPOC_BE_REASON_EXITING, SPOC_BE_REASON_WRONG_FLAVOUR, 999U);
    start();
    CHECK(standing("rec") == "unusable DRIVER_INIT_FAILED");
}

TEST_CASE_METHOD(runtime_fixture, "A failed probe without a word gets one") {
    recorder& rec = add("rec");
    fault silent;
    silent.entry = "probe";
    silent.message = "";
    silent.status = -77;
    rec.faults.push_back(silent);
    start();
    CHECK(standing("rec") == "unusable DRIVER_INIT_FAILED");
    CHECK(contains(entry("rec").message, "-77"));
}

TEST_CASE_METHOD(device_fixture, "A probe's warning is kept and the backend is ready") {
    variables.set("SPOC_LOG", "off");
    rec.report.flags = SPOC_BE_PROBE_WARNING;
    std::strcpy(rec.report.message, "This version loses bytes.");
    start();
    CHECK(standing("rec") == "ready NONE");
    CHECK(std::string(entry("rec").message) == "This version loses bytes.");
}

TEST_CASE_METHOD(device_fixture, "An entry that was once refused is not asked again") {
    fault broken;
    broken.entry = "probe";
    rec.faults.push_back(broken);
    start();
    CHECK(standing("rec") == "unusable DRIVER_INIT_FAILED");
    CHECK(device_count() == 0);
    CHECK(told(spoc_backend_require, "rec") == "unavailable init_failed");
    CHECK(rec.entries() == strings{"probe"});
}

TEST_CASE_METHOD(device_fixture, "A plugin that crashes costs one entry where probes are isolated",
                 "[B15]") {
    const char* crashing = GENERATE("aborts", "exits");
    const std::string file = "libspoc-" + std::string(crashing) + ".so";
    add_file(folder.write(file, read_file(SPOC_TEST_FIXTURES "/" + file)));
    SECTION("by an option") { start(SPOC_ISOLATE_PROBES); }
    SECTION("by a setting") {
        variables.set("SPOC_PROBE", "isolated");
        start();
    }
    CHECK(standing(crashing) == "faulty PROBE_CRASHED");
    CHECK(entry(crashing).stage == SPOC_STAGE_TABLE);
    CHECK(standing("rec") == "ready NONE");
    CHECK(device_count() == 1);
}

TEST_CASE_METHOD(device_fixture, "Places are listed in search order with their verdicts") {
    variables.set("SPOC_LOG", "off");
    const std::string folder_path = folder.path().string();
    start();
    stop();
    variables.unset("SPOC_PLUGIN_FILES");
    variables.set("SPOC_PLUGIN_PATH", folder_path + "/none:" + folder_path + ":relative::" +
                                          folder_path + "/.:" + folder_path + "/libspoc-rec.so");
    REQUIRE(told(spoc_init, static_cast<const spoc_options*>(nullptr)) == "ok");
    std::uint32_t count = 0;
    CHECK(told(spoc_search_count, &count) == "ok");
    strings found;
    for (std::uint32_t i = 0; i < count; ++i) {
        auto place = sized<spoc_search_place>();
        CHECK(told(spoc_search_get, i, &place) == "ok");
        found.push_back(std::string(spoc_search_source_name(place.source)) + ' ' +
                        spoc_place_verdict_name(place.verdict) + ' ' + std::to_string(place.files));
    }
    CHECK(told(spoc_shutdown) == "ok");
    REQUIRE(found.size() == 8);
    const strings named(found.begin(), found.begin() + 6);
    CHECK(named == strings{"SPOC_PLUGIN_PATH missing 0", "SPOC_PLUGIN_PATH searched 1",
                           "SPOC_PLUGIN_PATH refused 0", "SPOC_PLUGIN_PATH refused 0",
                           "SPOC_PLUGIN_PATH repeated 0", "SPOC_PLUGIN_PATH unreadable 0"});
    CHECK(found[6].substr(0, 7) == "library");
    CHECK(found[7].substr(0, 10) == "configured");
}

}  // namespace spoc::test
