// SPDX-License-Identifier: Apache-2.0
#include "capability_row.hpp"

#include <cstring>
#include <string>

#include <spoc/device.h>

#include "check.hpp"

namespace spoc::conformance {
namespace {

bool is_known(const device& dev, std::uint32_t capability) {
    return (dev.info.caps_known[capability / 64] >> capability % 64 & 1) != 0;
}

void expect_reason(const device& dev, std::uint32_t capability) {
    if (dev.be.cap_reason == nullptr) {
        return;
    }
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.cap_reason(dev.index, capability, &error), "cap_reason",
                  error);
    const std::size_t length = strnlen(error.message, sizeof error.message);
    require(length > 0 && length < sizeof error.message,
            "cap_reason gave no sentence, or one without an end, for capability ", capability, ".");
    require_plain(error.message, "cap_reason gave for capability ", capability, " a sentence");
    require(error.status < 0, "cap_reason says that a call without capability ", capability,
            " would return ", status_text(error.status), ", which is no failure.");
}

void try_yes(device& dev, const capability_row& row) {
    void (*entry)() = nullptr;
    if (row.entry != nullptr) {
        std::memcpy(&entry, reinterpret_cast<const std::byte*>(&dev.be) + row.offset, sizeof entry);
        require(entry != nullptr, "The device says yes, and the table lacks ", row.entry, ".");
    }
    expect_no_reason(dev, row.number, "yes");
    if (row.try_yes == nullptr) {
        skip(row.untried);
    }
    row.try_yes(dev);
}

void judge(device& dev, const capability_row& row) {
    if (!is_known(dev, row.number)) {
        expect_no_reason(dev, row.number, "unknown");
        skip("The plugin or its driver does not tell whether the device offers it.");
    }
    if (dev.can(row.number)) {
        try_yes(dev, row);
        return;
    }
    expect_reason(dev, row.number);
    if (row.try_no != nullptr) {
        row.try_no(dev);
    }
}

std::string name_of(std::uint32_t capability) {
    std::uint32_t number = 0;
    for (std::uint32_t i = 0; const char* name = spoc_capability_at(i, &number); ++i) {
        if (number == capability) {
            return name;
        }
    }
    return text("number_", capability);
}

}  // namespace

void expect_no_reason(const device& dev, std::uint32_t capability, const char* answer) {
    if (dev.be.cap_reason == nullptr) {
        return;
    }
    auto error = sized<spoc_be_error>();
    const std::int32_t status = dev.be.cap_reason(dev.index, capability, &error);
    require(status == SPOC_BE_INVALID, "cap_reason answered ", status_text(status),
            " for capability ", capability, ", to which the answer is ", answer, ".");
}

test_case honesty_case(const capability_row& row) {
    return on_device("honesty/" + name_of(row.number), [&row](device& dev) { judge(dev, row); });
}

}  // namespace spoc::conformance
