// SPDX-License-Identifier: Apache-2.0
/// Leaves the process in the way that its argument names, with the backend open, threads waiting
/// for work, and in one case a launch of another thread running.
#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <thread>

#include <spoc/native.h>

namespace {

std::atomic<bool> entered{false};
std::atomic<bool> stay{false};

void run_block(const spoc_native_block* /*block*/, void* const* /*args*/) {
    entered = true;
    entered.notify_all();
    stay.wait(true);
}

uint32_t process_state = SPOC_BE_PROCESS_RUNNING;

void* mem(void* /*ctx*/, void* block, uint64_t bytes, uint64_t /*alignment*/) {
    // Nothing here is aligned to more than malloc gives.
    return std::realloc(block, bytes);
}

constexpr spoc_native_kernel description{SPOC_NATIVE_KERNEL_MAGIC, sizeof(spoc_native_kernel), 0,
                                         nullptr, run_block};

template <typename Record>
Record sized() {
    Record record{};
    record.size = sizeof record;
    return record;
}

void require(bool condition) {
    if (!condition) {
        std::_Exit(2);
    }
}

struct opened {
    const spoc_be_table& be;
    spoc_be_device_result device = sized<spoc_be_device_result>();
    spoc_be_program program = nullptr;
    spoc_be_kernel kernel = nullptr;

    explicit opened(const spoc_be_table& table) : be(table) {
        static spoc_be_host host{};
        host.header.size = sizeof host;
        host.mem = mem;
        host.config = [](void*, const char*) -> const char* { return "3"; };
        host.process_state = &process_state;
        require(be.open(&host, nullptr, nullptr) == SPOC_BE_OK);
        const auto desc = sized<spoc_be_device_desc>();
        require(be.device_open(0, &desc, &device, nullptr) == SPOC_BE_OK);
        get_kernel();
    }

    void get_kernel() {
        const void* found = nullptr;
        be.get_interface(SPOC_NATIVE_KERNELS_INTERFACE, sizeof(spoc_native_kernels), &found,
                         nullptr);
        static_cast<const spoc_native_kernels*>(found)->add("leave", &description, nullptr);
        auto desc = sized<spoc_be_program_desc>();
        desc.format = uint64_t{1} << SPOC_BE_FORMAT_NATIVE_SYMBOL;
        require(be.program_load(device.device, &desc, &program, nullptr) == SPOC_BE_OK);
        auto wanted = sized<spoc_be_kernel_desc>();
        wanted.name = "leave";
        require(be.kernel_get(program, &wanted, &kernel, nullptr) == SPOC_BE_OK);
    }

    void launch() const {
        auto request = sized<spoc_be_launch>();
        request.kernel = kernel;
        request.grid[0] = 64;
        request.grid[1] = request.grid[2] = 1;
        request.block[0] = request.block[1] = request.block[2] = 1;
        uint32_t done = 0;
        require(be.launch(device.default_stream, &request, &done, nullptr) == SPOC_BE_OK);
    }
};

}  // namespace

int main(int argc, char* argv[]) {
    const std::string_view way = argc > 1 ? argv[1] : "";
    void* library = ::dlopen(SPOC_TEST_NATIVE_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    require(library != nullptr);
    static const opened backend(
        *static_cast<const spoc_be_table*>(::dlsym(library, SPOC_BE_SYMBOL)));
    backend.launch();
    if (way == "exit-in-launch") {
        stay = true;
        entered = false;
        std::thread([] { backend.launch(); }).detach();
        entered.wait(false);
    }
    backend.be.quiesce(SPOC_BE_QUIESCE_EXIT);
    if (way == "quick_exit") {
        std::quick_exit(0);
    }
    if (way == "exit") {
        std::exit(0);
    }
    return 0;
}
