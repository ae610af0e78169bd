// SPDX-License-Identifier: Apache-2.0

/// \file
/// A program whose static object owns a buffer. Its constructor ran before the library was used, so
/// its destructor runs when the library, and perhaps the driver, has already heard that the process
/// ends. The exit status is 7 when everything was as it should be.

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

}  // namespace

int main() {
    EXPECT_OK(spoc_init(nullptr, &error));
    kept.fill();
    return 7;
}
