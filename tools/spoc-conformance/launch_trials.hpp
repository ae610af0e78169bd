// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <spoc/backend.h>

#include "device.hpp"
#include "kernels.hpp"
#include "launch_request.hpp"

/// \file
/// Pieces of work with the suite's kernels that several groups of cases do.

namespace spoc::conformance {

/// `scale` over so many words, and what it works on.
struct scale_work {
    scale_work(device& dev, std::uint32_t words, std::uint64_t seed);

    launch_request request(const ready_kernel& kernel) const;
    void expect_result(device& dev, const std::string& what) const;

    std::uint32_t factor = 3;
    std::uint32_t count;
    byte_vector contents;
    spoc_be_buffer in;
    spoc_be_buffer out;
};

/// In the first form that the device takes and that has it; skips the case when there is none.
ready_kernel kernel_of(device& dev, known_kernel kernel, const extent& block = {64, 1, 1});

/// `scale` in blocks of so many threads, and more threads than there is work.
void try_block_size(device& dev, ready_kernel scale, std::uint32_t threads);

/// `scale` is shown its buffers from so many steps of the device's argument offsets on. It writes
/// where it is shown and nowhere else.
void try_offsets(device& dev, const ready_kernel& scale, std::uint32_t from, std::uint32_t to);

/// Fails unless every thread of `mirror_local` or `mirror_shared` found what its mirror image left:
/// memory of each block's own holds what the block leaves there, and no other block's.
void expect_mirrored(device& dev, spoc_be_buffer out, std::uint32_t blocks, std::uint32_t threads);

/// `mirror_local` or `mirror_shared` by so many blocks.
void try_block_memory(device& dev, known_kernel kernel, std::uint32_t blocks);

/// Launches of `scale`, each on the result of the one before, without a wait in between.
void try_row(device& dev, std::uint32_t launches);

}  // namespace spoc::conformance
