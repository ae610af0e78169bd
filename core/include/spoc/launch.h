/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_LAUNCH_H
#define SPOC_LAUNCH_H

/// \file
/// Launches: kernels (spoc/program.h) run on vectors, buffers and scalars.
///
/// **Order.** A launch is enqueued, on the stream that it is given or on the device's default
/// stream, and handed to the driver before the call returns. Without a stream it waits first for
/// every other stream whose enqueued work uses one of its vectors. With one it waits for nothing:
/// order it with events.
///
/// **Vectors** are brought up to date on the device first where they are not, by the implicit path
/// of `spoc_vector_to_device`, also when a stream is given. Afterwards the device's copy of those
/// that the kernel writes is the newest; docs/vectors.md has the table. What is only read stays as
/// it was: an `IN` argument causes no copy back later. An `OUT_FULL` vector is not brought over,
/// since the kernel writes it all.
///
/// **What is kept.** With a stream: kernel, buffers and vectors' memory, until the work is proved
/// complete (spoc/stream.h); handles may end at once, and freeing is `BUSY`. Without a stream the
/// driver keeps what it needs and freeing is allowed; on devices that work in host memory such a
/// launch is complete on return. Scalars are copied before the call returns.
///
/// **Checked before anything is done**, in this order: the number of arguments, each argument
/// against its parameter, ranges, what arguments share, grid and block. A call that fails leaves
/// vectors as they were; results of a kernel that fails later are reported by whatever waits for it
/// (`LAUNCH_FAILED`, with `spoc_error.tag`).

#include <stdint.h>

#include <spoc/buffer.h>
#include <spoc/device.h>
#include <spoc/error.h>
#include <spoc/export.h>
#include <spoc/owner.h>
#include <spoc/program.h>
#include <spoc/stream.h>
#include <spoc/vector.h>

SPOC_BEGIN_DECLS

/// `spoc_argument.kind`.
#define SPOC_ARGUMENT_BUFFER UINT32_C(1)  ///< bytes of `buffer`
#define SPOC_ARGUMENT_VECTOR UINT32_C(2)  ///< elements of `vector`
#define SPOC_ARGUMENT_SCALAR UINT32_C(3)  ///< `bytes` bytes at `data`
#define SPOC_ARGUMENT_LOCAL UINT32_C(4)   ///< `bytes` bytes of a block's own memory
#define SPOC_ARGUMENT_ADDRESS \
    UINT32_C(5)  ///< a device address: the 8 bytes at `data`; the caller
                 ///< keeps what is there (`raw_pointer_args`)

/// One argument. What its kind has no use for is 0.
typedef struct spoc_argument {
    uint32_t index;    ///< of the parameter; arguments may come in any order
    uint32_t kind;     ///< `SPOC_ARGUMENT_*`
    uint32_t access;   ///< BUFFER, VECTOR: `SPOC_ACCESS_*`; 0: as the kernel says of its parameter,
                       ///< and INOUT where it does not
    uint32_t element;  ///< SCALAR: `SPOC_ELEMENT_*`; 0: compared by size alone
    spoc_vector vector;  ///< VECTOR
    spoc_buffer buffer;  ///< BUFFER
    uint64_t offset;     ///< BUFFER, VECTOR: first byte shown (`arg_offset`), a multiple of the
                         ///< device's `arg_offset_align`
    uint64_t bytes;      ///< BUFFER, VECTOR: bytes shown, 0: to the end; SCALAR, LOCAL: its size
    const void* data;    ///< SCALAR, ADDRESS
} spoc_argument;

/// `spoc_launch_options.flags`: the kernel's parameters are not known, and the caller vouches for
/// the arguments. Drivers read as many arguments as the kernel has: too few is undefined behaviour.
#define SPOC_LAUNCH_UNCHECKED UINT32_C(1)
/// `spoc_launch_options.flags`: the number of its elements, a 32-bit integer, follows each VECTOR
/// argument; indices count the arguments as given, without these.
#define SPOC_LAUNCH_INJECT_LENGTHS UINT32_C(2)

/// How to launch a kernel, and on what.
typedef struct spoc_launch_options {
    uint32_t size;          ///< `sizeof(spoc_launch_options)`, set by the caller
    uint32_t flags;         ///< `SPOC_LAUNCH_*`
    uint32_t grid[3];       ///< blocks in x, y, z; at least 1 each
    uint32_t block[3];      ///< threads of a block in x, y, z; at least 1 each
    uint32_t shared_bytes;  ///< dynamic shared memory of a block (`dynamic_shared`)
    uint32_t argument_count;
    const spoc_argument* arguments;  ///< null for none
    uint64_t tag;  ///< comes back in `spoc_error.tag` where this launch fails later and the driver
                   ///< tells
} spoc_launch_options;

/// Launches `kernel` on `stream`, or on the default stream when that is null. Does not wait for the
/// kernel. Errors: `SPOC_INVALID_ARGUMENT` (`NULL`;
/// `VALUE`: a flag, kind, access or element that does not exist, or the options' size is not set;
/// `ARITY`: not as many arguments as the kernel has parameters, an index twice or left out, or
/// nothing is known of the parameters and `UNCHECKED` is not set;
/// `TYPE`: an argument is not what its parameter takes;
/// `LENGTH`: a vector of more than 2^31 - 1 elements, an empty vector, buffer, scalar or local, or
/// a scalar whose size is not its element's; `BOUNDS`: a range outside its vector or buffer,
/// smaller than the kernel needs, or not aligned; a grid or block with an extent of 0, above a
/// limit, or not the kernel's; too much shared memory; `TOO_MUCH`: a range larger than one argument
/// may show, too many buffers or bytes of scalars; `OVERLAP`: arguments share bytes and one of them
/// is written; `DEVICE`: a buffer, vector or stream of another device; `DEVICE_ONLY`, `FREED`,
/// `DESTROYED`, `BUSY`: as elsewhere); `SPOC_FEATURE_NOT_SUPPORTED`: launches, offsets, local
/// memory, shared memory, addresses; `SPOC_BACKEND_ERROR` (`LAUNCH_FAILED`: now or of an earlier
/// launch; `OOM`, `TOO_LARGE`, `COPY_FAILED`, `DEVICE_LOST`); `SPOC_UNAVAILABLE`.
SPOC_API spoc_status spoc_launch(spoc_kernel kernel, const spoc_launch_options* options,
                                 spoc_stream stream, spoc_error* error) SPOC_NOEXCEPT;

/* ---- Straight from a source ---- */

/// Loads a program, gets its kernel `name` and launches it, in one call. `language` is a format
/// (`SPOC_FORMAT_*`); CUDA_C is taken as HIP_C by a device that takes only that. `options` says
/// what the kernel is launched on; vectors without an access tag count as written unless the kernel
/// says that it only reads them, and `SPOC_LAUNCH_INJECT_LENGTHS` is for kernels that take the
/// length behind each vector. Program and kernel are kept for the next call with the same source,
/// the last 64 of each process, and compiled again only when they were dropped. Errors: as
/// `spoc_program_load`, `spoc_kernel_get` and `spoc_launch`.
SPOC_API spoc_status spoc_run_source(spoc_device device, uint32_t language, const void* source,
                                     uint64_t bytes, const char* name,
                                     const spoc_launch_options* options, spoc_stream stream,
                                     spoc_error* error) SPOC_NOEXCEPT;

/// The same with a file, whose language its name's end says: `.cu` CUDA C, `.cl` OpenCL C, `.ptx`,
/// `.spv` (SPIR-V of the flavour that the device takes), `.comp` and `.glsl` GLSL, `.metal`,
/// `.wgsl`. Errors besides: `SPOC_INVALID_ARGUMENT` (`NAME`: another end, or the file cannot be
/// read).
SPOC_API spoc_status spoc_run_source_file(spoc_device device, const char* path, const char* name,
                                          const spoc_launch_options* options, spoc_stream stream,
                                          spoc_error* error) SPOC_NOEXCEPT;

/* ---- For those who launch by other means ---- */

/// Tells the library of work that somebody else put on `stream`'s queue by the time of the call:
/// the memory of `count` vectors on the stream's device, and what `owner` (may be null) lends, are
/// kept until everything enqueued on the stream so far is proved complete. Locations stay as they
/// are. Errors: `SPOC_INVALID_ARGUMENT` (`NULL`; `DESTROYED`; `FREED`; `LOCATION`: a vector has no
/// buffer on that device); `SPOC_UNAVAILABLE`. This version has no function for the other half, the
/// driver's own stream behind a `spoc_stream`: no plugin gives it away yet.
SPOC_API spoc_status spoc_keep_until_done(spoc_stream stream, const spoc_owner* owner,
                                          const spoc_vector* vectors, uint32_t count,
                                          spoc_error* error) SPOC_NOEXCEPT;

/// Makes `buffer` the vector's buffer on `device`, where it has none. The vector takes the memory
/// over: the handle then counts as freed, and is still to be destroyed. The location stays, so that
/// what the buffer holds counts only after it was written. Errors: `SPOC_INVALID_ARGUMENT` (`NULL`;
/// `DUPLICATE`: there is one; `DEVICE`: the buffer is elsewhere; `DEVICE_ONLY`: the vector is;
/// `LENGTH`: the buffer is shorter than the vector; `FREED`; `BUSY`: the host is writing).
SPOC_API spoc_status spoc_vector_install_buffer(spoc_vector vector, spoc_device device,
                                                spoc_buffer buffer,
                                                spoc_error* error) SPOC_NOEXCEPT;

SPOC_END_DECLS

#endif /* SPOC_LAUNCH_H */
