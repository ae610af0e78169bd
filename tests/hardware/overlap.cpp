// SPDX-License-Identifier: Apache-2.0

/// \file
/// Copies while kernels run: slabs go to the device on one stream, are worked on by another one,
/// and events say which is there.
///
///     overlap [SELECTOR]
///
/// By the device's own clock, prints how long the copies take alone, the kernels alone, and both
/// together; then checks what the kernels made.

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <spoc/spoc.hpp>

#include "device_kernel.hpp"

namespace {

using spoc::test::device_kernel;

constexpr std::uint32_t slabs = 32;
constexpr std::uint32_t slab_words = 1U << 22;  // 16 MiB
constexpr std::uint32_t block = 256;

struct work {
    explicit work(const spoc::device& where, const device_kernel& kernel)
        : scale(kernel),
          copying(where, SPOC_STREAM_NON_BLOCKING),
          computing(where, SPOC_STREAM_NON_BLOCKING),
          source(where, slab_words),
          results(where, std::uint64_t{4} * slab_words),
          first(where, true),
          last(where, true) {
        for (std::uint32_t i = 0; i < slab_words; ++i) {
            source.elements()[i] = i;
        }
        for (std::uint32_t i = 0; i < slabs; ++i) {
            targets.emplace_back(where, std::uint64_t{4} * slab_words);
            arrived.emplace_back(where);
        }
    }

    void copy(std::uint32_t slab) {
        spoc::copy_to_device(copying, std::as_bytes(source.elements()), targets[slab]);
    }
    void compute(std::uint32_t slab, std::uint32_t times) {
        for (std::uint32_t i = 0; i < times; ++i) {
            spoc::launch(scale.get(), {.grid = spoc::blocks_for(slab_words, block), .block = block},
                         computing, spoc::in(targets[slab]), spoc::out(results), slab, slab_words);
        }
    }
    /// Milliseconds between the two events, once `on` is idle.
    double milliseconds(const spoc::stream& on) {
        on.synchronize();
        return std::chrono::duration<double, std::milli>(spoc::elapsed(first, last)).count();
    }

    const device_kernel& scale;
    spoc::stream copying;
    spoc::stream computing;
    spoc::pinned_buffer<std::uint32_t> source;
    spoc::buffer results;
    std::vector<spoc::buffer> targets;
    std::vector<spoc::event> arrived;
    spoc::event first;
    spoc::event last;
};

double copies_alone(work& w) {
    w.first.record(w.copying);
    for (std::uint32_t slab = 0; slab < slabs; ++slab) {
        w.copy(slab);
    }
    w.last.record(w.copying);
    return w.milliseconds(w.copying);
}

double kernels_alone(work& w, std::uint32_t times) {
    w.first.record(w.computing);
    for (std::uint32_t slab = 0; slab < slabs; ++slab) {
        w.compute(slab, times);
    }
    w.last.record(w.computing);
    return w.milliseconds(w.computing);
}

double both(work& w, std::uint32_t times) {
    w.first.record(w.copying);
    for (std::uint32_t slab = 0; slab < slabs; ++slab) {
        w.copy(slab);
        w.arrived[slab].record(w.copying);
        spoc::wait(w.computing, w.arrived[slab]);
        w.compute(slab, times);
    }
    w.last.record(w.computing);
    return w.milliseconds(w.computing);
}

int run(const std::string& selector) {
    const spoc::runtime runtime;
    const spoc::device where = spoc::select_devices(selector).at(0);
    const auto scale = device_kernel::scale(where);
    if (!scale) {
        std::cout << "SKIP: no kernel in a form that the device takes\n";
        return 77;
    }
    work w(where, *scale);
    copies_alone(w);  // what is slow the first time is not counted
    kernels_alone(w, 1);
    const double copying = copies_alone(w);
    // As much to compute as to copy: then there is most to win.
    const double once = kernels_alone(w, 1);
    const auto times = static_cast<std::uint32_t>(std::clamp(copying / once, 1.0, 1000.0));
    const double computing = kernels_alone(w, times);
    const double together = both(w, times);
    std::cout << slabs << " slabs of 16 MiB, " << times << " kernels a slab\n"
              << "copies alone   " << copying << " ms\n"
              << "kernels alone  " << computing << " ms\n"
              << "both           " << together << " ms, " << together / std::max(copying, computing)
              << " of the longer\n";
    std::vector<std::uint32_t> found(slab_words);
    spoc::copy_to_host(w.results, 0, std::as_writable_bytes(std::span(found)));
    for (std::uint32_t i = 0; i < slab_words; ++i) {
        if (found[i] != spoc::test::scaled(i, slabs - 1, i)) {
            std::cout << "wrong at " << i << "\n";
            return 1;
        }
    }
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        return run(count > 1 ? arguments[1] : "cuda:0");
    } catch (const std::exception& failed) {
        std::cerr << "overlap: " << failed.what() << "\n";
        return 1;
    }
}
