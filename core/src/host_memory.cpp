// SPDX-License-Identifier: Apache-2.0
#include "host_memory.hpp"

#include <new>
#include <utility>

#include "device.hpp"
#include "host_storage.hpp"
#include "pinned_registry.hpp"
#include "session.hpp"
#include "text.hpp"

namespace spoc::detail {

outcome allocate_page_locked(spoc_device_s& device, std::uint64_t bytes, std::uint64_t least,
                             spoc_be_hostmem_result& out) {
    spoc_be_hostmem_desc desc{};
    desc.size = sizeof desc;
    desc.bytes = bytes;
    out.size = sizeof out;
    plugin_error error;
    if (const std::int32_t status =
            device.table().pinned_alloc(device.handle(), &desc, &out, &error);
        status < 0) {
        out.hostmem = nullptr;
        return device.failure(status, error, SPOC_SUB_OOM);
    }
    if (out.hostmem == nullptr || out.host == nullptr || out.bytes < least) {
        return outcome::fail(
                   SPOC_INTERNAL_ERROR, SPOC_SUB_NONE,
                   say("Backend ", device.backend(), " gives page-locked memory that is none."))
            .about(device.backend(), static_cast<std::int32_t>(device.id()));
    }
    return {};
}

host_range::~host_range() {
    if (!finish().ok() && is_listed()) {
        // The driver may still hold the pages: they stay in the table, and what was lent is never
        // given back.
        static_cast<void>(new (std::nothrow) std::shared_ptr<lent_memory>(std::move(owner_)));
        return;
    }
    forget();  // in a forked child and at exit nothing was ended
}

void host_range::enlist() noexcept {
    listed_.store(true);
    device().accounts().add(purpose(), bytes_);
}

void host_range::forget() noexcept {
    if (listed_.exchange(false)) {
        unlist(start_);
        device().accounts().remove(purpose(), bytes_);
    }
}

outcome host_range::allocate(const std::shared_ptr<host_range>& range, std::uint64_t bytes) {
    range->begin();
    SPOC_TRY(range->allocate_memory(bytes));
    SPOC_TRY(list_allocation(range));
    range->enlist();
    return {};
}

outcome host_range::allocate_memory(std::uint64_t bytes) {
    spoc_be_hostmem_result made{};
    outcome allocated = allocate_page_locked(device(), bytes, bytes, made);
    handle_.store(made.hostmem);  // also of memory that is none: it is given back
    SPOC_TRY(std::move(allocated));
    start_ = static_cast<std::byte*>(made.host);
    bytes_ = bytes;
    portable_ = device().offers(SPOC_BE_CAP_PINNED_PORTABLE);
    return {};
}

outcome host_range::register_memory(const std::shared_ptr<host_range>& range, void* start,
                                    std::uint64_t bytes, std::uint32_t flags,
                                    std::shared_ptr<lent_memory> owner) {
    range->start_ = static_cast<std::byte*>(start);
    range->bytes_ = bytes;
    range->registered_ = true;
    range->read_only_ = (flags & SPOC_HOST_MEMORY_READ_ONLY) != 0;
    range->owner_ = std::move(owner);
    range->begin();
    // In the table before the driver is asked, so that two threads cannot register one range.
    SPOC_TRY(list_registration(range));
    range->enlist();
    return range->register_with_driver();
}

outcome host_range::register_with_driver() {
    if (!device().offers(SPOC_BE_CAP_REGISTER)) {
        return {};
    }
    spoc_be_hostmem_desc desc{};
    desc.size = sizeof desc;
    desc.bytes = bytes_;
    desc.host = start_;
    desc.flags = read_only_ ? SPOC_BE_HOSTMEM_READ_ONLY : 0;
    spoc_be_hostmem_result made{};
    made.size = sizeof made;
    plugin_error error;
    const std::int32_t status =
        device().table().host_register(device().handle(), &desc, &made, &error);
    if (status < 0) {
        return device().failure(status, error, SPOC_SUB_DRIVER);
    }
    portable_ = device().offers(SPOC_BE_CAP_PINNED_PORTABLE);
    handle_.store(made.hostmem, std::memory_order_release);
    return {};
}

outcome host_range::end() {
    outcome ended;
    if (const spoc_be_hostmem ending = handle(); ending != nullptr) {
        plugin_error error;
        const spoc_be_table& table = device().table();
        const std::int32_t status =
            registered_ ? table.host_unregister(ending, &error) : table.pinned_free(ending, &error);
        if (status < 0) {
            ended = device().failure(status, error,
                                     registered_ ? SPOC_SUB_UNREGISTER_FAILED : SPOC_SUB_DRIVER);
            if (registered_) {
                return ended;  // the driver may still hold the pages
            }
        }
        handle_.store(nullptr);
    }
    forget();
    return ended;
}

outcome host_range::release() {
    outcome ended = finish();
    if (is_listed()) {
        begin();  // a shutdown tries again, and so may the program
    }
    return ended;
}

outcome host_range::check_can_go() const {
    const host_bytes all(start_, bytes_);
    if (in_use() || ledger::touches(all)) {
        return outcome::invalid(SPOC_SUB_BUSY,
                                "Work that was enqueued may still touch the page-locked range.");
    }
    // What was registered stays the program's, and vectors over it do without the locking.
    if (!registered_ && host_storage::is_over(all)) {
        return outcome::invalid(
            SPOC_SUB_BUSY,
            "A vector, or work on one, still has its host storage in the page-locked range.");
    }
    return {};
}

void host_range::leave(std::shared_ptr<host_range> range) noexcept {
    // Also work that does not name the range, since it was enqueued before a registration. In a
    // forked child and at exit nothing is ended, whoever keeps it.
    if (range != nullptr && process_state() == SPOC_BE_PROCESS_RUNNING &&
        !ledger::keep({range->start_, range->bytes_}, range)) {
        static_cast<void>(new (std::nothrow) std::shared_ptr<host_range>(std::move(range)));
    }
}

bool host_range::serves(const spoc_device_s& where) const noexcept {
    return handle() != nullptr &&
           (&where == &device() || (portable_ && &where.owner() == &device().owner()));
}

}  // namespace spoc::detail

using namespace spoc::detail;

namespace {

outcome check_length(const void* start, std::uint64_t bytes) {
    if (bytes == 0) {
        return outcome::invalid(SPOC_SUB_LENGTH, "Page-locked memory has at least one byte.");
    }
    // Rounded up to whole pages it may not reach the last address either.
    constexpr std::uintptr_t most = UINTPTR_MAX / 2;
    const auto begin = reinterpret_cast<std::uintptr_t>(start);
    return begin <= most && bytes <= most - begin
               ? outcome{}
               : outcome::invalid(SPOC_SUB_LENGTH,
                                  say("The end of the range overflows (", bytes, " bytes)."))
                     .figures(bytes, begin <= most ? most - begin : 0);
}

/// Registering is the driver's work, or only recorded where device memory is host memory.
bool is_only_recorded(const spoc_device_s& device) {
    return device.offers(SPOC_BE_CAP_BUFFER_HOST_RANGE) && !device.offers(SPOC_BE_CAP_REGISTER);
}

/// What can be told without the driver.
outcome check_registration(const spoc_device_s& device, const void* start, std::uint64_t bytes,
                           std::uint32_t flags) {
    SPOC_TRY(check_length(start, bytes));
    if ((flags & ~SPOC_HOST_MEMORY_READ_ONLY) != 0) {
        return outcome::invalid(SPOC_SUB_VALUE,
                                say("The registration's flags ", flags, " are unknown."));
    }
    const std::uint64_t step = device.info().register_align;
    const bool aligned = step <= 1 || step == SPOC_BE_UNKNOWN_32 ||
                         (reinterpret_cast<std::uintptr_t>(start) % step == 0 && bytes % step == 0);
    if (!aligned && !is_only_recorded(device)) {
        return outcome::invalid(SPOC_SUB_BOUNDS,
                                say("Device ", device.selector(),
                                    " registers only ranges whose start and length are multiples "
                                    "of ",
                                    step, " bytes."))
            .figures(bytes, step);
    }
    return check_pages_free({start, bytes});
}

/// Why `device` has no page-locked memory, or has no way to register any.
outcome not_offered(const spoc_device_s& device, std::string_view what) {
    return outcome::fail(SPOC_FEATURE_NOT_SUPPORTED, SPOC_SUB_NONE,
                         say("Device ", device.selector(), " ", what, "."))
        .about(device.backend(), static_cast<std::int32_t>(device.id()));
}

outcome check_allocates(const spoc_device_s& device) {
    return device.offers(SPOC_BE_CAP_PINNED) && device.table().pinned_alloc != nullptr
               ? outcome{}
               : not_offered(device, "allocates no page-locked memory");
}

/// The program asks for the import of its pages, and no driver of AMD's is the one that imports
/// them: kernels have crashed on it, and no answer of the driver tells which will.
outcome check_vulkan_import(const settings& config, const spoc_device_s& device) {
    const std::string_view framework = field_text(device.info().framework);
    if (framework.substr(0, framework.find('/')) != "Vulkan") {
        return {};
    }
    // VkDriverId: AMD_PROPRIETARY, AMD_OPEN_SOURCE, MESA_RADV.
    const std::uint32_t driver = device.info().driver_id;
    if (device.info().vendor_id == 0x1002 || (driver >= 1 && driver <= 3)) {
        return not_offered(device, "registers no host memory: importing it can crash the kernel");
    }
    return config.is_on("SPOC_VULKAN_HOST_IMPORT")
               ? outcome{}
               : not_offered(device,
                             "registers host memory only where SPOC_VULKAN_HOST_IMPORT is 1");
}

outcome check_registers(const settings& config, const spoc_device_s& device, std::uint32_t flags) {
    if (is_only_recorded(device)) {
        return {};
    }
    SPOC_TRY(check_vulkan_import(config, device));
    if (!device.offers(SPOC_BE_CAP_REGISTER) || device.table().host_register == nullptr) {
        return not_offered(device, "registers no host memory");
    }
    if ((flags & SPOC_HOST_MEMORY_READ_ONLY) != 0 &&
        !device.offers(SPOC_BE_CAP_REGISTER_READ_ONLY)) {
        return not_offered(device, "registers no read-only mapping");
    }
    return {};
}

std::unique_ptr<spoc_host_memory_s> make_handle(spoc_device device) {
    return std::unique_ptr<spoc_host_memory_s>(
        new spoc_host_memory_s{std::make_shared<host_range>(device)});
}

}  // namespace

spoc_status spoc_host_memory_allocate(spoc_device device, uint64_t bytes,
                                      spoc_host_memory* out_memory, spoc_error* error) noexcept {
    return boundary("spoc_host_memory_allocate", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(out_memory, "out_memory"));
        SPOC_TRY(check_length(nullptr, bytes));
        SPOC_TRY(call.enter());
        SPOC_TRY(device->check_current());
        SPOC_TRY(check_allocates(*device));
        SPOC_TRY(device->open());
        auto handle = make_handle(device);
        SPOC_TRY(host_range::allocate(handle->range, bytes));
        handle->counted = counted_handle(handle_kind::pinned, device->accounts(), bytes);
        *out_memory = handle.release();
        return {};
    });
}

spoc_status spoc_host_memory_register(spoc_device device, void* start, uint64_t bytes,
                                      uint32_t flags, const spoc_owner* owner,
                                      spoc_host_memory* out_memory, spoc_error* error) noexcept {
    return boundary("spoc_host_memory_register", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(start, "start"));
        SPOC_TRY(require_pointer(out_memory, "out_memory"));
        SPOC_TRY(check_registration(*device, start, bytes, flags));
        SPOC_TRY(call.enter());
        SPOC_TRY(device->check_current());
        SPOC_TRY(check_registers(call.config(), *device, flags));
        SPOC_TRY(device->open());
        auto lent = lent_memory::of(owner);
        auto handle = make_handle(device);
        SPOC_TRY(host_range::register_memory(handle->range, start, bytes, flags, lent));
        handle->counted = counted_handle(handle_kind::registration, device->accounts(), bytes);
        if (lent != nullptr) {
            lent->take();
        }
        *out_memory = handle.release();
        return {};
    });
}

spoc_status spoc_host_memory_release(spoc_host_memory memory, spoc_error* error) noexcept {
    return boundary("spoc_host_memory_release", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(memory, "memory"));
        if (memory->range == nullptr) {
            return {};
        }
        SPOC_TRY(memory->range->check_can_go());
        SPOC_TRY(call.enter());
        outcome ended = memory->range->release();
        if (!memory->range->is_listed()) {
            memory->range = nullptr;
            memory->counted = {};
        }
        return ended;
    });
}

void spoc_host_memory_destroy(spoc_host_memory memory) noexcept {
    const traced_call traced("spoc_host_memory_destroy");
    const call_guard guard;
    const std::unique_ptr<spoc_host_memory_s> owned(memory);
    if (owned != nullptr) {
        host_range::leave(std::move(owned->range));
    }
}

spoc_status spoc_host_memory_describe(spoc_host_memory memory, spoc_host_memory_info* out_info,
                                      spoc_error* error) noexcept {
    return boundary("spoc_host_memory_describe", error, [&]() -> outcome {
        SPOC_TRY(require_pointer(memory, "memory"));
        SPOC_TRY(require_sized(out_info, "out_info"));
        if (memory->range == nullptr || !memory->range->is_listed()) {
            return outcome::invalid(SPOC_SUB_FREED, "The page-locked range was released.");
        }
        spoc_host_memory_info info{};
        info.registered = memory->range->is_registered() ? 1 : 0;
        info.device = &memory->range->device();
        info.start = memory->range->start();
        info.bytes = memory->range->bytes();
        return write_sized(info, out_info);
    });
}

int32_t spoc_host_memory_is_live(const void* start, uint64_t bytes) noexcept {
    // A forked child has no page-locked memory, and the table may be locked there for ever.
    return process_state() != SPOC_BE_PROCESS_FORK_CHILD && is_live({start, bytes}) ? 1 : 0;
}

spoc_status spoc_host_memory_available(spoc_device device, int32_t* out_available,
                                       spoc_error* error) noexcept {
    return boundary("spoc_host_memory_available", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(out_available, "out_available"));
        SPOC_TRY(call.enter());
        SPOC_TRY(device->check_current());
        if (!check_allocates(*device).ok()) {
            *out_available = 0;
            return {};
        }
        SPOC_TRY(device->open());
        outcome tried = host_range::allocate(std::make_shared<host_range>(device), 1);
        if (!tried.ok() && tried.error().status != SPOC_FEATURE_NOT_SUPPORTED) {
            return tried;
        }
        *out_available = tried.ok() ? 1 : 0;
        return {};
    });
}
