// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <locale.h>

namespace spoc::detail {

/// Keeps the calling thread in the C locale, so that the system loader speaks the one language in
/// which its words can be told apart.
class loader_words {
 public:
    loader_words() noexcept
        : plain_(newlocale(LC_ALL_MASK, "C", nullptr)),
          before_(plain_ == nullptr ? nullptr : uselocale(plain_)) {}
    ~loader_words() {
        if (plain_ != nullptr) {
            uselocale(before_);
            freelocale(plain_);
        }
    }
    loader_words(const loader_words&) = delete;
    loader_words& operator=(const loader_words&) = delete;

 private:
    locale_t plain_;
    locale_t before_;
};

}  // namespace spoc::detail
