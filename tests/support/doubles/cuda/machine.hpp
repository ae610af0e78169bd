// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "driver.hpp"
#include "engine.hpp"

namespace cuda_double {

namespace api = spoc::driver;
using api::result;

/// The functions, by number.
enum class function_number : std::uint32_t {
#define SPOC_DOUBLE_NUMBER(member, name, library_name, version, need, parameters) member,
    SPOC_CUDA_SYMBOLS(SPOC_DOUBLE_NUMBER)
#undef SPOC_DOUBLE_NUMBER
        count
};
inline constexpr auto function_count = static_cast<std::size_t>(function_number::count);

/// Memory that the driver knows.
struct allocation {
    enum class kind { device, managed, host, registered };
    kind what;
    int device;
    std::size_t bytes;
    void* block;  ///< to be freed, or null
};

}  // namespace cuda_double

/// A primary context. One a device, made at the first use.
struct CUctx_st {
    int device = 0;
    int retained = 0;
    std::atomic<std::int32_t> sticky{0};
    std::shared_ptr<cuda_double::queue> legacy = std::make_shared<cuda_double::queue>();
    std::vector<CUstream_st*> streams;  ///< alive
    std::set<CUevent_st*> events;       ///< alive: on a lost card none is ever ended
    std::set<int> peers;                ///< devices whose memory it was let reach
};

struct CUstream_st {
    CUctx_st* context;
    bool blocking;
    std::shared_ptr<cuda_double::queue> work = std::make_shared<cuda_double::queue>();
};

struct CUevent_st {
    CUctx_st* context;
    bool timed;
    bool recorded = false;
    cuda_double::mark_pointer point;  ///< null: everything before it was done already
};

namespace cuda_double {

/// The invented machine. Its tables are under one mutex.
class machine {
 public:
    static machine& the();

    result init();
    bool is_initialized() const noexcept { return initialized_.load(); }
    int version() const noexcept { return version_; }
    int device_count() const noexcept { return static_cast<int>(visible_.size()); }
    /// The card behind an ordinal, from 0.
    int card(int ordinal) const { return visible_[static_cast<std::size_t>(ordinal)]; }
    std::size_t memory_total() const noexcept { return memory_; }
    std::size_t memory_free(int device);
    CUctx_st& context(int device) { return *contexts_[static_cast<std::size_t>(device)]; }

    result allocate(CUctx_st& context, allocation::kind what, std::size_t bytes, api::address& out);
    result allocate_host(std::size_t bytes, void*& out);
    result free(allocation::kind what, const void* start);
    result register_host(void* start, std::size_t bytes, unsigned flags);
    result unregister_host(void* start);
    /// The live allocation that holds the range, or null.
    const allocation* find(api::address start, std::size_t bytes, api::address& out_begin);

    /// Counts a call; the code that it has to return, or success.
    result count(function_number which);
    void fail(const char* function, std::uint64_t nth, result code);
    std::uint64_t calls(const char* function);
    std::uint64_t all_calls();
    bool lacks(const char* function) const { return without_.count(function) != 0; }

    void object_made() noexcept { objects_.fetch_add(1); }
    void object_ended() noexcept { objects_.fetch_sub(1); }
    std::uint64_t alive();

    std::mutex& mutex() noexcept { return mutex_; }

 private:
    machine();

    struct planned_failure {
        std::uint64_t nth = 0;
        result code = api::success;
    };

    std::mutex mutex_;
    std::atomic<bool> initialized_{false};
    int version_ = 13000;
    result init_code_ = api::success;
    std::size_t memory_ = 0;
    std::size_t pin_budget_ = 0;
    std::size_t pinned_ = 0;
    std::set<std::string> without_;
    std::vector<int> visible_;
    std::vector<std::unique_ptr<CUctx_st>> contexts_;
    std::map<api::address, allocation> allocations_;
    std::array<std::uint64_t, function_count> calls_{};
    std::array<planned_failure, function_count> failures_{};
    std::atomic<std::uint64_t> objects_{0};
};

}  // namespace cuda_double
