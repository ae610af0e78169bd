// SPDX-License-Identifier: Apache-2.0

/// \file
/// Launches that really run, on the native backend.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launch_fixture.hpp"

namespace spoc::test {
namespace {

/// The runtime with the native plugin alone.
class native {
 public:
    native() {
        variables.set("SPOC_PLUGIN_FILES", SPOC_TEST_NATIVE_PLUGIN);
        running = std::make_unique<runtime>();
        here = std::make_unique<device>(devices().front());
    }

    environment variables;
    std::unique_ptr<runtime> running;
    std::unique_ptr<device> here;
};

/// `data[i] *= factor` for `block` elements a block.
void scale(const spoc_native_block* block, void* const* args) {
    auto* const data = static_cast<float*>(args[0]);
    const float factor = *static_cast<const float*>(args[1]);
    const std::uint64_t first = std::uint64_t{block->index[0]} * block->block[0];
    for (std::uint64_t i = first; i < first + block->block[0]; ++i) {
        data[i] *= factor;
    }
}
// NOLINTNEXTLINE(cert-err58-cpp): without memory for it there is no test
const test_kernel scale_kernel({buffer_of(0, SPOC_ACCESS_INOUT, SPOC_ELEMENT_F32),
                                scalar_of(1, SPOC_ELEMENT_F32)},
                               scale);

}  // namespace

TEST_CASE_METHOD(native, "A kernel of the program's own runs on the native device",
                 "[R-901][R-914][R-219]") {
    add_native_kernel(*here, "semantics_scale", scale_kernel.description);
    const program all(*here, SPOC_FORMAT_NATIVE_SYMBOL, "");
    const kernel run(all, "semantics_scale");
    vector<float> v(4096);
    v.fill(1.0F);
    const stream on(*here);
    launch(run, {.grid = blocks_for(v.size(), 64), .block = 64}, inout(v), 3.0F);
    launch(run, {.grid = blocks_for(v.size(), 64), .block = 64}, on, inout(v), 2.0F);
    on.synchronize();
    CHECK(v.location() == SPOC_LOCATION_HOST);
    float sum = 0;
    for (const float one : v.read()) {
        sum += one;
    }
    CHECK(sum == 4096 * 6.0F);
    CHECK(thrown([&] { launch(run, {}, inout(v), 3.0); }) == "invalid_argument type");
    CHECK(thrown([&] { launch(run, {}, inout(v)); }) == "invalid_argument arity");
}

TEST_CASE_METHOD(native, "A kernel of a shared object runs on the native device",
                 "[R-901][R-902]") {
    const program all(*here, SPOC_FORMAT_NATIVE_SYMBOL, SPOC_TEST_NATIVE_KERNELS);
    const kernel run(all, "scale");
    buffer raw(*here, 16 * sizeof(float));
    std::vector<float> values(16, 2.0F);
    copy_to_device(std::as_bytes(std::span(values)), raw);
    launch(run, {.grid = 4, .block = 4}, inout(raw), 0.5F);
    copy_to_host(raw, 0, std::as_writable_bytes(std::span(values)));
    CHECK(values == std::vector<float>(16, 1.0F));
    CHECK(thrown([&] { kernel(all, "missing"); }) == "backend_error module_load_failed");
}

}  // namespace spoc::test
