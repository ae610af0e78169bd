// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <spoc/device.h>

#include "ledger.hpp"
#include "outcome.hpp"
#include "usable.hpp"

namespace spoc::detail {

class event_state;
class stream_state;

/// A device's ring of page-locked memory, through which small writes go: made on first need and
/// kept until a shutdown. The program sees nothing of it. Any thread.
///
/// Pieces are handed out and taken back in the order of the ring. Whether one is free again is the
/// ledger's to say: the work that copies from it needs it like anything else, whatever stream it is
/// on. So pieces of several streams may complete in any order, and no plugin is called while the
/// program proves often enough that its work is complete.
class staging_ring {
 public:
    /// Most bytes of a piece.
    static constexpr std::uint64_t most_bytes = 65536;

    explicit staging_ring(spoc_device device) noexcept : device_(*device) {}
    staging_ring(const staging_ring&) = delete;
    staging_ring& operator=(const staging_ring&) = delete;
    ~staging_ring();

    /// Frees the memory. No call is in flight, and all work is complete or will never run.
    void free();

    /// A piece for the caller alone, until the object ends; after that for as long as work needs
    /// it.
    class piece {
     public:
        explicit piece(staging_ring& ring) noexcept : ring_(ring) {}
        piece(const piece&) = delete;
        piece& operator=(const piece&) = delete;
        ~piece();

        /// Takes one of `bytes` bytes (1 to `most_bytes`) for a copy on `stream`. Blocks while all
        /// of the ring is in use, until the piece taken longest ago is free. Once.
        outcome take(stream_state& stream, std::uint64_t bytes);

        std::byte* start() const noexcept;
        /// The plugin's block, and where in it the piece begins.
        spoc_be_hostmem block() const noexcept { return ring_.block_; }
        std::uint64_t block_offset() const noexcept { return unit_ * unit_bytes; }
        /// For the ledger's entry of the copy.
        std::shared_ptr<usable> need() const noexcept;
        /// The copy is pending, at this position of its stream.
        void enqueued(ledger::position at) noexcept { at_ = at; }

     private:
        staging_ring& ring_;
        std::size_t unit_ = no_unit;
        ledger::position at_ = 0;
    };

 private:
    /// Alignment of a piece, for which every driver's copies are fast.
    static constexpr std::uint64_t unit_bytes = 256;
    static constexpr std::size_t units = (1 << 20) / unit_bytes;
    static constexpr std::size_t no_unit = units;
    /// Units after which pieces are marked.
    static constexpr std::size_t units_between_marks = most_bytes / unit_bytes;

    /// What is known of the piece that begins at a unit.
    struct place : usable {
        std::size_t length = 0;  ///< units
        bool taken = false;      ///< by a call that has not enqueued its copy yet
        ledger::position at = 0;
        std::weak_ptr<stream_state> stream;
        /// Recorded on `stream` before the piece's own copy, so that one can wait for those before
        /// it and no more. Null: there was no need.
        std::shared_ptr<event_state> mark;
        ledger::position marked = 0;  ///< the last position of `stream` that `mark` covers
    };

    outcome take(stream_state& stream, std::uint64_t bytes, std::size_t& out_unit);
    void put_back(std::size_t unit, ledger::position enqueued_at) noexcept;
    void mark(place& taken, stream_state& stream) noexcept;

    place& at(std::size_t unit) const noexcept { return (*places_)[unit]; }

    /* Under the mutex: */
    outcome make();
    void reclaim() noexcept;
    bool find_room(std::size_t length, std::size_t& out_unit) noexcept;
    /// Lets go of the mutex while it waits.
    outcome wait_for_oldest(std::unique_lock<std::mutex>& lock);
    std::shared_ptr<event_state> mark_after(const place& oldest) noexcept;

    spoc_device_s& device_;
    std::mutex mutex_;
    std::condition_variable put_back_;
    spoc_be_hostmem block_ = nullptr;
    std::byte* start_ = nullptr;
    /// By their first unit; the ledger shares it.
    std::shared_ptr<std::array<place, units>> places_;
    std::size_t first_ = 0;     ///< unit of the oldest piece
    std::size_t used_ = 0;      ///< units from there on
    std::size_t unmarked_ = 0;  ///< units handed out since the last mark
    std::vector<std::shared_ptr<event_state>> spare_marks_;
};

}  // namespace spoc::detail
