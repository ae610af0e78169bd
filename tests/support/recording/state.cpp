// SPDX-License-Identifier: Apache-2.0
#include "state.hpp"

namespace spoc::mock {

state& the_state() {
    static state& instance = *new state;
    return instance;
}

std::uint64_t state::objects_alive() {
    // A device's default stream lives and ends with it.
    return streams.alive() + events.alive() + buffers.alive() + hostmems.alive() +
           programs.alive() + kernel_handles.alive();
}

}  // namespace spoc::mock
