// SPDX-License-Identifier: Apache-2.0
#include "sha256.hpp"

#include <array>
#include <stdexcept>

#include "hex.hpp"

namespace spoc::bench {
namespace {

void require(int succeeded) {
    if (succeeded != 1) {
        throw std::runtime_error("libcrypto cannot compute a SHA-256 sum.");
    }
}

}  // namespace

sha256::sha256() : context_(EVP_MD_CTX_new()) {
    require(context_ == nullptr ? 0 : EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void sha256::update(std::span<const std::byte> data) {
    require(EVP_DigestUpdate(context_.get(), data.data(), data.size()));
}

std::string sha256::finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
    unsigned int length = 0;
    require(EVP_DigestFinal_ex(context_.get(), sum.data(), &length));
    std::string text;
    for (unsigned int i = 0; i < length; ++i) {
        text += hex(sum[i]);
    }
    return text;
}

}  // namespace spoc::bench
