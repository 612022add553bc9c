#include "pjrt/error.h"

#include <array>
#include <cstdlib>

namespace trainyard::pjrt {
namespace {

struct Class {
  std::string_view prefix;
  PJRT_Error_Code code;
};

// The first row that fits decides.
constexpr std::array kClasses = {
    Class{"TY-PJRT-001", PJRT_Error_Code_UNIMPLEMENTED},
    Class{"TY-PJRT-003", PJRT_Error_Code_UNIMPLEMENTED},
    Class{"TY-PJRT-", PJRT_Error_Code_INVALID_ARGUMENT},
    Class{"TY-EXE-", PJRT_Error_Code_INVALID_ARGUMENT},
    Class{"TY-LOW-", PJRT_Error_Code_UNIMPLEMENTED},
    Class{"TY-SHLO-04", PJRT_Error_Code_UNIMPLEMENTED},
    Class{"TY-SHLO-", PJRT_Error_Code_INVALID_ARGUMENT},
    Class{"TY-HW-", PJRT_Error_Code_INVALID_ARGUMENT},
    Class{"TY-MEM-", PJRT_Error_Code_RESOURCE_EXHAUSTED},
    Class{"TY-RUN-020", PJRT_Error_Code_RESOURCE_EXHAUSTED},
    Class{"TY-RUN-021", PJRT_Error_Code_INVALID_ARGUMENT},
    Class{"TY-RUN-022", PJRT_Error_Code_RESOURCE_EXHAUSTED},
    Class{"TY-RUN-023", PJRT_Error_Code_INVALID_ARGUMENT},
    Class{"TY-RUN-024", PJRT_Error_Code_OUT_OF_RANGE},
    Class{"TY-RUN-026", PJRT_Error_Code_INVALID_ARGUMENT},
    Class{"TY-RUN-027", PJRT_Error_Code_INVALID_ARGUMENT},
};

void destroy(PJRT_Error* error) { delete error; }

void message(const PJRT_Error* error, const char** text, size_t* size) {
  *text = error->text.c_str();
  *size = error->text.size();
}

PJRT_Error_Code get_code(const PJRT_Error* error) { return error->code; }

// How a Status carries an error of the framework's own.
constexpr std::string_view kForeign = "PJRT-";

// The code stands in the message already; there is nothing else to carry.
void for_each_payload(const PJRT_Error*, PJRT_Error_PayloadVisitor, void*) {}

constexpr PJRT_Error_FunctionTable kTable = {
    .struct_size = sizeof(PJRT_Error_FunctionTable),
    .instance_size = sizeof(PJRT_Error),
    .extension_start = nullptr,
    .destroy = destroy,
    .message = message,
    .get_code = get_code,
    .for_each_payload = for_each_payload,
};

// Also called with null, after an event that went well.
void error_destroy(PJRT_Error_Destroy_Args* args) { destroy(args->error); }

void error_message(PJRT_Error_Message_Args* args) {
  message(args->error, &args->message, &args->message_size);
}

Status error_get_code(PJRT_Error_GetCode_Args& args) {
  args.code = get_code(args.error);
  return {};
}

Status error_for_each_payload(PJRT_Error_ForEachPayload_Args& args) {
  for_each_payload(args.error, args.visitor, args.user_arg);
  return {};
}

}  // namespace

PJRT_Error_Code error_class(std::string_view ty_code) {
  for (const Class& row : kClasses) {
    if (ty_code.starts_with(row.prefix)) return row.code;
  }
  return PJRT_Error_Code_INTERNAL;
}

PJRT_Error* to_error(const Status& status) {
  if (status.ok()) return nullptr;
  if (status.code().starts_with(kForeign)) {
    const int code = std::atoi(status.code().c_str() + kForeign.size());
    return new PJRT_Error{&kTable, static_cast<PJRT_Error_Code>(code), status.message()};
  }
  return new PJRT_Error{&kTable, error_class(status.code()), status.str()};
}

Status foreign_status(PJRT_Error_Code code, std::string_view text) {
  return code == PJRT_Error_Code_OK
             ? Status()
             : Status(fmt::format("{}{}", kForeign, static_cast<int>(code)), std::string(text));
}

Status unimplemented(std::string_view function) {
  return error("TY-PJRT-001", "PJRT_{} is not implemented.", function);
}

void add_error_functions(PJRT_Api& api) {
  api.Error_Destroy = error_destroy;
  api.Error_Message = error_message;
  api.Error_GetCode = Entry<error_get_code>::call;
  api.Error_ForEachPayload = Entry<error_for_each_payload>::call;
}

}  // namespace trainyard::pjrt
