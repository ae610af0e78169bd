// SPDX-License-Identifier: Apache-2.0

/// \file
/// libspoc against the CUDA driver called directly, on the same card in the same run: what a call
/// costs, and how fast copies are.

#include <memory>
#include <string>

#include <spoc/spoc.hpp>

#include "bench_case.hpp"
#include "cuda_driver.hpp"

namespace spoc::bench {
namespace {

constexpr std::uint32_t threads = 256;

/// out[i] = in[i] * factor, by as few threads as there are: what a launch costs shows best where
/// the work is small. The double of the driver knows a kernel by this name.
constexpr const char* ptx = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry scale(.param .u64 in, .param .u64 out, .param .u32 factor, .param .u32 count)
{
    .reg .b32 %i, %value, %factor;
    .reg .b64 %in, %out, %offset;
    mov.u32 %i, %tid.x;
    mul.wide.u32 %offset, %i, 4;
    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    ld.param.u32 %factor, [factor];
    add.u64 %in, %in, %offset;
    add.u64 %out, %out, %offset;
    ld.global.u32 %value, [%in];
    mul.lo.u32 %value, %value, %factor;
    st.global.u32 [%out], %value;
    ret;
}
)";

bool is_cuda(const device& where) { return where.backend() == "cuda"; }

/// A stream of each side on one card.
struct both_streams {
    explicit both_streams(const device& where)
        : card(where.properties()), raw(card), own(where, SPOC_STREAM_NON_BLOCKING) {}
    both_streams(const both_streams&) = delete;
    both_streams& operator=(const both_streams&) = delete;

    cuda_card card;
    cuda_stream raw;
    stream own;
};

/// Page-locked memory and device memory of each side.
struct both_ends {
    both_ends(const device& where, std::size_t size)
        : bytes(size),
          on(where),
          raw_host(on.card, size),
          raw_device(on.card, size),
          own_host(where, size),
          own_device(where, size) {}
    both_ends(const both_ends&) = delete;
    both_ends& operator=(const both_ends&) = delete;

    const std::size_t bytes;
    both_streams on;
    cuda_host_memory raw_host;
    cuda_memory raw_device;
    pinned_buffer<std::byte> own_host;
    buffer own_device;
};

/// Has the raw side's calls find the card current, as in a program that uses the driver.
void keep_current(contender& raw, const cuda_card& card, const cuda_stream& on) {
    raw.before = [&card](std::uint64_t) { card.push(); };
    raw.after = [&card, &on](std::uint64_t) {
        on.synchronize();
        card.pop();
    };
}

/// `body` so often, then `end`.
template <typename Body, typename End>
std::function<void(std::uint64_t)> repeat(Body body, End end) {
    return [body, end](std::uint64_t calls) {
        for (std::uint64_t i = 0; i < calls; ++i) {
            body();
        }
        end();
    };
}

void nothing() {}

using ends_pointer = std::shared_ptr<both_ends>;

void raw_copy(const both_ends& ends, bool to_device) {
    const driver::table& calls = ends.on.card.calls();
    ends.on.card.check(to_device
                           ? calls.copy_to_device(ends.raw_device.address, ends.raw_host.start,
                                                  ends.bytes, ends.on.raw.handle)
                           : calls.copy_to_host(ends.raw_host.start, ends.raw_device.address,
                                                ends.bytes, ends.on.raw.handle));
}

void own_copy(const both_ends& ends, bool to_device) {
    if (to_device) {
        copy_to_device(ends.on.own, ends.own_host.elements(), ends.own_device);
    } else {
        copy_to_host(ends.on.own, ends.own_device, 0, ends.own_host.elements());
    }
}

/// What enqueuing costs.
contest call_contest(const ends_pointer& ends) {
    contest made;
    made.what = "enqueue a copy of 4 KiB";
    made.baseline = "cuMemcpyHtoDAsync";
    made.target_ns = 150;
    made.raw.run = repeat([ends] { raw_copy(*ends, true); }, nothing);
    keep_current(made.raw, ends->on.card, ends->on.raw);
    made.spoc.run = repeat([ends] { own_copy(*ends, true); }, nothing);
    made.spoc.after = [ends](std::uint64_t) { ends->on.own.synchronize(); };
    return made;
}

/// How long copies take that are enqueued one behind the other.
contest rate_contest(const ends_pointer& ends, bool to_device, const std::string& size) {
    contest made;
    made.what = size + (to_device ? " to the device" : " to the host");
    made.baseline = to_device ? "cuMemcpyHtoDAsync" : "cuMemcpyDtoHAsync";
    made.target_ratio = 1 / 0.99;
    made.least_calls = 16;
    made.raw.run = repeat([ends, to_device] { raw_copy(*ends, to_device); },
                          [ends] { ends->on.raw.synchronize(); });
    keep_current(made.raw, ends->on.card, ends->on.raw);
    made.spoc.run = repeat([ends, to_device] { own_copy(*ends, to_device); },
                           [ends] { ends->on.own.synchronize(); });
    return made;
}

/// A kernel of each side, and what it works on.
struct both_kernels {
    explicit both_kernels(const device& where)
        : on(where),
          raw(on.card, ptx, "scale"),
          loaded(where, SPOC_FORMAT_PTX, ptx),
          own(loaded, "scale",
              {.parameters = {words(0, SPOC_ACCESS_OUT), words(1, SPOC_ACCESS_IN), scalar(2)}}),
          raw_in(on.card, std::size_t{4} * threads),
          raw_out(on.card, std::size_t{4} * threads),
          own_in(threads),
          own_out(threads) {
        own_in.to_device(where);
        own_out.to_device(where);
    }
    both_kernels(const both_kernels&) = delete;
    both_kernels& operator=(const both_kernels&) = delete;

    both_streams on;
    cuda_kernel raw;
    program loaded;
    kernel own;
    cuda_memory raw_in;
    cuda_memory raw_out;
    vector<std::int32_t> own_in;
    vector<std::int32_t> own_out;

 private:
    static spoc_parameter declared(std::uint32_t index, std::uint32_t kind, std::uint32_t access) {
        spoc_parameter made{};
        made.index = index;
        made.kind = kind;
        made.access = access;
        made.element = SPOC_ELEMENT_I32;
        made.bytes = 4;
        made.set = SPOC_BE_UNKNOWN_32;
        made.binding = SPOC_BE_UNKNOWN_32;
        made.offset = SPOC_BE_UNKNOWN_32;
        return made;
    }
    static spoc_parameter words(std::uint32_t index, std::uint32_t access) {
        return declared(index, SPOC_PARAMETER_BUFFER, access);
    }
    static spoc_parameter scalar(std::uint32_t index) {
        return declared(index, SPOC_PARAMETER_SCALAR, SPOC_ACCESS_IN);
    }
};

void raw_launch(const both_kernels& kernels) {
    driver::address from = kernels.raw_in.address;
    driver::address to = kernels.raw_out.address;
    std::uint32_t factor = 3;
    std::uint32_t count = threads;
    void* parameters[] = {&from, &to, &factor, &count};
    kernels.on.card.check(kernels.on.card.calls().launch(
        kernels.raw.handle, 1, 1, 1, threads, 1, 1, 0, kernels.on.raw.handle, parameters, nullptr));
}

/// Memory of each side on two cards.
struct peer_ends {
    peer_ends(const device& from, const device& to)
        : on(to),
          there(from.properties()),
          raw_source(there, bytes),
          raw_target(on.card, bytes),
          own_source(from, bytes),
          own_target(to, bytes) {
        const current_card now(on.card);
        // Refused where it is open already.
        static_cast<void>(on.card.calls().enable_peer_access(there.context(), 0));
    }
    peer_ends(const peer_ends&) = delete;
    peer_ends& operator=(const peer_ends&) = delete;

    static constexpr std::size_t bytes = std::size_t{512} << 20U;
    both_streams on;
    cuda_card there;
    cuda_memory raw_source;
    cuda_memory raw_target;
    buffer own_source;
    buffer own_target;
};

void raw_peer_copy(const peer_ends& ends) {
    const cuda_card& card = ends.on.card;
    card.check(card.calls().copy_peer(ends.raw_target.address, card.context(),
                                      ends.raw_source.address, ends.there.context(),
                                      peer_ends::bytes, ends.on.raw.handle));
}

contest peer_contest(const std::shared_ptr<peer_ends>& ends, const std::string& from) {
    contest made;
    made.what = "512 MiB from " + from;
    made.baseline = "cuMemcpyPeerAsync";
    made.target_ratio = 1 / 0.98;
    made.least_calls = 4;
    made.raw.run = repeat([ends] { raw_peer_copy(*ends); }, [ends] { ends->on.raw.synchronize(); });
    keep_current(made.raw, ends->on.card, ends->on.raw);
    made.spoc.run = repeat(
        [ends] {
            copy_on_device(ends->on.own, ends->own_source, 0, ends->own_target, 0,
                           peer_ends::bytes);
        },
        [ends] { ends->on.own.synchronize(); });
    return made;
}

}  // namespace

std::vector<contest> cuda_copy_contests(const bench_place& place) {
    if (!is_cuda(place.where)) {
        return {};
    }
    return {call_contest(std::make_shared<both_ends>(place.where, 4096))};
}

std::vector<contest> cuda_rate_contests(const bench_place& place) {
    if (!is_cuda(place.where)) {
        return {};
    }
    std::vector<contest> all;
    for (const std::size_t mebibytes : {1U, 16U, 256U}) {
        const auto ends = std::make_shared<both_ends>(place.where, mebibytes << 20U);
        const std::string size = std::to_string(mebibytes) + " MiB";
        all.push_back(rate_contest(ends, true, size));
        all.push_back(rate_contest(ends, false, size));
    }
    return all;
}

std::vector<contest> cuda_launch_contests(const bench_place& place) {
    if (!is_cuda(place.where)) {
        return {};
    }
    const auto kernels = std::make_shared<both_kernels>(place.where);
    contest made;
    made.what = "launch on two vectors";
    made.baseline = "cuLaunchKernel";
    made.target_ns = 200;
    made.raw.run = repeat([kernels] { raw_launch(*kernels); }, nothing);
    keep_current(made.raw, kernels->on.card, kernels->on.raw);
    made.spoc.run = repeat(
        [kernels] {
            launch(kernels->own, {.grid = 1, .block = threads}, kernels->on.own,
                   in(kernels->own_in), out(kernels->own_out), std::uint32_t{3}, threads);
        },
        nothing);
    made.spoc.after = [kernels](std::uint64_t) { kernels->on.own.synchronize(); };
    return {made};
}

std::vector<contest> cuda_peer_contests(const bench_place& place) {
    std::vector<contest> all;
    for (const device& other : devices()) {
        if (is_cuda(place.where) && is_cuda(other) && other != place.where) {
            all.push_back(peer_contest(std::make_shared<peer_ends>(other, place.where),
                                       std::string(other.selector())));
        }
    }
    return all;
}

}  // namespace spoc::bench
