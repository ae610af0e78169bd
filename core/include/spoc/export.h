/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOC_EXPORT_H
#define SPOC_EXPORT_H

/// \file
/// How the functions of libspoc are declared. Every one of them is a C function named `spoc_*`; the
/// library exports nothing else, so that any language can bind it.

#if defined(__cplusplus)
#define SPOC_BEGIN_DECLS extern "C" {
#define SPOC_END_DECLS }
#define SPOC_NOEXCEPT noexcept
#else
#define SPOC_BEGIN_DECLS
#define SPOC_END_DECLS
#define SPOC_NOEXCEPT
#endif

#define SPOC_API __attribute__((visibility("default")))

#endif /* SPOC_EXPORT_H */
