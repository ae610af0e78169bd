// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "driver_symbols.hpp"

// The driver's own names for its objects, so that a program that includes cuda.h too means the same
// types by them.
struct CUctx_st;
struct CUstream_st;
struct CUevent_st;
struct CUmod_st;
struct CUfunc_st;
struct CUlinkState_st;

/// What the plugin uses of the CUDA driver's interface, written from NVIDIA's documentation: the
/// vendor's header need not be there to build. Where it is, a test compares the two (docs/adr).
namespace spoc::driver {

using result = std::int32_t;    ///< CUresult
using ordinal = std::int32_t;   ///< CUdevice
using address = std::uint64_t;  ///< CUdeviceptr
using context = CUctx_st*;
using stream = CUstream_st*;
using event = CUevent_st*;
using module = CUmod_st*;
using function = CUfunc_st*;
using link_state = CUlinkState_st*;
using attribute = std::int32_t;           ///< CUdevice_attribute
using pointer_attribute = std::int32_t;   ///< CUpointer_attribute
using function_attribute = std::int32_t;  ///< CUfunction_attribute
using jit_option = std::int32_t;          ///< CUjit_option
using jit_input = std::int32_t;           ///< CUjitInputType

struct uuid {
    char bytes[16];
};

// CUresult
inline constexpr result success = 0;
inline constexpr result invalid_value = 1;
inline constexpr result out_of_memory = 2;
inline constexpr result not_initialized = 3;
inline constexpr result stub_library = 34;
inline constexpr result device_unavailable = 46;
inline constexpr result no_device = 100;
inline constexpr result invalid_device = 101;
inline constexpr result invalid_image = 200;
inline constexpr result no_binary_for_gpu = 209;
inline constexpr result ecc_uncorrectable = 214;
inline constexpr result invalid_ptx = 218;
inline constexpr result nvlink_uncorrectable = 220;
inline constexpr result jit_compiler_not_found = 221;
inline constexpr result unsupported_ptx_version = 222;
inline constexpr result jit_compilation_disabled = 223;
inline constexpr result invalid_source = 300;
inline constexpr result operating_system = 304;
inline constexpr result invalid_handle = 400;
inline constexpr result not_found = 500;
inline constexpr result not_ready = 600;
inline constexpr result illegal_address = 700;
inline constexpr result launch_out_of_resources = 701;
inline constexpr result launch_timeout = 702;
inline constexpr result peer_access_already_enabled = 704;
inline constexpr result context_is_destroyed = 709;
inline constexpr result device_assert = 710;
inline constexpr result host_memory_already_registered = 712;
inline constexpr result host_memory_not_registered = 713;
inline constexpr result hardware_stack_error = 714;
inline constexpr result illegal_instruction = 715;
inline constexpr result misaligned_address = 716;
inline constexpr result invalid_address_space = 717;
inline constexpr result invalid_pc = 718;
inline constexpr result launch_failed = 719;
inline constexpr result not_permitted = 800;
inline constexpr result not_supported = 801;
inline constexpr result system_not_ready = 802;
inline constexpr result system_driver_mismatch = 803;
inline constexpr result compat_not_supported_on_device = 804;

// CUdevice_attribute
inline constexpr attribute max_threads_per_block = 1;
inline constexpr attribute max_block_dim_x = 2;
inline constexpr attribute max_block_dim_y = 3;
inline constexpr attribute max_block_dim_z = 4;
inline constexpr attribute max_grid_dim_x = 5;
inline constexpr attribute max_grid_dim_y = 6;
inline constexpr attribute max_grid_dim_z = 7;
inline constexpr attribute max_shared_per_block = 8;
inline constexpr attribute warp_size = 10;
inline constexpr attribute max_registers_per_block = 12;
inline constexpr attribute clock_rate = 13;
inline constexpr attribute multiprocessor_count = 16;
inline constexpr attribute integrated = 18;
inline constexpr attribute concurrent_kernels = 31;
inline constexpr attribute pci_bus = 33;
inline constexpr attribute pci_device = 34;
inline constexpr attribute async_engine_count = 40;
inline constexpr attribute pci_domain = 50;
inline constexpr attribute compute_capability_major = 75;
inline constexpr attribute compute_capability_minor = 76;
inline constexpr attribute managed_memory = 83;
inline constexpr attribute concurrent_managed_access = 89;
inline constexpr attribute max_shared_per_block_optin = 97;
inline constexpr attribute host_register_supported = 99;
inline constexpr attribute read_only_host_register_supported = 113;

// CUpointer_attribute, and the host's value of the first
inline constexpr pointer_attribute memory_type = 2;
inline constexpr pointer_attribute is_managed = 8;
inline constexpr pointer_attribute range_start = 11;
inline constexpr pointer_attribute range_size = 12;
inline constexpr unsigned memory_type_host = 1;

// CUfunction_attribute
inline constexpr function_attribute function_max_threads = 0;
inline constexpr function_attribute function_shared_bytes = 1;
inline constexpr function_attribute function_local_bytes = 3;
inline constexpr function_attribute function_registers = 4;
inline constexpr function_attribute function_max_dynamic_shared = 8;

// CUjit_option and CUjitInputType
inline constexpr jit_option jit_info_log = 3;
inline constexpr jit_option jit_info_log_bytes = 4;
inline constexpr jit_option jit_error_log = 5;
inline constexpr jit_option jit_error_log_bytes = 6;
inline constexpr jit_input jit_input_ptx = 1;

// Flags
inline constexpr unsigned host_alloc_portable = 1;
inline constexpr unsigned host_register_portable = 1;
inline constexpr unsigned host_register_read_only = 8;
inline constexpr unsigned managed_attach_global = 1;
inline constexpr unsigned stream_non_blocking = 1;
inline constexpr unsigned event_disable_timing = 2;

/// The stream that every other blocking stream of a context is ordered with.
inline stream legacy_stream() noexcept {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a handle, not an address
    return reinterpret_cast<stream>(std::uintptr_t{1});
}

/// The driver's functions.
struct table {
// NOLINTBEGIN(bugprone-macro-parentheses): parts of a declaration
#define SPOC_DRIVER_MEMBER(member, name, library_name, version, need, parameters) \
    result(*member) parameters = nullptr;
    // NOLINTEND(bugprone-macro-parentheses)
    SPOC_CUDA_SYMBOLS(SPOC_DRIVER_MEMBER)
#undef SPOC_DRIVER_MEMBER
};

/// The driver's name of each function, for messages.
namespace call {
#define SPOC_DRIVER_NAME(member, name, library_name, version, need, parameters) \
    inline constexpr const char* member = #name;
SPOC_CUDA_SYMBOLS(SPOC_DRIVER_NAME)
#undef SPOC_DRIVER_NAME
}  // namespace call

}  // namespace spoc::driver
