// SPDX-License-Identifier: Apache-2.0
//
// The driver, devices, contexts, memory, programs, and the way to all functions.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "call.hpp"
#include "cuda_double.h"
#include "module.hpp"

using namespace cuda_double;
using spoc::driver::address;

namespace cuda_double {

std::vector<CUctx_st*>& context_stack() noexcept {
    static thread_local std::vector<CUctx_st*> stack;
    return stack;
}

}  // namespace cuda_double

namespace {

struct known_code {
    result code;
    const char* name;
    const char* text;
};
constexpr known_code known_codes[] = {
    {api::success, "CUDA_SUCCESS", "no error"},
    {api::invalid_value, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {api::out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {api::not_initialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {api::stub_library, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {api::no_device, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {api::invalid_device, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {api::invalid_image, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {invalid_context, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {api::no_binary_for_gpu, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {api::invalid_ptx, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {api::invalid_handle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {api::not_found, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {api::not_ready, "CUDA_ERROR_NOT_READY", "device not ready"},
    {api::illegal_address, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {api::peer_access_already_enabled, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
     "peer access is already enabled"},
    {api::host_memory_already_registered, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {api::host_memory_not_registered, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {api::launch_failed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {api::not_supported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {api::system_driver_mismatch, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const known_code* find_code(result code) {
    const auto* found = std::find_if(std::begin(known_codes), std::end(known_codes),
                                     [code](const known_code& one) { return one.code == code; });
    return found == std::end(known_codes) ? nullptr : found;
}

/// As an H200 answers, where it matters.
int figure_of(api::attribute which, int ordinal) {
    switch (which) {
        case api::max_threads_per_block:
        case api::max_block_dim_x:
        case api::max_block_dim_y:
            return 1024;
        case api::max_block_dim_z:
            return 64;
        case api::max_grid_dim_x:
            return 0x7FFFFFFF;
        case api::max_grid_dim_y:
        case api::max_grid_dim_z:
            return 65535;
        case api::max_shared_per_block:
            return 48 * 1024;
        case api::max_shared_per_block_optin:
            return 227 * 1024;
        case api::warp_size:
            return 32;
        case api::max_registers_per_block:
            return 65536;
        case api::clock_rate:
            return 1980000;
        case api::multiprocessor_count:
            return 132;
        case api::async_engine_count:
            return 3;
        case api::compute_capability_major:
            return 9;
        case api::pci_bus:
            return 0x10 + machine::the().card(ordinal);
        case api::concurrent_kernels:
        case api::managed_memory:
        case api::concurrent_managed_access:
        case api::host_register_supported:
        case api::read_only_host_register_supported:
            return 1;
        default:
            return 0;
    }
}

}  // namespace

extern "C" {

result cuInit(unsigned /*flags*/) {
    if (const result planned = machine::the().count(function_number::init);
        planned != api::success) {
        return planned;
    }
    return machine::the().init();
}

result cuDriverGetVersion(int* version) {
    static_cast<void>(machine::the().count(function_number::driver_version));
    *version = machine::the().version();
    return api::success;
}

result cuGetErrorName(result code, const char** name) {
    const known_code* found = find_code(code);
    *name = found == nullptr ? nullptr : found->name;
    return found == nullptr ? api::invalid_value : api::success;
}

result cuGetErrorString(result code, const char** text) {
    const known_code* found = find_code(code);
    *text = found == nullptr ? nullptr : found->text;
    return found == nullptr ? api::invalid_value : api::success;
}

result cuDeviceGetCount(int* count) {
    SPOC_BEGIN(device_count);
    *count = machine::the().device_count();
    return api::success;
}

result cuDeviceGet(api::ordinal* device, int index) {
    SPOC_BEGIN(device_get);
    if (index < 0 || index >= machine::the().device_count()) {
        return api::invalid_device;
    }
    *device = index;
    return api::success;
}

result cuDeviceGetName(char* name, int length, api::ordinal /*device*/) {
    SPOC_BEGIN(device_name);
    static_cast<void>(std::snprintf(name, static_cast<std::size_t>(length), "Invented card"));
    return api::success;
}

result cuDeviceGetUuid_v2(api::uuid* out, api::ordinal device) {
    SPOC_BEGIN(device_uuid);
    std::memset(out->bytes, machine::the().card(device) + 1, sizeof out->bytes);
    return api::success;
}

result cuDeviceTotalMem_v2(std::size_t* bytes, api::ordinal /*device*/) {
    SPOC_BEGIN(device_total_memory);
    *bytes = machine::the().memory_total();
    return api::success;
}

result cuDeviceGetAttribute(int* value, api::attribute which, api::ordinal device) {
    SPOC_BEGIN(device_attribute);
    *value = figure_of(which, device);
    return api::success;
}

result cuDeviceCanAccessPeer(int* can, api::ordinal device, api::ordinal peer) {
    SPOC_BEGIN(can_access_peer);
    *can = device != peer ? 1 : 0;
    return api::success;
}

result cuDevicePrimaryCtxRetain(CUctx_st** out, api::ordinal device) {
    SPOC_BEGIN(context_retain);
    CUctx_st& context = machine::the().context(device);
    const std::lock_guard lock(machine::the().mutex());
    ++context.retained;
    *out = &context;
    return api::success;
}

result cuDevicePrimaryCtxRelease_v2(api::ordinal device) {
    SPOC_BEGIN(context_release);
    CUctx_st& context = machine::the().context(device);
    const std::lock_guard lock(machine::the().mutex());
    if (context.retained == 0) {
        return invalid_context;
    }
    --context.retained;
    return api::success;
}

result cuCtxPushCurrent_v2(CUctx_st* pushed) {
    SPOC_BEGIN(context_push);
    context_stack().push_back(pushed);
    return api::success;
}

result cuCtxPopCurrent_v2(CUctx_st** popped) {
    SPOC_BEGIN(context_pop);
    if (context_stack().empty()) {
        return invalid_context;
    }
    *popped = context_stack().back();
    context_stack().pop_back();
    return api::success;
}

result cuCtxGetCurrent(CUctx_st** current) {
    SPOC_BEGIN(context_current);
    *current = current_context();
    return api::success;
}

result cuCtxEnablePeerAccess(CUctx_st* peer, unsigned /*flags*/) {
    SPOC_ENTER(enable_peer_access);
    const std::lock_guard lock(machine::the().mutex());
    return context->peers.insert(peer->device).second ? api::success
                                                      : api::peer_access_already_enabled;
}

result cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    SPOC_ENTER(priority_range);
    *least = 0;
    *greatest = -5;
    return api::success;
}

result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    SPOC_ENTER(memory_info);
    *free = machine::the().memory_free(context->device);
    *total = machine::the().memory_total();
    return api::success;
}

result cuMemAlloc_v2(address* out, std::size_t bytes) {
    SPOC_ENTER(memory_allocate);
    return machine::the().allocate(*context, allocation::kind::device, bytes, *out);
}

result cuMemAllocManaged(address* out, std::size_t bytes, unsigned /*flags*/) {
    SPOC_ENTER(memory_allocate_managed);
    return machine::the().allocate(*context, allocation::kind::managed, bytes, *out);
}

result cuMemFree_v2(address memory) {
    SPOC_ENTER(memory_free);
    // The driver waits for the device's work before it frees.
    std::vector<mark_pointer> points = {engine::the().newest(*context->legacy)};
    {
        const std::lock_guard lock(machine::the().mutex());
        for (const CUstream_st* one : context->streams) {
            points.push_back(engine::the().newest(*one->work));
        }
    }
    for (const mark_pointer& point : points) {
        engine::the().wait(point);
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the double's device addresses are the host's
    return machine::the().free(allocation::kind::device, reinterpret_cast<void*>(memory));
}

result cuMemHostAlloc(void** out, std::size_t bytes, unsigned /*flags*/) {
    SPOC_ENTER(host_allocate);
    return machine::the().allocate_host(bytes, *out);
}

result cuMemFreeHost(void* memory) {
    SPOC_ENTER(host_free);
    return machine::the().free(allocation::kind::host, memory);
}

result cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned flags) {
    SPOC_ENTER(host_register);
    return machine::the().register_host(memory, bytes, flags);
}

result cuMemHostUnregister(void* memory) {
    SPOC_ENTER(host_unregister);
    return machine::the().unregister_host(memory);
}

result cuPointerGetAttributes(unsigned count, api::pointer_attribute* which, void** values,
                              address pointer) {
    SPOC_ENTER(pointer_attributes);
    address begin = 0;
    const allocation* found = machine::the().find(pointer, 1, begin);
    const bool is_host = found != nullptr && (found->what == allocation::kind::host ||
                                              found->what == allocation::kind::registered);
    const bool is_managed = found != nullptr && found->what == allocation::kind::managed;
    constexpr unsigned device_type = 2;
    for (unsigned i = 0; i < count; ++i) {
        if (which[i] == api::memory_type) {
            *static_cast<unsigned*>(values[i]) =
                is_host ? api::memory_type_host : (found != nullptr ? device_type : 0);
        } else if (which[i] == api::is_managed) {
            *static_cast<unsigned*>(values[i]) = is_managed ? 1 : 0;
        } else if (which[i] == api::range_start) {
            *static_cast<address*>(values[i]) = begin;
        } else if (which[i] == api::range_size) {
            *static_cast<std::size_t*>(values[i]) = found == nullptr ? 0 : found->bytes;
        }
    }
    return api::success;
}

result cuModuleLoadDataEx(CUmod_st** out, const void* image, unsigned count,
                          api::jit_option* options, void** values) {
    SPOC_ENTER(module_load);
    std::unique_ptr<CUmod_st> made;
    std::string log;
    const result loaded = load_module(*context, static_cast<const char*>(image), made, log);
    wanted_log(count, options, values).write(log);
    if (loaded == api::success) {
        machine::the().object_made();
        *out = made.release();
    }
    return loaded;
}

result cuModuleUnload(CUmod_st* ended) {
    SPOC_ENTER(module_unload);
    machine::the().object_ended();
    delete ended;
    return api::success;
}

result cuModuleGetFunction(CUfunc_st** out, CUmod_st* owner, const char* name) {
    SPOC_ENTER(module_function);
    if (name[0] == '\0') {
        return api::invalid_value;
    }
    const auto found = owner->functions.find(name);
    if (found == owner->functions.end()) {
        return api::not_found;
    }
    *out = found->second.get();
    return api::success;
}

result cuFuncGetAttribute(int* value, api::function_attribute which, CUfunc_st* asked) {
    SPOC_ENTER(function_get_attribute);
    *value = which == api::function_max_threads          ? 1024
             : which == api::function_registers          ? 16
             : which == api::function_max_dynamic_shared ? asked->shared_allowed.load()
                                                         : 0;
    return api::success;
}

result cuFuncSetAttribute(CUfunc_st* changed, api::function_attribute which, int value) {
    SPOC_ENTER(function_set_attribute);
    if (which != api::function_max_dynamic_shared || value > 227 * 1024) {
        return api::invalid_value;
    }
    changed->shared_allowed.store(value);
    return api::success;
}

result cuFuncGetParamInfo(CUfunc_st* asked, std::size_t index, std::size_t* offset,
                          std::size_t* bytes) {
    SPOC_ENTER(function_parameter);
    if (index >= asked->parameters.size()) {
        return api::invalid_value;
    }
    std::size_t at = 0;
    for (std::size_t i = 0; i <= index; ++i) {
        at = (at + asked->parameters[i] - 1) / asked->parameters[i] * asked->parameters[i];
        *offset = at;
        at += asked->parameters[i];
    }
    *bytes = asked->parameters[index];
    return api::success;
}

result cuLinkCreate_v2(unsigned count, api::jit_option* options, void** values,
                       CUlinkState_st** out) {
    SPOC_ENTER(link_create);
    *out = new CUlinkState_st{"", wanted_log(count, options, values)};
    return api::success;
}

result cuLinkAddData_v2(CUlinkState_st* state, api::jit_input /*type*/, void* data,
                        std::size_t bytes, const char* /*name*/, unsigned /*count*/,
                        api::jit_option* /*options*/, void** /*values*/) {
    SPOC_ENTER(link_add);
    const std::string_view text(static_cast<const char*>(data), bytes == 0 ? 0 : bytes - 1);
    std::string log;
    const result made = to_binary(text, state->binary, log);
    if (made != api::success) {
        state->log.write(log);
    }
    return made;
}

result cuLinkComplete(CUlinkState_st* state, void** binary, std::size_t* bytes) {
    SPOC_ENTER(link_complete);
    *binary = state->binary.data();
    *bytes = state->binary.size();
    return api::success;
}

result cuLinkDestroy(CUlinkState_st* state) {
    SPOC_ENTER(link_destroy);
    delete state;
    return api::success;
}

}  // extern "C"

#define SPOC_DOUBLE_DECLARE(member, name, library_name, version, need, parameters) \
    namespace spoc::driver {                                                       \
    extern "C" result library_name parameters;                                     \
    }
SPOC_CUDA_SYMBOLS(SPOC_DOUBLE_DECLARE)
#undef SPOC_DOUBLE_DECLARE

extern "C" {

/// The driver's own resolver: a function is there from the version on in which it got these
/// parameters.
__attribute__((visibility("default"))) result cuGetProcAddress_v2(const char* symbol, void** out,
                                                                  int asked_version,
                                                                  std::uint64_t /*flags*/,
                                                                  int* /*status*/) {
    *out = nullptr;
    if (machine::the().lacks(symbol)) {
        return api::not_found;
    }
#define SPOC_DOUBLE_FIND(member, name, library_name, since, need, parameters) \
    if (std::strcmp(symbol, #name) == 0 && asked_version >= (since) &&        \
        machine::the().version() >= (since)) {                                \
        *out = reinterpret_cast<void*>(&spoc::driver::library_name);          \
    }
    SPOC_CUDA_SYMBOLS(SPOC_DOUBLE_FIND)
#undef SPOC_DOUBLE_FIND
    return *out == nullptr ? api::not_found : api::success;
}

extern __attribute__((visibility("default"))) const cuda_double_control cuda_double_v1;
// NOLINTNEXTLINE(cert-err58-cpp): nothing here runs
const cuda_double_control cuda_double_v1 = {
    .hold = [](int on) { engine::the().hold(on != 0); },
    .release = [](std::uint64_t count) { return engine::the().release(count); },
    .pending = [] { return engine::the().pending(); },
    .fail = [](const char* function, std::uint64_t nth,
               std::int32_t code) { machine::the().fail(function, nth, code); },
    .calls = [](const char* function) { return machine::the().calls(function); },
    .all_calls = [] { return machine::the().all_calls(); },
    .alive = [] { return machine::the().alive(); },
    .poison = [](int device, std::int32_t code) { machine::the().context(device).sticky = code; },
};

}  // extern "C"
