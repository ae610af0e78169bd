// SPDX-License-Identifier: Apache-2.0

/// \file
/// Random calls of the library over the recording plugin, compared with a plain reference.
///
///     model-test [--seed N] [--operations N] [--threads N] [--verbose]
///
/// The rules are those of the whole library, above all [R-208]
/// [R-405] [R-408] [R-504] [R-510] [R-511] [R-513] [R-515] [R-522]
/// [R-604] [R-607] [R-701] [R-702].
///
/// Prints the seed. Exits 1 at the first difference, and says after which operation of which seed
/// it was, so that it can be had again.

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "trial.hpp"

namespace {

struct options {
    std::uint64_t seed = std::uint64_t(std::chrono::system_clock::now().time_since_epoch().count());
    std::uint64_t operations = 50000;
    std::uint64_t threads = 1;
    bool verbose = false;
};

/// False: the arguments are wrong.
bool parse(int count, char** arguments, options& out) {
    for (int i = 1; i < count; ++i) {
        const std::string name = arguments[i];
        if (name == "--verbose") {
            out.verbose = true;
            continue;
        }
        std::uint64_t* const number = name == "--seed"         ? &out.seed
                                      : name == "--operations" ? &out.operations
                                      : name == "--threads"    ? &out.threads
                                                               : nullptr;
        if (number == nullptr || ++i == count) {
            return false;
        }
        *number = std::strtoull(arguments[i], nullptr, 0);
    }
    return out.threads > 0;
}

void print(const spoc::model::outcome_counts& all) {
    for (const auto& [name, count] : all) {
        std::cout << "  " << name << ": " << count.done << " done, " << count.refused
                  << " refused, " << count.failed << " failed\n";
    }
}

/// What one thread does. Returns what differs, or nothing.
std::string try_one(spoc::model::plugin& over, std::uint64_t seed, const options& given) {
    try {
        // Kept when something differs: what it holds is in disorder.
        auto one = std::make_unique<spoc::model::trial>(over, seed, given.threads == 1);
        spoc::model::trial& running = *one.release();
        running.run(given.operations);
        running.finish();
        one.reset(&running);
        if (given.verbose) {
            print(running.outcomes());
        }
        return {};
    } catch (const std::exception& failed) {
        return failed.what();
    }
}

int run(int count, char** arguments) {
    options given;
    if (!parse(count, arguments, given)) {
        std::cerr << "usage: model-test [--seed N] [--operations N] [--threads N] [--verbose]\n";
        return 2;
    }
    std::cout << "seed " << given.seed << ", " << given.operations << " operations, "
              << given.threads << " threads" << std::endl;
    spoc::model::limits described;
    if (given.threads > 1) {
        // No memory, slots or rings, for which threads would wait for each other's work.
        described.memory = std::uint64_t{1} << 30;
        described.pageable_max = UINT64_MAX;
        described.inline_most = SPOC_MOST_STAGED_BYTES;
        described.inline_align = 1;
        described.has_rings = false;
    }
    spoc::model::plugin over(described);
    std::vector<std::string> differences(given.threads);
    std::vector<std::thread> others;
    for (std::uint64_t i = 0; i < given.threads; ++i) {
        others.emplace_back([&, i] { differences[i] = try_one(over, given.seed + i, given); });
    }
    for (std::thread& one : others) {
        one.join();
    }
    bool differs = false;
    for (const std::string& one : differences) {
        if (!one.empty()) {
            std::cout << "DIFFERS: " << one << std::endl;
            differs = true;
        }
    }
    if (differs) {
        std::_Exit(1);  // what is left is in disorder: no shutdown
    }
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        return run(count, arguments);
    } catch (...) {
        return 1;
    }
}
