#pragma once
// Our errors as PJRT errors, and the frame around every entry point: no exception leaves the
// library.
#include <string>

#include "base/status.h"
#include "pjrt/c_api/api.h"

// What the framework holds. The first word is part of the interface.
struct PJRT_Error {
  const PJRT_Error_FunctionTable* vtable;
  PJRT_Error_Code code;
  std::string text;  // "train.py:12  TY-LOW-001  message"
};

namespace trainyard::pjrt {

// Which of the framework's error classes a code belongs to.
PJRT_Error_Code error_class(std::string_view ty_code);

// Null if the status is ok. The caller owns the error.
PJRT_Error* to_error(const Status& status);
// An error that came from the framework; to_error gives it back as it was.
Status foreign_status(PJRT_Error_Code code, std::string_view text);
Status unimplemented(std::string_view function);

// Whether the caller's argument struct reaches to the end of this field.
#define TY_COVERS(args, field) \
  ((args).struct_size >=       \
   offsetof(std::remove_reference_t<decltype(args)>, field) + sizeof((args).field))

// Turns `Status f(Args&)` into an entry of the table.
template <auto F>
struct Entry;
template <class Args, Status (*F)(Args&)>
struct Entry<F> {
  static PJRT_Error* call(Args* args) noexcept {
    try {
      return to_error(F(*args));
    } catch (const std::bad_alloc&) {
      return to_error(error("TY-RUN-022", "the host ran out of memory."));
    } catch (const std::exception& fault) {
      return to_error(error("TY-RUN-028", "{}", fault.what()));
    } catch (...) {
      return to_error(error("TY-RUN-028", "an unknown exception"));
    }
  }
};

void add_error_functions(PJRT_Api& api);

}  // namespace trainyard::pjrt
