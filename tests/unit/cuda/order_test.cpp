// SPDX-License-Identifier: Apache-2.0
//
// Order, completion and loss.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "double_fixture.hpp"

using namespace spoc::test;

TEST_CASE("a pinned range in flight is not freed, wherever in it the copy begins [B32]",
          "[B32][R-608]") {
    const cuda_on_double cuda;
    const spoc::device card = cuda.device(0);
    spoc::pinned_buffer<std::byte> host(card, 1U << 20);
    const spoc::buffer memory(card, 4096);
    const spoc::stream stream(card, SPOC_STREAM_NON_BLOCKING);
    cuda.control.hold(1);
    spoc::copy_to_device(stream, host.elements().subspan(4096, 100), memory);
    CHECK(refusal_of([&] { host.release(); }) == SPOC_SUB_BUSY);
    CHECK(cuda.control.release(1) == 1);
    stream.synchronize();
    host.release();
}

TEST_CASE("a copy from ordinary memory is there for streams that wait for nothing [B39]",
          "[B39][R-404][H-10]") {
    const cuda_on_double cuda;
    const spoc::device card = cuda.device(0);
    const spoc::buffer memory(card, 65536);
    const spoc::stream beside(card, SPOC_STREAM_NON_BLOCKING);
    spoc::pinned_buffer<std::byte> back(card, 65536);
    for (int round = 0; round < 200; ++round) {
        const std::vector<std::byte> source(65536, static_cast<std::byte>(round));
        spoc::copy_to_device(source, memory);
        spoc::copy_to_host(beside, memory, 0, back.elements());
        beside.synchronize();
        REQUIRE(std::equal(source.begin(), source.end(), back.elements().begin()));
    }
}

TEST_CASE("events have no timing unless asked for [B44]", "[B44][R-520]") {
    const cuda_on_double cuda;
    const spoc::device card = cuda.device(0);
    spoc::event plain(card);
    const spoc::stream stream(card);
    plain.record(stream);
    plain.synchronize();
    CHECK(refusal_of([&] { static_cast<void>(spoc::elapsed(plain, plain)); }) != SPOC_SUB_NONE);
}

TEST_CASE("an event out of the pool has no recording of its last owner's", "[R-522]") {
    const cuda_on_double cuda;
    const spoc::device card = cuda.device(0);
    const spoc::stream stream(card, SPOC_STREAM_NON_BLOCKING);
    spoc::pinned_buffer<std::byte> host(card, 64);
    const spoc::buffer memory(card, 64);
    cuda.control.hold(1);
    {
        spoc::event first(card);
        spoc::copy_to_device(stream, host.elements(), memory);
        first.record(stream);
        CHECK_FALSE(first.complete());
    }
    const std::uint64_t made = cuda.control.calls("cuEventCreate");
    const spoc::event second(card);
    CHECK(cuda.control.calls("cuEventCreate") == made);  // it is the first one's
    CHECK(second.complete());
    cuda.control.hold(0);
    stream.synchronize();
}

TEST_CASE("a lost device says so at once, and ending objects on it is silent [B22]",
          "[B22][H-41]") {
    cuda_on_double cuda;
    const spoc::device card = cuda.device(1);
    cuda.left_behind = 3;
    {
        const spoc::buffer memory(card, 4096);
        const spoc::stream stream(card);
        spoc::event event(card);
        event.record(stream);
        CHECK_FALSE(card.is_lost());
        cuda.control.poison(1, spoc::driver::illegal_address);
        CHECK(refusal_of([&] { stream.synchronize(); }) == SPOC_SUB_DEVICE_LOST);
        const std::uint64_t calls = cuda.control.all_calls();
        std::vector<std::byte> host(64);
        CHECK(refusal_of([&] { spoc::copy_to_device(host, memory); }) == SPOC_SUB_DEVICE_LOST);
        CHECK(refusal_of([&] { spoc::buffer(card, 64); }) == SPOC_SUB_DEVICE_LOST);
        CHECK(card.is_lost());
        CHECK(cuda.control.all_calls() == calls);
    }
    const spoc::buffer other(cuda.device(0), 64);  // the other card goes on
    cuda.control.poison(1, 0);
}
