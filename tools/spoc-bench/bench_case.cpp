// SPDX-License-Identifier: Apache-2.0
#include "bench_case.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "common/text.hpp"
#include "nearest.hpp"

namespace spoc::bench {

std::span<const bench_case> bench_cases() {
    static constexpr std::array all = {
        bench_case{"cuda.copy", "a copy of 4 KiB, against the CUDA driver itself",
                   cuda_copy_contests},
        bench_case{"cuda.launch", "a launch, against the CUDA driver itself", cuda_launch_contests},
        bench_case{"cuda.peer", "copies between cards, against the CUDA driver itself",
                   cuda_peer_contests},
        bench_case{"cuda.rate", "copies of page-locked memory, against the CUDA driver itself",
                   cuda_rate_contests},
        bench_case{"disp.call", "a function that asks the plugin one thing", call_contests},
        bench_case{"disp.copy", "a copy of 4 KiB on a stream", copy_contests},
        bench_case{"disp.event", "an event: make, record, wait for, query", event_contests},
        bench_case{"disp.launch", "a launch of a small kernel on a stream", launch_contests},
        bench_case{"disp.ledger", "what pending work keeps, with 100,000 pieces pending",
                   ledger_contests},
        bench_case{"disp.pinned", "a look-up among 1,000 page-locked ranges", pinned_contests},
    };
    return all;
}

std::vector<const bench_case*> find_cases(const std::vector<std::string>& patterns) {
    std::vector<const bench_case*> found;
    for (const std::string& pattern : patterns) {
        bool fits = false;
        for (const bench_case& one : bench_cases()) {
            if (::fnmatch(pattern.c_str(), one.name, 0) != 0) {
                continue;
            }
            fits = true;
            if (std::find(found.begin(), found.end(), &one) == found.end()) {
                found.push_back(&one);
            }
        }
        if (!fits) {
            std::vector<std::string> names;
            for (const bench_case& one : bench_cases()) {
                names.emplace_back(one.name);
            }
            throw std::invalid_argument("There is no benchmark '" + tools::printable(pattern) +
                                        "'; did you mean " + detail::nearest(pattern, names) + "?");
        }
    }
    return found;
}

}  // namespace spoc::bench
