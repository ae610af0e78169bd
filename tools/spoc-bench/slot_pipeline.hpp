// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <spoc/buffer.hpp>
#include <spoc/device.hpp>

#include "bounded_queue.hpp"
#include "host_slot.hpp"
#include "load_plan.hpp"
#include "progress.hpp"
#include "source_file.hpp"

namespace spoc::bench {

/// A byte that did not come back as it went.
struct mismatch {
    std::uint64_t offset = 0;  ///< in the file
    std::uint8_t expected = 0;
    std::uint8_t actual = 0;
};

/// What loading came to.
struct load_figures {
    using seconds = std::chrono::duration<double>;

    seconds upload{0};    ///< spent in copies to the device
    seconds readback{0};  ///< spent in copies from the device
    seconds wall{0};      ///< from the first read to the last comparison
    std::string sha256;   ///< of what came back
    std::optional<mismatch> first_mismatch;
    std::uint64_t wrong_pieces = 0;
};

/// Loads a file into device memory, piece by piece, and compares what comes back. Three stages, a
/// thread each, hand slots round in a ring: *read* fills a slot from the file, *copy* (the caller's
/// thread) sends it to the device and back, *verify* compares and hashes. A stage that fails ends
/// the others.
class slot_pipeline {
 public:
    /// Allocates the slots, on the host and on `where`. Throws `spoc::error` or `std::bad_alloc`.
    slot_pipeline(const source_file& file, const device& where, const load_plan& plan);

    /// Does it, once. Throws what failed first: `spoc::error`, or `std::runtime_error` from the
    /// file. A mismatch is no failure here: the load goes on, so that the sum is that of the whole.
    load_figures run(progress& shown);

 private:
    /// A piece of the file on its way.
    struct slot {
        slot(const device& where, std::size_t bytes)
            : original(bytes), host(bytes), memory(where, bytes) {}

        host_slot original;  ///< as read from the file; no device ever sees this memory
        host_slot host;      ///< what is sent, and what comes back
        buffer memory;
        std::uint64_t offset = 0;
        std::size_t length = 0;
    };

    using slot_queue = bounded_queue<slot*>;
    class stage;

    void read_pieces();
    void copy_pieces(progress& shown);
    void verify_pieces();
    void copy_there_and_back(slot& piece);
    void compare(const slot& piece);

    const source_file& file_;
    const load_plan plan_;
    std::vector<slot> slots_;
    slot_queue free_;
    slot_queue filled_;
    slot_queue returned_;
    load_figures figures_;  // each field is written by one stage, and read after all have ended
};

}  // namespace spoc::bench
