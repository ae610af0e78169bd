// SPDX-License-Identifier: Apache-2.0

/// \file
/// A program whose static objects own a buffer and one of each other thing. Their constructors ran
/// before the library was used, so their destructors run when the library, and perhaps the driver,
/// has already heard that the process ends. The exit status is 7 when everything was as it should
/// be.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <spoc/spoc.hpp>

#include "check.h"

namespace {

class owner {
 public:
    owner() = default;
    owner(const owner&) = delete;
    owner& operator=(const owner&) = delete;

    ~owner() {
        unsigned char byte = 0;
        EXPECT(SPOC_UNAVAILABLE, SPOC_SUB_EXITING,
               spoc_copy_to_device(&byte, 1, buffer_, 0, &error));
        EXPECT_OK(spoc_buffer_destroy(buffer_, &error));
    }

    void fill() { buffer_ = use_first_device(); }

 private:
    spoc_buffer buffer_ = nullptr;
};

owner kept;

/// What work in flight may use, in the order in which a careless program ends it.
struct objects {
    objects() noexcept = default;
    std::optional<spoc::stream> stream;
    std::optional<spoc::buffer> buffer;
    std::optional<spoc::event> event;
    std::optional<spoc::vector<std::int32_t>> vector;
    std::optional<spoc::pinned_buffer<std::byte>> pinned;
    std::array<std::byte, std::size_t{3} << 12> registered{};
    std::optional<spoc::host_registration> registration;

    void fill(const spoc::device& on) {
        stream.emplace(on);
        buffer.emplace(on, 64);
        event.emplace(on);
        vector.emplace(16);
        vector->fill(1);
        vector->to_device(on);
        if (spoc::has_pinned_memory(on)) {
            pinned.emplace(on, 64);
            spoc::copy_to_device(*stream, pinned->elements(), *buffer);
        }
        event->record(*stream);
        registration.emplace(on, std::span<std::byte>(registered));
    }
};

objects others;

}  // namespace

int main() {
    EXPECT_OK(spoc_init(nullptr, &error));
    try {
        kept.fill();
        others.fill(spoc::devices().front());
    } catch (...) {
        return 1;
    }
    return 7;
}
