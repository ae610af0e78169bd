// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <span>
#include <vector>

#include <spoc/spoc.hpp>

int main() {
    const spoc::runtime runtime;
    for (const spoc::device& device : spoc::devices()) {
        const std::vector<float> sent(1 << 20, 1.5F);
        std::vector<float> received(sent.size());
        const spoc::buffer memory(device, std::as_bytes(std::span(sent)).size());
        spoc::copy_to_device(std::as_bytes(std::span(sent)), memory);
        spoc::copy_to_host(memory, 0, std::as_writable_bytes(std::span(received)));
        std::cout << device.selector() << "  " << device.name()
                  << (sent == received ? "  ok\n" : "  WRONG\n");
    }
    for (const spoc_backend_info& backend : spoc::backends()) {
        if (backend.state != SPOC_STATE_READY) {
            std::cout << backend.name << "  " << backend.message << '\n';
        }
    }
}
