// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Records as a structure of arrays: besides the array of records, one vector for each field, for
/// kernels that read fields one by one. A record's fields are told once, in the namespace of its
/// type:
///
///     struct point { float x, y, z; };
///     SPOC_FIELDS(point, x, y, z)

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <spoc/device.hpp>
#include <spoc/vector.hpp>

namespace spoc {
namespace detail {

/// One field of a record.
template <typename Record, typename Member>
struct field {
    using type = Member;
    std::size_t offset;  ///< bytes from the record's start
    const char* name;
};

/// Converts to whatever a member is; only named, never called.
struct any_member {
    template <typename Member>
    operator Member() const;
};

template <typename T, typename... Members>
concept takes_members = requires {
    T{Members{}...};
};

/// Members that an aggregate has.
template <typename T, typename... Members>
constexpr std::size_t member_count() {
    if constexpr (takes_members<T, Members..., any_member>) {
        return member_count<T, Members..., any_member>();
    } else {
        return sizeof...(Members);
    }
}

constexpr std::size_t round_up(std::size_t value, std::size_t step) {
    return (value + step - 1) / step * step;
}

/// Whether the fields follow each other without a gap that alignment does not explain.
template <typename T, typename... Fields>
constexpr bool fields_fill(const std::tuple<Fields...>& fields) {
    std::size_t end = 0;
    bool fits = true;
    const auto add = [&](const auto& one) {
        using member = typename std::remove_cvref_t<decltype(one)>::type;
        fits = fits && one.offset == round_up(end, alignof(member));
        end = one.offset + sizeof(member);
    };
    std::apply([&](const auto&... one) { (add(one), ...); }, fields);
    return fits && round_up(end, alignof(T)) == sizeof(T);
}

template <typename T>
concept has_fields = requires {
    spoc_fields_of(static_cast<const T*>(nullptr));
};

/// What a leaf may hold.
template <typename Member>
constexpr bool is_leaf = std::is_arithmetic_v<Member> &&
                         (sizeof(Member) == 4 || sizeof(Member) == 8);

template <typename... Fields>
constexpr bool are_leaves(const std::tuple<Fields...>&) {
    return (is_leaf<typename Fields::type> && ...);
}

template <typename... Fields>
std::tuple<vector<typename Fields::type>...> make_leaves(const std::tuple<Fields...>&,
                                                         std::uint64_t count) {
    return {vector<typename Fields::type>(count)...};
}

/// The fields of a record, checked.
template <typename T>
struct record_plan {
    static_assert(std::is_trivially_copyable_v<T>, "records are copied byte by byte");
    static_assert(std::is_standard_layout_v<T> && std::is_aggregate_v<T>,
                  "a record is a plain structure");
    static_assert(has_fields<T>, "name the record's fields with SPOC_FIELDS, in its namespace");

    static constexpr auto fields = spoc_fields_of(static_cast<const T*>(nullptr));
    static constexpr std::size_t count = std::tuple_size_v<decltype(fields)>;

    static_assert(are_leaves(fields),
                  "fields are numbers of 4 or 8 bytes: no records in records, "
                  "no arrays");
    static_assert(member_count<T>() == count && fields_fill<T>(fields),
                  "SPOC_FIELDS names every member once, in the order of their declaration");

    using leaves = decltype(make_leaves(fields, 0));
};

}  // namespace detail

/// Number of fields of a record that SPOC_FIELDS describes.
template <typename T>
constexpr std::size_t field_count = detail::record_plan<T>::count;

/// An array of records and one vector for each of their fields, its leaves. Which of the two is
/// newer is told by what was asked for last: `write`, `overwrite` and `use_packed` make it the
/// records, `use_leaves` and `leaf` the leaves. Nothing is lost when that changes: the newer ones
/// are carried over first, on the host, bit by bit. On which device each leaf is up to date is the
/// leaf's own `location`, so that what happens on one device says nothing of another.
///
/// Threads: one at a time. Throws as `vector` does.
template <typename T>
class soa_vector {
    using plan = detail::record_plan<T>;

 public:
    /// Fields of a record, and so the leaves.
    static constexpr std::size_t leaf_count = plan::count;
    /// Type of a field.
    template <std::size_t Index>
    using leaf_type = typename std::tuple_element_t<Index, decltype(plan::fields)>::type;

    /// `count` records, contents undefined.
    explicit soa_vector(std::uint64_t count) : soa_vector(vector<T>(count)) {}
    /// Takes over records.
    explicit soa_vector(vector<T> records)
        : packed_(std::move(records)), leaves_(detail::make_leaves(plan::fields, packed_.size())) {}

    std::uint64_t size() const { return packed_.size(); }

    /// The records on the host, up to date, to be read until something is next written.
    std::span<const T> read() {
        bring_packed();
        return packed_.read();
    }
    /// The same, to be written.
    host_writer<T> write() {
        bring_packed();
        newest_ = newest::packed;
        return packed_.write();
    }
    /// The same where every record will be written.
    host_writer<T> overwrite() {
        const newest before = std::exchange(newest_, newest::packed);
        try {
            return packed_.overwrite();
        } catch (...) {
            newest_ = before;
            throw;
        }
    }

    /// The records, up to date on a device; work that is then given them may write them.
    vector<T>& use_packed(const device& where) {
        bring_packed();
        packed_.to_device(where);
        newest_ = newest::packed;
        return packed_;
    }
    /// All leaves, up to date on a device; work that is then given them may write them.
    void use_leaves(const device& where) {
        bring_leaves();
        std::apply([&](auto&... one) { (one.to_device(where), ...); }, leaves_);
        newest_ = newest::leaves;
    }
    /// One leaf, which may be used and written like any vector until the records are next used.
    template <std::size_t Index>
    vector<leaf_type<Index>>& leaf() {
        bring_leaves();
        newest_ = newest::leaves;
        return std::get<Index>(leaves_);
    }
    /// The vectors as they are, whichever is newer.
    template <std::size_t Index>
    const vector<leaf_type<Index>>& leaf_as_it_is() const noexcept {
        return std::get<Index>(leaves_);
    }
    const vector<T>& packed_as_it_is() const noexcept { return packed_; }

    /// Copies every field of the records into the leaves, on the host, whichever is newer: the
    /// leaves' copies on devices are old then.
    void scatter() {
        const std::span<const T> from = packed_.read();
        each_leaf([&](auto& one, std::size_t offset) {
            const auto writer = one.overwrite();
            for (std::size_t i = 0; i < from.size(); ++i) {
                std::memcpy(&writer[i], bytes_of(from[i]) + offset, sizeof writer[i]);
            }
        });
        newest_ = newest::neither;
    }
    /// Copies every leaf into the records, on the host, and writes nothing else.
    void gather() {
        // First, so that a leaf that cannot be brought to the host leaves the records as they are.
        each_leaf([](auto& one, std::size_t) { static_cast<void>(one.read()); });
        const host_writer<T> writer = packed_.overwrite();
        each_leaf([&](auto& one, std::size_t offset) {
            const auto from = one.read();
            for (std::size_t i = 0; i < from.size(); ++i) {
                std::memcpy(bytes_of(writer[i]) + offset, &from[i], sizeof from[i]);
            }
        });
        newest_ = newest::neither;
    }

    /// Frees records and leaves on a device; see `spoc_vector_free_buffer`.
    void free_buffer(const device& where) {
        each_leaf([&](auto& one, std::size_t) { one.free_buffer(where); });
        packed_.free_buffer(where);
    }
    /// The same on every device.
    void free_all_buffers() {
        each_leaf([](auto& one, std::size_t) { one.free_all_buffers(); });
        packed_.free_all_buffers();
    }

 private:
    enum class newest { neither, packed, leaves };

    static const std::byte* bytes_of(const T& record) noexcept {
        return reinterpret_cast<const std::byte*>(&record);
    }
    static std::byte* bytes_of(T& record) noexcept { return reinterpret_cast<std::byte*>(&record); }

    /// Calls `body(leaf, offset of the field)` for each.
    template <typename Body>
    void each_leaf(Body body) {
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (body(std::get<Index>(leaves_), std::get<Index>(plan::fields).offset), ...);
        }
        (std::make_index_sequence<leaf_count>());
    }

    void bring_packed() {
        if (newest_ == newest::leaves) {
            gather();
        }
    }
    void bring_leaves() {
        if (newest_ == newest::packed) {
            scatter();
        }
    }

    vector<T> packed_;
    typename plan::leaves leaves_;
    newest newest_ = newest::packed;
};

}  // namespace spoc

// Fields, one by one: each step leaves one argument less for the next scan.
#define SPOC_FIELDS_EXPAND(...) SPOC_FIELDS_EXPAND_3(SPOC_FIELDS_EXPAND_3(__VA_ARGS__))
#define SPOC_FIELDS_EXPAND_3(...) SPOC_FIELDS_EXPAND_2(SPOC_FIELDS_EXPAND_2(__VA_ARGS__))
#define SPOC_FIELDS_EXPAND_2(...) SPOC_FIELDS_EXPAND_1(SPOC_FIELDS_EXPAND_1(__VA_ARGS__))
#define SPOC_FIELDS_EXPAND_1(...) SPOC_FIELDS_EXPAND_0(SPOC_FIELDS_EXPAND_0(__VA_ARGS__))
#define SPOC_FIELDS_EXPAND_0(...) SPOC_FIELDS_ONCE(SPOC_FIELDS_ONCE(__VA_ARGS__))
#define SPOC_FIELDS_ONCE(...) __VA_ARGS__
#define SPOC_FIELDS_AGAIN() SPOC_FIELDS_NEXT
#define SPOC_FIELDS_PARENTHESES ()
#define SPOC_FIELDS_NEXT(record, one, ...)                                                        \
    ::spoc::detail::field<record, decltype(record::one)>{offsetof(record, one), #one} __VA_OPT__( \
        , SPOC_FIELDS_AGAIN SPOC_FIELDS_PARENTHESES(record, __VA_ARGS__))

/// Describes a record: its type, then every member in the order of declaration, at most 32. In the
/// namespace of the type, once. That the list is whole is checked where it is used.
#define SPOC_FIELDS(record, ...)                                                        \
    [[maybe_unused]] constexpr auto spoc_fields_of(const record*) {                     \
        return ::std::tuple{SPOC_FIELDS_EXPAND(SPOC_FIELDS_NEXT(record, __VA_ARGS__))}; \
    }
