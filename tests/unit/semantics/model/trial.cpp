// SPDX-License-Identifier: Apache-2.0
#include "trial.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

namespace spoc::model {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t arena_pages = 12;
constexpr std::size_t scratch_bytes = 28 << 10;
constexpr std::size_t most_pending = 40;

host_span span_of(std::byte* start, std::size_t count) {
    auto in = std::make_shared<place>(count);
    std::memcpy(in->bytes.data(), start, count);
    return {start, {in, 0, count}};
}

std::byte* map_pages(std::size_t count) {
    void* const start =
        ::mmap(nullptr, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) {
        throw std::bad_alloc();
    }
    return static_cast<std::byte*>(start);
}

std::string name_of(spoc_status status, std::uint32_t sub_code) {
    return status == SPOC_OK
               ? "ok"
               : std::string(spoc_status_name(status)) + ' ' + spoc_sub_code_name(sub_code);
}

}  // namespace

trial::trial(plugin& over, std::uint64_t seed, bool alone)
    : over_(over),
      gate_(over.gate),
      seed_(seed),
      alone_(alone),
      random_(seed),
      scratch_memory_(scratch_bytes) {
    arena_ = span_of(map_pages(arena_pages * page), arena_pages * page);
    scratch_ = span_of(scratch_memory_.data(), scratch_memory_.size());
    for (std::size_t i = 0; i < device_count; ++i) {
        auto made = std::make_shared<lane>();
        made->device = i;
        made->number = over_.default_streams.at(i);
        made->is_default = true;
        spoc_error error = SPOC_ERROR_INIT;
        if (spoc_stream_default(over_.devices.at(i), &made->handle, &error) != SPOC_OK) {
            fail(error.message);
        }
        machine_.lanes.push_back(std::move(made));
    }
    load_programs();
    create_targets();
}

trial::~trial() { ::munmap(arena_.start, arena_pages * page); }

void trial::run(std::uint64_t operations) {
    unsigned total = 0;
    for (const weighted_step& one : steps()) {
        total += one.weight;
    }
    for (; done_ < operations; ++done_) {
        if (alone_ && machine_.pending() > most_pending) {
            release_some();
        }
        auto chosen = static_cast<unsigned>(below(total));
        const auto* one = steps().data();
        while (chosen >= one->weight) {
            chosen -= one->weight;
            ++one;
        }
        (this->*one->run)();
        compare_tokens();
        if (done_ % 64 == 0) {
            look_around();
        }
    }
}

/* ---- Chance ---- */

std::size_t trial::some_bytes() {
    if (one_in(10)) {
        return below(one_in(12) ? over_.limit.largest + 2000 : 10000);
    }
    return one_in(12) ? below(3) : below(400);
}

void trial::scribble(std::byte* to, std::size_t count) {
    for (std::size_t i = 0; i < count; i += 8) {
        const std::uint64_t word = random_();
        std::memcpy(to + i, &word, std::min<std::size_t>(8, count - i));
    }
}

lane& trial::default_lane(std::size_t device) { return *machine_.lanes.at(device); }

lane_pointer trial::shared(const lane& one) const {
    return *std::find_if(machine_.lanes.begin(), machine_.lanes.end(),
                         [&one](const lane_pointer& other) { return other.get() == &one; });
}

lane* trial::open_lane(std::size_t device) {
    std::vector<lane*> found;
    for (const lane_pointer& one : machine_.lanes) {
        if (one->device == device && one->handle != nullptr && !one->closed &&
            (alone_ || !one->is_default)) {
            found.push_back(one.get());
        }
    }
    return found.empty() ? nullptr : found[below(found.size())];
}

lane* trial::some_lane(std::size_t device) {
    if (alone_ && one_in(20)) {
        lane* const one = machine_.lanes[below(machine_.lanes.size())].get();
        if (one->handle != nullptr) {
            return one;
        }
    }
    return open_lane(device);
}

host_span trial::some_host(std::size_t count) {
    if (one_in(2) && !ranges_.empty()) {
        const range_model& one = *any_of(ranges_);
        if (one.live != nullptr && !one.registered && one.live->span.model.count >= count) {
            return one.live->span.part(below(one.live->span.model.count - count + 1), count);
        }
    }
    const host_span& whole = one_in(2) ? arena_ : scratch_;
    std::size_t offset = below(whole.model.count - count + 1);
    if (count > 1 && count < page && one_in(2)) {
        // Across the border of a page, where registrations begin and end.
        offset = (1 + below(whole.model.count / page - 2)) * page - 1 - below(count - 1);
    }
    return whole.part(offset, count);
}

void trial::some_range(std::size_t whole, std::size_t& offset, std::size_t& count) {
    offset = below(whole + 1);
    count = one_in(3) ? whole - offset : below(whole - offset + 1);
    if (one_in(30)) {
        offset = one_in(2) ? whole - count + 1 : SIZE_MAX - below(3);
    }
}

/* ---- Comparing ---- */

void trial::fail(const std::string& what) const {
    throw std::runtime_error("seed " + std::to_string(seed_) + ", operation " +
                             std::to_string(done_) + ", " + calling_ + ": " + what);
}

void trial::compare_answer(const char* name, const prediction& wanted, spoc_status status,
                           const spoc_error& error) {
    outcome_count& counted = outcomes_[name];
    if (!wanted.refusals.empty()) {
        const bool is_one =
            std::count(wanted.refusals.begin(), wanted.refusals.end(), error.sub_code) != 0;
        expect(status == SPOC_INVALID_ARGUMENT && is_one,
               "answered " + name_of(status, error.sub_code) + " instead of " +
                   name_of(SPOC_INVALID_ARGUMENT, wanted.refusals.front()));
        expect(!alone_ || wanted.asks || gate_.record_count() == 0,
               "a refused call reached the plugin");
        ++counted.refused;
        observe({});
        return;
    }
    const std::uint64_t copies = alone_ ? gate_.calls(spoc_mock_entry_copy) : 0;
    if (status == SPOC_OK && wanted.enqueued) {
        wanted.enqueued();
    }
    observe(wanted);
    for (const proof& one : wanted.settled) {
        one.in->release(one.at);
    }
    if (wanted.first) {
        wanted.first();
    }
    const std::uint32_t failure = wanted.late ? wanted.late() : 0;
    const bool as_told = failure == 0 ? status == SPOC_OK
                                      : status == SPOC_BACKEND_ERROR && error.sub_code == failure;
    expect(as_told, "answered " + name_of(status, error.sub_code) + " (" + error.message +
                        ") instead of " +
                        name_of(failure == 0 ? SPOC_OK : SPOC_BACKEND_ERROR, failure));
    ++(failure == 0 ? counted.done : counted.failed);
    if (failure != 0) {
        return;
    }
    expect_ran(wanted.then_must);
    for (const proof& one : wanted.then_settled) {
        one.in->release(one.at);
    }
    // Where work was proved complete first, ranges that it kept may be gone, and divide no more.
    const bool told = wanted.copies >= 0 && wanted.settled.empty() && wanted.then_settled.empty();
    expect(!alone_ || !told || copies == static_cast<std::uint64_t>(wanted.copies),
           "the plugin was asked for " + std::to_string(copies) + " copies instead of " +
               std::to_string(wanted.copies));
}

void trial::expect_ran(const std::vector<work_pointer>& all) const {
    for (const work_pointer& one : all) {
        expect(one->ran, "work is pending that this call has to wait for");
    }
}

void trial::observe(const prediction& wanted) {
    std::vector<work_pointer> ran;
    for (const lane_pointer& one : machine_.lanes) {
        if (one->queue.empty()) {
            continue;
        }
        const std::uint64_t pending = gate_.pending(one->number);
        expect(pending <= one->queue.size(), "more is pending than was enqueued");
        while (one->queue.size() > pending) {
            ran.push_back(std::move(one->queue.front()));
            one->queue.pop_front();
        }
    }
    for (const work_pointer& one : ran) {
        expect(!alone_ || wanted.anything || wanted.may.count(one.get()) != 0 || !held_,
               "work ran that this call does not wait for");
    }
    apply(ran);
    expect_ran(wanted.must);
}

void trial::apply(std::vector<work_pointer>& ran) {
    std::sort(ran.begin(), ran.end(), [](const work_pointer& a, const work_pointer& b) {
        return a->sequence < b->sequence;
    });
    for (const work_pointer& one : ran) {
        expect(machine_.may_run(*one), "work ran before what it waits for");
        one->ran = true;
        if (one->effect) {
            one->effect();
        }
        // Marks are kept by events: nothing is to be kept by marks.
        one->effect = nullptr;
        one->touches.clear();
        one->after.reset();
    }
}

void trial::compare_tokens() {
    for (const auto& one : tokens_) {
        expect(one->released == (one->expected ? 1 : 0),
               one->expected ? "memory that was lent is not given back"
                             : "memory that was lent is given back early");
    }
    std::erase_if(tokens_, [](const auto& one) { return one->expected; });
}

void trial::look_around() {
    calling_ = "looking around";
    expect(over_.breach().empty(), over_.breach());
    for (const host_span* whole : {&arena_, &scratch_}) {
        compare_host(whole->part(below(whole->model.count - 512), 512));
    }
    if (!alone_) {
        return;
    }
    compare_alive();
    compare_accounts();
}

void trial::compare_host(const host_span& span) {
    if (!machine_.conflicts({{span.model, false}}, {}).empty()) {
        return;
    }
    expect(
        span.model.count == 0 || std::memcmp(span.start, span.model.data(), span.model.count) == 0,
        "host memory differs");
}

void trial::compare_vector(const vector_model& v) {
    spoc_vector_info info{};
    info.size = sizeof info;
    spoc_vector_describe(v.handle, &info, nullptr);
    const bool names_one = v.state != SPOC_LOCATION_HOST;
    expect(info.location == v.state, "the location is " + std::to_string(info.location) +
                                         " instead of " + std::to_string(v.state));
    expect(info.device == (names_one ? over_.devices.at(v.device) : nullptr),
           "the location names another device");
    expect((info.freed != 0) == v.freed && info.count == v.count, "the description differs");
    for (std::size_t i = 0; i < device_count; ++i) {
        std::uint32_t link = 0;
        spoc_vector_link(v.handle, over_.devices.at(i), &link, nullptr);
        const memory_pointer& there = v.on.at(i);
        const std::uint32_t separate =
            there != nullptr && there->is_host ? SPOC_LINK_HOST_STORAGE : SPOC_LINK_SEPARATE;
        expect(link == (there == nullptr ? SPOC_LINK_NONE : separate), "a link differs");
    }
    if (v.has_host()) {
        compare_host(v.host);
    }
}

/* ---- The end ---- */

void trial::finish() {
    calling_ = "the end";
    for (const auto& one : vectors_) {
        if (one->writing) {
            finish_writing(*one);
        }
    }
    while (!vectors_.empty()) {
        destroy_vector();
    }
    while (!buffers_.empty()) {
        destroy_buffer();
    }
    destroy_targets();
    end_programs();
    while (!ranges_.empty()) {
        destroy_range();
    }
    while (!events_.empty()) {
        destroy_event();
    }
    calling_ = "the end";
    while (machine_.lanes.size() > 0) {
        lane& one = *machine_.lanes.back();
        if (one.handle != nullptr) {
            if (!one.closed) {
                synchronize(one);
            }
            counts_.streams -= one.is_default || one.closed ? 0 : 1;
            if (!one.is_default) {
                spoc_stream_close(one.handle, nullptr);
            }
            spoc_stream_destroy(one.handle);
        } else {
            counts_.streams -= 1;
            spoc_device_synchronize(over_.devices.at(one.device), nullptr);
            run_all();
        }
        machine_.lanes.pop_back();
    }
    compare_tokens();
    expect(tokens_.empty(), "memory that was lent is kept");
    for (std::size_t i = 0; alone_ && i < device_count; ++i) {
        spoc_device_synchronize(over_.devices.at(i), nullptr);
    }
    look_around();
    expect(counts_.buffers == 0 && counts_.blocks == 0 && counts_.events == 0 &&
               counts_.streams == 0 && counts_.kernels == 0,
           "the reference is wrong");
}

/* ---- Steps ---- */

const std::vector<trial::weighted_step>& trial::steps() {
    static const std::vector<weighted_step> all = {
        {4, &trial::create_vector},
        {2, &trial::create_vector_over},
        {3, &trial::create_device_vector},
        {5, &trial::destroy_vector},
        {8, &trial::read_vector},
        {8, &trial::begin_write},
        {4, &trial::end_write},
        {18, &trial::to_device},
        {7, &trial::to_host},
        {4, &trial::free_vector_buffer},
        {1, &trial::free_vector_buffers},
        {20, &trial::write_range},
        {16, &trial::read_range},
        {2, &trial::switch_auto_sync},
        {6, &trial::create_buffer},
        {1, &trial::free_buffer},
        {3, &trial::destroy_buffer},
        {18, &trial::copy_up},
        {16, &trial::copy_down},
        {16, &trial::copy_across},
        {8, &trial::fill_buffer},
        {26, &trial::launch_kernel},
        {3, &trial::keep_until_done},
        {1, &trial::destroy_kernel},
        {9, &trial::stage_into_vector},
        {9, &trial::stage_into_buffer},
        {1, &trial::stage_all_round},
        {3, &trial::create_stream},
        {5, &trial::synchronize_stream},
        {7, &trial::query_stream},
        {2, &trial::flush_stream},
        {2, &trial::close_stream},
        {2, &trial::destroy_stream},
        {2, &trial::synchronize_device},
        {2, &trial::create_event},
        {1, &trial::destroy_event},
        {6, &trial::record_event},
        {5, &trial::wait_event},
        {5, &trial::query_event},
        {4, &trial::synchronize_event},
        {3, &trial::measure_events},
        {3, &trial::allocate_pinned},
        {4, &trial::register_pages},
        {5, &trial::release_range},
        {2, &trial::destroy_range},
        {1, &trial::ask_for_pinned},
        {8, &trial::write_host},
        {6, &trial::release_some},
        {10, &trial::release_of_one},
        {2, &trial::switch_holding},
    };
    return all;
}

}  // namespace spoc::model
