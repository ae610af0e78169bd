// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include <spoc/backend.h>

#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"
#include "host.hpp"
#include "plugin.hpp"

/// \file
/// Opening and closing again and again, without memory, and around the system's loader. How a
/// process ends or forks is the subject of the process cases.

namespace spoc::conformance {
namespace {

/// A round trip through the device.
void work(device& dev, std::uint64_t seed) {
    const byte_vector contents = pattern(3000, seed);
    const spoc_be_buffer buffer = dev.buffer(contents);
    expect_bytes(contents, dev.download(buffer, 0, contents.size()),
                 text("The buffer of round ", seed));
}

/// The backend opened, used and closed.
void whole_round(const subject& subject, host& services, std::uint64_t seed) {
    backend opened(subject, services);
    device dev(opened, subject.device_index);
    work(dev, seed);
    dev.finish();
    opened.close();
}

std::ptrdiff_t entries_of(const char* folder) {
    const std::filesystem::directory_iterator all(folder);
    return std::distance(begin(all), end(all));
}

/// KiB of memory that the process has in use.
std::int64_t resident_kib() {
    std::ifstream file("/proc/self/status");
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    const std::size_t row = all.find("VmRSS:");
    require(row != std::string::npos, "The system does not say how much memory is in use.");
    return std::stoll(all.substr(row + std::string_view("VmRSS:").size()));
}

/// What a process has of what the system counts.
struct holdings {
    std::ptrdiff_t threads = entries_of("/proc/self/task");
    std::ptrdiff_t descriptors = entries_of("/proc/self/fd");
    std::int64_t memory_kib = resident_kib();
};

/// What a driver keeps after its first rounds is its own affair; it is not to grow. Memory may move
/// by as much as allocators move it; half a megabyte with each round is a leak.
void open_and_close_often(const subject& subject) {
    constexpr std::uint64_t settled = 10;
    constexpr std::uint64_t rounds = 50;
    constexpr std::int64_t most_kib = (rounds - settled) * 512;
    holdings then;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        whole_round(subject, host::make(), round);
        if (round + 1 == settled) {
            then = holdings();
        }
    }
    const holdings now;
    require(now.threads <= then.threads, "The process had ", then.threads, " threads after ",
            settled, " rounds and ", now.threads, " after ", rounds, ".");
    require(now.descriptors <= then.descriptors, "The process had ", then.descriptors,
            " open files after ", settled, " rounds and ", now.descriptors, " after ", rounds, ".");
    require(now.memory_kib - then.memory_kib <= most_kib, "The process used ", then.memory_kib,
            " KiB of memory after ", settled, " rounds and ", now.memory_kib, " after ", rounds,
            ".");
}

/* ---- what belongs to the process ---- */

/// Ways in which the process answers signals, and its environment.
class process_settings {
 public:
    process_settings() {
        for (std::size_t number = 1; number < actions_.size(); ++number) {
            // Some numbers are the C library's own.
            static_cast<void>(sigaction(static_cast<int>(number), nullptr, &actions_[number]));
        }
        for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
            variables_.insert(*variable);
        }
    }

    /// Fails unless all of it is the same now. `when` ends the sentence: "after close".
    void expect_kept(const char* when) const {
        const process_settings now;
        for (std::size_t number = 1; number < actions_.size(); ++number) {
            require(now.actions_[number].sa_handler == actions_[number].sa_handler,
                    "The process answers signal ", number, " in another way ", when, ".");
        }
        for (const std::string& variable : now.variables_) {
            require(variables_.count(variable) == 1, "The environment has ", variable, " ", when,
                    ", which the plugin put there.");
        }
        for (const std::string& variable : variables_) {
            require(now.variables_.count(variable) == 1, "The environment lacks ", variable, " ",
                    when, ".");
        }
    }

 private:
    std::array<struct sigaction, NSIG> actions_{};
    std::set<std::string> variables_;
};

/// A plugin is a guest: signals and the environment are the program's.
void signals_and_environment_are_kept(const subject& subject) {
    const process_settings before;
    load_plugin(subject.plugin_path);
    before.expect_kept("after the file was loaded");
    backend opened(subject);
    before.expect_kept("after open");
    device dev(opened, subject.device_index);
    work(dev, 1);
    before.expect_kept("after the device was used");
    dev.finish();
    opened.close();
    before.expect_kept("after close");
}

/// One host for all rounds, as a process has.
void reopen_with_one_host(const subject& subject) {
    host& services = host::make();
    for (std::uint64_t round = 0; round < 5; ++round) {
        whole_round(subject, services, round);
    }
}

void open_is_idempotent(const subject& subject) {
    backend opened(subject);
    device dev(opened, subject.device_index);
    const byte_vector contents = pattern(3000, 1);
    const spoc_be_buffer buffer = dev.buffer(contents);
    auto error = sized<spoc_be_error>();
    for (int again = 0; again < 3; ++again) {
        expect_status(SPOC_BE_OK, opened.be.open(opened.services.table(), nullptr, &error), "open",
                      error);
    }
    expect_bytes(contents, dev.download(buffer, 0, contents.size()),
                 "The buffer after open was called again");
    dev.finish();
    opened.close();
}

void close_is_repeatable(const subject& subject) {
    backend opened(subject);
    opened.close();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, opened.be.close(&error), "close of a closed backend", error);
    expect_status(SPOC_BE_OK, opened.be.close(nullptr), "close without an error record", error);
    whole_round(subject, opened.services, 1);
}

/* ---- without memory ---- */

bool is_shortage(std::int32_t status) {
    return status == SPOC_BE_HOST_MEMORY || status == SPOC_BE_OUT_OF_MEMORY;
}

/// What is made one after the other until the host's memory runs out, and ended in reverse order.
class short_of_memory {
 public:
    short_of_memory(const spoc_be_table& table, host& services, std::uint32_t index)
        : be_(table), services_(services), index_(index) {}

    void make() {
        auto report = sized<spoc_be_probe_report>();
        auto error = sized<spoc_be_error>();
        const std::int32_t probed =
            be_.probe(services_.table(), SPOC_BE_PROBE_ENUMERATE, &report, &error);
        // A probe that has no memory says so in its own way.
        if (probed != SPOC_BE_UNAVAILABLE && served(probed, "probe", error) &&
            served(be_.open(services_.table(), nullptr, &error), "open", error)) {
            make_device();
        }
    }

    /// Everything ends, memory or not.
    void end() {
        auto error = sized<spoc_be_error>();
        if (event_ != nullptr) {
            expect_status(SPOC_BE_OK, be_.event_destroy(event_, &error), "event_destroy", error);
        }
        if (stream_ != nullptr) {
            expect_status(SPOC_BE_OK, be_.stream_destroy(stream_, &error), "stream_destroy", error);
        }
        if (pinned_.hostmem != nullptr) {
            expect_status(SPOC_BE_OK, be_.pinned_free(pinned_.hostmem, &error), "pinned_free",
                          error);
        }
        if (buffer_.buffer != nullptr) {
            expect_status(SPOC_BE_OK, be_.buffer_destroy(buffer_.buffer, &error), "buffer_destroy",
                          error);
        }
        if (device_.device != nullptr) {
            expect_status(SPOC_BE_OK, be_.device_close(device_.device, &error), "device_close",
                          error);
        }
        expect_status(SPOC_BE_OK, be_.close(&error), "close", error);
        require(services_.live_blocks() == 0, "After close the plugin still holds ",
                services_.live_blocks(), " blocks of the host's memory.");
    }

 private:
    static bool served(std::int32_t status, const char* entry, const spoc_be_error& error) {
        expect_status(is_shortage(status) ? status : SPOC_BE_OK, status, entry, error);
        return status == SPOC_BE_OK;
    }

    void make_device() {
        auto error = sized<spoc_be_error>();
        const auto desc = sized<spoc_be_device_desc>();
        const std::int32_t status = be_.device_open(index_, &desc, &device_, &error);
        if (!served(status, "device_open", error)) {
            require(device_.device == nullptr, "device_open failed and wrote to its answer.");
            return;
        }
        make_objects();
    }

    void make_objects() {
        auto error = sized<spoc_be_error>();
        auto buffer = sized<spoc_be_buffer_desc>();
        buffer.bytes = 4096;
        served(be_.buffer_create(device_.device, &buffer, &buffer_, &error), "buffer_create",
               error);
        if (be_.pinned_alloc != nullptr) {
            auto memory = sized<spoc_be_hostmem_desc>();
            memory.bytes = 4096;
            const std::int32_t status = be_.pinned_alloc(device_.device, &memory, &pinned_, &error);
            if (status != SPOC_BE_UNSUPPORTED) {
                served(status, "pinned_alloc", error);
            }
        }
        const auto stream = sized<spoc_be_stream_desc>();
        served(be_.stream_create(device_.device, &stream, &stream_, &error), "stream_create",
               error);
        served(be_.event_create(device_.device, 0, &event_, &error), "event_create", error);
        if (stream_ != nullptr) {
            use_objects();
        }
    }

    void use_objects() {
        auto error = sized<spoc_be_error>();
        if (buffer_.buffer != nullptr) {
            auto fill = sized<spoc_be_fill>();
            fill.buffer = buffer_.buffer;
            fill.bytes = 4096;
            fill.pattern_size = 1;
            std::uint32_t done = SPOC_BE_DONE_NOTHING;
            served(be_.fill(stream_, &fill, &done, &error), "fill", error);
        }
        if (event_ != nullptr) {
            served(be_.event_record(event_, stream_, &error), "event_record", error);
        }
        // Waiting must be possible without memory: nothing could be ended otherwise.
        expect_status(SPOC_BE_OK, be_.stream_sync(stream_, SPOC_BE_FOREVER, &error), "stream_sync",
                      error);
    }

    const spoc_be_table& be_;
    host& services_;
    const std::uint32_t index_;
    spoc_be_device_result device_ = sized<spoc_be_device_result>();
    spoc_be_buffer_result buffer_ = sized<spoc_be_buffer_result>();
    spoc_be_hostmem_result pinned_ = sized<spoc_be_hostmem_result>();
    spoc_be_stream stream_ = nullptr;
    spoc_be_event event_ = nullptr;
};

void no_memory_from_the_start(const subject& subject) {
    const spoc_be_table be = read_table(load_plugin(subject.plugin_path));
    host& services = host::make();
    services.exhaust(true);
    short_of_memory attempt(be, services, subject.device_index);
    attempt.make();
    attempt.end();
    services.exhaust(false);
    whole_round(subject, services, 1);
}

/// The first request that is refused moves on by one each round, until none is.
void memory_ends_at_each_request(const subject& subject) {
    const spoc_be_table be = read_table(load_plugin(subject.plugin_path));
    host& services = host::make();
    constexpr std::int64_t most = 64;
    for (std::int64_t requests = 0; requests < most; ++requests) {
        services.exhaust_after(requests);
        short_of_memory attempt(be, services, subject.device_index);
        attempt.make();
        attempt.end();
        if (!services.has_refused()) {
            break;
        }
    }
    services.exhaust(false);
    whole_round(subject, services, 1);
}

void no_memory_for_an_open_device(device& dev) {
    const byte_vector contents = pattern(5000, 1);
    const spoc_be_buffer buffer = dev.buffer(contents);
    dev.owner.services.exhaust(true);
    auto desc = sized<spoc_be_buffer_desc>();
    desc.bytes = 5000;
    auto made = sized<spoc_be_buffer_result>();
    auto error = sized<spoc_be_error>();
    const std::int32_t status = dev.be.buffer_create(dev.handle, &desc, &made, &error);
    dev.owner.services.exhaust(false);
    expect_status(is_shortage(status) ? status : SPOC_BE_OK, status,
                  "buffer_create without host memory", error);
    require((status == SPOC_BE_OK) == (made.buffer != nullptr), "buffer_create answered ",
            status_text(status), made.buffer != nullptr ? " with a buffer." : " without a buffer.");
    if (made.buffer != nullptr) {
        expect_status(SPOC_BE_OK, dev.be.buffer_destroy(made.buffer, &error), "buffer_destroy",
                      error);
    }
    expect_bytes(contents, dev.download(buffer, 0, contents.size()),
                 "The buffer after host memory was exhausted");
    work(dev, 2);
}

/* ---- the system's loader ---- */

void loaded_twice(const subject& subject) {
    const spoc_be_table& first = load_plugin(subject.plugin_path);
    whole_round(subject, host::make(), 1);
    const spoc_be_table& second = load_plugin(subject.plugin_path);
    require(&first == &second, "The file loaded twice has two tables.");
    whole_round(subject, host::make(), 2);
}

void table_never_changes(const subject& subject) {
    const spoc_be_table& table = load_plugin(subject.plugin_path);
    const auto* const bytes = reinterpret_cast<const std::byte*>(&table);
    const byte_vector before(bytes, bytes + table.header.size);
    whole_round(subject, host::make(), 1);
    expect_bytes(before, {bytes, before.size()}, "The plugin's table after it was used");
}

/// Hosts keep a plugin mapped; giving the handle back changes nothing.
void handle_given_back(const subject& subject) {
    load_plugin(subject.plugin_path);
    backend opened(subject);
    void* const library = dlopen(subject.plugin_path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    require(library != nullptr, "The system's loader does not know the file that it loaded.");
    static_cast<void>(dlclose(library));
    static_cast<void>(dlclose(library));
    device dev(opened, subject.device_index);
    work(dev, 1);
    dev.finish();
    opened.close();
}

/* ---- threads ---- */

/// What the plugin keeps for a thread is not to outlive the backend in a way that matters.
void thread_outlives_close(const subject& subject) {
    host& services = host::make();
    backend opened(subject, services);
    device dev(opened, subject.device_index);
    std::promise<void> used;
    std::promise<void> closed;
    std::string found;
    std::thread other([&] {
        try {
            work(dev, 1);
        } catch (const std::exception& error) {
            found = error.what();
        }
        used.set_value();
        closed.get_future().wait();
    });
    used.get_future().wait();
    std::string late;
    try {
        dev.finish();
        opened.close();
    } catch (const std::exception& error) {
        late = error.what();
    }
    closed.set_value();
    other.join();
    require(found.empty(), "In the second thread: ", found);
    require(late.empty(), late);
    whole_round(subject, services, 2);
}

/// The thread that opens need not be the one that works or closes.
void another_thread_closes(const subject& subject) {
    backend opened(subject);
    device dev(opened, subject.device_index);
    std::string found;
    std::thread([&] {
        try {
            work(dev, 1);
            dev.finish();
            opened.close();
        } catch (const std::exception& error) {
            found = error.what();
        }
    }).join();
    require(found.empty(), "In the second thread: ", found);
    whole_round(subject, host::make(), 2);
}

}  // namespace

void add_lifecycle_cases(case_list& cases) {
    const struct {
        const char* name;
        void (*run)(const subject&);
    } rows[] = {{"lifecycle/open_and_close_often", open_and_close_often},
                {"lifecycle/signals_and_environment_are_kept", signals_and_environment_are_kept},
                {"lifecycle/reopen_with_one_host", reopen_with_one_host},
                {"lifecycle/open_is_idempotent", open_is_idempotent},
                {"lifecycle/close_is_repeatable", close_is_repeatable},
                {"lifecycle/no_memory_from_the_start", no_memory_from_the_start},
                {"lifecycle/memory_ends_at_each_request", memory_ends_at_each_request},
                {"lifecycle/loaded_twice", loaded_twice},
                {"lifecycle/table_never_changes", table_never_changes},
                {"lifecycle/handle_given_back", handle_given_back},
                {"lifecycle/thread_outlives_close", thread_outlives_close},
                {"lifecycle/another_thread_closes", another_thread_closes}};
    for (const auto& row : rows) {
        cases.push_back({.name = row.name, .run = row.run});
    }
    cases.push_back(
        on_device("lifecycle/no_memory_for_an_open_device", no_memory_for_an_open_device));
}

}  // namespace spoc::conformance
