// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Vectors whose buffer is made over host memory; see spoc/host_pointer.h for what is accepted.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <spoc/device.hpp>
#include <spoc/error.hpp>
#include <spoc/host_pointer.h>
#include <spoc/owner.hpp>
#include <spoc/vector.hpp>

namespace spoc {

/// A vector over host memory with a buffer on one device over the same memory. The rest is as in
/// `vector`.
template <typename T>
class host_ptr_buffer : public vector<T> {
 public:
    /// Over memory that stays the caller's; `kept`, if not null, is held as long as it is needed.
    /// Throws `host_pointer_refused`, and as `spoc_vector_create_host_pointer`.
    static host_ptr_buffer of_span(const device& where, std::span<T> host,
                                   std::shared_ptr<const void> kept = nullptr) {
        host_ptr_buffer made(where);
        detail::lent_reference lent(std::move(kept));
        detail::call(spoc_vector_create_host_pointer, where.get(), vector<T>::kind,
                     vector<T>::element_bytes, std::uint64_t{host.size()},
                     static_cast<void*>(host.data()), lent.get(), &made.handle);
        lent.taken();
        return made;
    }

    /// The same, with a refusal for a value: nothing, and its sub-code (`SPOC_SUB_UNSUPPORTED` and
    /// the like) in `refusal` if that is not null. Other errors are thrown.
    static std::optional<host_ptr_buffer> try_of_span(const device& where, std::span<T> host,
                                                      std::uint32_t* refusal = nullptr,
                                                      std::shared_ptr<const void> kept = nullptr) {
        try {
            return of_span(where, host, std::move(kept));
        } catch (const host_pointer_refused& refused) {
            if (refusal != nullptr) {
                *refusal = refused.sub_code();
            }
            return std::nullopt;
        }
    }

    /// Gives a vector a buffer over its host storage; see `spoc_vector_attach_host_pointer`.
    static void attach(vector<T>& existing, const device& where) {
        detail::call(spoc_vector_attach_host_pointer, existing.get(), where.get());
    }

    /// After this the memory holds what kernels wrote.
    void acquire_device_writes() {
        detail::call(spoc_vector_acquire_device_writes, this->handle, where_.get());
    }
    /// After the memory was written by its address, before the next launch.
    void publish_host_writes() {
        detail::call(spoc_vector_publish_host_writes, this->handle, where_.get());
    }

    /// The device that the buffer is on.
    const device& where() const noexcept { return where_; }

 private:
    explicit host_ptr_buffer(const device& where) noexcept : where_(where) {}

    device where_;
};

}  // namespace spoc
