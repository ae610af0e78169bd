// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Launches; see spoc/launch.h for order, what is checked and what is kept.
///
///     spoc::launch(scale, {.grid = spoc::blocks_for(v.size(), 256), .block = 256},
///                  spoc::inout(v), 2.0F);

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <spoc/buffer.hpp>
#include <spoc/device.hpp>
#include <spoc/error.hpp>
#include <spoc/launch.h>
#include <spoc/owner.hpp>
#include <spoc/program.hpp>
#include <spoc/stream.hpp>
#include <spoc/vector.hpp>

namespace spoc {

/// So many blocks, or threads, in x, y and z.
struct extent {
    constexpr extent(std::uint32_t in_x = 1, std::uint32_t in_y = 1,
                     std::uint32_t in_z = 1) noexcept
        : x(in_x), y(in_y), z(in_z) {}

    std::uint32_t x;
    std::uint32_t y;
    std::uint32_t z;
};

/// Blocks of `block` threads that `count` threads need; the last may not be full.
constexpr std::uint32_t blocks_for(std::uint64_t count, std::uint32_t block) noexcept {
    return static_cast<std::uint32_t>(count / block + (count % block != 0 ? 1 : 0));
}

/// The shape of a launch.
struct launch_shape {
    extent grid{};   ///< blocks
    extent block{};  ///< threads of a block
    std::uint32_t shared_bytes = 0;
    std::uint32_t flags = 0;  ///< `SPOC_LAUNCH_*`
    std::uint64_t tag = 0;    ///< `error::record().tag` where the launch fails later
};

namespace detail {

template <typename T>
constexpr std::uint32_t scalar_element() noexcept {
    if constexpr (std::is_same_v<T, float>) {
        return SPOC_ELEMENT_F32;
    } else if constexpr (std::is_same_v<T, double>) {
        return SPOC_ELEMENT_F64;
    } else if constexpr (std::is_same_v<T, float16>) {
        return SPOC_ELEMENT_F16;
    } else if constexpr (std::is_integral_v<T>) {
        return sizeof(T) == 1   ? SPOC_ELEMENT_U8
               : sizeof(T) == 4 ? SPOC_ELEMENT_I32
               : sizeof(T) == 8 ? SPOC_ELEMENT_I64
                                : SPOC_ELEMENT_UNKNOWN;
    } else {
        return SPOC_ELEMENT_RECORD;
    }
}

/// An argument that says what the kernel does with it.
struct tagged_argument {
    spoc_argument argument{};

    /// The same, of bytes `offset` to `offset + bytes` alone; 0 bytes: to the end.
    tagged_argument part(std::uint64_t offset, std::uint64_t bytes = 0) const noexcept {
        tagged_argument made = *this;
        made.argument.offset = offset;
        made.argument.bytes = bytes;
        return made;
    }
};

inline tagged_argument tagged(const vector_owner& v, std::uint32_t access) noexcept {
    tagged_argument made;
    made.argument.kind = SPOC_ARGUMENT_VECTOR;
    made.argument.access = access;
    made.argument.vector = v.get();
    return made;
}
inline tagged_argument tagged(const buffer& b, std::uint32_t access) noexcept {
    tagged_argument made;
    made.argument.kind = SPOC_ARGUMENT_BUFFER;
    made.argument.access = access;
    made.argument.buffer = b.get();
    return made;
}

/// What can be passed by value.
template <typename T>
concept scalar =
    std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_same_v<T, tagged_argument>;
template <typename T>
concept launchable = scalar<T> || std::is_same_v<T, tagged_argument>;

inline spoc_argument argument_of(const tagged_argument& given) noexcept { return given.argument; }
template <scalar T>
spoc_argument argument_of(const T& value) noexcept {
    spoc_argument made{};
    made.kind = SPOC_ARGUMENT_SCALAR;
    made.element = scalar_element<T>();
    made.data = &value;
    made.bytes = sizeof value;
    return made;
}

/// Arguments with indices in the order in which they are given.
template <typename... Arguments>
std::array<spoc_argument, sizeof...(Arguments)> in_order(const Arguments&... arguments) noexcept {
    std::array<spoc_argument, sizeof...(Arguments)> made{argument_of(arguments)...};
    for (std::size_t i = 0; i < made.size(); ++i) {
        made[i].index = static_cast<std::uint32_t>(i);
    }
    return made;
}

inline spoc_launch_options options_of(const launch_shape& shape,
                                      std::span<const spoc_argument> arguments) noexcept {
    spoc_launch_options made{};
    made.size = sizeof made;
    made.flags = shape.flags;
    made.grid[0] = shape.grid.x;
    made.grid[1] = shape.grid.y;
    made.grid[2] = shape.grid.z;
    made.block[0] = shape.block.x;
    made.block[1] = shape.block.y;
    made.block[2] = shape.block.z;
    made.shared_bytes = shape.shared_bytes;
    made.argument_count = static_cast<std::uint32_t>(arguments.size());
    made.arguments = arguments.data();
    made.tag = shape.tag;
    return made;
}

template <typename... Arguments>
void launch_on(spoc_stream on, const kernel& run, const launch_shape& shape,
               const Arguments&... arguments) {
    const auto all = in_order(arguments...);
    const spoc_launch_options options = options_of(shape, all);
    const spoc_launch_options* const pointer = &options;
    call(spoc_launch, run.get(), pointer, on);
}

template <typename... Arguments>
void run_on(spoc_stream on, const device& where, std::uint32_t language, std::string_view source,
            const std::string& name, const launch_shape& shape, const Arguments&... arguments) {
    const auto all = in_order(arguments...);
    const spoc_launch_options options = options_of(shape, all);
    const spoc_launch_options* const pointer = &options;
    call(spoc_run_source, where.get(), language, static_cast<const void*>(source.data()),
         std::uint64_t{source.size()}, name.c_str(), pointer, on);
}

template <typename... Arguments>
void run_file_on(spoc_stream on, const device& where, const std::string& path,
                 const std::string& name, const launch_shape& shape,
                 const Arguments&... arguments) {
    const auto all = in_order(arguments...);
    const spoc_launch_options options = options_of(shape, all);
    const spoc_launch_options* const pointer = &options;
    call(spoc_run_source_file, where.get(), path.c_str(), name.c_str(), pointer, on);
}

}  // namespace detail

/// A vector or buffer that the kernel only reads: it stays up to date where it is.
template <typename T>
detail::tagged_argument in(const T& memory) noexcept {
    return detail::tagged(memory, SPOC_ACCESS_IN);
}
/// That the kernel writes, not necessarily all of it.
template <typename T>
detail::tagged_argument out(T& memory) noexcept {
    return detail::tagged(memory, SPOC_ACCESS_OUT);
}
/// That the kernel reads and writes.
template <typename T>
detail::tagged_argument inout(T& memory) noexcept {
    return detail::tagged(memory, SPOC_ACCESS_INOUT);
}
/// That the kernel writes as a whole: what was there is not brought to the device.
template <typename T>
detail::tagged_argument out_full(T& memory) noexcept {
    return detail::tagged(memory, SPOC_ACCESS_OUT_FULL);
}
/// Memory of a block, for the kernel alone.
inline detail::tagged_argument local(std::uint64_t bytes) noexcept {
    detail::tagged_argument made;
    made.argument.kind = SPOC_ARGUMENT_LOCAL;
    made.argument.bytes = bytes;
    return made;
}

/// Launches a kernel on the default stream, on arguments in the order of its parameters: vectors
/// and buffers with `in`, `out`, `inout` or `out_full`, `local` memory, and scalars of the exact
/// type. Does not wait for it. Throws as `spoc_launch`.
template <detail::launchable... Arguments>
void launch(const kernel& run, const launch_shape& shape, const Arguments&... arguments) {
    detail::launch_on(nullptr, run, shape, arguments...);
}
/// The same on a stream.
template <detail::launchable... Arguments>
void launch(const kernel& run, const launch_shape& shape, const stream& on,
            const Arguments&... arguments) {
    detail::launch_on(on.get(), run, shape, arguments...);
}

/// Loads, gets and launches a kernel in one call; see `spoc_run_source`. `language`:
/// `SPOC_FORMAT_*`.
template <detail::launchable... Arguments>
void run_source(const device& where, std::uint32_t language, std::string_view source,
                const std::string& name, const launch_shape& shape, const Arguments&... arguments) {
    detail::run_on(nullptr, where, language, source, name, shape, arguments...);
}
/// The same on a stream.
template <detail::launchable... Arguments>
void run_source(const device& where, std::uint32_t language, std::string_view source,
                const std::string& name, const launch_shape& shape, const stream& on,
                const Arguments&... arguments) {
    detail::run_on(on.get(), where, language, source, name, shape, arguments...);
}
/// The same with a file; see `spoc_run_source_file`.
template <detail::launchable... Arguments>
void run_source_file(const device& where, const std::string& path, const std::string& name,
                     const launch_shape& shape, const Arguments&... arguments) {
    detail::run_file_on(nullptr, where, path, name, shape, arguments...);
}
/// The same on a stream.
template <detail::launchable... Arguments>
void run_source_file(const device& where, const std::string& path, const std::string& name,
                     const launch_shape& shape, const stream& on, const Arguments&... arguments) {
    detail::run_file_on(on.get(), where, path, name, shape, arguments...);
}

/// Keeps vectors' memory on the stream's device, and `kept`, until what is on the stream's queue by
/// now is proved complete; see `spoc_keep_until_done`.
inline void keep_until_done(const stream& on, const std::vector<spoc_vector>& vectors,
                            std::shared_ptr<const void> kept = nullptr) {
    detail::lent_reference lent(std::move(kept));
    detail::call(spoc_keep_until_done, on.get(), lent.get(), vectors.data(),
                 static_cast<std::uint32_t>(vectors.size()));
    lent.taken();
}

/// Makes a buffer the vector's on a device where it has none; see `spoc_vector_install_buffer`.
inline void install_buffer(detail::vector_owner& v, const device& where, buffer installed) {
    detail::call(spoc_vector_install_buffer, v.get(), where.get(), installed.get());
}

}  // namespace spoc
