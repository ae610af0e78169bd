// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Queues of operations: who may run next, who runs it, and who waits. All under the state's mutex.

#include <cstdint>
#include <functional>
#include <memory>

#include <spoc/backend.h>

#include "call.hpp"
#include "object.hpp"

namespace spoc::mock {

/// Puts an operation at the end of a stream and, unless work is held, runs all that can run. With
/// `complete` it is complete on return: what is before it in its stream is waited for. `*done` says
/// how far it is. False: the call failed and `now.status()` is the answer.
bool enqueue(call& now, spoc_be_stream stream, operation work, bool complete);

/// Says how far a copy, fill or launch is; `pending`: it has not run yet.
void say_done(call& now, spoc_be_stream stream, bool complete, bool pending, bool host_is_free,
              std::uint32_t* done);

/// Ends a launch's time in a batch (capability STREAM_DEFERRED), and runs it unless work is held.
void submit(state& all, spoc_be_stream stream);
/// The same for every stream.
void submit_all(state& all);

/// Runs the operation at the head of `stream` if it can run.
bool step(state& all, spoc_be_stream stream);

/// Runs one operation that `stream`'s next one depends on, or that one.
bool step_towards(state& all, spoc_be_stream stream);

/// Runs at most `most` operations of `stream`, or of all for null, oldest first.
std::uint64_t release(state& all, spoc_be_stream stream, std::uint64_t most);

/// Whether everything up to `sequence` in a stream has run.
bool has_run(spoc_be_stream stream, std::uint64_t sequence);

/// What a wait is for, and how to bring it about.
struct goal {
    std::function<bool()> reached;
    std::function<bool()> step;
};

/// Waits as the setting ON_WAIT says. OK, NOT_READY or a failure, which is also `now.status()`.
std::int32_t wait_for(call& now, const goal& what, std::uint64_t timeout_ns);

/// The stream with that number, or null.
spoc_be_stream find_stream(state& all, std::uint64_t number);

/// Speaks of work that failed, once. False: `now.status()` is the answer.
bool tell_late_failure(call& now, spoc_be_stream stream);

/// The host was told that a stream's work up to `sequence` is complete.
void prove(spoc_be_stream stream, std::uint64_t sequence);

/// Whether no pending operation of any stream uses a buffer; `writers_only`: writes it.
bool is_unused(state& all, const object& buffer, bool writers_only);

/// Runs one operation towards that.
bool step_towards_unused(state& all, const object& buffer, bool writers_only);

}  // namespace spoc::mock
