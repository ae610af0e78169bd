// SPDX-License-Identifier: Apache-2.0

/// \file
/// What the driver answers where its documentation leaves it open, and where SPOC or the double
/// counts on it:
///
///     driver-facts [FILE]
///
/// Asks whatever `libcuda.so.1` is found: a card's driver, or the double. Prints "NAME CODE" for
/// each question; with FILE (driver_facts.txt), compares, and exits 1 where anything differs. A
/// question that needs a second card is skipped without one.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "driver.hpp"

namespace {

namespace api = spoc::driver;

constexpr std::size_t page = 4096;
constexpr std::size_t some_bytes = 1 << 20;

/// A kernel that the double has, too.
const char* const program = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry spin(.param .u64 out, .param .u32 seed, .param .u32 rounds) { ret; }
)";

api::table find_all() {
    void* library = ::dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) {
        throw std::runtime_error(::dlerror());
    }
    api::table found;
#define FIND(member, name, library_name, version, need, parameters) \
    found.member = reinterpret_cast<decltype(found.member)>(::dlsym(library, #library_name));
    SPOC_CUDA_SYMBOLS(FIND)
#undef FIND
    return found;
}

const api::table& cuda() {
    static const api::table all = find_all();
    return all;
}

void must(api::result code) {
    if (code != api::success) {
        throw std::runtime_error("the driver answered " + std::to_string(code));
    }
}

/// A card's primary context, current as long as this lives.
class current_card {
 public:
    explicit current_card(int index) : card_(index) {
        must(cuda().context_retain(&context, card_));
        must(cuda().context_push(context));
    }
    current_card(const current_card&) = delete;
    current_card& operator=(const current_card&) = delete;
    ~current_card() {
        api::context popped = nullptr;
        static_cast<void>(cuda().context_pop(&popped));
        static_cast<void>(cuda().context_release(card_));
    }
    api::context context = nullptr;

 private:
    const int card_;
};

/// What questions are about.
struct world {
    world() {
        must(cuda().memory_allocate(&memory, some_bytes));
        must(cuda().stream_create(&stream, api::stream_non_blocking, 0));
        must(cuda().event_create(&event, api::event_disable_timing));
        must(cuda().event_create(&timed, 0));
        must(cuda().module_load(&module, program, 0, nullptr, nullptr));
        must(cuda().module_function(&kernel, module, "spin"));
        must(cuda().host_allocate(&pinned, some_bytes, api::host_alloc_portable));
        start = static_cast<char*>(
            ::mmap(nullptr, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    }
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world() {
        static_cast<void>(cuda().stream_synchronize(stream));
        static_cast<void>(cuda().host_free(pinned));
        static_cast<void>(cuda().module_unload(module));
        static_cast<void>(cuda().event_destroy(timed));
        static_cast<void>(cuda().event_destroy(event));
        static_cast<void>(cuda().stream_destroy(stream));
        static_cast<void>(cuda().memory_free(memory));
        ::munmap(start, 16 * page);
    }

    api::result launch(unsigned grid, unsigned block, unsigned shared) const {
        api::address out = memory;
        unsigned seed = 1;
        unsigned none = 0;
        void* parameters[] = {&out, &seed, &none};
        return cuda().launch(kernel, grid, 1, 1, block, 1, 1, shared, stream, parameters, nullptr);
    }
    api::result pin(std::size_t from, std::size_t pages) const {
        return cuda().host_register(start + from * page, pages * page, api::host_register_portable);
    }
    void unpin(std::size_t from) const {
        static_cast<void>(cuda().host_unregister(start + from * page));
    }

    api::address memory = 0;
    api::stream stream = nullptr;
    api::event event = nullptr;
    api::event timed = nullptr;
    api::module module = nullptr;
    api::function kernel = nullptr;
    void* pinned = nullptr;
    char* start = nullptr;  ///< 16 pages of ordinary memory
};

/// A mapping of a file that may only be read.
class read_only_map {
 public:
    explicit read_only_map(int how) {
        std::string name = "/tmp/spoc-facts-XXXXXX";
        const int file = ::mkstemp(name.data());
        ::unlink(name.c_str());
        if (file < 0 || ::ftruncate(file, 4 * page) != 0) {
            throw std::runtime_error("no file for a mapping");
        }
        start = ::mmap(nullptr, 4 * page, PROT_READ, how, file, 0);
        ::close(file);
    }
    read_only_map(const read_only_map&) = delete;
    read_only_map& operator=(const read_only_map&) = delete;
    ~read_only_map() { ::munmap(start, 4 * page); }
    api::result pin(unsigned flags) const {
        const api::result code = cuda().host_register(start, 4 * page, flags);
        if (code == api::success) {
            static_cast<void>(cuda().host_unregister(start));
        }
        return code;
    }
    void* start = nullptr;
};

struct question {
    const char* name;
    api::result (*ask)(world&);
};

constexpr question about_memory[] = {
    {"allocate 0 bytes",
     [](world&) {
         api::address made = 0;
         return cuda().memory_allocate(&made, 0);
     }},
    {"free nothing", [](world&) { return cuda().memory_free(0); }},
    {"free twice",
     [](world&) {
         api::address made = 0;
         must(cuda().memory_allocate(&made, 64));
         must(cuda().memory_free(made));
         return cuda().memory_free(made);
     }},
    {"free from the middle", [](world& w) { return cuda().memory_free(w.memory + 512); }},
    {"allocate 0 bytes of host memory",
     [](world&) {
         void* made = nullptr;
         return cuda().host_allocate(&made, 0, api::host_alloc_portable);
     }},
    {"free host memory from the middle",
     [](world& w) { return cuda().host_free(static_cast<char*>(w.pinned) + page); }},
    {"copy 0 bytes",
     [](world& w) { return cuda().copy_to_device(w.memory, w.pinned, 0, w.stream); }},
    {"copy beyond an allocation",
     [](world& w) {
         std::vector<char> host(page);
         return cuda().copy_to_device(w.memory + some_bytes - 64, host.data(), 128, w.stream);
     }},
    {"set 32 bits at an odd place",
     [](world& w) { return cuda().set_32(w.memory + 1, 1, 1, w.stream); }},
    {"set 0 words", [](world& w) { return cuda().set_32(w.memory, 1, 0, w.stream); }},
};

constexpr question about_registering[] = {
    {"register",
     [](world& w) {
         const api::result code = w.pin(2, 4);
         w.unpin(2);
         return code;
     }},
    {"register 0 bytes",
     [](world& w) { return cuda().host_register(w.start, 0, api::host_register_portable); }},
    {"register twice",
     [](world& w) {
         must(w.pin(2, 4));
         const api::result code = w.pin(2, 4);
         w.unpin(2);
         return code;
     }},
    {"register a part of a registration",
     [](world& w) {
         must(w.pin(2, 4));
         const api::result code = w.pin(3, 1);
         w.unpin(2);
         return code;
     }},
    {"register over a registration's start",
     [](world& w) {
         must(w.pin(2, 4));
         const api::result code = w.pin(1, 2);
         w.unpin(2);
         return code;
     }},
    {"register around a registration",
     [](world& w) {
         must(w.pin(2, 4));
         const api::result code = w.pin(0, 16);
         w.unpin(2);
         return code;
     }},
    {"register beside a registration",
     [](world& w) {
         must(w.pin(2, 4));
         const api::result code = w.pin(6, 1);
         w.unpin(6);
         w.unpin(2);
         return code;
     }},
    {"register 10 bytes at an odd place",
     [](world& w) {
         const api::result code =
             cuda().host_register(w.start + 5, 10, api::host_register_portable);
         static_cast<void>(cuda().host_unregister(w.start + 5));
         return code;
     }},
    {"register what may not be touched",
     [](world& w) {
         ::mprotect(w.start, page, PROT_NONE);
         const api::result code = w.pin(0, 1);
         ::mprotect(w.start, page, PROT_READ | PROT_WRITE);
         return code;
     }},
    {"register allocated host memory",
     [](world& w) { return cuda().host_register(w.pinned, page, api::host_register_portable); }},
    {"register a shared read-only map, flag not set",
     [](world&) { return read_only_map(MAP_SHARED).pin(api::host_register_portable); }},
    {"register a shared read-only map, flag set",
     [](world&) {
         return read_only_map(MAP_SHARED)
             .pin(api::host_register_portable | api::host_register_read_only);
     }},
    {"unregister from the middle",
     [](world& w) {
         must(w.pin(2, 4));
         const api::result code = cuda().host_unregister(w.start + 3 * page);
         w.unpin(2);
         return code;
     }},
    {"unregister twice",
     [](world& w) {
         must(w.pin(2, 4));
         must(cuda().host_unregister(w.start + 2 * page));
         return cuda().host_unregister(w.start + 2 * page);
     }},
    {"unregister ordinary memory", [](world& w) { return cuda().host_unregister(w.start); }},
    {"unregister allocated host memory", [](world& w) { return cuda().host_unregister(w.pinned); }},
    {"copy across two registrations",
     [](world& w) {
         must(w.pin(2, 2));
         must(w.pin(4, 2));
         const api::result code =
             cuda().copy_to_device(w.memory, w.start + 3 * page, 2 * page, w.stream);
         static_cast<void>(cuda().stream_synchronize(w.stream));
         w.unpin(4);
         w.unpin(2);
         return code;
     }},
    {"copy half registered, half ordinary",
     [](world& w) {
         must(w.pin(2, 2));
         const api::result code =
             cuda().copy_to_device(w.memory, w.start + 3 * page, 2 * page, w.stream);
         static_cast<void>(cuda().stream_synchronize(w.stream));
         w.unpin(2);
         return code;
     }},
};

constexpr question about_order[] = {
    {"query an event before it was recorded", [](world& w) { return cuda().event_query(w.event); }},
    {"wait for an event before it was recorded",
     [](world& w) { return cuda().event_synchronize(w.event); }},
    {"time between events before they were recorded",
     [](world& w) {
         float milliseconds = 0;
         return cuda().event_elapsed(&milliseconds, w.timed, w.timed);
     }},
    {"time between events without times",
     [](world& w) {
         must(cuda().event_record(w.event, w.stream));
         must(cuda().event_synchronize(w.event));
         float milliseconds = 0;
         return cuda().event_elapsed(&milliseconds, w.event, w.event);
     }},
    {"query an idle stream", [](world& w) { return cuda().stream_query(w.stream); }},
};

constexpr question about_programs[] = {
    {"load what is no program",
     [](world&) {
         api::module made = nullptr;
         return cuda().module_load(&made, "This is no program.", 0, nullptr, nullptr);
     }},
    {"get a kernel that is not there",
     [](world& w) {
         api::function found = nullptr;
         return cuda().module_function(&found, w.module, "something");
     }},
    {"get a kernel without a name",
     [](world& w) {
         api::function found = nullptr;
         return cuda().module_function(&found, w.module, "");
     }},
    {"get a kernel whose name has a space",
     [](world& w) {
         api::function found = nullptr;
         return cuda().module_function(&found, w.module, "no thing");
     }},
    {"launch", [](world& w) { return w.launch(1, 32, 0); }},
    {"launch no blocks", [](world& w) { return w.launch(0, 32, 0); }},
    {"launch a block of 1025 threads", [](world& w) { return w.launch(1, 1025, 0); }},
    {"launch with 64 KiB of shared memory unasked",
     [](world& w) { return w.launch(1, 32, 65536); }},
    {"ask for 1 GiB of shared memory",
     [](world& w) {
         return cuda().function_set_attribute(w.kernel, api::function_max_dynamic_shared, 1 << 30);
     }},
    {"a parameter beyond the last",
     [](world& w) {
         std::size_t offset = 0;
         std::size_t bytes = 0;
         return cuda().function_parameter(w.kernel, 3, &offset, &bytes);
     }},
};

constexpr question about_devices[] = {
    {"a device beyond the last",
     [](world&) {
         int count = 0;
         must(cuda().device_count(&count));
         api::ordinal device = 0;
         return cuda().device_get(&device, count);
     }},
    {"a device of index -1",
     [](world&) {
         api::ordinal device = 0;
         return cuda().device_get(&device, -1);
     }},
};

/// These have the context of the first card current.
constexpr question about_two_cards[] = {
    {"open the way to the other card twice",
     [](world&) {
         const current_card other(1);
         api::context popped = nullptr;
         must(cuda().context_pop(&popped));
         static_cast<void>(cuda().enable_peer_access(other.context, 0));
         const api::result code = cuda().enable_peer_access(other.context, 0);
         must(cuda().context_push(popped));
         return code;
     }},
    {"record an event on the other card's stream",
     [](world& w) {
         const current_card other(1);
         api::stream there = nullptr;
         must(cuda().stream_create(&there, api::stream_non_blocking, 0));
         const api::result code = cuda().event_record(w.event, there);
         static_cast<void>(cuda().stream_destroy(there));
         return code;
     }},
    {"have the other card's stream wait for an event",
     [](world& w) {
         must(cuda().event_record(w.event, w.stream));
         const current_card other(1);
         api::stream there = nullptr;
         must(cuda().stream_create(&there, api::stream_non_blocking, 0));
         const api::result code = cuda().stream_wait(there, w.event, 0);
         static_cast<void>(cuda().stream_synchronize(there));
         static_cast<void>(cuda().stream_destroy(there));
         return code;
     }},
    {"copy to the other card's memory on a stream of this one",
     [](world& w) {
         api::address there = 0;
         {
             const current_card other(1);
             must(cuda().memory_allocate(&there, page));
         }
         const api::result code = cuda().copy_to_device(there, w.pinned, page, w.stream);
         static_cast<void>(cuda().stream_synchronize(w.stream));
         const current_card other(1);
         static_cast<void>(cuda().memory_free(there));
         return code;
     }},
};

/// Answers by names; nothing for a question that was skipped.
using answers = std::map<std::string, std::string>;

template <std::size_t Count>
void ask_all(const question (&questions)[Count], bool possible, answers& out) {
    for (const question& one : questions) {
        std::string& answer = out[one.name];
        if (possible) {
            world fresh;
            answer = std::to_string(one.ask(fresh));
        }
    }
}

answers ask_everything() {
    must(cuda().init(0));
    int cards = 0;
    must(cuda().device_count(&cards));
    answers all;
    const current_card first(0);
    ask_all(about_memory, true, all);
    ask_all(about_registering, true, all);
    ask_all(about_order, true, all);
    ask_all(about_programs, true, all);
    ask_all(about_devices, true, all);
    ask_all(about_two_cards, cards > 1, all);
    return all;
}

/// "NAME TAB CODE", with comments after '#'.
answers read_facts(const char* path) {
    std::ifstream file(path);
    answers all;
    for (std::string line; std::getline(file, line);) {
        const std::size_t tab = line.find('\t');
        if (!line.empty() && line[0] != '#' && tab != std::string::npos) {
            all[line.substr(0, tab)] = line.substr(tab + 1);
        }
    }
    if (all.empty()) {
        throw std::runtime_error(std::string("no facts in ") + path);
    }
    return all;
}

int compare(const answers& found, const answers& known) {
    int different = 0;
    for (const auto& [name, code] : found) {
        const auto at = known.find(name);
        if (at == known.end() || (!code.empty() && at->second != code)) {
            std::cout << "DIFFERENT: " << name << ": " << code << ", in the file "
                      << (at == known.end() ? "nothing" : at->second) << "\n";
            ++different;
        }
        if (code.empty()) {
            std::cout << "SKIP: " << name << ": there is one card\n";
        }
    }
    for (const auto& [name, code] : known) {
        if (found.count(name) == 0) {
            std::cout << "DIFFERENT: " << name << ": in the file, but not asked\n";
            ++different;
        }
    }
    std::cout << found.size() << " answers, " << different << " different\n";
    return different == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        const answers found = ask_everything();
        if (count == 2) {
            return compare(found, read_facts(arguments[1]));
        }
        for (const auto& [name, code] : found) {
            std::cout << name << "\t" << code << "\n";
        }
        return 0;
    } catch (const std::exception& failed) {
        std::cerr << "driver-facts: " << failed.what() << "\n";
        return 1;
    }
}
