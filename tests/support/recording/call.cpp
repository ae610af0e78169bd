// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

namespace spoc::mock {
namespace {

bool may_be_quiet(std::uint32_t entry) {
    return entry == spoc_mock_entry_copy || entry == spoc_mock_entry_fill ||
           entry == spoc_mock_entry_launch || entry == spoc_mock_entry_stream_query ||
           entry == spoc_mock_entry_stream_sync;
}

const char* entry_name(std::uint32_t entry) {
#define SPOC_MOCK_NAME(number, name, required) #name,
    static constexpr const char* names[] = {"none", SPOC_BE_ENTRY_LIST(SPOC_MOCK_NAME)};
#undef SPOC_MOCK_NAME
    return names[entry];
}

}  // namespace

call::call(std::uint32_t entry, spoc_be_device device, spoc_be_error* its_error)
    : error(its_error), device_(device), lock_(all.mutex, std::defer_lock) {
    if (auto* hook = all.hook.load()) {
        hook(all.hook_ctx.load(), entry);
    }
    if (all.set.get(SPOC_MOCK_QUIET) == 0 || !may_be_quiet(entry)) {
        lock_.lock();
    }
    record.size = sizeof record;
    record.entry = entry;
    record.status = SPOC_MOCK_IN_PROGRESS;
    record.device = device_ != nullptr ? device_->info.index : SPOC_BE_UNKNOWN_32;
}

call::~call() {
    if (lock_.owns_lock()) {
        record.status = status_;
        all.log.finish(record);
    }
}

void call::write_down() {
    if (lock_.owns_lock()) {
        record.number = ++all.calls;
        all.log.add(record);
        fault_ = all.to_come.take(record.entry);
    }
}

std::int32_t call::fail_as_told() {
    const spoc_mock_fault& told = fault_->told;
    if (told.status == SPOC_BE_DEVICE_LOST && device_ != nullptr) {
        device_->lost = true;
        all.progress.notify_all();
    }
    if (told.status >= 0) {
        return answer(told.status);
    }
    return fail({.status = told.status,
                 .reason = told.reason,
                 .native_code = told.native_code,
                 .asked = told.asked,
                 .limit = told.limit},
                fault_->message);
}

bool call::begin() {
    write_down();
    if (device_ != nullptr && !device_->alive) {
        breach("A device is used that was closed.");
        return false;
    }
    if (device_ != nullptr && !quiet() && device_->lost) {
        fail({.status = SPOC_BE_DEVICE_LOST}, "The mock's device is lost.");
        return false;
    }
    if (fault_ && (fault_->told.flags & SPOC_MOCK_FAULT_LATE) == 0) {
        fail_as_told();
        return false;
    }
    return true;
}

void call::begin_ending() {
    write_down();
    if (fault_) {
        fail_as_told();
    }
}

std::int32_t call::fail(const plugin::failure& what, const std::string& sentence) {
    plugin::failure said = what;
    said.native_domain = what.native_code != 0 ? "MockResult" : "";
    said.origin = entry_name(record.entry);
    return answer(plugin::fail(error, said, "%s", sentence.c_str()));
}

std::int32_t call::breach(const std::string& sentence) {
    const std::string said = std::string(entry_name(record.entry)) + ": " + sentence;
    if (lock_.owns_lock()) {
        all.log.breach(said);
    } else {
        const std::lock_guard lock(all.mutex);
        all.log.breach(said);
    }
    return fail({.status = SPOC_BE_INVALID}, sentence);
}

bool call::is_alive(const object& one, const char* kind) {
    if (!one.alive) {
        breach("A " + std::string(kind) + " is used that has ended (number " +
               std::to_string(one.number) + ").");
    }
    return one.alive;
}

}  // namespace spoc::mock
