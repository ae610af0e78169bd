// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Every function of the CUDA driver that the plugin calls, once: the driver table, the resolver
/// and the test double are made from this list.
///
/// X(member, name, library name, version, need, parameters)
/// - name: what `cuGetProcAddress` is asked for; version: the CUDA version (major * 1000 + minor *
/// 10) in which the function
///   got the parameters written here, which is the one that is asked for.
/// - library name: the symbol of the same function in the library, for drivers that have no
/// `cuGetProcAddress`.
/// - need: `required`, or `optional`: then the member may be null, and what stands on it is off.
///
/// The types are those of driver.hpp; every function returns `result`.
#define SPOC_CUDA_SYMBOLS(X)                                                                     \
    X(init, cuInit, cuInit, 2000, required, (unsigned flags))                                    \
    X(driver_version, cuDriverGetVersion, cuDriverGetVersion, 2020, required, (int* version))    \
    X(error_name, cuGetErrorName, cuGetErrorName, 6000, required,                                \
      (result code, const char** name))                                                          \
    X(error_text, cuGetErrorString, cuGetErrorString, 6000, required,                            \
      (result code, const char** text))                                                          \
    X(device_count, cuDeviceGetCount, cuDeviceGetCount, 2000, required, (int* count))            \
    X(device_get, cuDeviceGet, cuDeviceGet, 2000, required, (ordinal * device, int index))       \
    X(device_name, cuDeviceGetName, cuDeviceGetName, 2000, required,                             \
      (char* name, int length, ordinal device))                                                  \
    X(device_uuid, cuDeviceGetUuid, cuDeviceGetUuid_v2, 11040, optional,                         \
      (uuid * out, ordinal device))                                                              \
    X(device_total_memory, cuDeviceTotalMem, cuDeviceTotalMem_v2, 3020, required,                \
      (std::size_t * bytes, ordinal device))                                                     \
    X(device_attribute, cuDeviceGetAttribute, cuDeviceGetAttribute, 2000, required,              \
      (int* value, attribute which, ordinal device))                                             \
    X(can_access_peer, cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, 4000, required,             \
      (int* can, ordinal device, ordinal peer))                                                  \
    X(context_retain, cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000, required,        \
      (context * out, ordinal device))                                                           \
    X(context_release, cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, 11000, required, \
      (ordinal device))                                                                          \
    X(context_push, cuCtxPushCurrent, cuCtxPushCurrent_v2, 4000, required, (context pushed))     \
    X(context_pop, cuCtxPopCurrent, cuCtxPopCurrent_v2, 4000, required, (context * popped))      \
    X(context_current, cuCtxGetCurrent, cuCtxGetCurrent, 4000, required, (context * current))    \
    X(enable_peer_access, cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, 4000, required,          \
      (context peer, unsigned flags))                                                            \
    X(priority_range, cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, 5050, required,  \
      (int* least, int* greatest))                                                               \
    X(memory_info, cuMemGetInfo, cuMemGetInfo_v2, 3020, required,                                \
      (std::size_t * free, std::size_t * total))                                                 \
    X(memory_allocate, cuMemAlloc, cuMemAlloc_v2, 3020, required,                                \
      (address * out, std::size_t bytes))                                                        \
    X(memory_allocate_managed, cuMemAllocManaged, cuMemAllocManaged, 6000, optional,             \
      (address * out, std::size_t bytes, unsigned flags))                                        \
    X(memory_free, cuMemFree, cuMemFree_v2, 3020, required, (address memory))                    \
    X(host_allocate, cuMemHostAlloc, cuMemHostAlloc, 2020, required,                             \
      (void** out, std::size_t bytes, unsigned flags))                                           \
    X(host_free, cuMemFreeHost, cuMemFreeHost, 2000, required, (void* memory))                   \
    X(host_register, cuMemHostRegister, cuMemHostRegister_v2, 6050, required,                    \
      (void* memory, std::size_t bytes, unsigned flags))                                         \
    X(host_unregister, cuMemHostUnregister, cuMemHostUnregister, 4000, required, (void* memory)) \
    X(pointer_attributes, cuPointerGetAttributes, cuPointerGetAttributes, 7000, optional,        \
      (unsigned count, pointer_attribute* which, void** values, address pointer))                \
    X(copy_to_device, cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, 3020, required,                   \
      (address to, const void* from, std::size_t bytes, stream on))                              \
    X(copy_to_host, cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, 3020, required,                     \
      (void* to, address from, std::size_t bytes, stream on))                                    \
    X(copy_on_device, cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, 3020, required,                   \
      (address to, address from, std::size_t bytes, stream on))                                  \
    X(copy_peer, cuMemcpyPeerAsync, cuMemcpyPeerAsync, 4000, required,                           \
      (address to, context to_context, address from, context from_context, std::size_t bytes,    \
       stream on))                                                                               \
    X(set_8, cuMemsetD8Async, cuMemsetD8Async, 3020, required,                                   \
      (address to, unsigned char value, std::size_t count, stream on))                           \
    X(set_16, cuMemsetD16Async, cuMemsetD16Async, 3020, required,                                \
      (address to, unsigned short value, std::size_t count, stream on))                          \
    X(set_32, cuMemsetD32Async, cuMemsetD32Async, 3020, required,                                \
      (address to, unsigned value, std::size_t count, stream on))                                \
    X(stream_create, cuStreamCreateWithPriority, cuStreamCreateWithPriority, 5050, required,     \
      (stream * out, unsigned flags, int priority))                                              \
    X(stream_destroy, cuStreamDestroy, cuStreamDestroy_v2, 4000, required, (stream ended))       \
    X(stream_query, cuStreamQuery, cuStreamQuery, 2000, required, (stream asked))                \
    X(stream_synchronize, cuStreamSynchronize, cuStreamSynchronize, 2000, required,              \
      (stream waited))                                                                           \
    X(stream_wait, cuStreamWaitEvent, cuStreamWaitEvent, 3020, required,                         \
      (stream waiting, event awaited, unsigned flags))                                           \
    X(event_create, cuEventCreate, cuEventCreate, 2000, required, (event * out, unsigned flags)) \
    X(event_destroy, cuEventDestroy, cuEventDestroy_v2, 4000, required, (event ended))           \
    X(event_record, cuEventRecord, cuEventRecord, 2000, required, (event recorded, stream on))   \
    X(event_query, cuEventQuery, cuEventQuery, 2000, required, (event asked))                    \
    X(event_synchronize, cuEventSynchronize, cuEventSynchronize, 2000, required, (event waited)) \
    X(event_elapsed, cuEventElapsedTime, cuEventElapsedTime, 2000, required,                     \
      (float* milliseconds, event start, event stop))                                            \
    X(module_load, cuModuleLoadDataEx, cuModuleLoadDataEx, 2010, required,                       \
      (module * out, const void* image, unsigned count, jit_option* options, void** values))     \
    X(module_unload, cuModuleUnload, cuModuleUnload, 2000, required, (module ended))             \
    X(module_function, cuModuleGetFunction, cuModuleGetFunction, 2000, required,                 \
      (function * out, module owner, const char* name))                                          \
    X(function_get_attribute, cuFuncGetAttribute, cuFuncGetAttribute, 2020, required,            \
      (int* value, function_attribute which, function asked))                                    \
    X(function_set_attribute, cuFuncSetAttribute, cuFuncSetAttribute, 9000, required,            \
      (function changed, function_attribute which, int value))                                   \
    X(function_parameter, cuFuncGetParamInfo, cuFuncGetParamInfo, 12040, optional,               \
      (function asked, std::size_t index, std::size_t * offset, std::size_t * bytes))            \
    X(link_create, cuLinkCreate, cuLinkCreate_v2, 6050, optional,                                \
      (unsigned count, jit_option* options, void** values, link_state* out))                     \
    X(link_add, cuLinkAddData, cuLinkAddData_v2, 6050, optional,                                 \
      (link_state state, jit_input type, void* data, std::size_t bytes, const char* name,        \
       unsigned count, jit_option* options, void** values))                                      \
    X(link_complete, cuLinkComplete, cuLinkComplete, 5050, optional,                             \
      (link_state state, void** binary, std::size_t* bytes))                                     \
    X(link_destroy, cuLinkDestroy, cuLinkDestroy, 5050, optional, (link_state state))            \
    X(launch, cuLaunchKernel, cuLaunchKernel, 4000, required,                                    \
      (function launched, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,   \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, stream on, void** parameters,  \
       void** extra))
