/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

#include <spoc/native.h>

/* What the suite's native kernels say of their parameters. */

#define PARAM(number, what, mode, type, size)                                                    \
    {                                                                                            \
        .index = (number), .kind = (what), .access = (mode), .element = (type), .bytes = (size), \
        .set = SPOC_BE_UNKNOWN_32, .binding = SPOC_BE_UNKNOWN_32, .offset = SPOC_BE_UNKNOWN_32   \
    }
#define BUFFER(number, mode, type, size) PARAM(number, SPOC_BE_PARAM_BUFFER, mode, type, size)
#define WORDS(number, mode) BUFFER(number, mode, SPOC_BE_ELEMENT_I32, sizeof(uint32_t))
#define SCALAR(number, type, size) \
    PARAM(number, SPOC_BE_PARAM_SCALAR, SPOC_BE_ACCESS_READ, type, size)
#define LOCAL(number)                                                                  \
    PARAM(number, SPOC_BE_PARAM_LOCAL, SPOC_BE_ACCESS_READ_WRITE, SPOC_BE_ELEMENT_I32, \
          sizeof(uint32_t))
