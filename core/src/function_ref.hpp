// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace spoc::detail {

template <typename Signature>
class function_ref;

/// A callable of the caller's, borrowed for a call: takes no memory, unlike `std::function`.
template <typename Result, typename... Arguments>
class function_ref<Result(Arguments...)> {
 public:
    template <typename Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, function_ref>)
        // Implicit: it stands for the callable in an argument list.
        function_ref(const Callable& callable)
    noexcept  // NOLINT(google-explicit-constructor)
        : callable_(std::addressof(callable)),
          call_([](const void* target, Arguments... arguments) -> Result {
              return (*static_cast<const Callable*>(target))(std::forward<Arguments>(arguments)...);
          }) {}

    Result operator()(Arguments... arguments) const {
        return call_(callable_, std::forward<Arguments>(arguments)...);
    }

 private:
    const void* callable_;
    Result (*call_)(const void*, Arguments...);
};

}  // namespace spoc::detail
