// SPDX-License-Identifier: Apache-2.0
#include "pinned.hpp"

#include <limits>

#include "backend.hpp"
#include "capability.hpp"
#include "common/object.hpp"
#include "common/record.hpp"
#include "common/request.hpp"
#include "driver_calls.hpp"
#include "file_mapping.hpp"
#include "open_device.hpp"

namespace spoc::cudalike {
namespace {

/// Hands out `bytes` bytes from `start` on, of memory that the driver knows by `host`.
std::int32_t give_out(spoc_be_device device, void* host, void* start, std::uint64_t bytes,
                      spoc_be_hostmem_result* result, spoc_be_error* error) {
    spoc_be_hostmem_result made{};
    made.host = start;
    made.bytes = bytes;
    const std::int32_t status = plugin::make(the_backend.host, made.hostmem, error, device, host);
    if (status == SPOC_BE_OK) {
        plugin::write_record(result, made);
    }
    return status;
}

constexpr std::uint64_t page_bytes = 4096;

/// Whole pages from a page's start on. The driver divides pages among small allocations, and
/// promises no alignment.
class page_aligned {
 public:
    driver::result allocate(std::uint64_t bytes) noexcept {
        if (bytes > std::numeric_limits<std::uint64_t>::max() - 2 * page_bytes) {
            return driver::out_of_memory;  // in whole pages it would be next to nothing
        }
        bytes_ = (bytes + page_bytes - 1) / page_bytes * page_bytes;
        driver::result made = take(bytes_);
        if (made == driver::success && start_ != host_) {
            static_cast<void>(api().host_free(host_));
            made = take(bytes_ + page_bytes);
        }
        return made;
    }

    void* host() const noexcept { return host_; }
    void* start() const noexcept { return start_; }
    std::uint64_t bytes() const noexcept { return bytes_; }

 private:
    driver::result take(std::uint64_t bytes) noexcept {
        const driver::result made = api().host_allocate(&host_, bytes, driver::host_alloc_portable);
        const auto at = reinterpret_cast<std::uintptr_t>(host_);
        start_ = static_cast<char*>(host_) + (page_bytes - at % page_bytes) % page_bytes;
        return made;
    }

    void* host_ = nullptr;
    void* start_ = nullptr;
    std::uint64_t bytes_ = 0;
};

std::int32_t check_registers(const spoc_be_device_s& device, const spoc_be_hostmem_desc& desc,
                             spoc_be_error* error) {
    const bool read_only = (desc.flags & SPOC_BE_HOSTMEM_READ_ONLY) != 0;
    if (!offers(device.index, read_only ? SPOC_BE_CAP_REGISTER_READ_ONLY : SPOC_BE_CAP_REGISTER)) {
        return plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED},
                            "The device registers no %shost memory.",
                            read_only ? "read-only " : "");
    }
    if (read_only && is_private_file_mapping(desc.host, desc.bytes)) {
        return plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED},
                            "The range is a private, read-only mapping of a file, which the driver "
                            "may never come back from registering; map the file as shared.");
    }
    return SPOC_BE_OK;
}

}  // namespace

std::int32_t pinned_alloc(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                          spoc_be_hostmem_result* result, spoc_be_error* error) {
    if (const std::int32_t status =
            plugin::check_request(desc->flags, SPOC_BE_HOSTMEM_READ_ONLY, desc->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    return on_device(*device, error, [&] {
        page_aligned memory;
        if (const std::int32_t status =
                check(*device, memory.allocate(desc->bytes), driver::call::host_allocate,
                      "Allocating page-locked memory", error, desc->bytes);
            status != SPOC_BE_OK) {
            return status;
        }
        const std::int32_t status =
            give_out(device, memory.host(), memory.start(), memory.bytes(), result, error);
        if (status != SPOC_BE_OK) {
            static_cast<void>(api().host_free(memory.host()));
        }
        return status;
    });
}

std::int32_t pinned_free(spoc_be_hostmem hostmem, spoc_be_error* error) {
    spoc_be_device_s& device = *hostmem->device;
    const std::int32_t status = end_on_device(device, error, [&] {
        return check(device, api().host_free(hostmem->host), driver::call::host_free,
                     "Freeing page-locked memory", error);
    });
    plugin::destroy(the_backend.host, hostmem);
    return status;
}

std::int32_t host_register(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                           spoc_be_hostmem_result* result, spoc_be_error* error) {
    if (const std::int32_t status =
            plugin::check_request(desc->flags, SPOC_BE_HOSTMEM_READ_ONLY, desc->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    if (const std::int32_t status = check_registers(*device, *desc, error); status != SPOC_BE_OK) {
        return status;
    }
    const bool read_only = (desc->flags & SPOC_BE_HOSTMEM_READ_ONLY) != 0;
    return on_device(*device, error, [&] {
        const unsigned flags =
            driver::host_register_portable | (read_only ? driver::host_register_read_only : 0U);
        if (const std::int32_t status =
                check(*device, api().host_register(desc->host, desc->bytes, flags),
                      driver::call::host_register, "Page-locking a host range", error, desc->bytes);
            status != SPOC_BE_OK) {
            return status;
        }
        const std::int32_t status =
            give_out(device, desc->host, desc->host, desc->bytes, result, error);
        if (status != SPOC_BE_OK) {
            static_cast<void>(api().host_unregister(desc->host));
        }
        return status;
    });
}

std::int32_t host_unregister(spoc_be_hostmem hostmem, spoc_be_error* error) {
    spoc_be_device_s& device = *hostmem->device;
    const std::int32_t status = end_on_device(device, error, [&] {
        return check(device, api().host_unregister(hostmem->host), driver::call::host_unregister,
                     "Ending the registration of a host range", error);
    });
    if (status == SPOC_BE_OK) {  // else the range may still be locked, and the handle stays
        plugin::destroy(the_backend.host, hostmem);
    }
    return status;
}

std::int32_t host_query(spoc_be_device device, const void* host, std::uint64_t bytes,
                        std::uint32_t* flags, spoc_be_error* error) {
    return on_device(*device, error, [&] {
        *flags = what_driver_knows_of(host, bytes);
        return SPOC_BE_OK;
    });
}

}  // namespace spoc::cudalike
