// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <openssl/evp.h>

namespace spoc::bench {

/// A SHA-256 sum in the making. Every function throws `std::runtime_error` when libcrypto fails.
/// One thread at a time.
class sha256 {
 public:
    sha256();

    void update(std::span<const std::byte> data);

    /// The sum as 64 hexadecimal digits. Nothing may follow.
    std::string finish();

 private:
    struct context_deleter {
        void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
    };

    std::unique_ptr<EVP_MD_CTX, context_deleter> context_;
};

}  // namespace spoc::bench
