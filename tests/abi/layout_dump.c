/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// Prints the layout of the plugin contract: every constant, structure, field and entry of
/// spoc/backend.h and spoc/native.h, one a line. abi/layout-v1.txt is what it printed when the
/// contract was frozen; layout_test.py compares.
///
/// Compiles as C11 and as C++17 or later. A new constant, structure or field needs a line here:
/// layout_test.py reads the headers and names what is missing.
///
/// Types are written out, and the compiler says whether they are still those of the header: an
/// entry with one parameter changed has the size and offset that it had before.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <spoc/backend.h>
#include <spoc/native.h>

#ifdef __cplusplus
#include <type_traits>

#define SAME_TYPE(structure, member, ...) \
    (std::is_same<decltype(structure::member), __VA_ARGS__>::value ? #__VA_ARGS__ : "another type")
#define SAME_TYPEDEF(name, ...) \
    (std::is_same<name, __VA_ARGS__>::value ? #__VA_ARGS__ : "another type")
#define MEMBER_SIZE(structure, member) sizeof(structure::member)
#else
#define SAME_TYPE(structure, member, ...) \
    _Generic(&((structure*)0)->member, __typeof__(__VA_ARGS__)* : #__VA_ARGS__, default : "another type")
#define SAME_TYPEDEF(name, ...) \
    _Generic((name)0, __VA_ARGS__ : #__VA_ARGS__, default : "another type")
#define MEMBER_SIZE(structure, member) sizeof(((structure*)0)->member)
#endif

#define CONSTANT(name) constant(#name, name)
#define HANDLE(name) printf("handle %s %zu\n", #name, sizeof(name))
#define FUNCTION_TYPE(name, ...) printf("function %s %s\n", #name, SAME_TYPEDEF(name, __VA_ARGS__))
#define STRUCT(name) printf("struct %s %zu\n", #name, sizeof(name))
#define FIELD(structure, member, ...)                                           \
    printf("field %s %zu %zu %s %s\n", #structure, offsetof(structure, member), \
           MEMBER_SIZE(structure, member), #member, SAME_TYPE(structure, member, __VA_ARGS__))
#define ENTRY(number, name, required)                                                 \
    printf("entry %d %s %s %zu\n", number, #name, required ? "required" : "optional", \
           offsetof(spoc_be_table, name));
#define MACRO(name) printf("macro %s\n", #name)

static void unsigned_constant(const char* name, const char* type, unsigned long long value) {
    // Masks and all-ones are easier to read in hexadecimal.
    printf(value < 0x10000 ? "constant %s %s %llu\n" : "constant %s %s 0x%llx\n", name, type,
           value);
}

static void int_constant(const char* name, int value) {
    printf("constant %s int %d\n", name, value);
}

static void text_constant(const char* name, const char* value) {
    printf("constant %s text %s\n", name, value);
}

#ifdef __cplusplus
template <typename T>
static void constant(const char* name, T value) {
    if constexpr (std::is_unsigned<T>::value) {
        unsigned_constant(name, sizeof(T) == 4 ? "u32" : "u64", value);
    } else if constexpr (std::is_same<T, int>::value) {
        int_constant(name, value);
    } else {
        text_constant(name, value);
    }
}
#else
static void u32_constant(const char* name, uint32_t value) {
    unsigned_constant(name, "u32", value);
}

static void u64_constant(const char* name, unsigned long long value) {
    unsigned_constant(name, "u64", value);
}

// uint64_t is another type on macOS than on Linux. A type that has no line here does not compile.
// clang-format off
#define constant(name, value)            \
    _Generic((value),                    \
        uint32_t: u32_constant,          \
        unsigned long: u64_constant,     \
        unsigned long long: u64_constant,\
        int: int_constant,               \
        char*: text_constant)(name, value)
// clang-format on
#endif

static void identity(void) {
    CONSTANT(SPOC_BE_ABI_MAJOR);
    CONSTANT(SPOC_BE_ABI_MINOR);
    CONSTANT(SPOC_BE_MAGIC);
    CONSTANT(SPOC_BE_HOST_MAGIC);
    CONSTANT(SPOC_BE_FLAVOUR_ASAN);
    CONSTANT(SPOC_BE_FLAVOUR_TSAN);
    CONSTANT(SPOC_BE_FLAVOUR_DEBUG);
    CONSTANT(SPOC_BE_UNKNOWN_32);
    CONSTANT(SPOC_BE_UNKNOWN_64);
    CONSTANT(SPOC_BE_NUMA_UNKNOWN);
    CONSTANT(SPOC_BE_NO_LIMIT);
    CONSTANT(SPOC_BE_NO_WAIT);
    CONSTANT(SPOC_BE_FOREVER);
    CONSTANT(SPOC_BE_EXT_REQUIRED);
}

static void status_codes(void) {
    CONSTANT(SPOC_BE_OK);
    CONSTANT(SPOC_BE_NOT_READY);
    CONSTANT(SPOC_BE_INVALID);
    CONSTANT(SPOC_BE_UNSUPPORTED);
    CONSTANT(SPOC_BE_OUT_OF_MEMORY);
    CONSTANT(SPOC_BE_HOST_MEMORY);
    CONSTANT(SPOC_BE_TOO_LARGE);
    CONSTANT(SPOC_BE_DEVICE_LOST);
    CONSTANT(SPOC_BE_DRIVER);
    CONSTANT(SPOC_BE_COMPILE);
    CONSTANT(SPOC_BE_NOT_FOUND);
    CONSTANT(SPOC_BE_FORMAT);
    CONSTANT(SPOC_BE_UNAVAILABLE);
    CONSTANT(SPOC_BE_FORKED);
    CONSTANT(SPOC_BE_EXITING);
    CONSTANT(SPOC_BE_INTERNAL);
    CONSTANT(SPOC_BE_LAUNCH);
    CONSTANT(SPOC_BE_BUSY);
    CONSTANT(SPOC_BE_MISALIGNED);
    CONSTANT(SPOC_BE_EXTENSION);
}

static void reasons(void) {
    CONSTANT(SPOC_BE_REASON_NONE);
    CONSTANT(SPOC_BE_REASON_NOT_INSTALLED);
    CONSTANT(SPOC_BE_REASON_DISABLED_BY_USER);
    CONSTANT(SPOC_BE_REASON_DISABLED_BY_ADMIN);
    CONSTANT(SPOC_BE_REASON_FILE_UNREADABLE);
    CONSTANT(SPOC_BE_REASON_SHADOWED);
    CONSTANT(SPOC_BE_REASON_IGNORED_SECURE);
    CONSTANT(SPOC_BE_REASON_UNSAFE_PERMISSIONS);
    CONSTANT(SPOC_BE_REASON_NOT_ELF);
    CONSTANT(SPOC_BE_REASON_WRONG_ARCH);
    CONSTANT(SPOC_BE_REASON_MISSING_DEPENDENCY);
    CONSTANT(SPOC_BE_REASON_UNRESOLVED_SYMBOL);
    CONSTANT(SPOC_BE_REASON_NO_ENTRY);
    CONSTANT(SPOC_BE_REASON_BAD_MAGIC);
    CONSTANT(SPOC_BE_REASON_ABI_TOO_OLD);
    CONSTANT(SPOC_BE_REASON_ABI_TOO_NEW);
    CONSTANT(SPOC_BE_REASON_MISSING_REQUIRED_ENTRY);
    CONSTANT(SPOC_BE_REASON_INCONSISTENT);
    CONSTANT(SPOC_BE_REASON_WRONG_FLAVOUR);
    CONSTANT(SPOC_BE_REASON_DRIVER_NOT_FOUND);
    CONSTANT(SPOC_BE_REASON_DRIVER_STUB);
    CONSTANT(SPOC_BE_REASON_DRIVER_TOO_OLD);
    CONSTANT(SPOC_BE_REASON_DRIVER_MISSING_SYMBOL);
    CONSTANT(SPOC_BE_REASON_KERNEL_MODULE_MISSING);
    CONSTANT(SPOC_BE_REASON_NO_PERMISSION);
    CONSTANT(SPOC_BE_REASON_NO_DEVICE);
    CONSTANT(SPOC_BE_REASON_DEVICE_UNSUPPORTED);
    CONSTANT(SPOC_BE_REASON_DRIVER_INIT_FAILED);
    CONSTANT(SPOC_BE_REASON_PROBE_CRASHED);
    CONSTANT(SPOC_BE_REASON_PROBE_TIMEOUT);
    CONSTANT(SPOC_BE_REASON_PLATFORM_UNSUPPORTED);
    CONSTANT(SPOC_BE_REASON_SIGNATURE_REFUSED);
    CONSTANT(SPOC_BE_REASON_FORKED_CHILD);
    CONSTANT(SPOC_BE_REASON_EXITING);
    CONSTANT(SPOC_BE_REASON_INTERNAL);
}

static void device_constants(void) {
    CONSTANT(SPOC_BE_PROBE_PASSIVE);
    CONSTANT(SPOC_BE_PROBE_ENUMERATE);
    CONSTANT(SPOC_BE_PROBE_WARNING);
    CONSTANT(SPOC_BE_KIND_UNKNOWN);
    CONSTANT(SPOC_BE_KIND_CPU);
    CONSTANT(SPOC_BE_KIND_INTEGRATED);
    CONSTANT(SPOC_BE_KIND_DISCRETE);
    CONSTANT(SPOC_BE_KIND_VIRTUAL);
    CONSTANT(SPOC_BE_KIND_OTHER);
    CONSTANT(SPOC_BE_DEVICE_HAS_UUID);
    CONSTANT(SPOC_BE_DEVICE_HAS_PCI);
    CONSTANT(SPOC_BE_FORMAT_NATIVE_SYMBOL);
    CONSTANT(SPOC_BE_FORMAT_OPENCL_C);
    CONSTANT(SPOC_BE_FORMAT_SPIRV_KERNEL);
    CONSTANT(SPOC_BE_FORMAT_SPIRV_SHADER);
    CONSTANT(SPOC_BE_FORMAT_GLSL);
    CONSTANT(SPOC_BE_FORMAT_CUDA_C);
    CONSTANT(SPOC_BE_FORMAT_PTX);
    CONSTANT(SPOC_BE_FORMAT_CUDA_BINARY);
    CONSTANT(SPOC_BE_FORMAT_HIP_C);
    CONSTANT(SPOC_BE_FORMAT_HIP_BINARY);
    CONSTANT(SPOC_BE_FORMAT_MSL);
    CONSTANT(SPOC_BE_FORMAT_METALLIB);
    CONSTANT(SPOC_BE_FORMAT_WGSL);
    CONSTANT(SPOC_BE_FORMAT_DRIVER_BINARY);
}

static void capabilities(void) {
    CONSTANT(SPOC_BE_CAP_BUFFER_HOST_RANGE);
    CONSTANT(SPOC_BE_CAP_BUFFER_HOST_PTR);
    CONSTANT(SPOC_BE_CAP_BUFFER_UNIFIED);
    CONSTANT(SPOC_BE_CAP_UNIFIED_CONCURRENT);
    CONSTANT(SPOC_BE_CAP_BUFFER_ADDRESS);
    CONSTANT(SPOC_BE_CAP_BUFFER_TRACKED);
    CONSTANT(SPOC_BE_CAP_MEMORY_FREE);
    CONSTANT(SPOC_BE_CAP_SHARED_MEMORY);
    CONSTANT(SPOC_BE_CAP_PINNED);
    CONSTANT(SPOC_BE_CAP_PINNED_PORTABLE);
    CONSTANT(SPOC_BE_CAP_REGISTER);
    CONSTANT(SPOC_BE_CAP_REGISTER_READ_ONLY);
    CONSTANT(SPOC_BE_CAP_REGISTER_HAZARD);
    CONSTANT(SPOC_BE_CAP_HOST_QUERY);
    CONSTANT(SPOC_BE_CAP_COPY_ENQUEUED);
    CONSTANT(SPOC_BE_CAP_COPY_BATCH);
    CONSTANT(SPOC_BE_CAP_COPY_OVERLAP);
    CONSTANT(SPOC_BE_CAP_PEER_COPY);
    CONSTANT(SPOC_BE_CAP_STREAM_BLOCKING);
    CONSTANT(SPOC_BE_CAP_STREAM_CONCURRENT);
    CONSTANT(SPOC_BE_CAP_STREAM_DEFERRED);
    CONSTANT(SPOC_BE_CAP_EVENT_WAIT_DEVICE);
    CONSTANT(SPOC_BE_CAP_EVENT_TIMING);
    CONSTANT(SPOC_BE_CAP_TIMED_WAIT);
    CONSTANT(SPOC_BE_CAP_LAUNCH_ENQUEUED);
    CONSTANT(SPOC_BE_CAP_FREE_BLOCK);
    CONSTANT(SPOC_BE_CAP_SPEC_CONSTANTS);
    CONSTANT(SPOC_BE_CAP_DYNAMIC_SHARED);
    CONSTANT(SPOC_BE_CAP_LOCAL_ARGS);
    CONSTANT(SPOC_BE_CAP_RAW_POINTER_ARGS);
    CONSTANT(SPOC_BE_CAP_ARG_OFFSET);
    CONSTANT(SPOC_BE_CAP_REFLECTION);
    CONSTANT(SPOC_BE_CAP_PROGRAM_BINARY);
    CONSTANT(SPOC_BE_CAP_FP64);
    CONSTANT(SPOC_BE_CAP_FP16);
    CONSTANT(SPOC_BE_CAP_INT64);
    CONSTANT(SPOC_BE_CAP_ATOMICS32);
    CONSTANT(SPOC_BE_CAP_ATOMICS64);
    CONSTANT(SPOC_BE_CAP_SUBGROUPS);
    CONSTANT(SPOC_BE_CAPS_KNOWN_0);
    CONSTANT(SPOC_BE_CAPS_KNOWN_1);
    CONSTANT(SPOC_BE_CAPS_KNOWN_2);
}

static void work_constants(void) {
    CONSTANT(SPOC_BE_BUFFER_DEVICE);
    CONSTANT(SPOC_BE_BUFFER_HOST_RANGE);
    CONSTANT(SPOC_BE_BUFFER_HOST_PTR);
    CONSTANT(SPOC_BE_BUFFER_UNIFIED);
    CONSTANT(SPOC_BE_HOSTMEM_READ_ONLY);
    CONSTANT(SPOC_BE_HOST_PINNED);
    CONSTANT(SPOC_BE_HOST_MANAGED);
    CONSTANT(SPOC_BE_ACCESS_UNKNOWN);
    CONSTANT(SPOC_BE_ACCESS_READ);
    CONSTANT(SPOC_BE_ACCESS_WRITE);
    CONSTANT(SPOC_BE_ACCESS_READ_WRITE);
    CONSTANT(SPOC_BE_ACCESS_FULL);
    CONSTANT(SPOC_BE_HOST_ACQUIRE);
    CONSTANT(SPOC_BE_HOST_PUBLISH);
    CONSTANT(SPOC_BE_HOST_BEGIN_WRITE);
    CONSTANT(SPOC_BE_HOST_END_WRITE);
    CONSTANT(SPOC_BE_COPY_H2D);
    CONSTANT(SPOC_BE_COPY_D2H);
    CONSTANT(SPOC_BE_COPY_D2D);
    CONSTANT(SPOC_BE_COPY_PEER);
    CONSTANT(SPOC_BE_WAIT);
    CONSTANT(SPOC_BE_CONSUME_HOST);
    CONSTANT(SPOC_BE_DONE_NOTHING);
    CONSTANT(SPOC_BE_DONE_HOST);
    CONSTANT(SPOC_BE_DONE_ALL);
    CONSTANT(SPOC_BE_STREAM_NON_BLOCKING);
    CONSTANT(SPOC_BE_STREAM_TIMING);
    CONSTANT(SPOC_BE_EVENT_TIMING);
}

static void program_constants(void) {
    CONSTANT(SPOC_BE_PARAM_UNKNOWN);
    CONSTANT(SPOC_BE_PARAM_BUFFER);
    CONSTANT(SPOC_BE_PARAM_SCALAR);
    CONSTANT(SPOC_BE_PARAM_LOCAL);
    CONSTANT(SPOC_BE_PARAM_OTHER);
    CONSTANT(SPOC_BE_ELEMENT_UNKNOWN);
    CONSTANT(SPOC_BE_ELEMENT_F32);
    CONSTANT(SPOC_BE_ELEMENT_F64);
    CONSTANT(SPOC_BE_ELEMENT_F16);
    CONSTANT(SPOC_BE_ELEMENT_I32);
    CONSTANT(SPOC_BE_ELEMENT_I64);
    CONSTANT(SPOC_BE_ELEMENT_U8);
    CONSTANT(SPOC_BE_ELEMENT_RECORD);
    CONSTANT(SPOC_BE_REFLECTION_NONE);
    CONSTANT(SPOC_BE_REFLECTION_ARITY);
    CONSTANT(SPOC_BE_REFLECTION_SIZES);
    CONSTANT(SPOC_BE_REFLECTION_FULL);
    CONSTANT(SPOC_BE_PEER_COPY);
    CONSTANT(SPOC_BE_PEER_DIRECT);
    CONSTANT(SPOC_BE_PEER_EVENTS);
}

static void process_constants(void) {
    CONSTANT(SPOC_BE_LOG_ERROR);
    CONSTANT(SPOC_BE_LOG_WARN);
    CONSTANT(SPOC_BE_LOG_INFO);
    CONSTANT(SPOC_BE_LOG_DEBUG);
    CONSTANT(SPOC_BE_LOG_TRACE);
    CONSTANT(SPOC_BE_PROCESS_FORK_CHILD);
    CONSTANT(SPOC_BE_PROCESS_RUNNING);
    CONSTANT(SPOC_BE_PROCESS_QUIESCING);
    CONSTANT(SPOC_BE_PROCESS_EXITING);
    CONSTANT(SPOC_BE_QUIESCE_FORK_CHILD);
    CONSTANT(SPOC_BE_QUIESCE_SHUTDOWN);
    CONSTANT(SPOC_BE_QUIESCE_EXIT);
    CONSTANT(SPOC_BE_SYMBOL);
    CONSTANT(SPOC_BE_NOTE_SECTION);
    CONSTANT(SPOC_BE_NOTE_OWNER);
    CONSTANT(SPOC_BE_NOTE_TYPE);
    CONSTANT(SPOC_BE_NOTE_VERSION);
}

static void native_constants(void) {
    CONSTANT(SPOC_NATIVE_KERNEL_MAGIC);
    CONSTANT(SPOC_NATIVE_KERNELS_INTERFACE);
    CONSTANT(SPOC_NATIVE_KERNEL_PREFIX);
}

// Types are printed as they are written here, so that a formatter must not touch them.
// clang-format off

static void handles(void) {
    HANDLE(spoc_be_device);
    HANDLE(spoc_be_buffer);
    HANDLE(spoc_be_hostmem);
    HANDLE(spoc_be_stream);
    HANDLE(spoc_be_event);
    HANDLE(spoc_be_program);
    HANDLE(spoc_be_kernel);
    FUNCTION_TYPE(spoc_native_function, void (*)(const spoc_native_block *, void *const *));
}

static void common_structures(void) {
    STRUCT(spoc_be_header);
    FIELD(spoc_be_header, magic, uint64_t);
    FIELD(spoc_be_header, size, uint32_t);
    FIELD(spoc_be_header, major, uint16_t);
    FIELD(spoc_be_header, minor, uint16_t);
    FIELD(spoc_be_header, flavour, uint32_t);
    FIELD(spoc_be_header, reserved_0, uint32_t);
    FIELD(spoc_be_header, reserved_1, uint64_t);

    STRUCT(spoc_be_ext);
    FIELD(spoc_be_ext, type, uint32_t);
    FIELD(spoc_be_ext, size, uint32_t);
    FIELD(spoc_be_ext, next, const struct spoc_be_ext *);

    STRUCT(spoc_be_error);
    FIELD(spoc_be_error, size, uint32_t);
    FIELD(spoc_be_error, status, int32_t);
    FIELD(spoc_be_error, reason, uint32_t);
    FIELD(spoc_be_error, flags, uint32_t);
    FIELD(spoc_be_error, native_code, int64_t);
    FIELD(spoc_be_error, asked, uint64_t);
    FIELD(spoc_be_error, limit, uint64_t);
    FIELD(spoc_be_error, tag, uint64_t);
    FIELD(spoc_be_error, native_domain, char[24]);
    FIELD(spoc_be_error, origin, char[48]);
    FIELD(spoc_be_error, message, char[392]);

    STRUCT(spoc_be_probe_report);
    FIELD(spoc_be_probe_report, size, uint32_t);
    FIELD(spoc_be_probe_report, level, uint32_t);
    FIELD(spoc_be_probe_report, reason, uint32_t);
    FIELD(spoc_be_probe_report, flags, uint32_t);
    FIELD(spoc_be_probe_report, device_count, uint32_t);
    FIELD(spoc_be_probe_report, skipped_count, uint32_t);
    FIELD(spoc_be_probe_report, elapsed_ns, uint64_t);
    FIELD(spoc_be_probe_report, native_code, int64_t);
    FIELD(spoc_be_probe_report, driver_version, uint32_t[4]);
    FIELD(spoc_be_probe_report, driver_minimum, uint32_t[4]);
    FIELD(spoc_be_probe_report, threads_started, uint32_t);
    FIELD(spoc_be_probe_report, reserved, uint32_t[5]);
    FIELD(spoc_be_probe_report, native_domain, char[24]);
    FIELD(spoc_be_probe_report, driver_name, char[64]);
    FIELD(spoc_be_probe_report, driver_path, char[256]);
    FIELD(spoc_be_probe_report, message, char[400]);
    FIELD(spoc_be_probe_report, hint, char[256]);
    FIELD(spoc_be_probe_report, skipped, char[952]);
}

static void device_structures(void) {
    STRUCT(spoc_be_device_info);
    FIELD(spoc_be_device_info, size, uint32_t);
    FIELD(spoc_be_device_info, index, uint32_t);
    FIELD(spoc_be_device_info, kind, uint32_t);
    FIELD(spoc_be_device_info, flags, uint32_t);
    FIELD(spoc_be_device_info, name, char[256]);
    FIELD(spoc_be_device_info, vendor, char[64]);
    FIELD(spoc_be_device_info, arch, char[64]);
    FIELD(spoc_be_device_info, driver, char[128]);
    FIELD(spoc_be_device_info, framework, char[32]);
    FIELD(spoc_be_device_info, uuid, uint8_t[16]);
    FIELD(spoc_be_device_info, pci, uint32_t[4]);
    FIELD(spoc_be_device_info, vendor_id, uint32_t);
    FIELD(spoc_be_device_info, device_id, uint32_t);
    FIELD(spoc_be_device_info, driver_id, uint32_t);
    FIELD(spoc_be_device_info, numa_node, int32_t);
    FIELD(spoc_be_device_info, compute_major, uint32_t);
    FIELD(spoc_be_device_info, compute_minor, uint32_t);
    FIELD(spoc_be_device_info, caps, uint64_t[4]);
    FIELD(spoc_be_device_info, caps_known, uint64_t[4]);
    FIELD(spoc_be_device_info, formats, uint64_t);
    FIELD(spoc_be_device_info, memory_total, uint64_t);
    FIELD(spoc_be_device_info, max_alloc, uint64_t);
    FIELD(spoc_be_device_info, max_binding, uint64_t);
    FIELD(spoc_be_device_info, max_pinned, uint64_t);
    FIELD(spoc_be_device_info, pageable_max, uint64_t);
    FIELD(spoc_be_device_info, inline_write, uint64_t);
    FIELD(spoc_be_device_info, shared_per_block, uint64_t);
    FIELD(spoc_be_device_info, arg_bytes, uint64_t);
    FIELD(spoc_be_device_info, timer_ns, double);
    FIELD(spoc_be_device_info, arg_buffers, uint32_t);
    FIELD(spoc_be_device_info, max_block_threads, uint32_t);
    FIELD(spoc_be_device_info, max_block, uint32_t[3]);
    FIELD(spoc_be_device_info, max_grid, uint32_t[3]);
    FIELD(spoc_be_device_info, subgroup, uint32_t);
    FIELD(spoc_be_device_info, compute_units, uint32_t);
    FIELD(spoc_be_device_info, clock_khz, uint32_t);
    FIELD(spoc_be_device_info, registers_per_block, uint32_t);
    FIELD(spoc_be_device_info, queues, uint32_t);
    FIELD(spoc_be_device_info, copy_engines, uint32_t);
    FIELD(spoc_be_device_info, host_ptr_align, uint32_t);
    FIELD(spoc_be_device_info, register_align, uint32_t);
    FIELD(spoc_be_device_info, arg_offset_align, uint32_t);
    FIELD(spoc_be_device_info, inline_align, uint32_t);
    FIELD(spoc_be_device_info, copy_align, uint32_t);
    FIELD(spoc_be_device_info, reserved_0, uint32_t);
    FIELD(spoc_be_device_info, reserved, uint64_t[23]);

    STRUCT(spoc_be_memory_info);
    FIELD(spoc_be_memory_info, size, uint32_t);
    FIELD(spoc_be_memory_info, flags, uint32_t);
    FIELD(spoc_be_memory_info, total, uint64_t);
    FIELD(spoc_be_memory_info, free, uint64_t);
    FIELD(spoc_be_memory_info, pinned_budget, uint64_t);

    STRUCT(spoc_be_device_desc);
    FIELD(spoc_be_device_desc, size, uint32_t);
    FIELD(spoc_be_device_desc, flags, uint32_t);
    FIELD(spoc_be_device_desc, ext, const spoc_be_ext *);

    STRUCT(spoc_be_device_result);
    FIELD(spoc_be_device_result, size, uint32_t);
    FIELD(spoc_be_device_result, flags, uint32_t);
    FIELD(spoc_be_device_result, device, spoc_be_device);
    FIELD(spoc_be_device_result, default_stream, spoc_be_stream);
}

static void memory_structures(void) {
    STRUCT(spoc_be_buffer_desc);
    FIELD(spoc_be_buffer_desc, size, uint32_t);
    FIELD(spoc_be_buffer_desc, kind, uint32_t);
    FIELD(spoc_be_buffer_desc, bytes, uint64_t);
    FIELD(spoc_be_buffer_desc, host, void *);
    FIELD(spoc_be_buffer_desc, flags, uint64_t);
    FIELD(spoc_be_buffer_desc, ext, const spoc_be_ext *);
    FIELD(spoc_be_buffer_desc, reserved, uint64_t);

    STRUCT(spoc_be_buffer_result);
    FIELD(spoc_be_buffer_result, size, uint32_t);
    FIELD(spoc_be_buffer_result, flags, uint32_t);
    FIELD(spoc_be_buffer_result, buffer, spoc_be_buffer);
    FIELD(spoc_be_buffer_result, device_address, uint64_t);
    FIELD(spoc_be_buffer_result, host_address, void *);
    FIELD(spoc_be_buffer_result, allocated, uint64_t);

    STRUCT(spoc_be_hostmem_desc);
    FIELD(spoc_be_hostmem_desc, size, uint32_t);
    FIELD(spoc_be_hostmem_desc, flags, uint32_t);
    FIELD(spoc_be_hostmem_desc, bytes, uint64_t);
    FIELD(spoc_be_hostmem_desc, host, void *);
    FIELD(spoc_be_hostmem_desc, ext, const spoc_be_ext *);

    STRUCT(spoc_be_hostmem_result);
    FIELD(spoc_be_hostmem_result, size, uint32_t);
    FIELD(spoc_be_hostmem_result, flags, uint32_t);
    FIELD(spoc_be_hostmem_result, hostmem, spoc_be_hostmem);
    FIELD(spoc_be_hostmem_result, host, void *);
    FIELD(spoc_be_hostmem_result, bytes, uint64_t);
}

static void work_structures(void) {
    STRUCT(spoc_be_range);
    FIELD(spoc_be_range, dst, spoc_be_buffer);
    FIELD(spoc_be_range, dst_offset, uint64_t);
    FIELD(spoc_be_range, src, spoc_be_buffer);
    FIELD(spoc_be_range, src_offset, uint64_t);
    FIELD(spoc_be_range, host, void *);
    FIELD(spoc_be_range, hostmem, spoc_be_hostmem);
    FIELD(spoc_be_range, host_offset, uint64_t);
    FIELD(spoc_be_range, bytes, uint64_t);

    STRUCT(spoc_be_copy);
    FIELD(spoc_be_copy, size, uint32_t);
    FIELD(spoc_be_copy, kind, uint32_t);
    FIELD(spoc_be_copy, flags, uint32_t);
    FIELD(spoc_be_copy, count, uint32_t);
    FIELD(spoc_be_copy, ranges, const spoc_be_range *);
    FIELD(spoc_be_copy, ext, const spoc_be_ext *);

    STRUCT(spoc_be_fill);
    FIELD(spoc_be_fill, size, uint32_t);
    FIELD(spoc_be_fill, flags, uint32_t);
    FIELD(spoc_be_fill, buffer, spoc_be_buffer);
    FIELD(spoc_be_fill, offset, uint64_t);
    FIELD(spoc_be_fill, bytes, uint64_t);
    FIELD(spoc_be_fill, pattern, uint32_t);
    FIELD(spoc_be_fill, pattern_size, uint32_t);
    FIELD(spoc_be_fill, ext, const spoc_be_ext *);

    STRUCT(spoc_be_stream_desc);
    FIELD(spoc_be_stream_desc, size, uint32_t);
    FIELD(spoc_be_stream_desc, flags, uint32_t);
    FIELD(spoc_be_stream_desc, priority, int32_t);
    FIELD(spoc_be_stream_desc, reserved_0, uint32_t);
    FIELD(spoc_be_stream_desc, ext, const spoc_be_ext *);
}

static void program_structures(void) {
    STRUCT(spoc_be_program_desc);
    FIELD(spoc_be_program_desc, size, uint32_t);
    FIELD(spoc_be_program_desc, flags, uint32_t);
    FIELD(spoc_be_program_desc, format, uint64_t);
    FIELD(spoc_be_program_desc, data, const void *);
    FIELD(spoc_be_program_desc, bytes, uint64_t);
    FIELD(spoc_be_program_desc, options, const char *);
    FIELD(spoc_be_program_desc, name, const char *);
    FIELD(spoc_be_program_desc, log, char *);
    FIELD(spoc_be_program_desc, log_capacity, uint64_t);
    FIELD(spoc_be_program_desc, log_length, uint64_t *);
    FIELD(spoc_be_program_desc, ext, const spoc_be_ext *);

    STRUCT(spoc_be_constant);
    FIELD(spoc_be_constant, id, uint32_t);
    FIELD(spoc_be_constant, bytes, uint32_t);
    FIELD(spoc_be_constant, value, uint64_t);

    STRUCT(spoc_be_param);
    FIELD(spoc_be_param, index, uint32_t);
    FIELD(spoc_be_param, kind, uint32_t);
    FIELD(spoc_be_param, access, uint32_t);
    FIELD(spoc_be_param, element, uint32_t);
    FIELD(spoc_be_param, bytes, uint32_t);
    FIELD(spoc_be_param, set, uint32_t);
    FIELD(spoc_be_param, binding, uint32_t);
    FIELD(spoc_be_param, offset, uint32_t);
    FIELD(spoc_be_param, min_bytes, uint64_t);
    FIELD(spoc_be_param, max_bytes, uint64_t);
    FIELD(spoc_be_param, name, char[48]);

    STRUCT(spoc_be_kernel_desc);
    FIELD(spoc_be_kernel_desc, size, uint32_t);
    FIELD(spoc_be_kernel_desc, flags, uint32_t);
    FIELD(spoc_be_kernel_desc, name, const char *);
    FIELD(spoc_be_kernel_desc, constants, const spoc_be_constant *);
    FIELD(spoc_be_kernel_desc, constant_count, uint32_t);
    FIELD(spoc_be_kernel_desc, param_count, uint32_t);
    FIELD(spoc_be_kernel_desc, params, const spoc_be_param *);
    FIELD(spoc_be_kernel_desc, block, uint32_t[3]);
    FIELD(spoc_be_kernel_desc, reserved_0, uint32_t);
    FIELD(spoc_be_kernel_desc, ext, const spoc_be_ext *);

    STRUCT(spoc_be_kernel_info);
    FIELD(spoc_be_kernel_info, size, uint32_t);
    FIELD(spoc_be_kernel_info, reflection, uint32_t);
    FIELD(spoc_be_kernel_info, param_count, uint32_t);
    FIELD(spoc_be_kernel_info, max_block_threads, uint32_t);
    FIELD(spoc_be_kernel_info, preferred_multiple, uint32_t);
    FIELD(spoc_be_kernel_info, fixed_block, uint32_t[3]);
    FIELD(spoc_be_kernel_info, shared_static, uint64_t);
    FIELD(spoc_be_kernel_info, private_bytes, uint64_t);
    FIELD(spoc_be_kernel_info, arg_bytes, uint32_t);
    FIELD(spoc_be_kernel_info, registers, uint32_t);
    FIELD(spoc_be_kernel_info, reserved, uint64_t);
}

static void launch_structures(void) {
    STRUCT(spoc_be_arg);
    FIELD(spoc_be_arg, index, uint32_t);
    FIELD(spoc_be_arg, kind, uint32_t);
    FIELD(spoc_be_arg, access, uint32_t);
    FIELD(spoc_be_arg, reserved_0, uint32_t);
    FIELD(spoc_be_arg, buffer, spoc_be_buffer);
    FIELD(spoc_be_arg, offset, uint64_t);
    FIELD(spoc_be_arg, data, const void *);
    FIELD(spoc_be_arg, bytes, uint64_t);

    STRUCT(spoc_be_launch);
    FIELD(spoc_be_launch, size, uint32_t);
    FIELD(spoc_be_launch, flags, uint32_t);
    FIELD(spoc_be_launch, kernel, spoc_be_kernel);
    FIELD(spoc_be_launch, grid, uint32_t[3]);
    FIELD(spoc_be_launch, block, uint32_t[3]);
    FIELD(spoc_be_launch, shared_bytes, uint32_t);
    FIELD(spoc_be_launch, arg_count, uint32_t);
    FIELD(spoc_be_launch, args, const spoc_be_arg *);
    FIELD(spoc_be_launch, ext, const spoc_be_ext *);
    FIELD(spoc_be_launch, tag, uint64_t);
}

static void host_table(void) {
    STRUCT(spoc_be_host);
    FIELD(spoc_be_host, header, spoc_be_header);
    FIELD(spoc_be_host, ctx, void *);
    FIELD(spoc_be_host, log, void (*)(void *, uint32_t, const char *, uint64_t));
    FIELD(spoc_be_host, mem, void * (*)(void *, void *, uint64_t, uint64_t));
    FIELD(spoc_be_host, config, const char * (*)(void *, const char *));
    FIELD(spoc_be_host, vendor_open, void * (*)(void *, const char *const *, char *, uint64_t, spoc_be_error *));
    FIELD(spoc_be_host, vendor_sym, void * (*)(void *, void *, const char *));
    FIELD(spoc_be_host, vendor_close, void (*)(void *, void *));
    FIELD(spoc_be_host, trace_begin, void (*)(void *, const char *));
    FIELD(spoc_be_host, trace_end, void (*)(void *));
    FIELD(spoc_be_host, process_state, const volatile uint32_t *);
    FIELD(spoc_be_host, reserved, uint64_t[4]);
}

static void plugin_table(void) {
    STRUCT(spoc_be_table);
    FIELD(spoc_be_table, header, spoc_be_header);
    FIELD(spoc_be_table, name, const char *);
    FIELD(spoc_be_table, vendor, const char *);
    FIELD(spoc_be_table, version, const char *);
    FIELD(spoc_be_table, build_id, const char *);
    FIELD(spoc_be_table, reserved, uint64_t[2]);
    FIELD(spoc_be_table, probe, int32_t (*)(const spoc_be_host *, uint32_t, spoc_be_probe_report *, spoc_be_error *));
    FIELD(spoc_be_table, open, int32_t (*)(const spoc_be_host *, const spoc_be_ext *, spoc_be_error *));
    FIELD(spoc_be_table, close, int32_t (*)(spoc_be_error *));
    FIELD(spoc_be_table, quiesce, void (*)(uint32_t));
    FIELD(spoc_be_table, get_interface, int32_t (*)(const char *, uint32_t, const void **, spoc_be_error *));
    FIELD(spoc_be_table, device_count, int32_t (*)(uint32_t *, spoc_be_error *));
    FIELD(spoc_be_table, device_info, int32_t (*)(uint32_t, spoc_be_device_info *, spoc_be_error *));
    FIELD(spoc_be_table, cap_reason, int32_t (*)(uint32_t, uint32_t, spoc_be_error *));
    FIELD(spoc_be_table, device_open, int32_t (*)(uint32_t, const spoc_be_device_desc *, spoc_be_device_result *, spoc_be_error *));
    FIELD(spoc_be_table, device_close, int32_t (*)(spoc_be_device, spoc_be_error *));
    FIELD(spoc_be_table, device_memory, int32_t (*)(spoc_be_device, spoc_be_memory_info *, spoc_be_error *));
    FIELD(spoc_be_table, buffer_create, int32_t (*)(spoc_be_device, const spoc_be_buffer_desc *, spoc_be_buffer_result *, spoc_be_error *));
    FIELD(spoc_be_table, buffer_destroy, int32_t (*)(spoc_be_buffer, spoc_be_error *));
    FIELD(spoc_be_table, buffer_wait, int32_t (*)(spoc_be_buffer, uint32_t, uint64_t, spoc_be_error *));
    FIELD(spoc_be_table, buffer_host_access, int32_t (*)(spoc_be_stream, spoc_be_buffer, uint32_t, uint64_t, uint64_t, spoc_be_error *));
    FIELD(spoc_be_table, pinned_alloc, int32_t (*)(spoc_be_device, const spoc_be_hostmem_desc *, spoc_be_hostmem_result *, spoc_be_error *));
    FIELD(spoc_be_table, pinned_free, int32_t (*)(spoc_be_hostmem, spoc_be_error *));
    FIELD(spoc_be_table, host_register, int32_t (*)(spoc_be_device, const spoc_be_hostmem_desc *, spoc_be_hostmem_result *, spoc_be_error *));
    FIELD(spoc_be_table, host_unregister, int32_t (*)(spoc_be_hostmem, spoc_be_error *));
    FIELD(spoc_be_table, host_query, int32_t (*)(spoc_be_device, const void *, uint64_t, uint32_t *, spoc_be_error *));
    FIELD(spoc_be_table, stream_create, int32_t (*)(spoc_be_device, const spoc_be_stream_desc *, spoc_be_stream *, spoc_be_error *));
    FIELD(spoc_be_table, stream_destroy, int32_t (*)(spoc_be_stream, spoc_be_error *));
    FIELD(spoc_be_table, stream_flush, int32_t (*)(spoc_be_stream, spoc_be_error *));
    FIELD(spoc_be_table, stream_query, int32_t (*)(spoc_be_stream, spoc_be_error *));
    FIELD(spoc_be_table, stream_sync, int32_t (*)(spoc_be_stream, uint64_t, spoc_be_error *));
    FIELD(spoc_be_table, stream_wait, int32_t (*)(spoc_be_stream, spoc_be_event, spoc_be_error *));
    FIELD(spoc_be_table, event_create, int32_t (*)(spoc_be_device, uint32_t, spoc_be_event *, spoc_be_error *));
    FIELD(spoc_be_table, event_destroy, int32_t (*)(spoc_be_event, spoc_be_error *));
    FIELD(spoc_be_table, event_record, int32_t (*)(spoc_be_event, spoc_be_stream, spoc_be_error *));
    FIELD(spoc_be_table, event_query, int32_t (*)(spoc_be_event, spoc_be_error *));
    FIELD(spoc_be_table, event_sync, int32_t (*)(spoc_be_event, uint64_t, spoc_be_error *));
    FIELD(spoc_be_table, event_elapsed, int32_t (*)(spoc_be_event, spoc_be_event, double *, spoc_be_error *));
    FIELD(spoc_be_table, copy, int32_t (*)(spoc_be_stream, const spoc_be_copy *, uint32_t *, spoc_be_error *));
    FIELD(spoc_be_table, fill, int32_t (*)(spoc_be_stream, const spoc_be_fill *, uint32_t *, spoc_be_error *));
    FIELD(spoc_be_table, peer_query, int32_t (*)(spoc_be_device, spoc_be_device, uint32_t *, spoc_be_error *));
    FIELD(spoc_be_table, program_load, int32_t (*)(spoc_be_device, const spoc_be_program_desc *, spoc_be_program *, spoc_be_error *));
    FIELD(spoc_be_table, program_destroy, int32_t (*)(spoc_be_program, spoc_be_error *));
    FIELD(spoc_be_table, program_binary, int32_t (*)(spoc_be_program, void *, uint64_t, uint64_t *, spoc_be_error *));
    FIELD(spoc_be_table, kernel_get, int32_t (*)(spoc_be_program, const spoc_be_kernel_desc *, spoc_be_kernel *, spoc_be_error *));
    FIELD(spoc_be_table, kernel_info, int32_t (*)(spoc_be_kernel, spoc_be_kernel_info *, spoc_be_error *));
    FIELD(spoc_be_table, kernel_params, int32_t (*)(spoc_be_kernel, spoc_be_param *, uint32_t, uint32_t *, spoc_be_error *));
    FIELD(spoc_be_table, kernel_destroy, int32_t (*)(spoc_be_kernel, spoc_be_error *));
    FIELD(spoc_be_table, launch, int32_t (*)(spoc_be_stream, const spoc_be_launch *, uint32_t *, spoc_be_error *));
}

static void note_structures(void) {
    STRUCT(spoc_be_note);
    FIELD(spoc_be_note, note_version, uint32_t);
    FIELD(spoc_be_note, major, uint16_t);
    FIELD(spoc_be_note, minor, uint16_t);
    FIELD(spoc_be_note, flavour, uint32_t);
    FIELD(spoc_be_note, name, char[16]);
    FIELD(spoc_be_note, version, char[16]);

    STRUCT(spoc_be_note_section);
    FIELD(spoc_be_note_section, owner_size, uint32_t);
    FIELD(spoc_be_note_section, payload_size, uint32_t);
    FIELD(spoc_be_note_section, type, uint32_t);
    FIELD(spoc_be_note_section, owner, char[8]);
    FIELD(spoc_be_note_section, payload, spoc_be_note);
}

static void native_structures(void) {
    STRUCT(spoc_native_block);
    FIELD(spoc_native_block, size, uint32_t);
    FIELD(spoc_native_block, grid, uint32_t[3]);
    FIELD(spoc_native_block, block, uint32_t[3]);
    FIELD(spoc_native_block, index, uint32_t[3]);
    FIELD(spoc_native_block, shared_bytes, uint32_t);
    FIELD(spoc_native_block, reserved, uint32_t);
    FIELD(spoc_native_block, shared, void *);

    STRUCT(spoc_native_kernel);
    FIELD(spoc_native_kernel, magic, uint64_t);
    FIELD(spoc_native_kernel, size, uint32_t);
    FIELD(spoc_native_kernel, param_count, uint32_t);
    FIELD(spoc_native_kernel, params, const spoc_be_param *);
    FIELD(spoc_native_kernel, run, spoc_native_function);

    STRUCT(spoc_native_kernels);
    FIELD(spoc_native_kernels, size, uint32_t);
    FIELD(spoc_native_kernels, reserved, uint32_t);
    FIELD(spoc_native_kernels, add, int32_t (*)(const char *, const spoc_native_kernel *, spoc_be_error *));
}
// clang-format on

static void entries(void) { SPOC_BE_ENTRY_LIST(ENTRY) }

// Macros that are not one value everywhere, and those with parameters. What can be said of an
// expansion is said.
static void macros(void) {
    const spoc_be_header header = SPOC_BE_TABLE_HEADER;
    printf("macro SPOC_BE_TABLE_HEADER 0x%llx %u %u %u\n", (unsigned long long)header.magic,
           header.size, header.major, header.minor);
    MACRO(SPOC_BE_EXTERN_C);
    MACRO(SPOC_BE_EXPORT);
    MACRO(SPOC_BE_BUILD_ASAN);
    MACRO(SPOC_BE_BUILD_TSAN);
    MACRO(SPOC_BE_BUILD_DEBUG);
    MACRO(SPOC_BE_BUILD_FLAVOUR);
    MACRO(SPOC_BE_ENTRY_LIST);
    MACRO(SPOC_BE_EMIT_NOTE);
    MACRO(SPOC_BE_PLUGIN);
    MACRO(SPOC_HOST_HAS);
    MACRO(SPOC_NATIVE_KERNEL);
}

int main(void) {
    identity();
    status_codes();
    reasons();
    device_constants();
    capabilities();
    work_constants();
    program_constants();
    process_constants();
    native_constants();
    handles();
    common_structures();
    device_structures();
    memory_structures();
    work_structures();
    program_structures();
    launch_structures();
    host_table();
    plugin_table();
    entries();
    note_structures();
    native_structures();
    macros();
    return 0;
}
