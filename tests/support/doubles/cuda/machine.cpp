// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "mappings.hpp"

namespace cuda_double {
namespace {

constexpr std::size_t page = 4096;

constexpr const char* function_names[] = {
#define SPOC_DOUBLE_NAME(member, name, library_name, version, need, parameters) #name,
    SPOC_CUDA_SYMBOLS(SPOC_DOUBLE_NAME)
#undef SPOC_DOUBLE_NAME
};

std::size_t number_of(const char* function) {
    for (std::size_t i = 0; i < function_count; ++i) {
        if (std::strcmp(function_names[i], function) == 0) {
            return i;
        }
    }
    std::abort();  // a test asks for a function that the plugin does not use
}

std::size_t setting(const char* name, std::size_t fallback) {
    const char* text = std::getenv(name);
    return text == nullptr ? fallback : std::strtoull(text, nullptr, 0);
}

std::vector<std::string> words(const char* text) {
    std::vector<std::string> found;
    for (std::string_view rest = text == nullptr ? "" : text; !rest.empty();) {
        const std::size_t comma = rest.find(',');
        found.emplace_back(rest.substr(0, comma));
        rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    }
    return found;
}

/// As the driver reads the variable: numbers up to the first that means no card, or the beginnings
/// of UUIDs.
std::vector<int> visible(int cards) {
    std::vector<int> shown;
    const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
    if (text == nullptr) {
        for (int i = 0; i < cards; ++i) {
            shown.push_back(i);
        }
        return shown;
    }
    for (const std::string& word : words(text)) {
        int number = -1;
        const std::string_view uuid = "GPU-";
        if (word.compare(0, uuid.size(), uuid) == 0 && word.size() > uuid.size()) {
            // The invented UUIDs are the card's number, from 1, sixteen times.
            number =
                static_cast<int>(std::strtol(word.substr(uuid.size(), 2).c_str(), nullptr, 16)) - 1;
        } else {
            const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
            number = read.ec == std::errc() ? number : -1;
        }
        if (number < 0 || number >= cards ||
            std::find(shown.begin(), shown.end(), number) != shown.end()) {
            break;
        }
        shown.push_back(number);
    }
    return shown;
}

}  // namespace

machine& machine::the() {
    static machine* const one = new machine;  // never ended, as the driver is not
    return *one;
}

machine::machine()
    : version_(static_cast<int>(setting("CUDA_DOUBLE_VERSION", 13000))),
      init_code_(static_cast<result>(setting("CUDA_DOUBLE_INIT", 0))),
      memory_(setting("CUDA_DOUBLE_MEMORY", std::size_t{256} << 20)),
      pin_budget_(setting("CUDA_DOUBLE_PIN_BUDGET", SIZE_MAX)) {
    for (const std::string& name : words(std::getenv("CUDA_DOUBLE_WITHOUT"))) {
        without_.insert(name);
    }
    visible_ = visible(static_cast<int>(setting("CUDA_DOUBLE_DEVICES", 1)));
    for (int i = 0; i < device_count(); ++i) {
        contexts_.push_back(std::make_unique<CUctx_st>());
        contexts_.back()->device = i;
    }
}

result machine::init() {
    if (init_code_ != api::success) {
        return init_code_;
    }
    if (visible_.empty()) {
        return api::no_device;
    }
    if (!initialized_.exchange(true)) {
        for (const auto& one : contexts_) {
            engine::the().add_queue(one->legacy);
        }
    }
    return api::success;
}

std::size_t machine::memory_free(int device) {
    const std::lock_guard lock(mutex_);
    std::size_t taken = 0;
    for (const auto& [start, one] : allocations_) {
        taken += one.what == allocation::kind::device && one.device == device ? one.bytes : 0;
    }
    return memory_ - taken;
}

result machine::allocate(CUctx_st& context, allocation::kind what, std::size_t bytes,
                         api::address& out) {
    if (bytes == 0) {
        return api::invalid_value;
    }
    if (bytes > memory_free(context.device)) {
        return api::out_of_memory;
    }
    void* block = nullptr;
    constexpr std::size_t alignment = 512;
    if (::posix_memalign(&block, alignment, bytes) != 0) {
        return api::out_of_memory;
    }
    std::memset(block, 0xC3, std::min(bytes, page));  // nobody is to count on what is there
    const std::lock_guard lock(mutex_);
    out = reinterpret_cast<api::address>(block);
    allocations_[out] = {what, context.device, bytes, block};
    return api::success;
}

result machine::allocate_host(std::size_t bytes, void*& out) {
    if (bytes == 0) {
        out = nullptr;
        return api::success;
    }
    // As the driver does, small blocks do not begin at a page.
    constexpr std::size_t offset = 512;
    const std::size_t shift = bytes < page ? offset : 0;
    constexpr std::size_t most = std::size_t{1} << 40;
    const std::lock_guard lock(mutex_);
    void* block = nullptr;
    if (bytes > most || bytes > pin_budget_ - std::min(pinned_, pin_budget_) ||
        ::posix_memalign(&block, page, bytes + shift) != 0) {
        return api::out_of_memory;
    }
    pinned_ += bytes;
    out = static_cast<char*>(block) + shift;
    allocations_[reinterpret_cast<api::address>(out)] = {allocation::kind::host, 0, bytes, block};
    return api::success;
}

result machine::free(allocation::kind what, const void* start) {
    if (start == nullptr && what == allocation::kind::device) {
        return api::success;
    }
    const std::lock_guard lock(mutex_);
    const auto found = allocations_.find(reinterpret_cast<api::address>(start));
    const bool is_memory = what == allocation::kind::device;
    if (found == allocations_.end() ||
        (found->second.what != what &&
         !(is_memory && found->second.what == allocation::kind::managed))) {
        return api::invalid_value;
    }
    pinned_ -= what == allocation::kind::host ? found->second.bytes : 0;
    std::free(found->second.block);
    allocations_.erase(found);
    return api::success;
}

result machine::register_host(void* start, std::size_t bytes, unsigned flags) {
    const bool writes = (flags & api::host_register_read_only) == 0;
    if (start == nullptr || bytes == 0 || !may_touch(start, bytes, writes)) {
        return api::invalid_value;
    }
    const auto begin = reinterpret_cast<api::address>(start);
    const std::lock_guard lock(mutex_);
    for (const auto& [other, one] : allocations_) {
        const bool is_host =
            one.what == allocation::kind::registered || one.what == allocation::kind::host;
        // Whole pages are locked, so that neighbours can collide.
        const api::address first = other / page * page;
        const api::address last = (other + one.bytes + page - 1) / page * page;
        if (is_host && begin / page * page < last &&
            first < (begin + bytes + page - 1) / page * page) {
            return one.what == allocation::kind::host ? api::invalid_value
                                                      : api::host_memory_already_registered;
        }
    }
    if (bytes > pin_budget_ - std::min(pinned_, pin_budget_)) {
        return api::out_of_memory;
    }
    pinned_ += bytes;
    allocations_[begin] = {allocation::kind::registered, 0, bytes, nullptr};
    return api::success;
}

result machine::unregister_host(void* start) {
    const auto begin = reinterpret_cast<api::address>(start);
    const std::lock_guard lock(mutex_);
    const auto found = allocations_.find(begin);
    if (found != allocations_.end() && found->second.what == allocation::kind::registered) {
        pinned_ -= found->second.bytes;
        allocations_.erase(found);
        return api::success;
    }
    for (const auto& [other, one] : allocations_) {
        if (other <= begin && begin < other + one.bytes) {
            return api::invalid_value;  // inside of a registration, or not one
        }
    }
    return api::host_memory_not_registered;
}

const allocation* machine::find(api::address start, std::size_t bytes, api::address& out_begin) {
    const std::lock_guard lock(mutex_);
    auto found = allocations_.upper_bound(start);
    if (found == allocations_.begin()) {
        return nullptr;
    }
    --found;
    const api::address offset = start - found->first;
    if (offset > found->second.bytes || found->second.bytes - offset < bytes) {
        return nullptr;
    }
    out_begin = found->first;
    return &found->second;
}

result machine::count(function_number which) {
    const auto number = static_cast<std::size_t>(which);
    const std::lock_guard lock(mutex_);
    ++calls_[number];
    planned_failure& planned = failures_[number];
    if (planned.nth != 0 && --planned.nth == 0) {
        return planned.code;
    }
    return api::success;
}

void machine::fail(const char* function, std::uint64_t nth, result code) {
    const std::size_t number = number_of(function);
    const std::lock_guard lock(mutex_);
    failures_[number] = {nth, code};
}

std::uint64_t machine::calls(const char* function) {
    const std::size_t number = number_of(function);
    const std::lock_guard lock(mutex_);
    return calls_[number];
}

std::uint64_t machine::all_calls() {
    const std::lock_guard lock(mutex_);
    std::uint64_t sum = 0;
    for (const std::uint64_t one : calls_) {
        sum += one;
    }
    return sum;
}

std::uint64_t machine::alive() {
    const std::lock_guard lock(mutex_);
    return objects_.load() + allocations_.size();
}

}  // namespace cuda_double
