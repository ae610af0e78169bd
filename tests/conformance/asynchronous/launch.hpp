// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

namespace spoc::asynchronous {

int32_t launch(spoc_be_stream stream, const spoc_be_launch* launch, uint32_t* done,
               spoc_be_error* error);

}  // namespace spoc::asynchronous
