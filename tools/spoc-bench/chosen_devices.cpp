// SPDX-License-Identifier: Apache-2.0
#include "chosen_devices.hpp"

namespace spoc::bench {

runtime_options careful_start() {
    runtime_options options;
    options.isolate_probes = true;
    options.prove_devices = true;
    return options;
}

std::vector<device> chosen_devices(const std::optional<std::string>& selectors) {
    try {
        auto list = selectors ? select_devices(*selectors) : std::vector{best_device()};
        if (list.empty()) {
            throw no_device("No device fits '" + selectors.value_or("") + "'.");
        }
        return list;
    } catch (const unavailable& reason) {
        throw no_device(reason.what());
    }
}

}  // namespace spoc::bench
