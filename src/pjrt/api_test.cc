// The C interface, called as a framework calls it; what JAX itself never asks for.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/check_failure.h"
#include "pjrt/c_api/api.h"

extern "C" const PJRT_Api* GetPjrtApi();

namespace {

template <class Args>
Args args_of() {
  Args args;
  std::memset(&args, 0xAB, sizeof args);  // callers leave rubbish in what we write
  args.struct_size = sizeof args;
  args.extension_start = nullptr;
  return args;
}

class ApiTest : public testing::Test {
 public:
  const PJRT_Api* api = GetPjrtApi();

  // Code and text of an error, which is destroyed.
  std::pair<PJRT_Error_Code, std::string> told(PJRT_Error* error) {
    if (error == nullptr) return {PJRT_Error_Code_OK, ""};
    auto code = args_of<PJRT_Error_GetCode_Args>();
    code.error = error;
    EXPECT_EQ(api->Error_GetCode(&code), nullptr);
    auto message = args_of<PJRT_Error_Message_Args>();
    message.error = error;
    api->Error_Message(&message);
    std::string text(message.message, message.message_size);
    auto destroy = args_of<PJRT_Error_Destroy_Args>();
    destroy.error = error;
    api->Error_Destroy(&destroy);
    return {code.code, text};
  }

 protected:
  ApiTest() {
    auto args = args_of<PJRT_Client_Create_Args>();
    args.create_options = nullptr;
    args.num_options = 0;
    EXPECT_EQ(api->Client_Create(&args), nullptr);
    client = args.client;
  }
  ~ApiTest() override {
    auto args = args_of<PJRT_Client_Destroy_Args>();
    args.client = client;
    EXPECT_EQ(api->Client_Destroy(&args), nullptr);
  }

  PJRT_Buffer* put(const std::vector<float>& values, std::vector<int64_t> dims) {
    auto args = args_of<PJRT_Client_BufferFromHostBuffer_Args>();
    args.client = client;
    args.data = values.data();
    args.type = PJRT_Buffer_Type_F32;
    args.dims = dims.data();
    args.num_dims = dims.size();
    args.byte_strides = nullptr;
    args.num_byte_strides = 0;
    args.host_buffer_semantics = PJRT_HostBufferSemantics_ImmutableOnlyDuringCall;
    args.device = nullptr;
    args.memory = nullptr;
    args.device_layout = nullptr;
    EXPECT_EQ(api->Client_BufferFromHostBuffer(&args), nullptr);
    EXPECT_NE(args.done_with_host_buffer, nullptr);
    destroy(args.done_with_host_buffer);
    return args.buffer;
  }
  void destroy(PJRT_Event* event) {
    auto args = args_of<PJRT_Event_Destroy_Args>();
    args.event = event;
    EXPECT_EQ(api->Event_Destroy(&args), nullptr);
  }
  void destroy(PJRT_Buffer* buffer) {
    auto args = args_of<PJRT_Buffer_Destroy_Args>();
    args.buffer = buffer;
    EXPECT_EQ(api->Buffer_Destroy(&args), nullptr);
  }
  PJRT_Error* await(PJRT_Event* event) {
    auto args = args_of<PJRT_Event_Await_Args>();
    args.event = event;
    PJRT_Error* error = api->Event_Await(&args);
    destroy(event);
    return error;
  }
  PJRT_Error* compile(std::string code, std::string_view format, std::string_view options = "") {
    auto program = args_of<PJRT_Program>();
    program.code = code.data();
    program.code_size = code.size();
    program.format = format.data();
    program.format_size = format.size();
    auto args = args_of<PJRT_Client_Compile_Args>();
    args.client = client;
    args.program = &program;
    args.compile_options = options.data();
    args.compile_options_size = options.size();
    return api->Client_Compile(&args);
  }

  PJRT_Client* client = nullptr;
};

TEST_F(ApiTest, WhatIsMissingIsUnimplementedAndNothingElse) {
  auto args = args_of<PJRT_Client_DmaMap_Args>();
  const auto [code, text] = told(api->Client_DmaMap(&args));
  EXPECT_EQ(code, PJRT_Error_Code_UNIMPLEMENTED);
  EXPECT_EQ(text, "TY-PJRT-001  PJRT_Client_DmaMap is not implemented.");
}

TEST_F(ApiTest, OurOwnBugsDoNotEndTheProcessOfTheFramework) {
  auto args = args_of<PJRT_Plugin_Initialize_Args>();
  EXPECT_EQ(api->Plugin_Initialize(&args), nullptr);
  EXPECT_THROW(TY_CHECK(client == nullptr), trainyard::InternalError);
}

TEST_F(ApiTest, BytesThatAreNoExecutableAreRefused) {
  const std::string bytes = "not an executable";
  auto args = args_of<PJRT_Executable_DeserializeAndLoad_Args>();
  args.client = client;
  args.serialized_executable = bytes.data();
  args.serialized_executable_size = bytes.size();
  args.overridden_serialized_compile_options = nullptr;
  args.overridden_serialized_compile_options_size = 0;
  args.load_options = nullptr;
  const auto [code, text] = told(api->Executable_DeserializeAndLoad(&args));
  EXPECT_EQ(code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_TRUE(text.starts_with("TY-EXE-001")) << text;
}

TEST_F(ApiTest, DestroyingNoErrorDoesNothing) {
  auto args = args_of<PJRT_Error_Destroy_Args>();
  args.error = nullptr;
  api->Error_Destroy(&args);
}

TEST_F(ApiTest, AskingForTheSizeCopiesNothing) {
  PJRT_Buffer* buffer = put({1, 2, 3, 4, 5, 6}, {2, 3});
  auto args = args_of<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer;
  args.host_layout = nullptr;
  args.dst = nullptr;
  EXPECT_EQ(api->Buffer_ToHostBuffer(&args), nullptr);
  EXPECT_EQ(args.dst_size, 24u);
  destroy(buffer);
}

TEST_F(ApiTest, ArraysGoToTheHostInTheOrderThatItAsksFor) {
  PJRT_Buffer* buffer = put({1, 2, 3, 4, 5, 6}, {2, 3});
  std::vector<float> out(6);
  const std::vector<int64_t> column_major = {0, 1};
  auto layout = args_of<PJRT_Buffer_MemoryLayout>();
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.minor_to_major = column_major.data();
  layout.tiled.minor_to_major_size = 2;
  layout.tiled.num_tiles = 0;
  auto args = args_of<PJRT_Buffer_ToHostBuffer_Args>();
  args.src = buffer;
  args.host_layout = &layout;
  args.dst = out.data();
  args.dst_size = 24;
  EXPECT_EQ(api->Buffer_ToHostBuffer(&args), nullptr);
  EXPECT_EQ(await(args.event), nullptr);
  EXPECT_EQ(out, (std::vector<float>{1, 4, 2, 5, 3, 6}));
  args.dst_size = 23;
  EXPECT_NE(told(api->Buffer_ToHostBuffer(&args)).second.find("TY-PJRT-008"), std::string::npos);
  destroy(buffer);
}

TEST_F(ApiTest, RawBytesAreInsideTheArrayOrRefused) {
  PJRT_Buffer* buffer = put({1, 2, 3, 4}, {4});
  float out = 0;
  auto args = args_of<PJRT_Buffer_CopyRawToHost_Args>();
  args.buffer = buffer;
  args.dst = &out;
  args.offset = 8;
  args.transfer_size = 4;
  EXPECT_EQ(api->Buffer_CopyRawToHost(&args), nullptr);
  EXPECT_EQ(await(args.event), nullptr);
  EXPECT_EQ(out, 3);
  args.offset = 14;
  EXPECT_EQ(api->Buffer_CopyRawToHost(&args), nullptr);
  EXPECT_EQ(told(await(args.event)).first, PJRT_Error_Code_OUT_OF_RANGE);
  destroy(buffer);
}

TEST_F(ApiTest, ADeletedBufferFailsWhereItIsRead) {
  PJRT_Buffer* buffer = put({1}, {});
  auto remove = args_of<PJRT_Buffer_Delete_Args>();
  remove.buffer = buffer;
  EXPECT_EQ(api->Buffer_Delete(&remove), nullptr);
  auto ready = args_of<PJRT_Buffer_ReadyEvent_Args>();
  ready.buffer = buffer;
  EXPECT_EQ(api->Buffer_ReadyEvent(&ready), nullptr);
  EXPECT_NE(told(await(ready.event)).second.find("TY-RUN-023"), std::string::npos);
  float out = 0;
  auto read = args_of<PJRT_Buffer_ToHostBuffer_Args>();
  read.src = buffer;
  read.host_layout = nullptr;
  read.dst = &out;
  read.dst_size = 4;
  EXPECT_EQ(api->Buffer_ToHostBuffer(&read), nullptr);
  EXPECT_NE(told(await(read.event)).second.find("TY-RUN-023"), std::string::npos);
  destroy(buffer);
}

TEST_F(ApiTest, AnEventOfTheFrameworkKeepsItsError) {
  auto create = args_of<PJRT_Event_Create_Args>();
  EXPECT_EQ(api->Event_Create(&create), nullptr);
  std::string seen;
  auto listen = args_of<PJRT_Event_OnReady_Args>();
  listen.event = create.event;
  std::pair<ApiTest*, std::string*> user{this, &seen};
  listen.user_arg = &user;
  listen.callback = [](PJRT_Error* error, void* arg) {
    auto& [test, text] = *static_cast<std::pair<ApiTest*, std::string*>*>(arg);
    *text = test->told(error).second;
  };
  EXPECT_EQ(api->Event_OnReady(&listen), nullptr);
  auto set = args_of<PJRT_Event_Set_Args>();
  set.event = create.event;
  set.error_code = PJRT_Error_Code_CANCELLED;
  set.error_message = "stop";
  set.error_message_size = 4;
  EXPECT_EQ(api->Event_Set(&set), nullptr);
  EXPECT_EQ(seen, "stop");
  EXPECT_EQ(told(await(create.event)).first, PJRT_Error_Code_CANCELLED);
}

TEST_F(ApiTest, OtherFormatsAndDamagedProgramsAreRefusedWithACode) {
  EXPECT_NE(told(compile("x", "hlo")).second.find("TY-PJRT-002"), std::string::npos);
  EXPECT_NE(told(compile("no bytecode", "mlir")).second.find("TY-SHLO-"), std::string::npos);
  EXPECT_NE(told(compile("", "mlir", "\x1a\x7f")).second.find("TY-PJRT-004"), std::string::npos);
}

TEST_F(ApiTest, ProgramsOverSeveralDevicesAreRefused) {
  const auto [code, text] = told(compile("", "mlir", "\x1a\x02\x28\x08"));  // num_partitions 8
  EXPECT_EQ(code, PJRT_Error_Code_UNIMPLEMENTED);
  EXPECT_NE(text.find("TY-PJRT-003"), std::string::npos);
  EXPECT_NE(text.find("8 partitions"), std::string::npos);
}

TEST_F(ApiTest, TokensHaveNoArrays) {
  auto args = args_of<PJRT_Client_CreateUninitializedBuffer_Args>();
  args.client = client;
  args.shape_num_dims = 0;
  args.shape_dims = nullptr;
  args.shape_element_type = PJRT_Buffer_Type_TOKEN;
  EXPECT_NE(told(api->Client_CreateUninitializedBuffer(&args)).second.find("TY-PJRT-006"),
            std::string::npos);
}

TEST_F(ApiTest, AMemoryKeepsWhatTheFrameworkHangsOnIt) {
  auto args = args_of<PJRT_Client_AddressableMemories_Args>();
  args.client = client;
  EXPECT_EQ(api->Client_AddressableMemories(&args), nullptr);
  PJRT_Memory* memory = args.addressable_memories[0];
  const auto* table = *reinterpret_cast<const PJRT_Memory_FunctionTable* const*>(memory);
  int key = 0, freed = 0;
  const auto dtor = [](void* data) { ++*static_cast<int*>(data); };
  EXPECT_EQ(table->get_user_data(memory, &key), nullptr);
  table->set_user_data(memory, &key, &freed, dtor);
  EXPECT_EQ(table->get_user_data(memory, &key), &freed);
  table->set_user_data(memory, &key, nullptr, nullptr);
  EXPECT_EQ(freed, 1);
}

TEST_F(ApiTest, AnUnknownDeviceIsNamed) {
  auto args = args_of<PJRT_Client_LookupDevice_Args>();
  args.client = client;
  args.id = 8;
  const auto [code, text] = told(api->Client_LookupDevice(&args));
  EXPECT_EQ(code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_EQ(text, "TY-PJRT-005  there is no device 8; trn2 has devices 0 to 7.");
}

}  // namespace
