// SPDX-License-Identifier: Apache-2.0
//
// Compares what the plugin declares of the CUDA driver with NVIDIA's own header, where that is
// there. Compiling is the test.
#include <type_traits>

#include <cuda.h>

#include "driver.hpp"

namespace {

/// Whether a value of one type is passed to a function as one of the other is: enumerations are
/// passed as integers of their size, and pointers alike whatever they point to.
template <typename Ours, typename Theirs>
constexpr bool passed_alike =
    sizeof(Ours) == sizeof(Theirs) &&
    std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>&& std::is_floating_point_v<Ours> ==
        std::is_floating_point_v<Theirs>;

template <typename Ours, typename Theirs>
struct called_alike : std::false_type {};

template <typename... Ours, typename Result, typename... Theirs>
struct called_alike<spoc::driver::result (*)(Ours...), Result (*)(Theirs...)>
    : std::bool_constant<sizeof...(Ours) == sizeof...(Theirs) &&
                         passed_alike<spoc::driver::result, Result>> {
    template <bool SameCount>
    static constexpr bool parameters() {
        if constexpr (SameCount) {
            return (passed_alike<Ours, Theirs> && ...);
        } else {
            return false;
        }
    }
    static constexpr bool value = passed_alike<spoc::driver::result, Result> &&
                                  parameters<sizeof...(Ours) == sizeof...(Theirs)>();
};

#define SPOC_SAME_FUNCTION(member, name, library_name, version, need, parameters)              \
    static_assert(                                                                             \
        called_alike<decltype(spoc::driver::table::member), decltype(&::library_name)>::value, \
        #name);
SPOC_CUDA_SYMBOLS(SPOC_SAME_FUNCTION)
#undef SPOC_SAME_FUNCTION

#define SPOC_SAME_VALUE(ours, theirs)                                                           \
    static_assert(static_cast<long long>(spoc::driver::ours) == static_cast<long long>(theirs), \
                  #ours)

SPOC_SAME_VALUE(success, CUDA_SUCCESS);
SPOC_SAME_VALUE(invalid_value, CUDA_ERROR_INVALID_VALUE);
SPOC_SAME_VALUE(out_of_memory, CUDA_ERROR_OUT_OF_MEMORY);
SPOC_SAME_VALUE(not_initialized, CUDA_ERROR_NOT_INITIALIZED);
SPOC_SAME_VALUE(stub_library, CUDA_ERROR_STUB_LIBRARY);
SPOC_SAME_VALUE(device_unavailable, CUDA_ERROR_DEVICE_UNAVAILABLE);
SPOC_SAME_VALUE(no_device, CUDA_ERROR_NO_DEVICE);
SPOC_SAME_VALUE(invalid_device, CUDA_ERROR_INVALID_DEVICE);
SPOC_SAME_VALUE(invalid_image, CUDA_ERROR_INVALID_IMAGE);
SPOC_SAME_VALUE(no_binary_for_gpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
SPOC_SAME_VALUE(ecc_uncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE);
SPOC_SAME_VALUE(invalid_ptx, CUDA_ERROR_INVALID_PTX);
SPOC_SAME_VALUE(nvlink_uncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE);
SPOC_SAME_VALUE(jit_compiler_not_found, CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
SPOC_SAME_VALUE(unsupported_ptx_version, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SPOC_SAME_VALUE(jit_compilation_disabled, CUDA_ERROR_JIT_COMPILATION_DISABLED);
SPOC_SAME_VALUE(invalid_source, CUDA_ERROR_INVALID_SOURCE);
SPOC_SAME_VALUE(operating_system, CUDA_ERROR_OPERATING_SYSTEM);
SPOC_SAME_VALUE(invalid_handle, CUDA_ERROR_INVALID_HANDLE);
SPOC_SAME_VALUE(not_found, CUDA_ERROR_NOT_FOUND);
SPOC_SAME_VALUE(not_ready, CUDA_ERROR_NOT_READY);
SPOC_SAME_VALUE(illegal_address, CUDA_ERROR_ILLEGAL_ADDRESS);
SPOC_SAME_VALUE(launch_out_of_resources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SPOC_SAME_VALUE(launch_timeout, CUDA_ERROR_LAUNCH_TIMEOUT);
SPOC_SAME_VALUE(peer_access_already_enabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
SPOC_SAME_VALUE(context_is_destroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED);
SPOC_SAME_VALUE(device_assert, CUDA_ERROR_ASSERT);
SPOC_SAME_VALUE(host_memory_already_registered, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
SPOC_SAME_VALUE(host_memory_not_registered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
SPOC_SAME_VALUE(hardware_stack_error, CUDA_ERROR_HARDWARE_STACK_ERROR);
SPOC_SAME_VALUE(illegal_instruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
SPOC_SAME_VALUE(misaligned_address, CUDA_ERROR_MISALIGNED_ADDRESS);
SPOC_SAME_VALUE(invalid_address_space, CUDA_ERROR_INVALID_ADDRESS_SPACE);
SPOC_SAME_VALUE(invalid_pc, CUDA_ERROR_INVALID_PC);
SPOC_SAME_VALUE(launch_failed, CUDA_ERROR_LAUNCH_FAILED);
SPOC_SAME_VALUE(not_permitted, CUDA_ERROR_NOT_PERMITTED);
SPOC_SAME_VALUE(not_supported, CUDA_ERROR_NOT_SUPPORTED);
SPOC_SAME_VALUE(system_not_ready, CUDA_ERROR_SYSTEM_NOT_READY);
SPOC_SAME_VALUE(system_driver_mismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
SPOC_SAME_VALUE(compat_not_supported_on_device, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE);

SPOC_SAME_VALUE(max_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SPOC_SAME_VALUE(max_block_dim_x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
SPOC_SAME_VALUE(max_block_dim_y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
SPOC_SAME_VALUE(max_block_dim_z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
SPOC_SAME_VALUE(max_grid_dim_x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
SPOC_SAME_VALUE(max_grid_dim_y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
SPOC_SAME_VALUE(max_grid_dim_z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
SPOC_SAME_VALUE(max_shared_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SPOC_SAME_VALUE(warp_size, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
SPOC_SAME_VALUE(max_registers_per_block, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
SPOC_SAME_VALUE(clock_rate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SPOC_SAME_VALUE(multiprocessor_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SPOC_SAME_VALUE(integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED);
SPOC_SAME_VALUE(concurrent_kernels, CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS);
SPOC_SAME_VALUE(pci_bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
SPOC_SAME_VALUE(pci_device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
SPOC_SAME_VALUE(async_engine_count, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
SPOC_SAME_VALUE(pci_domain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
SPOC_SAME_VALUE(compute_capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SPOC_SAME_VALUE(compute_capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SPOC_SAME_VALUE(managed_memory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
SPOC_SAME_VALUE(concurrent_managed_access, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS);
SPOC_SAME_VALUE(max_shared_per_block_optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SPOC_SAME_VALUE(host_register_supported, CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED);
SPOC_SAME_VALUE(read_only_host_register_supported,
                CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED);

SPOC_SAME_VALUE(memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
SPOC_SAME_VALUE(is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED);
SPOC_SAME_VALUE(range_start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR);
SPOC_SAME_VALUE(range_size, CU_POINTER_ATTRIBUTE_RANGE_SIZE);
SPOC_SAME_VALUE(memory_type_host, CU_MEMORYTYPE_HOST);

SPOC_SAME_VALUE(function_max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SPOC_SAME_VALUE(function_shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SPOC_SAME_VALUE(function_local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SPOC_SAME_VALUE(function_registers, CU_FUNC_ATTRIBUTE_NUM_REGS);
SPOC_SAME_VALUE(function_max_dynamic_shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);

SPOC_SAME_VALUE(jit_info_log, CU_JIT_INFO_LOG_BUFFER);
SPOC_SAME_VALUE(jit_info_log_bytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
SPOC_SAME_VALUE(jit_error_log, CU_JIT_ERROR_LOG_BUFFER);
SPOC_SAME_VALUE(jit_error_log_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SPOC_SAME_VALUE(jit_input_ptx, CU_JIT_INPUT_PTX);

SPOC_SAME_VALUE(host_alloc_portable, CU_MEMHOSTALLOC_PORTABLE);
SPOC_SAME_VALUE(host_register_portable, CU_MEMHOSTREGISTER_PORTABLE);
SPOC_SAME_VALUE(host_register_read_only, CU_MEMHOSTREGISTER_READ_ONLY);
SPOC_SAME_VALUE(managed_attach_global, CU_MEM_ATTACH_GLOBAL);
SPOC_SAME_VALUE(stream_non_blocking, CU_STREAM_NON_BLOCKING);
SPOC_SAME_VALUE(event_disable_timing, CU_EVENT_DISABLE_TIMING);

static_assert(sizeof(spoc::driver::uuid) == sizeof(CUuuid));
static_assert(sizeof(spoc::driver::link_state) == sizeof(CUlinkState));

}  // namespace

int main() { return 0; }
