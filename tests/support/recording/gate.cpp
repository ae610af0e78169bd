// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <mutex>

#include "common/record.hpp"
#include "common/status.hpp"
#include "request.hpp"
#include "state.hpp"
#include "work.hpp"

namespace spoc::mock {
namespace {

void reset() {
    state& all = the_state();
    const std::lock_guard lock(all.mutex);
    all.set.reset();
    all.described.reset();
    all.to_come.forget();
    all.log.forget();
    all.kernels.clear();
    all.hook = nullptr;
    all.streams.clear();
    all.events.clear();
    all.buffers.clear();
    all.hostmems.clear();
    all.programs.clear();
    all.kernel_handles.clear();
    all.devices.clear();
    all.pinned = 0;
    all.left_at_close = 0;
    all.open = false;
    all.held_open = false;
}

void set_device_count(std::uint32_t count) {
    const std::lock_guard lock(the_state().mutex);
    the_state().described.set_count(count);
}

spoc_be_device_info* device(std::uint32_t index) {
    return &the_state().described.devices.at(index);
}

void describe_device(std::uint32_t index, std::uint32_t kind) {
    *device(index) = describe(kind, is_minimal);
}

void set_device_capability(std::uint32_t index, std::uint32_t capability, std::uint32_t answer) {
    set_capability(*device(index), capability, answer);
}

void set_peer(std::uint32_t src, std::uint32_t dst, std::uint32_t flags) {
    const std::lock_guard lock(the_state().mutex);
    the_state().described.peers[{src, dst}] = flags;
}

void set_report(const spoc_be_probe_report* report) {
    const std::lock_guard lock(the_state().mutex);
    the_state().described.report = report != nullptr ? *report : description().report;
}

void set(std::uint32_t setting, std::uint64_t value) { the_state().set.set(setting, value); }

std::uint64_t get(std::uint32_t setting) { return the_state().set.get(setting); }

std::uint64_t pending(std::uint64_t stream) {
    state& all = the_state();
    const std::lock_guard lock(all.mutex);
    std::uint64_t count = 0;
    all.streams.for_each_alive([&](const spoc_be_stream_s& one) {
        count += stream == 0 || one.number == stream ? one.queue.size() : 0;
    });
    return count;
}

std::uint64_t release_work(std::uint64_t stream, std::uint64_t most) {
    state& all = the_state();
    const std::lock_guard lock(all.mutex);
    spoc_be_stream found = stream != 0 ? find_stream(all, stream) : nullptr;
    return stream != 0 && found == nullptr ? 0 : release(all, found, most);
}

void await_waiters(std::uint32_t count) {
    state& all = the_state();
    std::unique_lock lock(all.mutex);
    all.progress.wait(lock, [&] { return all.waiters >= count; });
}

std::uint64_t stream_number(spoc_be_stream stream) { return stream->number; }

void fail(const spoc_mock_fault* fault) {
    const std::lock_guard lock(the_state().mutex);
    the_state().to_come.add(*fault);
}

void forget_faults() {
    const std::lock_guard lock(the_state().mutex);
    the_state().to_come.forget();
}

void lose(std::uint32_t index) {
    state& all = the_state();
    const std::lock_guard lock(all.mutex);
    all.devices.for_each_alive(
        [index](spoc_be_device_s& one) { one.lost = one.lost || one.info.index == index; });
    all.progress.notify_all();
}

void set_hook(void (*hook)(void*, std::uint32_t), void* ctx) {
    the_state().hook_ctx = ctx;
    the_state().hook = hook;
}

std::uint64_t calls(std::uint32_t entry) {
    const std::lock_guard lock(the_state().mutex);
    return the_state().log.count(entry);
}

std::uint64_t record_count() {
    const std::lock_guard lock(the_state().mutex);
    return the_state().log.records().size();
}

std::int32_t record_at(std::uint64_t index, spoc_mock_call* out) {
    const std::lock_guard lock(the_state().mutex);
    const auto& records = the_state().log.records();
    if (index >= records.size()) {
        return 0;
    }
    plugin::write_record(out, records[index]);
    return 1;
}

std::uint32_t args(std::uint64_t number, spoc_mock_arg* out, std::uint32_t capacity) {
    const std::lock_guard lock(the_state().mutex);
    const auto* found = the_state().log.args(number);
    if (found == nullptr) {
        return 0;
    }
    std::copy_n(found->begin(), std::min<std::size_t>(capacity, found->size()), out);
    return static_cast<std::uint32_t>(found->size());
}

void forget() {
    const std::lock_guard lock(the_state().mutex);
    the_state().log.forget();
}

std::uint64_t alive(std::uint32_t kind) {
    state& all = the_state();
    const std::uint64_t devices = all.devices.alive();
    const std::uint64_t counts[] = {devices,
                                    all.buffers.alive(),
                                    all.hostmems.alive(),
                                    all.streams.alive() - devices,
                                    all.events.alive(),
                                    all.programs.alive(),
                                    all.kernel_handles.alive()};
    return kind < std::size(counts) ? counts[kind] : 0;
}

std::uint64_t left_at_close() {
    const std::lock_guard lock(the_state().mutex);
    return the_state().left_at_close;
}

std::int32_t held_open() {
    const std::lock_guard lock(the_state().mutex);
    return the_state().held_open ? 1 : 0;
}

std::uint64_t breach_count() {
    const std::lock_guard lock(the_state().mutex);
    return the_state().log.breaches().size();
}

std::int32_t breach_at(std::uint64_t index, char* out, std::uint64_t capacity) {
    const std::lock_guard lock(the_state().mutex);
    const auto& breaches = the_state().log.breaches();
    if (index >= breaches.size()) {
        return 0;
    }
    plugin::copy_text(out, capacity, breaches[index]);
    return 1;
}

void add_kernel(const char* name, const spoc_native_kernel* kernel) {
    const std::lock_guard lock(the_state().mutex);
    the_state().kernels[name] = kernel;
}

}  // namespace

const spoc_mock_gate& the_gate() {
    static constexpr spoc_mock_gate gate = {
        .size = sizeof(spoc_mock_gate),
        .reserved = 0,
        .reset = reset,
        .set_device_count = set_device_count,
        .device = device,
        .describe = describe_device,
        .set_capability = set_device_capability,
        .set_peer = set_peer,
        .set_report = set_report,
        .set = set,
        .get = get,
        .pending = pending,
        .release = release_work,
        .await_waiters = await_waiters,
        .stream_number = stream_number,
        .fail = fail,
        .forget_faults = forget_faults,
        .lose = lose,
        .set_hook = set_hook,
        .calls = calls,
        .record_count = record_count,
        .record_at = record_at,
        .args = args,
        .forget = forget,
        .alive = alive,
        .left_at_close = left_at_close,
        .held_open = held_open,
        .breach_count = breach_count,
        .breach_at = breach_at,
        .add_kernel = add_kernel,
    };
    return gate;
}

}  // namespace spoc::mock
