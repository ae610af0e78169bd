// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spoc::detail {

/// A file of Chrome trace events. It is a whole JSON document after every call, so that a program
/// may end in any way: what ends the document is overwritten by the events that come next. The file
/// is opened for each call, since programs close descriptors that they do not know.
///
/// Not safe for concurrent use.
class trace_file {
 public:
    /// Replaces what is at `path` by a document with this one event. Returns why it cannot, or an
    /// empty text.
    std::string start(const std::string& path, std::string_view event);

    /// Adds events, each of which has a comma before it. Returns likewise.
    std::string append(std::string_view events);

    /// Absolute; empty before `start`.
    const std::string& path() const noexcept { return path_; }

 private:
    std::string write(std::string_view text, int flags);

    std::string path_;
    std::uint64_t end_ = 0;  ///< of the events
};

}  // namespace spoc::detail
