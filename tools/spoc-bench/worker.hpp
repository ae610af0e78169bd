// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <thread>
#include <utility>

namespace spoc::bench {

/// A thread that runs `body` and keeps what it throws. Destruction waits for it.
class worker {
 public:
    template <typename Body>
    explicit worker(Body body)
        : thread_([this, body = std::move(body)] {
              try {
                  body();
              } catch (...) {
                  error_ = std::current_exception();
              }
          }) {}

    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;

    /// Waits for the end and throws what `body` threw.
    void finish() {
        thread_.join();
        if (error_) {
            std::rethrow_exception(std::exchange(error_, nullptr));
        }
    }

 private:
    std::exception_ptr error_;  // before the thread, which writes it
    std::jthread thread_;
};

}  // namespace spoc::bench
