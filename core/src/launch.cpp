// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "debug.hpp"
#include "device.hpp"
#include "session.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

constexpr std::uint32_t known_flags = SPOC_LAUNCH_UNCHECKED | SPOC_LAUNCH_INJECT_LENGTHS;

std::size_t count_with_lengths(const spoc_launch_options& options) {
    const auto all = given_arguments(options);
    return all.size() +
           static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const auto& one) {
               return injects_length(options, one);
           }));
}

}  // namespace

/// Puts things back when a launch does not come about.
class launch::undo_unless_done {
 public:
    explicit undo_unless_done(launch& what) noexcept : what_(what) {}
    undo_unless_done(const undo_unless_done&) = delete;
    undo_unless_done& operator=(const undo_unless_done&) = delete;
    ~undo_unless_done() {
        if (!done_) {
            what_.undo();
        }
    }
    void done() noexcept { done_ = true; }

 private:
    launch& what_;
    bool done_ = false;
};

launch::launch(spoc_device_s& device, const spoc_launch_options& options, spoc_stream stream)
    : device_(device),
      options_(options),
      stream_(stream),
      arguments_(count_with_lengths(options)) {}

outcome launch::run(session& call, std::shared_ptr<kernel_state>&& kernel) {
    SPOC_TRY(kernel->check_usable());
    SPOC_TRY(check_offered());
    SPOC_TRY(device_.open());
    undo_unless_done guard(*this);
    SPOC_TRY(prepare(call));
    SPOC_TRY(debug_is_on(debug_validate) ? enqueue_watched(std::move(kernel))
                                         : enqueue(std::move(kernel)));
    guard.done();
    finish();
    return {};
}

outcome launch::prepare(session& call) {
    for (argument& one : arguments_.all()) {
        ++prepared_;
        if (!one.is_memory()) {
            continue;
        }
        const spoc_argument& given = *one.given;
        if (given.kind == SPOC_ARGUMENT_BUFFER) {
            one.place.memory = given.buffer->memory;
            one.place.in_host_storage = one.place.memory->is_host_storage();
            SPOC_TRY(one.place.memory->check_usable());
            continue;
        }
        const bool overwrites =
            one.access == SPOC_ACCESS_OUT_FULL && one.shown == given.vector->bytes();
        const launch_use use{one.writes(), overwrites, stream_ == nullptr};
        SPOC_TRY(given.vector->prepare(call, &device_, use, one.place));
    }
    return {};
}

spoc_be_arg launch::to_plugin(std::size_t index) {
    const argument& one = arguments_[index];
    const bool is_local = !one.is_length && one.given->kind == SPOC_ARGUMENT_LOCAL;
    spoc_be_arg arg{};
    arg.index = static_cast<std::uint32_t>(index);
    arg.bytes = one.shown;
    if (one.is_memory()) {
        arg.kind = SPOC_BE_PARAM_BUFFER;
        arg.access = one.access;
        arg.buffer = one.place.memory->handle();
        arg.offset = one.given->offset;
    } else {
        arg.kind = is_local ? SPOC_BE_PARAM_LOCAL : SPOC_BE_PARAM_SCALAR;
        arg.data = one.is_length ? &one.length : one.given->data;
    }
    return arg;
}

bool launch::works_in_host_memory() const noexcept {
    const auto all = arguments_.all();
    return std::any_of(all.begin(), all.end(), [](const argument& one) {
        return one.is_memory() && one.place.in_host_storage;
    });
}

stream_state& launch::queue() const noexcept {
    return stream_ != nullptr ? *stream_->state : *device_.default_queue();
}

void launch::add_needs(std::shared_ptr<kernel_state>&& kernel, std::span<work_needs> needs) {
    std::size_t uses = 0;
    needs[uses++ / use_list::few].uses.add(std::move(kernel));
    for (argument& one : arguments_.all()) {
        if (one.is_memory()) {
            needs[uses++ / use_list::few].uses.add(std::move(one.place.memory));
        }
    }
}

outcome launch::enqueue(std::shared_ptr<kernel_state>&& kernel) {
    short_array<spoc_be_arg, few> args(arguments_.size());
    for (std::size_t i = 0; i < args.size(); ++i) {
        args[i] = to_plugin(i);
    }
    // Without a stream the driver keeps what work on its default stream needs. The host's memory it
    // cannot keep from being read or written, so that such a launch is waited for.
    const bool wait = stream_ == nullptr && works_in_host_memory();
    spoc_be_launch request{};
    request.size = sizeof request;
    request.flags = wait ? SPOC_BE_WAIT : 0;
    request.kernel = kernel->handle();
    std::copy_n(options_.grid, 3, request.grid);
    std::copy_n(options_.block, 3, request.block);
    request.shared_bytes = options_.shared_bytes;
    request.arg_count = static_cast<std::uint32_t>(args.size());
    request.args = args.all().data();
    request.tag = options_.tag;
    return enqueue(request, std::move(kernel), wait);
}

outcome launch::enqueue(const spoc_be_launch& request, std::shared_ptr<kernel_state>&& kernel,
                        bool wait) {
    const bool keeps = stream_ != nullptr;
    short_array<work_needs, few / use_list::few + 1> needs(
        keeps ? arguments_.size() / use_list::few + 1 : 0);
    stream_state& stream = queue();
    work_span span = stream.traced("launch", 0);
    if (keeps) {
        add_needs(std::move(kernel), needs.all());
        needs[0].span = std::move(span);
    }
    bool pending = false;
    ledger::position at = 0;
    SPOC_TRY(stream.enqueue(
        needs.all(), SPOC_SUB_LAUNCH_FAILED,
        [&](spoc_be_stream on, std::uint32_t* done, spoc_be_error* error) {
            const std::int32_t status = device_.table().launch(on, &request, done, error);
            pending = *done != SPOC_BE_DONE_ALL;
            return status;
        },
        at));
    return wait && pending ? stream.synchronize() : outcome{};
}

void launch::finish() noexcept {
    for (const argument& one : arguments_.all()) {
        if (one.is_vector() && one.writes()) {
            one.given->vector->was_written(&device_, one.place.in_host_storage);
        }
    }
}

void launch::undo() noexcept {
    // Backwards: a vector may be there twice.
    for (; prepared_ > 0; --prepared_) {
        const argument& one = arguments_[prepared_ - 1];
        if (one.is_vector()) {
            one.given->vector->undo(&device_, one.place);
        }
    }
}

outcome read_launch_options(const spoc_launch_options* given, spoc_launch_options& out) {
    SPOC_TRY(require_sized(given, "options"));
    std::memcpy(&out, given, std::min<std::size_t>(given->size, sizeof out));
    if ((out.flags & ~known_flags) != 0) {
        return outcome::invalid(SPOC_SUB_VALUE,
                                say("The launch's flags ", out.flags, " are unknown."));
    }
    return require_pointer_for(out.argument_count, out.arguments, "arguments");
}

}  // namespace spoc::detail

using namespace spoc::detail;

spoc_status spoc_launch(spoc_kernel kernel, const spoc_launch_options* options, spoc_stream stream,
                        spoc_error* error) noexcept {
    return boundary("spoc_launch", error, [&]() -> outcome {
        session call;
        spoc_launch_options wanted{};
        SPOC_TRY(require_pointer(kernel, "kernel"));
        SPOC_TRY(read_launch_options(options, wanted));
        // The kernel's handle may end on another thread once the launch is on its way.
        std::shared_ptr<kernel_state> state = kernel->state;
        spoc::detail::launch one(state->device(), wanted, stream);
        SPOC_TRY(one.check(*state));
        SPOC_TRY(call.enter());
        return one.run(call, std::move(state));
    });
}
