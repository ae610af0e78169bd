// SPDX-License-Identifier: Apache-2.0
#include "cuda_driver.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace spoc::bench {

cuda_card::cuda_card(const spoc_be_device_info& like) {
    open();
    check(calls_.init(0));
    card_ = card_at(like.pci);
    check(calls_.context_retain(&context_, card_));
}

cuda_card::~cuda_card() { static_cast<void>(calls_.context_release(card_)); }

void cuda_card::open() {
    void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        throw std::runtime_error(::dlerror());
    }
// NOLINTNEXTLINE(bugprone-macro-parentheses): parts of a declaration
#define SPOC_BENCH_FIND(member, name, library_name, version, need, parameters) \
    calls_.member = reinterpret_cast<decltype(calls_.member)>(::dlsym(library, #library_name));
    SPOC_CUDA_SYMBOLS(SPOC_BENCH_FIND)
#undef SPOC_BENCH_FIND
}

driver::ordinal cuda_card::card_at(const std::uint32_t (&pci)[4]) const {
    int count = 0;
    check(calls_.device_count(&count));
    for (int index = 0; index < count; ++index) {
        driver::ordinal card = 0;
        check(calls_.device_get(&card, index));
        const auto figure = [&](driver::attribute which) {
            int value = 0;
            check(calls_.device_attribute(&value, which, card));
            return static_cast<std::uint32_t>(value);
        };
        if (figure(driver::pci_domain) == pci[0] && figure(driver::pci_bus) == pci[1] &&
            figure(driver::pci_device) == pci[2]) {
            return card;
        }
    }
    throw std::runtime_error("The driver called directly does not have the card.");
}

void cuda_card::push() const { check(calls_.context_push(context_)); }

void cuda_card::pop() const noexcept {
    driver::context popped = nullptr;
    static_cast<void>(calls_.context_pop(&popped));
}

void cuda_card::check(driver::result code) const {
    if (code != driver::success) {
        const char* name = nullptr;
        static_cast<void>(calls_.error_name(code, &name));
        throw std::runtime_error(std::string("The driver called directly answered ") +
                                 (name != nullptr ? name : "an unknown error") + " (" +
                                 std::to_string(code) + ").");
    }
}

cuda_stream::cuda_stream(const cuda_card& card) : card_(card) {
    const current_card now(card);
    card.check(card.calls().stream_create(&handle, driver::stream_non_blocking, 0));
}
cuda_stream::~cuda_stream() {
    static_cast<void>(card_.calls().stream_synchronize(handle));
    static_cast<void>(card_.calls().stream_destroy(handle));
}
void cuda_stream::synchronize() const { card_.check(card_.calls().stream_synchronize(handle)); }

cuda_memory::cuda_memory(const cuda_card& card, std::size_t bytes) : card_(card) {
    const current_card now(card);
    card.check(card.calls().memory_allocate(&address, bytes));
}
cuda_memory::~cuda_memory() {
    card_.finish([this] { return card_.calls().memory_free(address); });
}

cuda_host_memory::cuda_host_memory(const cuda_card& card, std::size_t bytes) : card_(card) {
    const current_card now(card);
    card.check(card.calls().host_allocate(&start, bytes, driver::host_alloc_portable));
}
cuda_host_memory::~cuda_host_memory() {
    card_.finish([this] { return card_.calls().host_free(start); });
}

cuda_kernel::cuda_kernel(const cuda_card& card, const char* ptx, const char* name) : card_(card) {
    const current_card now(card);
    card.check(card.calls().module_load(&module_, ptx, 0, nullptr, nullptr));
    card.check(card.calls().module_function(&handle, module_, name));
}
cuda_kernel::~cuda_kernel() {
    card_.finish([this] { return card_.calls().module_unload(module_); });
}

}  // namespace spoc::bench
