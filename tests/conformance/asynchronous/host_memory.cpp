// SPDX-License-Identifier: Apache-2.0
#include "host_memory.hpp"

#include <cinttypes>

#include "backend.hpp"
#include "base.hpp"
#include "common/object.hpp"
#include "common/record.hpp"
#include "common/request.hpp"
#include "device.hpp"

namespace spoc::asynchronous {
namespace {

void link(host_memory* made) {
    const auto lock = lock_state();
    made->next = the_backend.state->page_locked;
    the_backend.state->page_locked = made;
}

void unlink(const host_memory* ended) {
    const auto lock = lock_state();
    host_memory** at = &the_backend.state->page_locked;
    while (*at != ended) {
        at = &(*at)->next;
    }
    *at = ended->next;
}

/// The end of a block that holds the byte at `address`, or `address` when none does. Under the
/// lock.
uintptr_t end_of_block(uintptr_t address) {
    for (const host_memory* at = the_backend.state->page_locked; at != nullptr; at = at->next) {
        if (at->begin <= address && address < at->end) {
            return at->end;
        }
    }
    return address;
}

int32_t check_alignment(const spoc_be_hostmem_desc& desc, spoc_be_error* error) {
    for (const uint64_t figure : {uint64_t{reinterpret_cast<uintptr_t>(desc.host)}, desc.bytes}) {
        if (figure % register_align != 0) {
            return plugin::fail(
                error, {.status = SPOC_BE_MISALIGNED, .asked = figure, .limit = register_align},
                "The start or the length of the range is no multiple of a page (0x%" PRIx64
                ", %u).",
                figure, register_align);
        }
    }
    return SPOC_BE_OK;
}

}  // namespace

int32_t pinned_alloc(spoc_be_device owner, const spoc_be_hostmem_desc* desc,
                     spoc_be_hostmem_result* result, spoc_be_error* error) {
    spoc_be_hostmem_result made{};
    made.size = sizeof made;
    int32_t status = base::table.pinned_alloc(device::of(owner).base, desc, &made, error);
    if (status != SPOC_BE_OK) {
        return status;
    }
    host_memory* wrapped = nullptr;
    status = plugin::make(the_backend.host, wrapped, error, made.hostmem, made.host, made.bytes);
    if (status != SPOC_BE_OK) {
        base::table.pinned_free(made.hostmem, nullptr);
        return status;
    }
    link(wrapped);
    made.hostmem = wrapped->handle();
    plugin::write_record(result, made);
    return SPOC_BE_OK;
}

int32_t pinned_free(spoc_be_hostmem handle, spoc_be_error* error) {
    host_memory* ended = host_memory::of(handle);
    unlink(ended);
    const spoc_be_hostmem below = ended->base;
    plugin::destroy(the_backend.host, ended);
    return base::table.pinned_free(below, error);
}

int32_t host_register(spoc_be_device /*device*/, const spoc_be_hostmem_desc* desc,
                      spoc_be_hostmem_result* result, spoc_be_error* error) {
    int32_t status =
        plugin::check_request(desc->flags, SPOC_BE_HOSTMEM_READ_ONLY, desc->ext, error);
    if (status == SPOC_BE_OK) {
        status = check_alignment(*desc, error);
    }
    host_memory* made = nullptr;
    if (status == SPOC_BE_OK) {
        // The device is the host, so nothing has to be locked: the range is remembered.
        status = plugin::make(the_backend.host, made, error, nullptr, desc->host, desc->bytes);
    }
    if (status == SPOC_BE_OK) {
        link(made);
        spoc_be_hostmem_result answer{};
        answer.hostmem = made->handle();
        answer.host = desc->host;
        answer.bytes = desc->bytes;
        plugin::write_record(result, answer);
    }
    return status;
}

int32_t host_unregister(spoc_be_hostmem handle, spoc_be_error* /*error*/) {
    unlink(host_memory::of(handle));
    plugin::destroy(the_backend.host, host_memory::of(handle));
    return SPOC_BE_OK;
}

int32_t host_query(spoc_be_device /*device*/, const void* host, uint64_t bytes, uint32_t* flags,
                   spoc_be_error* /*error*/) {
    const auto lock = lock_state();
    // Blocks may lie side by side, and a range may reach across them.
    auto reached = reinterpret_cast<uintptr_t>(host);
    const uintptr_t end = reached + bytes;
    for (uintptr_t next = end_of_block(reached); next != reached && reached < end;
         next = end_of_block(reached)) {
        reached = next;
    }
    *flags = reached >= end ? SPOC_BE_HOST_PINNED : 0;
    return SPOC_BE_OK;
}

}  // namespace spoc::asynchronous
