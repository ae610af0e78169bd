// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A plugin that writes down what is asked of it and fails where a test tells it to.
///
/// A test opens the same file as the library does and gets at the plugin's state through its
/// interface "test.recorder". Both sides come from one compiler, so C++ may cross the boundary
/// here.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <spoc/backend.h>

namespace spoc::test {

/// One call of an entry. What it has no use for is 0.
struct recorded_call {
    const char* entry = "";
    std::uint32_t kind = 0;        ///< of a copy
    std::uint32_t flags = 0;       ///< of a copy or fill
    std::uint64_t bytes = 0;       ///< of a copy's range, a fill, an allocation
    std::uint64_t dst_offset = 0;  ///< bytes
    std::uint64_t src_offset = 0;  ///< bytes
    const void* host = nullptr;
    bool pinned = false;           ///< the range named a page-locked block
    std::uint32_t pattern = 0;     ///< of a fill
    std::uint64_t timeout_ns = 0;  ///< of a wait
};

/// Makes an entry fail: its first `skip` calls work, the `times` after them fail.
struct fault {
    std::string_view entry;
    std::int32_t status = SPOC_BE_DRIVER;
    int skip = 0;
    int times = 1;
    std::uint32_t reason = SPOC_BE_REASON_NONE;
    std::int64_t native_code = 999;
    std::uint64_t asked = 0;
    std::uint64_t limit = 0;
    std::string message = "The recorder fails as it was told.";
};

/// The state of one loaded copy of the plugin.
struct recorder {
    std::uint32_t size = sizeof(recorder);

    /// What the plugin describes; a test may change and add before it is enumerated.
    std::vector<spoc_be_device_info> devices;
    /// What `probe` reports; its reason, if any, makes the probe fail.
    spoc_be_probe_report report{};
    /// What `peer_query` answers.
    std::uint32_t peer = SPOC_BE_PEER_COPY;
    /// What `copy` and `fill` say about how far they are.
    std::uint32_t done = SPOC_BE_DONE_ALL;
    /// What `cap_reason` writes.
    std::string why_not = "The recorder lacks it.";
    /// Bytes of page-locked memory given at most for one request; 0: success without any.
    std::uint64_t pinned_bytes = SPOC_BE_NO_LIMIT;

    std::vector<fault> faults;
    /// Called at the beginning of every entry with its name, outside of the lock. Set it only while
    /// no call is in flight.
    std::function<void(std::string_view)> hook;
    /// Switched off where the lock of the log would order threads that nothing else orders.
    std::atomic<bool> recording{true};

    std::atomic<int> buffers{0};   ///< alive
    std::atomic<int> hostmems{0};  ///< alive
    std::atomic<int> streams{0};   ///< alive, default streams aside
    std::atomic<int> events{0};    ///< alive
    std::atomic<int> opened{0};    ///< devices
    std::atomic<bool> open{false};
    std::atomic<bool> held{false};   ///< an enumeration or opening was tried, and no close came
    std::atomic<int> unfinished{0};  ///< copies and fills begun and not proved complete

    /// Names of the entries called, in order.
    std::vector<std::string> entries() {
        const std::lock_guard lock(mutex_);
        std::vector<std::string> names;
        for (const recorded_call& call : calls_) {
            names.emplace_back(call.entry);
        }
        return names;
    }

    /// The calls of one entry, in order.
    std::vector<recorded_call> calls(std::string_view entry) {
        const std::lock_guard lock(mutex_);
        std::vector<recorded_call> found;
        for (const recorded_call& call : calls_) {
            if (call.entry == entry) {
                found.push_back(call);
            }
        }
        return found;
    }

    std::size_t count(std::string_view entry) { return calls(entry).size(); }

    void forget() {
        const std::lock_guard lock(mutex_);
        calls_.clear();
    }

    void record(const recorded_call& call) {
        const std::lock_guard lock(mutex_);
        calls_.push_back(call);
    }

    /// The fault that hits the call which has just begun, if any; `out` is only then written.
    bool take_fault(std::string_view entry, fault& out) {
        const std::lock_guard lock(mutex_);
        for (fault& one : faults) {
            if (one.entry != entry || one.times == 0) {
                continue;
            }
            if (one.skip > 0) {
                --one.skip;
                continue;
            }
            --one.times;
            out = one;
            return true;
        }
        return false;
    }

    /// Where the library broke the contract.
    std::vector<std::string> breaches() {
        const std::lock_guard lock(mutex_);
        return breaches_;
    }
    void breach(std::string what) {
        const std::lock_guard lock(mutex_);
        breaches_.push_back(std::move(what));
    }

 private:
    std::mutex mutex_;
    std::vector<recorded_call> calls_;
    std::vector<std::string> breaches_;
};

constexpr const char* recorder_interface = "test.recorder";

inline void set_capability(spoc_be_device_info& info, std::uint32_t capability, bool yes) {
    const std::uint64_t bit = std::uint64_t{1} << (capability % 64);
    std::uint64_t& word = info.caps[capability / 64];
    word = yes ? word | bit : word & ~bit;
}

inline void set_known(spoc_be_device_info& info, std::uint32_t capability, bool known) {
    const std::uint64_t bit = std::uint64_t{1} << (capability % 64);
    std::uint64_t& word = info.caps_known[capability / 64];
    word = known ? word | bit : word & ~bit;
}

}  // namespace spoc::test
