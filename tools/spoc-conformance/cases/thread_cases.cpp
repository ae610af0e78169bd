// SPDX-License-Identifier: Apache-2.0
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"
#include "kernels.hpp"
#include "launch_request.hpp"
#include "threads.hpp"

/// \file
/// Many threads in the plugin at once, where the contract lets them, each checking its own results;
/// and what every entry leaves of the state of the thread that called it.

namespace spoc::conformance {
namespace {

constexpr std::uint32_t rounds = 40;

/// `in_threads` with several rounds a thread.
void many_times(const std::function<void(std::uint32_t thread, std::uint32_t round)>& action) {
    in_threads([&action](std::uint32_t thread) {
        for (std::uint32_t round = 0; round < rounds; ++round) {
            action(thread, round);
        }
    });
}

void expect_ok(std::int32_t status, const char* entry, const spoc_be_error& error) {
    expect_status(SPOC_BE_OK, status, entry, error);
}

void buffers(device& dev) {
    many_times([&dev](std::uint32_t thread, std::uint32_t round) {
        const std::uint64_t bytes = 1 + (thread * 997 + round * 4099) % 70000;
        const spoc_be_buffer first = make_buffer(dev, bytes);
        const spoc_be_buffer second = make_buffer(dev, bytes);
        require(first != second, "buffer_create gave the same handle for two live buffers.");
        end_buffer(dev, first);
        end_buffer(dev, second);
    });
}

void pinned(device& dev) {
    dev.need(SPOC_BE_CAP_PINNED);
    many_times([&dev](std::uint32_t thread, std::uint32_t round) {
        auto desc = sized<spoc_be_hostmem_desc>();
        desc.bytes = 1 + (thread * 997 + round * 4099) % 70000;
        auto made = sized<spoc_be_hostmem_result>();
        auto error = sized<spoc_be_error>();
        expect_ok(dev.be.pinned_alloc(dev.handle, &desc, &made, &error), "pinned_alloc", error);
        const auto mark = static_cast<int>(thread + 1);
        std::memset(made.host, mark, desc.bytes);
        sched_yield();
        const auto* bytes = static_cast<const unsigned char*>(made.host);
        require(std::all_of(bytes, bytes + desc.bytes, [mark](int byte) { return byte == mark; }),
                "Page-locked memory of one thread was given to another at the same time.");
        expect_ok(dev.be.pinned_free(made.hostmem, &error), "pinned_free", error);
    });
}

void streams_and_events(device& dev) {
    many_times([&dev](std::uint32_t, std::uint32_t) {
        const spoc_be_stream stream = make_stream(dev);
        const spoc_be_event event = make_event(dev);
        dev.record(event, stream);
        auto error = sized<spoc_be_error>();
        expect_ok(dev.be.event_sync(event, SPOC_BE_FOREVER, &error), "event_sync", error);
        expect_ok(dev.be.stream_wait(stream, event, &error), "stream_wait", error);
        dev.sync(stream);
        expect_ok(dev.be.stream_query(stream, &error), "stream_query", error);
        end_event(dev, event);
        end_stream(dev, stream);
    });
}

/// What describes the backend and the device answers the same to everybody.
void descriptions(device& dev) {
    many_times([&dev](std::uint32_t, std::uint32_t) {
        require(dev.owner.device_count() > dev.index, "device_count changed.");
        const spoc_be_device_info info = dev.owner.device_info(dev.index);
        require(std::memcmp(&info.caps, &dev.info.caps, sizeof info.caps) == 0 &&
                    std::strcmp(info.name, dev.info.name) == 0 &&
                    info.memory_total == dev.info.memory_total,
                "device_info says something else while other threads ask too.");
        auto memory = sized<spoc_be_memory_info>();
        auto error = sized<spoc_be_error>();
        expect_ok(dev.be.device_memory(dev.handle, &memory, &error), "device_memory", error);
        const void* found = nullptr;
        expect_status(SPOC_BE_UNSUPPORTED,
                      dev.be.get_interface("no.such.interface", 8, &found, &error), "get_interface",
                      error);
    });
}

/// Copies there, within and back by every thread on a stream of its own.
void copies(device& dev) {
    constexpr std::uint64_t bytes = 20011;
    std::vector<thread_lane> lanes = make_lanes(dev, 2 * bytes);
    many_times([&dev, &lanes](std::uint32_t thread, std::uint32_t round) {
        thread_lane& own = lanes[thread];
        const byte_vector contents = pattern(bytes, thread * 1000 + round);
        std::memcpy(own.memory.data, contents.data(), bytes);
        const spoc_be_buffer first = make_buffer(dev, bytes);
        const spoc_be_buffer second = make_buffer(dev, bytes);
        const spoc_be_range up = with_pinned(to_device(first, 0, nullptr, bytes), own.memory, 0);
        const spoc_be_range over = between(first, 0, second, 0, bytes);
        const spoc_be_range down =
            with_pinned(to_host(second, 0, nullptr, bytes), own.memory, bytes);
        dev.copy(own.stream, SPOC_BE_COPY_H2D, {&up, 1});
        dev.copy(own.stream, SPOC_BE_COPY_D2D, {&over, 1});
        dev.copy(own.stream, SPOC_BE_COPY_D2H, {&down, 1});
        dev.sync(own.stream);
        expect_bytes(contents, {own.memory.data + bytes, bytes},
                     text("What thread ", thread, " got back in round ", round));
        end_buffer(dev, first);
        end_buffer(dev, second);
    });
}

void fills(device& dev) {
    constexpr std::uint64_t bytes = 4096;
    std::vector<thread_lane> lanes = make_lanes(dev, bytes);
    const spoc_be_buffer shared = dev.buffer(bytes * thread_count);
    many_times([&dev, &lanes, shared](std::uint32_t thread, std::uint32_t round) {
        thread_lane& own = lanes[thread];
        const std::uint32_t value = thread * 0x01010101U + round;
        dev.fill(own.stream, shared, thread * bytes, bytes, value, word_bytes);
        const spoc_be_range down =
            with_pinned(to_host(shared, thread * bytes, nullptr, bytes), own.memory, 0);
        dev.copy(own.stream, SPOC_BE_COPY_D2H, {&down, 1}, SPOC_BE_WAIT);
        expect_bytes(bytes_of(std::vector<std::uint32_t>(bytes / word_bytes, value)),
                     {own.memory.data, bytes},
                     text("The part of one buffer that thread ", thread, " filled"));
    });
}

/// One kernel, launched by every thread on a stream of its own with its own arguments.
void launches_of_one_kernel(device& dev) {
    constexpr std::uint32_t words = 257;
    constexpr std::uint64_t bytes = words * word_bytes;
    const ready_kernel scale = kernel_set::with(dev, known_kernel::scale).get(known_kernel::scale);
    std::vector<thread_lane> lanes = make_lanes(dev, bytes);
    const byte_vector contents = pattern(bytes, 1);
    const spoc_be_buffer in = dev.buffer(contents);
    std::vector<spoc_be_buffer> outs;
    for (std::uint32_t i = 0; i < thread_count; ++i) {
        outs.push_back(dev.buffer(bytes));
    }
    many_times([&](std::uint32_t thread, std::uint32_t round) {
        thread_lane& own = lanes[thread];
        const std::uint32_t factor = thread * 1000 + round;
        scale_request(scale, in, outs[thread], factor, words).run(dev, own.stream);
        const spoc_be_range down =
            with_pinned(to_host(outs[thread], 0, nullptr, bytes), own.memory, 0);
        dev.copy(own.stream, SPOC_BE_COPY_D2H, {&down, 1}, SPOC_BE_WAIT);
        expect_bytes(scaled(contents, factor), {own.memory.data, bytes},
                     text("What the launch of thread ", thread, " wrote in round ", round));
    });
}

/// Programs and kernels made and ended by every thread; few rounds, for compilers are slow.
void programs(device& dev) {
    kernel_set kernels = kernel_set::with(dev, known_kernel::scale);
    const program_form& form = kernels.form();
    const spoc_be_program shared = load_program(dev, form, known_kernel::scale);
    in_threads([&](std::uint32_t /*thread*/) {
        for (int round = 0; round < 3; ++round) {
            const spoc_be_program own = load_program(dev, form, known_kernel::scale);
            for (const spoc_be_program program : {own, shared, shared}) {
                const spoc_be_kernel kernel = get_kernel(dev, program, form, known_kernel::scale);
                const spoc_be_kernel_info info = kernel_info(dev, kernel);
                std::array<spoc_be_param, 4> params{};
                std::uint32_t count = 0;
                auto error = sized<spoc_be_error>();
                expect_ok(
                    dev.be.kernel_params(kernel, params.data(), params.size(), &count, &error),
                    "kernel_params", error);
                require(info.reflection == SPOC_BE_REFLECTION_NONE || count == info.param_count,
                        "kernel_params says ", count, " parameters and kernel_info ",
                        info.param_count, ".");
                destroy(dev, kernel);
            }
            destroy(dev, own);
        }
    });
    destroy(dev, shared);
}

/// All threads ask of one stream and one event while one gives them work.
void one_stream_and_event(device& dev) {
    const spoc_be_stream stream = dev.stream();
    const spoc_be_event event = dev.event();
    const spoc_be_event later = dev.event();
    const spoc_be_buffer buffer = dev.buffer(std::uint64_t{1} << 16);
    dev.record(event, stream);
    const auto check = [](std::int32_t status, const char* entry, const spoc_be_error& error) {
        if (status != SPOC_BE_NOT_READY) {
            expect_ok(status, entry, error);
        }
    };
    many_times([&](std::uint32_t thread, std::uint32_t round) {
        auto error = sized<spoc_be_error>();
        if (thread == 0) {
            dev.fill(stream, buffer, 0, std::uint64_t{1} << 16, round, 1);
            dev.record(later, stream);
        }
        check(dev.be.stream_query(stream, &error), "stream_query", error);
        check(dev.be.stream_sync(stream, 1000, &error), "stream_sync", error);
        check(dev.be.event_query(event, &error), "event_query", error);
        check(dev.be.event_sync(event, 1000, &error), "event_sync", error);
        if (dev.be.stream_flush != nullptr) {
            expect_ok(dev.be.stream_flush(stream, &error), "stream_flush", error);
        }
        expect_ok(dev.be.event_sync(event, SPOC_BE_FOREVER, &error), "event_sync", error);
    });
    dev.sync(stream);
}

/// Why the device answers no, asked by many threads: each gets the answer to its own question.
void error_records(device& dev) {
    if (dev.be.cap_reason == nullptr) {
        skip("The plugin has no cap_reason.");
    }
    std::vector<std::uint32_t> refused;
    std::vector<std::string> reasons;
    for (std::uint32_t cap = 0; cap < 256; ++cap) {
        const std::uint64_t bit = std::uint64_t{1} << cap % 64;
        if ((dev.info.caps_known[cap / 64] & bit) != 0 && (dev.info.caps[cap / 64] & bit) == 0) {
            auto error = sized<spoc_be_error>();
            expect_ok(dev.be.cap_reason(dev.index, cap, &error), "cap_reason", error);
            refused.push_back(cap);
            reasons.emplace_back(error.message);
        }
    }
    if (refused.empty()) {
        skip("The device refuses nothing.");
    }
    many_times([&](std::uint32_t thread, std::uint32_t round) {
        const std::size_t which = (thread * 7 + round) % refused.size();
        auto error = sized<spoc_be_error>();
        expect_ok(dev.be.cap_reason(dev.index, refused[which], &error), "cap_reason", error);
        require(reasons[which] == error.message, "cap_reason of capability ", refused[which],
                " says \"", error.message, "\" among threads, and alone \"", reasons[which], "\".");
    });
}

/// Requests that fail beside requests that do not; the records of the latter stay empty.
void failures_stay_apart(device& dev) {
    many_times([&dev](std::uint32_t thread, std::uint32_t /*round*/) {
        auto error = sized<spoc_be_error>();
        spoc_be_event made = nullptr;
        if (thread % 2 == 0) {
            expect_status(SPOC_BE_UNSUPPORTED,
                          dev.be.event_create(dev.handle, 1U << 30, &made, &error), "event_create",
                          error);
            return;
        }
        expect_ok(dev.be.event_create(dev.handle, 0, &made, &error), "event_create", error);
        end_event(dev, made);
        const auto untouched = sized<spoc_be_error>();
        require(std::memcmp(&error, &untouched, sizeof error) == 0,
                "Entries that answered OK wrote into the error record: \"", error.message, "\".");
    });
}

/// What an entry must leave as it found it, set to what no driver sets it to.
class thread_state {
 public:
    thread_state() : locale_(newlocale(LC_ALL_MASK, "C", nullptr)) {
        sigset_t mask;
        sigemptyset(&mask);
        sigaddset(&mask, SIGUSR1);
        sigaddset(&mask, SIGCHLD);
        require(locale_ != nullptr && pthread_sigmask(SIG_SETMASK, &mask, nullptr) == 0 &&
                    fesetround(FE_UPWARD) == 0 && chdir("/") == 0,
                "The suite could not change the state of its thread.");
        uselocale(locale_);
        umask(0027);
        static_cast<void>(pthread_setname_np(pthread_self(), "conformance"));
        pthread_getaffinity_np(pthread_self(), sizeof affinity_, &affinity_);
    }
    thread_state(const thread_state&) = delete;
    thread_state& operator=(const thread_state&) = delete;
    ~thread_state() {
        uselocale(LC_GLOBAL_LOCALE);
        freelocale(locale_);
        fesetround(FE_TONEAREST);
    }

    /// Fails unless all of it is as it was. `entry` was called last.
    void expect_kept(const char* entry) const {
        expect_signals(entry);
        require(fegetround() == FE_UPWARD, entry, " changed the rounding mode of its thread.");
        const volatile float least = std::numeric_limits<float>::min();
        const volatile float half = least / 2;
        require(half > 0, entry, " made its thread take very small numbers for 0.");
        std::array<char, 64> folder{};
        require(getcwd(folder.data(), folder.size()) != nullptr && folder[0] == '/' &&
                    folder[1] == '\0',
                entry, " changed the current folder to ", folder.data(), ".");
        require(uselocale(nullptr) == locale_, entry, " changed the locale of its thread.");
        const mode_t mask = umask(0027);
        require(mask == 0027, entry, " changed the process's mask for new files to ", mask, ".");
        std::array<char, 16> name{};
        pthread_getname_np(pthread_self(), name.data(), name.size());
        require(std::strcmp(name.data(), "conformance") == 0, entry,
                " changed the name of its thread to ", name.data(), ".");
        cpu_set_t now;
        pthread_getaffinity_np(pthread_self(), sizeof now, &now);
        require(CPU_EQUAL(&now, &affinity_), entry, " changed where its thread may run.");
    }

 private:
    static void expect_signals(const char* entry) {
        sigset_t mask;
        pthread_sigmask(SIG_SETMASK, nullptr, &mask);
        for (int signal = 1; signal < 32; ++signal) {
            const bool is_blocked = sigismember(&mask, signal) == 1;
            const bool was_blocked = signal == SIGUSR1 || signal == SIGCHLD;
            require(is_blocked == was_blocked, entry, " left signal ", signal,
                    is_blocked ? " blocked" : " unblocked", " in its thread.");
        }
    }

    locale_t locale_;
    cpu_set_t affinity_{};
};

/// The entries that open and close, each called directly.
void state_kept_by_opening(const subject& subject) {
    thread_state state;
    backend opened(subject);
    state.expect_kept("probe or open");
    static_cast<void>(opened.device_count());
    state.expect_kept("device_count");
    static_cast<void>(opened.device_info(subject.device_index));
    state.expect_kept("device_info");
    device dev(opened, subject.device_index);
    state.expect_kept("device_open");
    dev.finish();
    state.expect_kept("device_close");
    opened.close();
    state.expect_kept("close");
}

void state_kept_with_memory(device& dev) {
    thread_state state;
    auto memory = sized<spoc_be_memory_info>();
    auto error = sized<spoc_be_error>();
    expect_ok(dev.be.device_memory(dev.handle, &memory, &error), "device_memory", error);
    state.expect_kept("device_memory");
    const spoc_be_buffer buffer = dev.buffer(std::uint64_t{1} << 20);
    state.expect_kept("buffer_create");
    if (dev.can(SPOC_BE_CAP_PINNED)) {
        const page_locked block = dev.pinned(100000);
        state.expect_kept("pinned_alloc");
        const spoc_be_range up = with_pinned(to_device(buffer, 1, nullptr, 99999), block, 0);
        dev.copy(dev.default_stream, SPOC_BE_COPY_H2D, {&up, 1});
        state.expect_kept("copy");
        dev.sync(dev.default_stream);
        state.expect_kept("stream_sync");
        dev.destroy(block.handle);
        state.expect_kept("pinned_free");
    }
    dev.upload(buffer, 3, pattern(99999, 1));
    static_cast<void>(dev.download(buffer, 3, 99999));
    state.expect_kept("copy");
    dev.fill(dev.default_stream, buffer, 1, 77777, 5, 1, SPOC_BE_WAIT);
    state.expect_kept("fill");
    const spoc_be_range over = between(buffer, 0, buffer, 500000, 100001);
    dev.copy(dev.default_stream, SPOC_BE_COPY_D2D, {&over, 1}, SPOC_BE_WAIT);
    state.expect_kept("copy within the device");
    dev.destroy(buffer);
    state.expect_kept("buffer_destroy");
}

void state_kept_with_streams(device& dev) {
    thread_state state;
    auto error = sized<spoc_be_error>();
    const spoc_be_stream stream = dev.stream();
    state.expect_kept("stream_create");
    const spoc_be_event event = dev.event();
    state.expect_kept("event_create");
    dev.record(event, stream);
    state.expect_kept("event_record");
    expect_ok(dev.be.stream_wait(dev.default_stream, event, &error), "stream_wait", error);
    state.expect_kept("stream_wait");
    expect_ok(dev.be.event_sync(event, SPOC_BE_FOREVER, &error), "event_sync", error);
    state.expect_kept("event_sync");
    expect_ok(dev.be.event_query(event, &error), "event_query", error);
    state.expect_kept("event_query");
    dev.sync(stream);
    state.expect_kept("stream_sync");
    expect_ok(dev.be.stream_query(stream, &error), "stream_query", error);
    state.expect_kept("stream_query");
    dev.destroy(event);
    state.expect_kept("event_destroy");
    dev.destroy(stream);
    state.expect_kept("stream_destroy");
    spoc_be_event none = nullptr;
    expect_status(SPOC_BE_UNSUPPORTED, dev.be.event_create(dev.handle, 1U << 30, &none, &error),
                  "event_create", error);
    state.expect_kept("event_create, which failed,");
}

void state_kept_with_programs(device& dev) {
    kernel_set kernels = kernel_set::with(dev, known_kernel::scale);
    const program_form& form = kernels.form();
    const std::string broken = "This is no program.\n";
    const byte_vector contents = pattern(257 * word_bytes, 1);
    const spoc_be_buffer in = dev.buffer(contents);
    const spoc_be_buffer out = dev.buffer(contents.size());
    thread_state state;
    const ready_kernel scale = kernels.get(known_kernel::scale);
    state.expect_kept("program_load or kernel_get");
    scale_request(scale, in, out, 3, 257).run(dev, dev.default_stream);
    state.expect_kept("launch");
    dev.sync(dev.default_stream);
    state.expect_kept("stream_sync");
    expect_bytes(scaled(contents, 3), dev.download(out, 0, contents.size()), "What a kernel wrote");
    const spoc_be_program_desc desc = program_request(form, broken);
    spoc_be_program none = nullptr;
    auto error = sized<spoc_be_error>();
    require(dev.be.program_load(dev.handle, &desc, &none, &error) < 0,
            "program_load took garbage for a program.");
    state.expect_kept("program_load, which failed,");
}

}  // namespace

void add_thread_cases(case_list& cases) {
    cases.push_back(on_device("thread/buffers", buffers));
    cases.push_back(on_device("thread/pinned", pinned));
    cases.push_back(on_device("thread/streams_and_events", streams_and_events));
    cases.push_back(on_device("thread/descriptions", descriptions));
    cases.push_back(on_device("thread/copies", copies));
    cases.push_back(on_device("thread/fills", fills));
    cases.push_back(on_device("thread/launches_of_one_kernel", launches_of_one_kernel));
    cases.push_back(on_device("thread/programs", programs));
    cases.push_back(on_device("thread/one_stream_and_event", one_stream_and_event));
    cases.push_back(on_device("thread/error_records", error_records));
    cases.push_back(on_device("thread/failures_stay_apart", failures_stay_apart));
    cases.push_back({.name = "thread/state_kept_by_opening", .run = state_kept_by_opening});
    cases.push_back(on_device("thread/state_kept_with_memory", state_kept_with_memory));
    cases.push_back(on_device("thread/state_kept_with_streams", state_kept_with_streams));
    cases.push_back(on_device("thread/state_kept_with_programs", state_kept_with_programs));
}

}  // namespace spoc::conformance
