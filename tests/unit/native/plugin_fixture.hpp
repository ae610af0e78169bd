// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <spoc/backend.h>
#include <spoc/native.h>

namespace spoc::test {

/// The table of the plugin that was built, loaded once.
const spoc_be_table& table();

/// Threads of this process.
std::size_t thread_count();

/// Host services that count what the plugin holds.
class counting_host {
 public:
    /// `threads`: the setting "native.threads"; null: not set.
    explicit counting_host(const char* threads = nullptr);
    counting_host(const counting_host&) = delete;
    counting_host& operator=(const counting_host&) = delete;

    spoc_be_host services{};
    std::atomic<int> live_blocks{0};
    std::atomic<bool> exhausted{false};  ///< no memory is given any more
    uint32_t process_state = SPOC_BE_PROCESS_RUNNING;

 private:
    static void* mem(void* ctx, void* block, uint64_t bytes, uint64_t alignment);
    static const char* config(void* ctx, const char* key);

    const char* threads_;
};

/// The opened backend and its device. Checks at its end that the plugin gave everything back.
struct plugin_fixture {
    explicit plugin_fixture(const char* threads = "4");
    ~plugin_fixture();
    plugin_fixture(const plugin_fixture&) = delete;
    plugin_fixture& operator=(const plugin_fixture&) = delete;

    spoc_be_buffer_result make(uint32_t kind, uint64_t bytes, void* host = nullptr);
    /// A device buffer that lives as long as the fixture.
    spoc_be_buffer buffer(uint64_t bytes);
    spoc_be_stream stream(uint32_t flags = SPOC_BE_STREAM_TIMING);
    spoc_be_event event(uint32_t flags = SPOC_BE_EVENT_TIMING);

    int32_t copy(uint32_t kind, const spoc_be_range& range);
    void upload(spoc_be_buffer dst, const void* src, uint64_t bytes);
    void download(spoc_be_buffer src, void* dst, uint64_t bytes);

    /// Registers `kernel` under `name` and gets it. It lives as long as the fixture.
    spoc_be_kernel kernel(const char* name, const spoc_native_kernel& kernel);

    const spoc_be_table& be = table();
    counting_host host;
    spoc_be_error error{};
    spoc_be_device device = nullptr;
    spoc_be_stream default_stream = nullptr;
    uint32_t done = 0;

 private:
    std::vector<spoc_be_buffer> buffers_;
    std::vector<spoc_be_stream> streams_;
    std::vector<spoc_be_event> events_;
    std::vector<spoc_be_program> programs_;
    std::vector<spoc_be_kernel> kernels_;
};

/// A request record with its size set.
template <typename Record>
Record sized() {
    Record record{};
    record.size = sizeof(Record);
    return record;
}

spoc_native_kernel describe(spoc_native_function run,
                            const std::vector<spoc_be_param>& params = {});
spoc_be_param param(uint32_t index, uint32_t kind, uint32_t bytes = 0);

spoc_be_arg buffer_arg(uint32_t index, spoc_be_buffer buffer, uint64_t offset = 0);
spoc_be_arg scalar_arg(uint32_t index, const void* data, uint64_t bytes);
spoc_be_arg local_arg(uint32_t index, uint64_t bytes);

/// A launch of one block with one thread, to be changed where a test wants more.
struct launch_call {
    int32_t run(spoc_be_stream stream);

    spoc_be_kernel kernel = nullptr;
    std::vector<spoc_be_arg> args{};
    std::array<uint32_t, 3> grid{1, 1, 1};
    std::array<uint32_t, 3> block{1, 1, 1};
    uint32_t shared_bytes = 0;
    uint64_t tag = 77;
    uint32_t done = SPOC_BE_DONE_NOTHING;
    spoc_be_error error{};
};

}  // namespace spoc::test
