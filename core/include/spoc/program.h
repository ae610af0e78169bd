/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_PROGRAM_H
#define SPOC_PROGRAM_H

/// \file
/// Programs in a device's own language, and the kernels in them; spoc/launch.h runs them.
///
/// A program is loaded on one device, in a format that the device takes
/// (`spoc_be_device_info.formats`). A kernel is got out of it by name. What the library knows of a
/// kernel's parameters, by reflection or because the caller declared them, is read once, when the
/// kernel is made, and every launch is checked against it.
///
/// **Compiled once.** A source that was loaded before on the same device, with the same options and
/// name, is not compiled again while a program made from it is alive. Where the device gives its
/// binaries away (`program_binary`) they are also kept in files, under the directory that
/// docs/environment.md names, and found there by later processes; the whole source is compared, and
/// a file that is damaged or not this user's counts as none. What a source includes is not looked
/// at: load such a source with `SPOC_PROGRAM_NO_CACHE`, or say in its name or options what changed.
///
/// **Ends.** Programs and kernels end in any order and never block: a kernel may outlive its
/// program, and launches that are pending keep what they need.
///
/// Any thread. Errors of all functions: `SPOC_INVALID_ARGUMENT` (`NULL`);
/// `SPOC_UNAVAILABLE`.

#include <stdint.h>

#include <spoc/backend.h>
#include <spoc/device.h>
#include <spoc/error.h>
#include <spoc/export.h>
#include <spoc/native.h>

SPOC_BEGIN_DECLS

typedef struct spoc_program_s* spoc_program;
typedef struct spoc_kernel_s* spoc_kernel;

/// Formats of programs: bit numbers of `spoc_be_device_info.formats`.
#define SPOC_FORMAT_NATIVE_SYMBOL UINT32_C(0)   ///< path of a shared object, or nothing (native.h)
#define SPOC_FORMAT_OPENCL_C UINT32_C(1)        ///< source text
#define SPOC_FORMAT_SPIRV_KERNEL UINT32_C(2)    ///< SPIR-V with the Kernel capability (OpenCL)
#define SPOC_FORMAT_SPIRV_SHADER UINT32_C(3)    ///< SPIR-V with the Shader capability (Vulkan)
#define SPOC_FORMAT_GLSL UINT32_C(4)            ///< source text, whose kernel is called `main`
#define SPOC_FORMAT_CUDA_C UINT32_C(5)          ///< source text
#define SPOC_FORMAT_PTX UINT32_C(6)             ///< text
#define SPOC_FORMAT_CUDA_BINARY UINT32_C(7)     ///< cubin or fatbin
#define SPOC_FORMAT_HIP_C UINT32_C(8)           ///< source text
#define SPOC_FORMAT_HIP_BINARY UINT32_C(9)      ///< code object
#define SPOC_FORMAT_MSL UINT32_C(10)            ///< Metal source text
#define SPOC_FORMAT_METALLIB UINT32_C(11)       ///< Metal library
#define SPOC_FORMAT_WGSL UINT32_C(12)           ///< source text
#define SPOC_FORMAT_DRIVER_BINARY UINT32_C(13)  ///< what the device's driver made of a program

/// `spoc_parameter.kind`.
#define SPOC_PARAMETER_UNKNOWN UINT32_C(0)
#define SPOC_PARAMETER_BUFFER UINT32_C(1)
#define SPOC_PARAMETER_SCALAR UINT32_C(2)
#define SPOC_PARAMETER_LOCAL UINT32_C(3)  ///< memory of a block, of a size given at the launch
#define SPOC_PARAMETER_OTHER UINT32_C(4)  ///< images, samplers: cannot be passed

/// What a kernel does to a buffer (`spoc_parameter.access`, `spoc_argument.access`).
#define SPOC_ACCESS_UNKNOWN UINT32_C(0)
#define SPOC_ACCESS_IN UINT32_C(1)        ///< reads
#define SPOC_ACCESS_OUT UINT32_C(2)       ///< writes, not necessarily everything
#define SPOC_ACCESS_INOUT UINT32_C(3)     ///< reads and writes
#define SPOC_ACCESS_OUT_FULL UINT32_C(6)  ///< writes every byte that it is shown (arguments only)

/// `spoc_parameter.element` and `spoc_argument.element`. Integers of either sign; a vector type is
/// its scalar with the bytes of the whole; any other type is a RECORD.
#define SPOC_ELEMENT_UNKNOWN UINT32_C(0)
#define SPOC_ELEMENT_F32 UINT32_C(1)
#define SPOC_ELEMENT_F64 UINT32_C(2)
#define SPOC_ELEMENT_F16 UINT32_C(3)
#define SPOC_ELEMENT_I32 UINT32_C(4)
#define SPOC_ELEMENT_I64 UINT32_C(5)
#define SPOC_ELEMENT_U8 UINT32_C(6)
#define SPOC_ELEMENT_RECORD UINT32_C(7)

/// A parameter of a kernel. A caller that declares one fills `index`, `kind`, and what else it
/// knows; what it does not know stays 0.
typedef spoc_be_param spoc_parameter;
/// A value fixed when a kernel is made.
typedef spoc_be_constant spoc_constant;

/* ---- Programs ---- */

/// `spoc_program_options.flags`: this program is compiled now, shared with no other, and not kept
/// in a file.
#define SPOC_PROGRAM_NO_CACHE UINT32_C(1)

/// How to load a program.
typedef struct spoc_program_options {
    uint32_t size;          ///< `sizeof(spoc_program_options)`, set by the caller
    uint32_t flags;         ///< `SPOC_PROGRAM_*`
    const char* options;    ///< compiler options, or null
    const char* name;       ///< for messages, or null
    char* log;              ///< where the compiler's words go, or null; with their NUL, cut to fit
    uint64_t log_capacity;  ///< bytes at `log`
    uint64_t* out_log_length;  ///< bytes of the whole log without NUL, also of one that was cut;
                               ///< may be null
} spoc_program_options;

/// Loads a program of format `format` (`SPOC_FORMAT_*`) from `bytes` bytes at `data`, which are
/// read before it returns, opening the device first when needed. May take long: compilers run here.
/// `options` may be null. The log is written on success and on failure; it is empty when nothing
/// had to be compiled. The caller ends the handle with `spoc_program_destroy`. Errors besides:
/// `SPOC_INVALID_ARGUMENT` (`VALUE`: no such format or flag, or the options' size is not set;
/// `LENGTH`: no data, in a format that needs some); `SPOC_FEATURE_NOT_SUPPORTED` (the backend has
/// no programs); `SPOC_UNAVAILABLE` (`SOURCE_LANG`: not a format of this device);
/// `SPOC_BACKEND_ERROR` (`COMPILE_FAILED`, with the beginning of the log in the message;
/// `MODULE_LOAD_FAILED`, `OOM`).
SPOC_API spoc_status spoc_program_load(spoc_device device, uint32_t format, const void* data,
                                       uint64_t bytes, const spoc_program_options* options,
                                       spoc_program* out_program, spoc_error* error) SPOC_NOEXCEPT;

/// Gives the handle back; null is nothing.
SPOC_API void spoc_program_destroy(spoc_program program) SPOC_NOEXCEPT;

/// Offers a kernel that is a C function (spoc/native.h) to programs of format NATIVE_SYMBOL that
/// are loaded from no data, on the backend of `device`, from now on. `name` and `kernel` stay the
/// caller's and live as long as the process. The same description again does nothing. Errors
/// besides: `SPOC_INVALID_ARGUMENT` (`NAME`: empty; `VALUE`: the description is malformed;
/// `DUPLICATE`: another kernel has the name); `SPOC_FEATURE_NOT_SUPPORTED` (the backend runs no
/// such kernels).
SPOC_API spoc_status spoc_native_kernel_add(spoc_device device, const char* name,
                                            const spoc_native_kernel* kernel,
                                            spoc_error* error) SPOC_NOEXCEPT;

/* ---- Kernels ---- */

/// How to make a kernel.
typedef struct spoc_kernel_options {
    uint32_t size;             ///< `sizeof(spoc_kernel_options)`, set by the caller
    uint32_t flags;            ///< 0
    uint32_t parameter_count;  ///< 0: nothing declared
    uint32_t constant_count;
    const spoc_parameter* parameters;  ///< declared, from index 0 on without a gap; they count
                                       ///< where reflection is silent. Null for none
    const spoc_constant* constants;    ///< or null
    const uint32_t* needs;  ///< capabilities that the kernel needs (`SPOC_BE_CAP_*`), or null
    uint32_t need_count;
    uint32_t block[3];  ///< the block that it will be launched with; 0 each: not said
} spoc_kernel_options;

/// Gets kernel `name` out of a program. `options` may be null. May compile. A kernel with a 64-bit
/// parameter (F64, I64) or an F16 scalar needs the device's capability of that name, beside those
/// that `options->needs` lists; a device that does not answer "yes" does not have it. The caller
/// ends the handle with `spoc_kernel_destroy`. Errors besides: `SPOC_INVALID_ARGUMENT` (`NAME`:
/// empty; `VALUE`: a flag, capability, parameter kind or constant's size that does not exist, a
/// block with some extents 0, or the options' size is not set; `ARITY`: declared indices are not 0,
/// 1, 2 and so on); `SPOC_FEATURE_NOT_SUPPORTED`; `SPOC_BACKEND_ERROR` (`MODULE_LOAD_FAILED`: no
/// kernel of that name; `COMPILE_FAILED`).
SPOC_API spoc_status spoc_kernel_get(spoc_program program, const char* name,
                                     const spoc_kernel_options* options, spoc_kernel* out_kernel,
                                     spoc_error* error) SPOC_NOEXCEPT;

/// Gives the handle back; null is nothing. Launches that are pending go on.
SPOC_API void spoc_kernel_destroy(spoc_kernel kernel) SPOC_NOEXCEPT;

/// What a kernel needs and may use; a figure that is not known is all-ones.
typedef struct spoc_kernel_info {
    uint32_t size;                ///< `sizeof(spoc_kernel_info)`, set by the caller
    uint32_t parameter_count;     ///< by reflection or declared; all-ones: neither
    spoc_device device;           ///< where it runs
    uint32_t max_block_threads;   ///< threads of a block
    uint32_t preferred_multiple;  ///< a good multiple for them
    uint32_t fixed_block[3];      ///< 0 each: any block; else the only one it can be launched with
    uint32_t argument_bytes;      ///< of its scalars
    uint64_t shared_static;       ///< bytes of shared memory that the kernel itself declares
    uint64_t private_bytes;       ///< bytes of private (spill) memory a thread
    uint32_t registers;           ///< a thread
    uint32_t reserved;            ///< 0
} spoc_kernel_info;

/// What the kernel is. Works after shutdown too. Errors besides: `SPOC_INVALID_ARGUMENT` (`VALUE`).
SPOC_API spoc_status spoc_kernel_describe(spoc_kernel kernel, spoc_kernel_info* out_info,
                                          spoc_error* error) SPOC_NOEXCEPT;

/// Writes at most `capacity` of the kernel's parameters in the order of their indices, and their
/// whole number to `*out_count`: 0 also where nothing is known. Works after shutdown too.
SPOC_API spoc_status spoc_kernel_parameters(spoc_kernel kernel, spoc_parameter* out_parameters,
                                            uint32_t capacity, uint32_t* out_count,
                                            spoc_error* error) SPOC_NOEXCEPT;

SPOC_END_DECLS

#endif /* SPOC_PROGRAM_H */
