// SPDX-License-Identifier: Apache-2.0
//
// The plugin beside other users of the driver in one process.
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "double_fixture.hpp"

using namespace spoc::test;

namespace {

using context = CUctx_st*;

/// What another library in the process does: it has a context of a card current on its thread.
class foreign_context {
 public:
    foreign_context(const cuda_here& cuda, int card) : cuda_(cuda), card_(card) {
        REQUIRE(cuda.driver<int (*)(unsigned)>("cuInit")(0) == 0);
        auto* retain = cuda.driver<int (*)(context*, int)>("cuDevicePrimaryCtxRetain");
        REQUIRE(retain(&context_, card) == 0);
        REQUIRE(cuda.driver<int (*)(context)>("cuCtxPushCurrent_v2")(context_) == 0);
    }
    foreign_context(const foreign_context&) = delete;
    foreign_context& operator=(const foreign_context&) = delete;
    ~foreign_context() {
        context popped = nullptr;
        CHECK(cuda_.driver<int (*)(context*)>("cuCtxPopCurrent_v2")(&popped) == 0);
        CHECK(popped == context_);
        CHECK(cuda_.driver<int (*)(int)>("cuDevicePrimaryCtxRelease_v2")(card_) == 0);
    }

    bool is_current() const {
        context current = nullptr;
        return cuda_.driver<int (*)(context*)>("cuCtxGetCurrent")(&current) == 0 &&
               current == context_;
    }

 private:
    const cuda_here& cuda_;
    const int card_;
    context context_ = nullptr;
};

/// One call of every kind on a device.
struct step {
    std::string name;
    std::function<void(const spoc::device&)> run;
};

std::vector<std::byte> pattern(std::size_t bytes) {
    std::vector<std::byte> made(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
        made[i] = static_cast<std::byte>(i * 7 + 3);
    }
    return made;
}

void round_trip(const spoc::device& on) {
    const std::vector<std::byte> source = pattern(1000);
    std::vector<std::byte> back(source.size());
    const spoc::buffer memory(on, source.size());
    spoc::copy_to_device(source, memory);
    spoc::copy_to_host(memory, 0, back);
    CHECK(back == source);
}

void stream_trip(const spoc::device& on) {
    const spoc::pinned_buffer<std::byte> host(on, 4096);
    const spoc::buffer memory(on, host.size());
    const spoc::stream first(on, SPOC_STREAM_NON_BLOCKING);
    const spoc::stream second(on);
    spoc::event event(on);
    spoc::copy_to_device(first, host.elements(), memory);
    event.record(first);
    spoc::wait(second, event);
    spoc::copy_to_host(second, memory, 0, host.elements());
    second.synchronize();
    CHECK(event.complete());
}

void registration(const spoc::device& on) {
    std::vector<std::byte> memory(100000);
    spoc::host_registration registered(on, std::span<std::byte>(memory));
    registered.release();
}

void timing(const spoc::device& on) {
    spoc::event start(on, true);
    spoc::event stop(on, true);
    const spoc::stream stream(on);
    start.record(stream);
    stop.record(stream);
    stop.synchronize();
    CHECK(spoc::elapsed(start, stop).count() >= 0);
}

void filling(const spoc::device& on) {
    const spoc::buffer memory(on, 64);
    spoc::fill(memory, 0, 64, std::uint16_t{0x1234});
    CHECK(on.memory_free().has_value());
}

const std::vector<step>& steps() {
    static const std::vector<step> all = {{"copies", round_trip},
                                          {"streams and events", stream_trip},
                                          {"registration", registration},
                                          {"timing", timing},
                                          {"fill and memory", filling}};
    return all;
}

}  // namespace

TEST_CASE("a foreign current context is what it was after every call [B19]",
          "[card][B19][H-01][H-02]") {
    const cuda_here cuda;
    for (const step& one : steps()) {
        CAPTURE(one.name);
        const foreign_context other(cuda, 0);
        one.run(cuda.last());
        CHECK(other.is_current());
        one.run(cuda.device(0));
        CHECK(other.is_current());
        const foreign_context nested(cuda, 0);
        one.run(cuda.last());
        CHECK(nested.is_current());
    }
}

TEST_CASE("a fresh thread may make any call first [B20]", "[card][B20][R-114]") {
    const cuda_here cuda;
    for (const step& one : steps()) {
        CAPTURE(one.name);
        std::thread([&] {
            one.run(cuda.last());
            context current = nullptr;
            CHECK(cuda.driver<int (*)(context*)>("cuCtxGetCurrent")(&current) == 0);
            CHECK(current == nullptr);
        }).join();
    }
}

TEST_CASE("listing makes nothing on any card", "[R-101]") {
    const cuda_on_double cuda;
    const std::uint64_t retained = cuda.control.calls("cuDevicePrimaryCtxRetain");
    CHECK(spoc::select_devices("cuda").size() == 2);
    CHECK(cuda.control.calls("cuDevicePrimaryCtxRetain") == retained);
    CHECK(cuda.control.alive() == 0);
}

TEST_CASE("a primary context is shared, not reset", "[card][H-34]") {
    const cuda_here cuda;
    context first = nullptr;
    REQUIRE(cuda.driver<int (*)(unsigned)>("cuInit")(0) == 0);
    REQUIRE(cuda.driver<int (*)(context*, int)>("cuDevicePrimaryCtxRetain")(&first, 0) == 0);
    round_trip(cuda.device(0));
    context again = nullptr;
    REQUIRE(cuda.driver<int (*)(context*, int)>("cuDevicePrimaryCtxRetain")(&again, 0) == 0);
    CHECK(first == again);
    auto* release = cuda.driver<int (*)(int)>("cuDevicePrimaryCtxRelease_v2");
    CHECK(release(0) == 0);
    CHECK(release(0) == 0);
}
