// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <spoc/launch.h>

#include "kernel.hpp"
#include "outcome.hpp"
#include "short_array.hpp"
#include "stream.hpp"
#include "vector.hpp"

namespace spoc::detail {

class session;

/// One launch: its arguments in the order of the kernel's parameters, from their checks
/// (launch_check.cpp) to the call. Takes no memory for as many arguments as nearly all launches
/// have.
class launch {
 public:
    /// `options` was read by `read_launch_options`. `stream` may be null.
    launch(spoc_device_s& device, const spoc_launch_options& options, spoc_stream stream);

    /// What can be told without the kernel. Calls no plugin.
    outcome check();
    /// Everything, the number of arguments first. Calls no plugin.
    outcome check(const kernel_state& kernel);
    /// After `check(kernel)`.
    outcome run(session& call, std::shared_ptr<kernel_state>&& kernel);

 private:
    static constexpr std::size_t few = 16;

    struct argument {
        const spoc_argument* given = nullptr;
        bool is_length = false;  ///< the number of elements shown of `given`, a vector
        std::uint32_t access = SPOC_ACCESS_UNKNOWN;
        std::uint64_t shown = 0;  ///< bytes
        std::int32_t length = 0;
        launch_place place;

        bool is_memory() const noexcept {
            return !is_length &&
                   (given->kind == SPOC_ARGUMENT_BUFFER || given->kind == SPOC_ARGUMENT_VECTOR);
        }
        bool is_vector() const noexcept {
            return !is_length && given->kind == SPOC_ARGUMENT_VECTOR;
        }
        bool writes() const noexcept { return access != SPOC_ACCESS_IN; }
        bool is_input() const noexcept { return is_memory() && !writes(); }
    };
    class undo_unless_done;

    outcome bind();
    outcome check_arguments();
    outcome check_argument(argument& one) const;
    outcome check_shown(argument& one, std::uint64_t size) const;
    outcome check_totals() const;
    outcome check_extent() const;
    outcome check_arity(const kernel_state& kernel) const;
    outcome check_parameters(const kernel_state& kernel);
    outcome check_sharing() const;
    outcome check_kernel_extent(const spoc_be_kernel_info& kernel) const;
    outcome check_offered() const;

    std::uint64_t threads() const noexcept;
    std::uint64_t local_bytes() const noexcept;
    outcome prepare(session& call);
    spoc_be_arg to_plugin(std::size_t index);
    bool works_in_host_memory() const noexcept;
    /// That it goes to: the stream's, or the default one of the device, which is open.
    stream_state& queue() const noexcept;
    /// Moves the kernel and the memories to what the launch needs.
    void add_needs(std::shared_ptr<kernel_state>&& kernel, std::span<work_needs> needs);
    outcome enqueue(std::shared_ptr<kernel_state>&& kernel);
    outcome enqueue(const spoc_be_launch& request, std::shared_ptr<kernel_state>&& kernel,
                    bool wait);
    void finish() noexcept;
    void undo() noexcept;

    /* What a kernel only reads, under `SPOC_DEBUG=validate`: launch_inputs.cpp. */

    /// Enqueues, waits, and warns of every such argument that the kernel wrote.
    outcome enqueue_watched(std::shared_ptr<kernel_state>&& kernel);
    /// The launch's needs take the argument's memory, so that it is kept here, too.
    struct watched_input {
        const argument* what;
        std::shared_ptr<device_memory> memory;
        std::uint64_t before;  ///< checksum
    };
    outcome watch_inputs(std::vector<watched_input>& out) const;
    /// Of what the argument shows, once the stream is there.
    outcome checksum_of(const watched_input& input, std::uint64_t& out) const;
    void warn_of_written(const argument& one) const;

    spoc_device_s& device_;
    const spoc_launch_options& options_;
    const spoc_stream stream_;
    short_array<argument, few> arguments_;
    std::size_t prepared_ = 0;
};

/// The arguments as they were given.
inline std::span<const spoc_argument> given_arguments(const spoc_launch_options& options) noexcept {
    return {options.arguments, options.argument_count};
}

/// Whether the number of its elements follows an argument.
inline bool injects_length(const spoc_launch_options& options,
                           const spoc_argument& given) noexcept {
    return (options.flags & SPOC_LAUNCH_INJECT_LENGTHS) != 0 && given.kind == SPOC_ARGUMENT_VECTOR;
}

/// Checks what can be told of the structure alone and reads as much of it as the caller has.
outcome read_launch_options(const spoc_launch_options* given, spoc_launch_options& out);

}  // namespace spoc::detail
