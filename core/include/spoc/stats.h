/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_STATS_H
#define SPOC_STATS_H

/// \file
/// Accounts of the memory that the library holds for a program, by device and for the process.
///
/// What counts as device memory is every buffer, of a buffer handle or of a vector, whatever memory
/// backs it: also where it is the host storage of a vector. Buffers of 0 bytes hold nothing and do
/// not count. Page-locked memory is accounted for apart.
///
/// Figures are exact when no other call is in flight, and never below 0. Any thread, at any time,
/// also before `spoc_init` and after `spoc_shutdown`; nothing here blocks or calls a driver.
/// `SPOC_GPU_STATS` has them printed at exit.

#include <stdint.h>

#include <spoc/device.h>
#include <spoc/error.h>
#include <spoc/export.h>

SPOC_BEGIN_DECLS

/// The accounts. Those that say "now" rise and fall; the others count since the process began, or
/// since `spoc_stats_reset`.
typedef struct spoc_stats {
    uint32_t size;              ///< `sizeof(spoc_stats)`, set by the caller
    uint32_t reserved;          ///< 0
    uint64_t buffers;           ///< buffers now
    uint64_t bytes;             ///< of them, as asked, now
    uint64_t peak_bytes;        ///< most of `bytes` at any moment
    uint64_t allocations;       ///< buffers made
    uint64_t retries;           ///< allocations tried again after the device was out of memory
    uint64_t frees;             ///< buffers that the program freed (`..._free...`)
    uint64_t freed_bytes;       ///< of those
    uint64_t auto_frees;        ///< buffers that ended with their handle, their work or the runtime
    uint64_t auto_bytes;        ///< of those
    uint64_t pinned;            ///< page-locked ranges that the program allocated, now
    uint64_t pinned_bytes;      ///< of those
    uint64_t registered;        ///< registrations now
    uint64_t registered_bytes;  ///< of those
    uint64_t ring_bytes;        ///< page-locked memory now, through which small writes are staged
    uint64_t slot_bytes;        ///< page-locked memory now, through which ordinary memory is copied
} spoc_stats;

/// Writes the accounts of `device`, or of the process when it is null, to `*out_stats`. Errors:
/// `SPOC_INVALID_ARGUMENT` (`NULL`; `VALUE`: the size is not set).
SPOC_API spoc_status spoc_stats_get(spoc_device device, spoc_stats* out_stats,
                                    spoc_error* error) SPOC_NOEXCEPT;

/// Begins all accounts anew, those of every device and of the process: counts become 0, the peak
/// what is held now. What is held now stays, so that ending it later takes no figure below 0. Never
/// fails.
SPOC_API spoc_status spoc_stats_reset(spoc_error* error) SPOC_NOEXCEPT;

SPOC_END_DECLS

#endif /* SPOC_STATS_H */
