#pragma once
// The PJRT C interface, version 0.112, as one table of 138 functions. Each takes a pointer to its
// own argument struct and returns an error, or null for success. The caller writes `struct_size` as
// the offset past the last field it knows, so a late field may be touched only where it is covered.
#include "pjrt/c_api/args_buffer.h"
#include "pjrt/c_api/args_client.h"
#include "pjrt/c_api/args_device.h"
#include "pjrt/c_api/args_event.h"
#include "pjrt/c_api/args_executable.h"
#include "pjrt/c_api/args_topology.h"
#include "pjrt/c_api/args_transfer.h"

inline constexpr int kPjrtMajor = 0;
inline constexpr int kPjrtMinor = 112;

struct PJRT_Api {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Api_Version pjrt_api_version;
#define TY_PJRT_VOID_FUNCTION(Name) void (*Name)(PJRT_##Name##_Args * args);
#define TY_PJRT_FUNCTION(Name) PJRT_Error* (*Name)(PJRT_##Name##_Args * args);
#include "pjrt/c_api/functions.inc"
#undef TY_PJRT_FUNCTION
#undef TY_PJRT_VOID_FUNCTION
};
