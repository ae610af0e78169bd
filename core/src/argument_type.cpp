// SPDX-License-Identifier: Apache-2.0
#include "argument_type.hpp"

#include <string_view>

#include "session.hpp"
#include "text.hpp"
#include "vector.hpp"

namespace spoc::detail {
namespace {

/// Bytes of one scalar of an element type; 0: any.
std::uint64_t bytes_of(std::uint32_t element) noexcept {
    switch (element) {
        case SPOC_ELEMENT_U8:
            return 1;
        case SPOC_ELEMENT_F16:
            return 2;
        case SPOC_ELEMENT_F32:
        case SPOC_ELEMENT_I32:
            return 4;
        case SPOC_ELEMENT_F64:
        case SPOC_ELEMENT_I64:
            return 8;
        default:
            return 0;
    }
}

/// The element type that a vector's kind is; UNKNOWN where none is it alone.
std::uint32_t element_of(std::uint32_t kind) noexcept {
    switch (kind) {
        case SPOC_KIND_FLOAT16:
            return SPOC_ELEMENT_F16;
        case SPOC_KIND_FLOAT32:
            return SPOC_ELEMENT_F32;
        case SPOC_KIND_FLOAT64:
            return SPOC_ELEMENT_F64;
        case SPOC_KIND_INT32:
            return SPOC_ELEMENT_I32;
        case SPOC_KIND_INT64:
            return SPOC_ELEMENT_I64;
        case SPOC_KIND_UINT8:
            return SPOC_ELEMENT_U8;
        default:
            return SPOC_ELEMENT_UNKNOWN;
    }
}

/// Whether a parameter's type is several scalars in one, such as `float4`.
bool is_vector_type(const spoc_parameter& parameter) noexcept {
    const std::uint64_t scalar = bytes_of(parameter.element);
    return scalar != 0 && parameter.bytes > scalar;
}

/// Whether elements of a vector are what a buffer parameter points to.
bool elements_fit(const spoc_vector_info& vector, const spoc_parameter& parameter) noexcept {
    // Of a parameter that may be a scalar too the bytes are its own, not those of an element.
    const bool is_stride = parameter.kind == SPOC_PARAMETER_BUFFER && parameter.bytes != 0;
    const bool same_bytes = !is_stride || parameter.bytes == vector.element_bytes;
    if (parameter.element == SPOC_ELEMENT_UNKNOWN) {
        return same_bytes;
    }
    const std::uint32_t element = element_of(vector.kind);
    if (element != SPOC_ELEMENT_UNKNOWN) {
        return element == parameter.element;
    }
    // Complex numbers and records: a record, or a type of several scalars, of the same size.
    const bool is_pair =
        vector.kind == SPOC_KIND_COMPLEX32 && parameter.element != SPOC_ELEMENT_F32;
    return parameter.element == SPOC_ELEMENT_RECORD
               ? same_bytes
               : same_bytes && is_vector_type(parameter) && !is_pair;
}

bool scalar_fits(std::uint32_t element, std::uint64_t bytes, const spoc_parameter& parameter) {
    if (parameter.bytes != 0 && parameter.bytes != bytes) {
        return false;
    }
    return element == SPOC_ELEMENT_UNKNOWN || parameter.element == SPOC_ELEMENT_UNKNOWN ||
           element == parameter.element ||
           (element == SPOC_ELEMENT_RECORD && is_vector_type(parameter));
}

bool takes(const spoc_parameter& parameter, std::uint32_t kind) noexcept {
    return parameter.kind == SPOC_PARAMETER_UNKNOWN || parameter.kind == kind;
}

outcome does_not_fit(const spoc_argument& given, std::string_view why) {
    return outcome::invalid(SPOC_SUB_TYPE, say("Argument ", given.index,
                                               " is not what its parameter takes: ", why, "."));
}

outcome check_buffer_fits(const spoc_argument& given, std::uint64_t shown,
                          const spoc_parameter& parameter) {
    if (!takes(parameter, SPOC_PARAMETER_BUFFER)) {
        return does_not_fit(given, "it takes no buffer");
    }
    if (given.kind == SPOC_ARGUMENT_VECTOR && !elements_fit(given.vector->describe(), parameter)) {
        return does_not_fit(given, "the vector's elements are of another type");
    }
    if (shown < parameter.min_bytes) {
        return outcome::invalid(SPOC_SUB_BOUNDS,
                                say("Argument ", given.index, " shows too few bytes (", shown,
                                    ", at least ", parameter.min_bytes, ")."))
            .figures(shown, parameter.min_bytes);
    }
    if (parameter.max_bytes != 0 && shown > parameter.max_bytes) {
        return outcome::invalid(SPOC_SUB_TOO_MUCH,
                                say("Argument ", given.index, " shows too many bytes (", shown,
                                    ", at most ", parameter.max_bytes, ")."))
            .figures(shown, parameter.max_bytes);
    }
    return {};
}

}  // namespace

outcome check_scalar(const spoc_argument& given) {
    const std::uint64_t scalar = bytes_of(given.element);
    if (given.bytes > 0 && (scalar == 0 || given.bytes % scalar == 0)) {
        return {};
    }
    return outcome::invalid(SPOC_SUB_LENGTH, say("Argument ", given.index, " has ", given.bytes,
                                                 " bytes, which no scalar of its element has."));
}

outcome check_fits(const spoc_argument& given, std::uint64_t shown,
                   const spoc_parameter& parameter) {
    if (parameter.kind == SPOC_PARAMETER_OTHER) {
        return does_not_fit(given, "it takes something that cannot be passed");
    }
    switch (given.kind) {
        case SPOC_ARGUMENT_SCALAR:
            return takes(parameter, SPOC_PARAMETER_SCALAR) &&
                           scalar_fits(given.element, given.bytes, parameter)
                       ? outcome{}
                       : does_not_fit(given, "it takes no scalar of this type");
        case SPOC_ARGUMENT_ADDRESS:
            return takes(parameter, SPOC_PARAMETER_BUFFER) ||
                           (parameter.kind == SPOC_PARAMETER_SCALAR &&
                            scalar_fits(SPOC_ELEMENT_I64, shown, parameter))
                       ? outcome{}
                       : does_not_fit(given, "it takes no address");
        case SPOC_ARGUMENT_LOCAL:
            return takes(parameter, SPOC_PARAMETER_LOCAL)
                       ? outcome{}
                       : does_not_fit(given, "it takes no local memory");
        default:
            return check_buffer_fits(given, shown, parameter);
    }
}

outcome check_length_fits(const spoc_argument& vector, const spoc_parameter& parameter) {
    return takes(parameter, SPOC_PARAMETER_SCALAR) &&
                   scalar_fits(SPOC_ELEMENT_I32, sizeof(std::int32_t), parameter)
               ? outcome{}
               : does_not_fit(vector, "the parameter behind it takes no 32-bit length");
}

}  // namespace spoc::detail
