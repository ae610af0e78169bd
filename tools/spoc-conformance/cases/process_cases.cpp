// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

#include <spoc/backend.h>

#include "cases.hpp"
#include "check.hpp"
#include "child_process.hpp"
#include "device.hpp"
#include "host.hpp"
#include "plugin.hpp"

/// \file
/// A process that ends with the backend open in one of many ways, and a process that forks. A
/// process that ends does so with status 0 and prints nothing.

namespace spoc::conformance {
namespace {

/// A backend and a device that stay open until the process ends.
struct kept {
    explicit kept(const subject& subject) : owner(subject), dev(owner, subject.device_index) {}

    backend owner;
    device dev;
};

/// Never ended: reachable until the process is gone, so that it is no leak.
kept& keep_open(const subject& subject) {
    static kept* const held = new kept(subject);
    return *held;
}

/// Work that is not waited for, on memory that stays.
void start_work(device& dev) {
    const std::uint64_t bytes = dev.large_size(std::uint64_t{8} << 20) / 4 * 4;
    const spoc_be_stream stream = dev.stream();
    const spoc_be_event event = dev.event();
    const spoc_be_buffer buffer = dev.buffer(bytes);
    dev.record(event, stream);
    for (std::uint32_t round = 0; round < 4; ++round) {
        dev.fill(stream, buffer, 0, bytes, round, 4);
    }
    if (dev.can(SPOC_BE_CAP_PINNED)) {
        const page_locked memory = dev.pinned(dev.large_pinned_size(bytes));
        for (int round = 0; round < 16; ++round) {
            const spoc_be_range range =
                with_pinned(to_host(buffer, 0, memory.data, memory.bytes), memory, 0);
            dev.copy(stream, SPOC_BE_COPY_D2H, {&range, 1});
        }
    }
}

void make_objects(device& dev) {
    for (int i = 0; i < 4; ++i) {
        dev.buffer(pattern(5000, 1));
        dev.stream();
        dev.event();
        if (dev.can(SPOC_BE_CAP_PINNED)) {
            dev.pinned(5000);
        }
    }
}

/// What a host does before the process ends by a way that runs no exit handlers.
void quiesce(const kept& open) {
    open.owner.services.set_process_state(SPOC_BE_PROCESS_EXITING);
    open.owner.be.quiesce(SPOC_BE_QUIESCE_EXIT);
}

/* ---- ends ---- */

[[noreturn]] void leave() {
    leaving();
    std::exit(0);
}

void exit_with_file_loaded(const subject& subject) {
    load_plugin(subject.plugin_path);
    leave();
}

void exit_after_probe(const subject& subject) {
    const spoc_be_table be = read_table(load_plugin(subject.plugin_path));
    host& services = host::make();
    auto report = sized<spoc_be_probe_report>();
    auto error = sized<spoc_be_error>();
    be.probe(services.table(), SPOC_BE_PROBE_ENUMERATE, &report, &error);
    services.set_process_state(SPOC_BE_PROCESS_EXITING);
    be.quiesce(SPOC_BE_QUIESCE_EXIT);
    leave();
}

void exit_with_backend_open(const subject& subject) {
    static const backend* const opened = new backend(subject);
    static_cast<void>(opened);
    leave();
}

void exit_after_close(const subject& subject) {
    backend opened(subject);
    device dev(opened, subject.device_index);
    make_objects(dev);
    dev.finish();
    opened.close();
    leave();
}

void exit_with_objects(const subject& subject) {
    make_objects(keep_open(subject).dev);
    leave();
}

void exit_with_work_in_flight(const subject& subject) {
    start_work(keep_open(subject).dev);
    leave();
}

void exit_from_another_thread(const subject& subject) {
    device& dev = keep_open(subject).dev;
    make_objects(dev);
    start_work(dev);
    std::thread([] { leave(); }).join();
}

void quick_exit_with_work_in_flight(const subject& subject) {
    kept& open = keep_open(subject);
    start_work(open.dev);
    quiesce(open);
    leaving();
    std::quick_exit(0);
}

/// As a process that is killed: nobody is told.
void underscore_exit_with_work_in_flight(const subject& subject) {
    start_work(keep_open(subject).dev);
    leaving();
    _exit(0);
}

void quiesced_many_times(const subject& subject) {
    kept& open = keep_open(subject);
    start_work(open.dev);
    for (int again = 0; again < 3; ++again) {
        quiesce(open);
    }
    leave();
}

/// A second thread is in a call, and the thread that ends the process does not wait for it.
void exit_with_thread_in_copy(const subject& subject) {
    device& dev = keep_open(subject).dev;
    static const std::size_t bytes = dev.large_size(std::uint64_t{64} << 20);
    static const spoc_be_buffer buffer = dev.buffer(bytes);
    static device* const used = &dev;
    static std::atomic<bool> entering{false};
    static byte_vector* const target = new byte_vector(bytes);  // outlives the process's end
    std::thread([] {
        const bool pinned = bytes > used->pageable_max();
        const page_locked memory =
            pinned ? used->pinned(bytes) : page_locked{nullptr, target->data(), bytes};
        entering = true;
        entering.notify_one();
        const spoc_be_range range = with_pinned(to_host(buffer, 0, memory.data, bytes), memory, 0);
        auto request = sized<spoc_be_copy>();
        request.kind = SPOC_BE_COPY_D2H;
        request.flags = SPOC_BE_WAIT;
        request.count = 1;
        request.ranges = &range;
        std::uint32_t done = 0;
        // Whatever it answers: the process may be gone before it does.
        static_cast<void>(used->be.copy(used->default_stream, &request, &done, nullptr));
    }).detach();
    entering.wait(false);
    leave();
}

/// A thread that waits for ever does not keep the process.
void exit_with_thread_in_wait(const subject& subject) {
    device& dev = keep_open(subject).dev;
    static device* const used = &dev;
    static std::atomic<bool> entering{false};
    start_work(dev);
    static const spoc_be_stream stream = dev.stream();
    std::thread([] {
        entering = true;
        entering.notify_one();
        static_cast<void>(used->be.stream_sync(stream, SPOC_BE_FOREVER, nullptr));
    }).detach();
    entering.wait(false);
    leave();
}

/* ---- forks ---- */

void need_forks_of_open_backends() {
#if defined(__SANITIZE_THREAD__)
    skip("ThreadSanitizer does not take a fork of a process with several threads.");
#endif
}

void work(device& dev, const char* who) {
    const byte_vector contents = pattern(100000, 1);
    const spoc_be_buffer buffer = dev.buffer(contents);
    expect_bytes(contents, dev.download(buffer, 0, contents.size()), text("The buffer in ", who));
}

void open_and_work(const subject& subject, const char* who) {
    backend opened(subject);
    device dev(opened, subject.device_index);
    work(dev, who);
    dev.finish();
    opened.close();
}

/// The parent has an open backend with contents and work in flight; the child does `in_child`.
/// Everything in the parent goes on as before.
void fork_while_open(const subject& subject, void (*in_child)(const backend&)) {
    need_forks_of_open_backends();
    backend opened(subject);
    device dev(opened, subject.device_index);
    const byte_vector contents = pattern(100000, 2);
    const spoc_be_buffer buffer = dev.buffer(contents);
    const spoc_be_buffer filled = dev.buffer(contents.size());
    const spoc_be_stream stream = dev.stream();
    dev.fill(stream, filled, 0, contents.size(), 0x66, 1);
    child_process child([&] { in_child(opened); });
    dev.sync(stream);
    expect_bytes(contents, dev.download(buffer, 0, contents.size()),
                 "The parent's buffer after a fork");
    expect_bytes(byte_vector(contents.size(), std::byte{0x66}),
                 dev.download(filled, 0, contents.size()), "The parent's fill across a fork");
    child.expect_success("The forked child");
    work(dev, "the parent after the child ended");
    dev.finish();
    opened.close();
}

/// Exit handlers of the plugin and the driver run in the child too.
void child_that_only_exits(const subject& subject) {
    fork_while_open(subject, [](const backend&) {});
}

void child_that_is_quiesced(const subject& subject) {
    fork_while_open(subject, [](const backend& opened) {
        opened.services.set_process_state(SPOC_BE_PROCESS_FORK_CHILD);
        opened.be.quiesce(SPOC_BE_QUIESCE_FORK_CHILD);
        opened.be.quiesce(SPOC_BE_QUIESCE_FORK_CHILD);
    });
}

/// A passive probe leaves nothing behind that a child could not use.
void open_in_child_after_passive_probe(const subject& subject) {
    const spoc_be_table be = read_table(load_plugin(subject.plugin_path));
    host& services = host::make();
    auto report = sized<spoc_be_probe_report>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, be.probe(services.table(), SPOC_BE_PROBE_PASSIVE, &report, &error),
                  "probe", error);
    child_process child([&] { open_and_work(subject, "the child"); });
    child.expect_success("The forked child");
    open_and_work(subject, "the parent");
}

void open_on_both_sides(const subject& subject) {
    load_plugin(subject.plugin_path);
    child_process child([&] { open_and_work(subject, "the child"); });
    open_and_work(subject, "the parent");
    child.expect_success("The forked child");
}

test_case leaver(const char* name, void (*run)(const subject&)) {
    return {.name = name, .run = run, .how = ending::leaves};
}

}  // namespace

void add_process_cases(case_list& cases) {
    cases.push_back(leaver("process/exit_with_file_loaded", exit_with_file_loaded));
    cases.push_back(leaver("process/exit_after_probe", exit_after_probe));
    cases.push_back(leaver("process/exit_with_backend_open", exit_with_backend_open));
    cases.push_back(leaver("process/exit_after_close", exit_after_close));
    cases.push_back(leaver("process/exit_with_objects", exit_with_objects));
    cases.push_back(leaver("process/exit_with_work_in_flight", exit_with_work_in_flight));
    cases.push_back(leaver("process/exit_from_another_thread", exit_from_another_thread));
    cases.push_back(leaver("process/quick_exit", quick_exit_with_work_in_flight));
    cases.push_back(leaver("process/underscore_exit", underscore_exit_with_work_in_flight));
    cases.push_back(leaver("process/quiesced_many_times", quiesced_many_times));
    cases.push_back(leaver("process/exit_with_thread_in_copy", exit_with_thread_in_copy));
    cases.push_back(leaver("process/exit_with_thread_in_wait", exit_with_thread_in_wait));
    cases.push_back({.name = "process/forked_child_exits", .run = child_that_only_exits});
    cases.push_back({.name = "process/forked_child_is_quiesced", .run = child_that_is_quiesced});
    cases.push_back(
        {.name = "process/fork_after_passive_probe", .run = open_in_child_after_passive_probe});
    cases.push_back({.name = "process/open_on_both_sides_of_a_fork", .run = open_on_both_sides});
}

}  // namespace spoc::conformance
