// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What is known of a device's staging ring: which pieces are in use, and which of them are marked
/// so that one can wait for them alone.

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "reference.hpp"

namespace spoc::model {

/// Up to which position of a stream work is proved complete by what a call does.
using proofs = std::map<const lane*, std::uint64_t>;

/// A piece of the ring.
struct ring_piece {
    std::size_t length = 0;  ///< units
    /// What the ledger keeps while a copy from the piece may run; null: nobody copies from it.
    std::shared_ptr<const void> need{};
    std::weak_ptr<lane> in{};
    std::uint64_t at = 0;      ///< of the copy
    bool has_mark = false;     ///< a recording is in front of the copy
    work_pointer mark{};       ///< that recording
    std::uint64_t marked = 0;  ///< what it covers
};

class staging_ring {
 public:
    static constexpr std::uint64_t bytes = std::uint64_t{1} << 20;
    static constexpr std::uint64_t most_piece = 65536;

    /// What a piece is waited for by: the mark, or the whole stream.
    struct waiting {
        lane_pointer in;
        work_pointer mark{};  ///< null: the stream
        std::uint64_t at = 0;
    };

    /// Takes a piece for a copy on `on`. Adds what is waited for until there is room to
    /// `out_waits`, and what that proves to `proved`.
    ring_piece& take(const machine& all, const lane_pointer& on, std::uint64_t size, proofs& proved,
                     std::vector<waiting>& out_waits);

    /// Events that marked pieces.
    std::size_t marks_made() const { return marks_made_; }

 private:
    static constexpr std::size_t unit = 256;
    static constexpr std::size_t units = bytes / unit;

    static bool is_needed(const machine& all, const ring_piece& piece, const proofs& proved);
    void reclaim(const machine& all, const proofs& proved);
    bool find_room(std::size_t length);
    waiting oldest() const;

    std::list<ring_piece> pieces_;  ///< oldest first
    std::size_t first_ = 0;
    std::size_t used_ = 0;
    std::size_t unmarked_ = 0;
    std::size_t spare_marks_ = 0;
    std::size_t marks_made_ = 0;
};

}  // namespace spoc::model
