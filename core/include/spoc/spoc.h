/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_SPOC_H
#define SPOC_SPOC_H

/// \file
/// The whole C interface of libspoc.

#include <spoc/backends.h>
#include <spoc/buffer.h>
#include <spoc/copy.h>
#include <spoc/device.h>
#include <spoc/error.h>
#include <spoc/event.h>
#include <spoc/host_memory.h>
#include <spoc/host_pointer.h>
#include <spoc/launch.h>
#include <spoc/owner.h>
#include <spoc/program.h>
#include <spoc/runtime.h>
#include <spoc/stats.h>
#include <spoc/stream.h>
#include <spoc/trace.h>
#include <spoc/unified.h>
#include <spoc/vector.h>

#endif /* SPOC_SPOC_H */
