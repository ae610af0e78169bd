// SPDX-License-Identifier: Apache-2.0
#include "copy.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base.hpp"
#include "buffer.hpp"
#include "common/request.hpp"
#include "stream.hpp"
#include "submit.hpp"

namespace spoc::asynchronous {
namespace {

class copy_work final : public work {
 public:
    explicit copy_work(const spoc_be_copy& request)
        : ranges_(request.ranges, request.ranges + request.count) {
        request_.size = sizeof request_;
        // All devices are of one memory.
        request_.kind = std::min(request.kind, SPOC_BE_COPY_D2D);
        request_.flags = SPOC_BE_WAIT;
        request_.count = request.count;
        request_.ranges = ranges_.data();
        for (spoc_be_range& range : ranges_) {
            if (request_.kind != SPOC_BE_COPY_D2H) {
                range.dst = use(range.dst, SPOC_BE_ACCESS_WRITE);
            }
            if (request_.kind != SPOC_BE_COPY_H2D) {
                range.src = use(range.src, SPOC_BE_ACCESS_READ);
            }
            // The native plugin does not tell page-locked memory from ordinary memory.
            range.hostmem = nullptr;
            range.host_offset = 0;
        }
    }

    int32_t run(spoc_be_stream base, spoc_be_error* error) noexcept override {
        uint32_t done = SPOC_BE_DONE_NOTHING;
        return base::table.copy(base, &request_, &done, error);
    }

 private:
    spoc_be_buffer use(spoc_be_buffer handle, uint32_t access) {
        return used_.emplace_back(handle, access).base();
    }

    std::vector<buffer_use> used_;
    std::vector<spoc_be_range> ranges_;
    spoc_be_copy request_{};
};

class fill_work final : public work {
 public:
    explicit fill_work(const spoc_be_fill& request) : used_(request.buffer, SPOC_BE_ACCESS_WRITE) {
        request_.size = sizeof request_;
        request_.flags = SPOC_BE_WAIT;
        request_.buffer = used_.base();
        request_.offset = request.offset;
        request_.bytes = request.bytes;
        request_.pattern = request.pattern;
        request_.pattern_size = request.pattern_size;
    }

    int32_t run(spoc_be_stream base, spoc_be_error* error) noexcept override {
        uint32_t done = SPOC_BE_DONE_NOTHING;
        return base::table.fill(base, &request_, &done, error);
    }

 private:
    buffer_use used_;
    spoc_be_fill request_{};
};

/// Whether the caller need not wait: ordinary memory may change as soon as the call returns.
bool may_run_later(const spoc_be_copy& request) {
    return (request.flags & SPOC_BE_CONSUME_HOST) == 0 &&
           (request.kind >= SPOC_BE_COPY_D2D ||
            std::all_of(request.ranges, request.ranges + request.count,
                        [](const spoc_be_range& range) { return range.hostmem != nullptr; }));
}

}  // namespace

int32_t copy(spoc_be_stream stream, const spoc_be_copy* copy, uint32_t* done,
             spoc_be_error* error) {
    *done = SPOC_BE_DONE_ALL;
    if (const int32_t status = plugin::check_request(
            copy->flags, SPOC_BE_WAIT | SPOC_BE_CONSUME_HOST, copy->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    if (copy->kind > SPOC_BE_COPY_PEER) {
        return plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED},
                            "The backend makes no copy of this kind (%u).", copy->kind);
    }
    const bool waits = (copy->flags & SPOC_BE_WAIT) != 0 || !may_run_later(*copy);
    return submit(stream, std::make_unique<copy_work>(*copy), waits, done, error);
}

int32_t fill(spoc_be_stream stream, const spoc_be_fill* fill, uint32_t* done,
             spoc_be_error* error) {
    *done = SPOC_BE_DONE_ALL;
    if (const int32_t status = plugin::check_request(fill->flags, SPOC_BE_WAIT, fill->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    return submit(stream, std::make_unique<fill_work>(*fill), (fill->flags & SPOC_BE_WAIT) != 0,
                  done, error);
}

}  // namespace spoc::asynchronous
