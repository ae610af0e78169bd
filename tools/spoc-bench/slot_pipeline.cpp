// SPDX-License-Identifier: Apache-2.0
#include "slot_pipeline.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include <spoc/copy.hpp>
#include <spoc/trace.hpp>

#include "poison.hpp"
#include "sha256.hpp"
#include "worker.hpp"

namespace spoc::bench {
namespace {

using clock = std::chrono::steady_clock;

template <typename Action>
void add_time(load_figures::seconds& sum, Action action) {
    const auto start = clock::now();
    action();
    sum += clock::now() - start;
}

}  // namespace

/// One stage at work. When it ends, for whatever reason, its neighbours find their queues closed
/// and end too; a queue that is closed is still emptied, so nothing is lost in the ordinary case.
class slot_pipeline::stage {
 public:
    stage(slot_queue& input, slot_queue& output) : input_(input), output_(output) {}
    stage(const stage&) = delete;
    stage& operator=(const stage&) = delete;
    ~stage() {
        input_.close();
        output_.close();
    }

    /// The next slot to work on, null when there are no more.
    slot* next() { return input_.pop().value_or(nullptr); }
    /// Hands a slot on. False when nobody takes it any more.
    bool pass(slot* piece) { return output_.push(piece); }

 private:
    slot_queue& input_;
    slot_queue& output_;
};

slot_pipeline::slot_pipeline(const source_file& file, const device& where, const load_plan& plan)
    : file_(file), plan_(plan), free_(plan.slots), filled_(plan.slots), returned_(plan.slots) {
    slots_.reserve(plan.slots);
    while (slots_.size() < plan.slots) {
        slots_.emplace_back(where, static_cast<std::size_t>(plan.slot_bytes));
    }
    for (slot& piece : slots_) {
        free_.push(&piece);
    }
}

load_figures slot_pipeline::run(progress& shown) {
    add_time(figures_.wall, [&] {
        worker reader([this] { read_pieces(); });
        // Ends the reader when the next thread cannot be started.
        const stage ending(free_, filled_);
        worker verifier([this] { verify_pieces(); });
        copy_pieces(shown);
        reader.finish();
        verifier.finish();
    });
    return figures_;
}

void slot_pipeline::read_pieces() {
    stage work(free_, filled_);
    for (std::uint64_t offset = 0; offset < plan_.file_bytes; offset += plan_.slot_bytes) {
        slot* const piece = work.next();
        if (piece == nullptr) {
            return;
        }
        piece->offset = offset;
        piece->length =
            static_cast<std::size_t>(std::min(plan_.slot_bytes, plan_.file_bytes - offset));
        const auto original = piece->original.first(piece->length);
        {
            const trace_span reading("read file");
            file_.read(offset, original);
        }
        std::memcpy(piece->host.all().data(), original.data(), original.size());
        if (!work.pass(piece)) {
            return;
        }
    }
}

void slot_pipeline::copy_pieces(progress& shown) {
    stage work(filled_, returned_);
    while (slot* const piece = work.next()) {
        copy_there_and_back(*piece);
        // Read before the slot is handed on: from then on it belongs to others.
        const std::uint64_t done = piece->offset + piece->length;
        if (!work.pass(piece)) {
            return;
        }
        shown.show(done);
    }
}

void slot_pipeline::copy_there_and_back(slot& piece) {
    const auto host = piece.host.first(piece.length);
    const poison pattern = choose_poison(host);
    fill(piece.memory, 0, piece.length, pattern.device);
    add_time(figures_.upload, [&] { copy_to_device(host, piece.memory); });
    std::memset(host.data(), pattern.host, host.size());
    add_time(figures_.readback, [&] { copy_to_host(piece.memory, 0, host); });
}

void slot_pipeline::verify_pieces() {
    stage work(returned_, free_);
    sha256 sum;
    while (slot* const piece = work.next()) {
        const trace_span verifying("verify");
        compare(*piece);
        sum.update(piece->host.first(piece->length));
        // False after the last piece was read: the reader waits for no more slots.
        static_cast<void>(work.pass(piece));
    }
    figures_.sha256 = sum.finish();
}

void slot_pipeline::compare(const slot& piece) {
    const auto original = piece.original.first(piece.length);
    const auto came_back = piece.host.first(piece.length);
    if (std::memcmp(original.data(), came_back.data(), piece.length) == 0) {
        return;
    }
    ++figures_.wrong_pieces;
    if (!figures_.first_mismatch) {
        const auto found = std::mismatch(original.begin(), original.end(), came_back.begin());
        figures_.first_mismatch = {
            piece.offset + static_cast<std::uint64_t>(found.first - original.begin()),
            std::to_integer<std::uint8_t>(*found.first),
            std::to_integer<std::uint8_t>(*found.second)};
    }
}

}  // namespace spoc::bench
