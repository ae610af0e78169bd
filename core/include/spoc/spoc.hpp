// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The whole C++ interface of libspoc, header-only over spoc/spoc.h.

#include <spoc/backends.hpp>
#include <spoc/buffer.hpp>
#include <spoc/copy.hpp>
#include <spoc/device.hpp>
#include <spoc/error.hpp>
#include <spoc/event.hpp>
#include <spoc/host_memory.hpp>
#include <spoc/host_pointer.hpp>
#include <spoc/launch.hpp>
#include <spoc/program.hpp>
#include <spoc/runtime.hpp>
#include <spoc/soa_vector.hpp>
#include <spoc/stats.hpp>
#include <spoc/stream.hpp>
#include <spoc/trace.hpp>
#include <spoc/unified.hpp>
#include <spoc/vector.hpp>
