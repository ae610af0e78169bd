// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One sequence of random calls, each compared with what the reference says.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <spoc/spoc.h>

#include "reference.hpp"
#include "ring.hpp"

namespace spoc::model {

/// Memory that was lent to the library, which says when it lets go of it.
struct token {
    std::atomic<int> released{0};
    bool expected = false;  ///< whether the library has to have let go

    spoc_owner owner() {
        return {[](void* context) { ++static_cast<token*>(context)->released; }, this};
    }
};

/// A vector and what it has to hold.
struct vector_model {
    spoc_vector handle = nullptr;
    std::uint32_t kind = 0;
    std::size_t element = 1;
    std::size_t count = 0;
    host_span host{};               ///< no place for a device-only vector
    std::vector<std::byte> lent{};  ///< the host memory, where it is the program's
    std::array<memory_pointer, device_count> on{};
    std::uint32_t state = SPOC_LOCATION_HOST;
    std::size_t device = 0;  ///< that the state names
    bool writing = false;
    bool freed = false;
    bool auto_sync = true;

    std::size_t bytes() const { return element * count; }
    bool has_host() const { return host.model.in != nullptr; }
    bool names(std::size_t other) const { return state != SPOC_LOCATION_HOST && device == other; }
    bool host_is_fresh() const {
        return state != SPOC_LOCATION_DEVICE && state != SPOC_LOCATION_STALE_HOST;
    }
    bool device_is_fresh() const {
        return state != SPOC_LOCATION_HOST && state != SPOC_LOCATION_STALE_DEVICE;
    }
    /// The host's bytes become those of the device that the state names.
    void read_back() const {
        if (const memory& from = *on.at(device); !from.is_host) {
            host.model.in->bytes = from.in->bytes;
        }
    }
};

struct buffer_model {
    spoc_buffer handle = nullptr;
    std::size_t device = 0;
    std::size_t bytes = 0;
    memory_pointer memory{};  ///< none once it was freed
};

struct event_model {
    spoc_event handle = nullptr;
    std::size_t device = 0;
    bool timed = false;
    work_pointer mark{};
    std::weak_ptr<lane> in{};
    std::uint64_t at = 0;
};

struct launch_argument;
struct launch_plan;
struct staged_write;

struct range_model {
    spoc_host_memory handle = nullptr;
    std::shared_ptr<block> live{};  ///< none once it was released
    bool registered = false;
};

/// That a stream's work up to a position is complete.
struct proof {
    lane_pointer in;
    std::uint64_t at = 0;
};

/// Of a copy's source, when its call returned; empty until then.
using taken_bytes = std::shared_ptr<std::vector<std::byte>>;

/// What a call has to come to.
struct prediction {
    std::vector<std::uint32_t> refusals{};  ///< it is refused with one of these; none: it is not
    work_set may{};                         ///< what may run in it
    std::vector<work_pointer> must{};       ///< what has to have run when it returns
    bool anything = false;                  ///< everything may run
    bool waits = false;                     ///< it may wait
    bool asks = false;                      ///< the plugin is asked before it is refused
    int copies = -1;                        ///< copies that the plugin is asked for; -1: any number
    std::vector<proof> settled{};           ///< what is proved complete
    taken_bytes taken{};
    std::function<void()> enqueued{};       ///< adds what the call enqueues
    std::function<void()> first{};          ///< what happens before memory is taken
    std::function<std::uint32_t()> late{};  ///< sub-code of the failure that follows, or 0
    std::vector<work_pointer> then_must{};  ///< like `must`, when there was no such failure
    std::vector<proof> then_settled{};

    void refuse(bool when, std::uint32_t sub_code) {
        if (when) {
            refusals.push_back(sub_code);
        }
    }
};

/// What became of the calls of one kind.
struct outcome_count {
    std::uint64_t done = 0;
    std::uint64_t refused = 0;
    std::uint64_t failed = 0;
};
using outcome_counts = std::map<std::string, outcome_count>;

class trial {
 public:
    /// `alone`: nobody else uses the plugin.
    trial(plugin& over, std::uint64_t seed, bool alone);
    trial(const trial&) = delete;
    trial& operator=(const trial&) = delete;
    ~trial();

    /// Throws `std::runtime_error` at the first difference.
    void run(std::uint64_t operations);
    /// Gives everything back, and looks whether anything is left.
    void finish();

    std::uint64_t done() const { return done_; }
    const outcome_counts& outcomes() const { return outcomes_; }

 private:
    using step = void (trial::*)();
    struct weighted_step {
        unsigned weight;
        step run;
    };
    static const std::vector<weighted_step>& steps();

    /* ---- chance ---- */

    std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
    bool one_in(std::size_t many) { return below(many) == 0; }
    template <typename Item>
    Item* any_of(std::vector<std::unique_ptr<Item>>& items) {
        return items.empty() ? nullptr : items[below(items.size())].get();
    }
    std::size_t some_bytes();
    void scribble(std::byte* to, std::size_t count);
    /// One that was not closed, on that device.
    lane* open_lane(std::size_t device);
    /// Nearly always such a one; now and then a wrong one.
    lane* some_lane(std::size_t device);
    lane& default_lane(std::size_t device);
    lane_pointer shared(const lane& one) const;
    /// Host memory of any kind.
    host_span some_host(std::size_t count);
    /// A range of something that has so many bytes; now and then beyond it.
    void some_range(std::size_t whole, std::size_t& offset, std::size_t& count);

    /* ---- comparing ---- */

    [[noreturn]] void fail(const std::string& what) const;
    void expect(bool holds, const std::string& what) const {
        if (!holds) {
            fail(what);
        }
    }
    /// Makes a call and compares. Whether it succeeded; what it does to the reference is the
    /// caller's.
    template <typename Call>
    bool call(const char* name, const prediction& wanted, Call function);
    void compare_answer(const char* name, const prediction& wanted, spoc_status status,
                        const spoc_error& error);
    /// Takes note of what ran.
    void observe(const prediction& wanted);
    void apply(std::vector<work_pointer>& ran);
    void expect_ran(const std::vector<work_pointer>& all) const;
    void look_around();
    void compare_alive();
    void compare_accounts();
    void compare_account(spoc_device device, const account& wanted);
    void compare_tokens();
    void compare_vector(const vector_model& v);
    void compare_host(const host_span& span);

    /* ---- the reference ---- */

    /// How a host range is handed over: in one call of the plugin, or through a slot.
    struct route_part {
        bool staged = false;
        std::vector<std::shared_ptr<block>> within{};
    };
    std::vector<route_part> route(std::size_t device, const std::byte* start,
                                  std::size_t count) const;
    static bool is_staged(const std::vector<route_part>& parts);

    /// A copy between host memory and a device's.
    struct host_copy {
        memory_pointer memory;
        std::size_t offset;
        host_span host;
        bool up;

        extent device_part() const { return {memory->in, offset, host.model.count}; }
        std::vector<touch> touches() const { return {{device_part(), up}, {host.model, !up}}; }
        std::function<void()> effect() const;
        /// Where the source is read in the call.
        std::function<void()> effect_of(const taken_bytes& taken) const;
    };
    /// Adds what has to run before something that waits for its turn in a stream.
    void predict_turn(const lane& on, prediction& to);
    /// Of a copy that waits.
    void predict_now(std::size_t device, const host_span& host, bool up, prediction& to);
    /// Of one on a stream.
    void predict_enqueued(const host_copy& copy, const lane_pointer& on, prediction& to);
    /// Of one whose source is read in the call: what writes it is waited for.
    void predict_source(const host_span& host, const lane_pointer& on, prediction& to);
    void add_enqueued(const host_copy& copy, lane& on, const std::shared_ptr<const void>& lent,
                      const taken_bytes& taken);
    void add_work(lane& on, std::vector<touch> touches, std::function<void()> effect,
                  std::optional<entry> kept);
    /// Whatever conflicts with these and would not run first is put in order, by an event or by
    /// waiting. False: not this time.
    bool put_in_order(const std::vector<touch>& touches, lane* target, const work_set& besides,
                      bool by_waiting);
    void settle(const memory_pointer& what, prediction& to);
    void settle_host(const vector_model& v, prediction& to);
    void predict_move(const vector_model& v, const memory_pointer& memory, bool up, prediction& to);
    bool fits(std::size_t device, std::size_t bytes) const {
        return counts_.bytes.at(device) + bytes <= over_.limit.memory;
    }
    /// 0, or the sub-code of the refusal by a device without room. `is_host`: it takes none.
    std::uint32_t room_for(std::size_t device, std::size_t bytes, bool is_host = false);
    memory_pointer make_memory(std::size_t device, std::size_t bytes);
    void reap(std::size_t device);
    void synchronize(lane& on);
    std::shared_ptr<const void> lend(token*& out);

    /* ---- steps ---- */

    void create_vector();
    void create_vector_over();
    void create_device_vector();
    void destroy_vector();
    void read_vector();
    void begin_write();
    void end_write();
    void to_device();
    void to_host();
    void free_vector_buffer();
    void free_vector_buffers();
    void write_range();
    void read_range();
    void move_range(bool up);
    void switch_auto_sync();
    void finish_writing(vector_model& v);
    /// Whether the host's copy can be had, and what that takes.
    void predict_fresh_host(const vector_model& v, prediction& to);
    void made_fresh(vector_model& v);
    std::unique_ptr<vector_model> some_new_vector();
    template <typename Call>
    bool make_vector(const char* name, const prediction& wanted, vector_model& v, Call function);
    void add_vector(std::unique_ptr<vector_model> made);

    void create_buffer();
    void free_buffer();
    void destroy_buffer();
    void copy_up();
    void copy_down();
    void copy_host(buffer_model* b, bool up);
    void copy_across();
    void fill_buffer();

    /// The program's handle of a kernel, and the kernel.
    struct kernel_handle {
        spoc_kernel handle = nullptr;
        std::shared_ptr<kernel_object> object{};
    };
    void load_programs();
    void end_programs();
    kernel_handle& some_kernel(std::size_t device, std::size_t which);
    void end_kernel(kernel_handle& one);
    void destroy_kernel();
    void launch_kernel();
    void keep_until_done();
    /// False: there is nothing to launch a kernel on.
    bool plan_launch(launch_plan& out);
    bool choose_arguments(launch_plan& plan);
    bool choose_memory(const launch_plan& plan, launch_argument& out);
    void choose_range(launch_plan& plan, launch_argument& one);
    void choose_access(const launch_plan& plan, launch_argument& one);
    /// Makes it one that is refused.
    void spoil(launch_plan& plan, prediction& to);
    void predict_refusals(const launch_plan& plan, prediction& to);
    bool call_launch(launch_plan& plan, const prediction& wanted);
    /// One that is not refused.
    void launch_planned(launch_plan& plan);
    void launch_without_room(launch_plan& plan);
    memory_pointer memory_for(const vector_model& v, std::size_t device);
    bool has_room_for(const launch_plan& plan) const;
    void predict_preparation(const launch_plan& plan, prediction& to);
    /// Does what a launch does first, in the reference: 0, or the sub-code of its failure.
    /// `idle` is what can be proved complete without waiting.
    std::uint32_t prepare_vectors(const launch_plan& plan, const std::vector<proof>& idle);
    void prepare_vector(const launch_plan& plan, const launch_argument& one,
                        const std::vector<proof>& idle);
    static void release_settled(const memory_pointer& what, const std::vector<proof>& idle);
    void add_launch(const launch_plan& plan);
    void finish_launch(const launch_plan& plan);

    using staged_call = std::function<spoc_status(const std::byte*, spoc_error*)>;
    void stage_into_vector();
    void stage_into_buffer();
    void stage_all_round();
    void stage_into(buffer_model& b, lane& on, std::size_t offset, std::size_t count);
    bool call_staged(const staged_write& write, const char* name, const staged_call& make);
    void predict_staged(const staged_write& write, prediction& to);
    void predict_ring(const staged_write& write, prediction& to);
    std::shared_ptr<std::vector<std::byte>> some_source(std::size_t count);
    void create_targets();
    void destroy_targets();

    void create_stream();
    void synchronize_stream();
    void query_stream();
    void flush_stream();
    void close_stream();
    void destroy_stream();
    void synchronize_device();
    void create_event();
    void destroy_event();
    void record_event();
    void wait_event();
    void query_event();
    void synchronize_event();
    void measure_events();
    bool record(event_model& mark, lane& on);
    bool wait(event_model& mark, lane& on);

    void allocate_pinned();
    void register_pages();
    void release_range();
    void destroy_range();
    void ask_for_pinned();
    void write_host();
    void release_some();
    void release_of_one();
    void switch_holding();
    void run_all();

    plugin& over_;
    const spoc_mock_gate& gate_;
    const std::uint64_t seed_;
    const bool alone_;
    std::mt19937_64 random_;
    std::uint64_t done_ = 0;
    std::uint64_t sequence_ = 0;
    const char* calling_ = "";
    bool held_ = true;         ///< work waits until it is released
    bool keeps_done_ = false;  ///< the plugin does not say that work is complete
    bool process_auto_sync_ = true;

    // The order matters: the tally is counted down last, work goes before what it uses is listed.
    tally counts_;
    block::table listed_;
    std::vector<std::unique_ptr<token>> tokens_;
    std::vector<std::unique_ptr<vector_model>> vectors_;
    std::vector<std::unique_ptr<buffer_model>> buffers_;
    /// So large that few writes fill a ring.
    std::array<std::unique_ptr<buffer_model>, device_count> targets_;
    std::array<staging_ring, device_count> rings_;
    std::array<spoc_program, device_count> programs_{};
    std::array<std::array<kernel_handle, kernel_count>, device_count> kernels_{};
    std::vector<std::unique_ptr<event_model>> events_;
    std::vector<std::unique_ptr<range_model>> ranges_;
    machine machine_;
    host_span arena_;    ///< pages, which are registered now and then
    host_span scratch_;  ///< ordinary memory
    std::vector<std::byte> scratch_memory_;
    outcome_counts outcomes_;
};

template <typename Call>
bool trial::call(const char* name, const prediction& wanted, Call function) {
    calling_ = name;
    if (alone_) {
        expect(gate_.breach_count() == 0, over_.breach());
        gate_.forget();
        gate_.set(SPOC_MOCK_ON_WAIT, wanted.waits ? SPOC_MOCK_WAIT_RUN : SPOC_MOCK_WAIT_FAIL);
    }
    spoc_error error = SPOC_ERROR_INIT;
    const spoc_status status = function(&error);
    if (alone_) {
        gate_.set(SPOC_MOCK_ON_WAIT, SPOC_MOCK_WAIT_RUN);
    }
    compare_answer(name, wanted, status, error);
    return status == SPOC_OK;
}

}  // namespace spoc::model
