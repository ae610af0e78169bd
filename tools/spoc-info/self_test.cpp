// SPDX-License-Identifier: Apache-2.0
#include "self_test.hpp"

#include <algorithm>

namespace spoc::info {
namespace {

constexpr std::uint32_t most_steps = 64;

self_test_result test_device(const device& which) {
    self_test_result result;
    result.selector = which.selector();
    result.steps.resize(most_steps);
    std::uint32_t count = 0;
    try {
        detail::call(spoc_device_self_test, which.get(), result.steps.data(), most_steps, &count);
    } catch (const error& failure) {
        result.trouble = failure.what();
    }
    result.steps.resize(std::min(count, most_steps));
    return result;
}

}  // namespace

std::vector<self_test_result> test_devices(const std::vector<device_facts>& devices) {
    std::vector<self_test_result> results;
    results.reserve(devices.size());
    for (const device_facts& facts : devices) {
        results.push_back(test_device(facts.which));
    }
    return results;
}

}  // namespace spoc::info
