#include "pjrt/error.h"
#include "pjrt/handles.h"

namespace trainyard::pjrt {
namespace {

Status event_destroy(PJRT_Event_Destroy_Args& args) {
  delete args.event;
  return {};
}

Status event_is_ready(PJRT_Event_IsReady_Args& args) {
  args.is_ready = args.event->event->is_ready();
  return {};
}

Status event_error(PJRT_Event_Error_Args& args) { return args.event->event->status(); }

Status event_await(PJRT_Event_Await_Args& args) { return args.event->event->wait(); }

Status event_on_ready(PJRT_Event_OnReady_Args& args) {
  // The callback owns its error. No lock of ours is held while it runs.
  args.event->event->on_ready([callback = args.callback, user = args.user_arg](
                                  const Status& status) { callback(to_error(status), user); });
  return {};
}

Status event_create(PJRT_Event_Create_Args& args) {
  args.event = wrap(std::make_shared<runtime::Event>());
  return {};
}

Status event_set(PJRT_Event_Set_Args& args) {
  args.event->event->set(
      foreign_status(args.error_code, {args.error_message, args.error_message_size}));
  return {};
}

}  // namespace

PJRT_Event* wrap(std::shared_ptr<runtime::Event> event) { return new PJRT_Event{std::move(event)}; }

void add_event_functions(PJRT_Api& api) {
  api.Event_Destroy = Entry<event_destroy>::call;
  api.Event_IsReady = Entry<event_is_ready>::call;
  api.Event_Error = Entry<event_error>::call;
  api.Event_Await = Entry<event_await>::call;
  api.Event_OnReady = Entry<event_on_ready>::call;
  api.Event_Create = Entry<event_create>::call;
  api.Event_Set = Entry<event_set>::call;
}

}  // namespace trainyard::pjrt
