// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include "plugin.hpp"
#include "support/catch.hpp"
#include "text.hpp"

namespace spoc::detail {

TEST_CASE("A helper's record changes nothing but why the plugin failed, however it was forged") {
    const settings none;
    plugin candidate("honest", "/plugins/libspoc-honest.so", none);
    spoc_backend_info forged;
    std::memset(&forged, 'x', sizeof forged);
    SECTION("with a reason that exists") {
        forged.reason = SPOC_BE_REASON_NO_DEVICE;
        candidate.adopt_failure(forged);
        CHECK(candidate.info().reason == SPOC_BE_REASON_NO_DEVICE);
        CHECK(candidate.info().state == SPOC_STATE_UNUSABLE);
    }
    SECTION("with a reason that does not") {
        forged.reason = 4242;
        candidate.adopt_failure(forged);
        CHECK(candidate.info().reason == SPOC_BE_REASON_INTERNAL);
        CHECK(candidate.info().state == SPOC_STATE_FAULTY);
    }
    const spoc_backend_info& info = candidate.info();
    CHECK(info.size == sizeof info);
    CHECK(std::string(info.name) == "honest");
    CHECK(std::string(info.file) == "/plugins/libspoc-honest.so");
    CHECK(info.stage <= SPOC_STAGE_OPENED);
    for (const std::size_t length :
         {field_text(info.message).size() - sizeof info.message,
          field_text(info.hint).size() - sizeof info.hint,
          field_text(info.skipped).size() - sizeof info.skipped,
          field_text(info.driver_name).size() - sizeof info.driver_name,
          field_text(info.driver_path).size() - sizeof info.driver_path,
          field_text(info.plugin_vendor).size() - sizeof info.plugin_vendor,
          field_text(info.plugin_version).size() - sizeof info.plugin_version,
          field_text(info.native_domain).size() - sizeof info.native_domain}) {
        CHECK(length == static_cast<std::size_t>(-1));  // the text and its NUL fill the field
    }
}

}  // namespace spoc::detail
