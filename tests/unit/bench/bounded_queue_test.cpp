// SPDX-License-Identifier: Apache-2.0
#include "bounded_queue.hpp"

#include <stdexcept>
#include <thread>

#include "support/catch.hpp"
#include "worker.hpp"

using spoc::bench::bounded_queue;
using spoc::bench::worker;

TEST_CASE("a queue hands on everything, in order, from one thread to another") {
    constexpr int last = 10000;
    bounded_queue<int> queue(3);
    const std::jthread producer([&queue] {
        for (int i = 0; i <= last; ++i) {
            queue.push(i);
        }
        queue.close();
    });
    int expected = 0;
    bool in_order = true;
    while (const auto item = queue.pop()) {
        in_order = in_order && *item == expected++;
    }
    CHECK(in_order);
    CHECK(expected == last + 1);
}

TEST_CASE("a closed queue takes nothing more and is emptied") {
    bounded_queue<int> queue(2);
    CHECK(queue.push(1));
    queue.close();
    CHECK_FALSE(queue.push(2));
    CHECK(queue.pop() == 1);
    CHECK_FALSE(queue.pop());
    CHECK_FALSE(queue.pop());
}

TEST_CASE("closing ends those who wait") {
    bounded_queue<int> full(1);
    bounded_queue<int> empty(1);
    full.push(1);
    bool pushed = true;
    bool popped = true;
    {
        const std::jthread pusher([&] { pushed = full.push(2); });
        const std::jthread popper([&] { popped = empty.pop().has_value(); });
        full.close();
        empty.close();
    }
    CHECK_FALSE(pushed);
    CHECK_FALSE(popped);
}

TEST_CASE("a worker hands its exception to whoever waits for it") {
    worker failing([] { throw std::runtime_error("no more"); });
    CHECK_THROWS_WITH(failing.finish(), "no more");
    bool ran = false;
    worker working([&ran] { ran = true; });
    working.finish();
    CHECK(ran);
}
