// SPDX-License-Identifier: Apache-2.0
#include "host_storage.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_set>

#include "process_state.hpp"

namespace spoc::detail {
namespace {

/// Storage over memory of the program's that is alive.
struct storage_table {
    std::mutex mutex;
    std::unordered_set<const host_storage*> over;
};

/// Kept until the process ends: late destructors of the program still come here.
storage_table& lent_storage() {
    static storage_table* const instance = new storage_table;
    return *instance;
}

}  // namespace

host_storage::host_storage(void* start, std::uint64_t bytes, std::shared_ptr<lent_memory> owner)
    : start_(static_cast<std::byte*>(start)),
      lent_bytes_(bytes),
      is_bare_(owner == nullptr),
      keeper_(std::move(owner)) {
    if (lent_bytes_ != 0) {
        const std::lock_guard lock(lent_storage().mutex);
        lent_storage().over.insert(this);
    }
}

host_storage::~host_storage() {
    // Before the owner is given back, who may release what the storage was over. In a forked child
    // the mutex may be held for ever.
    if (lent_bytes_ != 0 && process_state() != SPOC_BE_PROCESS_FORK_CHILD) {
        const std::lock_guard lock(lent_storage().mutex);
        lent_storage().over.erase(this);
    }
    if (owned_) {
        ::operator delete(start_, alignment);
    }
}

bool host_storage::is_over(const host_bytes& bytes) {
    const std::lock_guard lock(lent_storage().mutex);
    const auto& all = lent_storage().over;
    return std::any_of(all.begin(), all.end(), [&bytes](const host_storage* one) {
        return host_bytes(one->start_, one->lent_bytes_).overlaps(bytes);
    });
}

}  // namespace spoc::detail
