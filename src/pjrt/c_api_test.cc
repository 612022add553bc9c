// Layout of the interface: figures that were seen from jaxlib 0.10.2, not computed by us.
#include "pjrt/c_api/api.h"

#include <gtest/gtest.h>

extern "C" const PJRT_Api* GetPjrtApi();

namespace {

TEST(CApi, TheTableHas138FunctionsAtTheirPlaces) {
  EXPECT_EQ(sizeof(PJRT_Api), 1144u);
  EXPECT_EQ(offsetof(PJRT_Api, pjrt_api_version), 16u);
  EXPECT_EQ(offsetof(PJRT_Api, Error_Destroy), 40u);
  EXPECT_EQ(offsetof(PJRT_Api, Client_Create), 40u + 8 * 10);
  EXPECT_EQ(offsetof(PJRT_Api, LoadedExecutable_Execute), 40u + 8 * 55);
  EXPECT_EQ(offsetof(PJRT_Api, Error_ForEachPayload), 40u + 8 * 132);
  EXPECT_EQ(offsetof(PJRT_Api, TopologyDescription_GetMemorySpaceKindIds), 40u + 8 * 137);
}

TEST(CApi, ArgumentStructsHaveTheSizesThatJaxSends) {
  EXPECT_EQ(sizeof(PJRT_Client_Create_Args), 88u);
  EXPECT_EQ(sizeof(PJRT_Client_Compile_Args), 56u);
  EXPECT_EQ(sizeof(PJRT_Program), 48u);
  EXPECT_EQ(sizeof(PJRT_Client_BufferFromHostBuffer_Args), 120u);
  EXPECT_EQ(sizeof(PJRT_Buffer_ToHostBuffer_Args), 56u);
  EXPECT_EQ(sizeof(PJRT_LoadedExecutable_Execute_Args), 80u);
  EXPECT_EQ(sizeof(PJRT_ExecuteOptions), 144u);
  EXPECT_EQ(offsetof(PJRT_Device_MemoryStats_Args, peak_pool_bytes_is_set), 184u);
}

TEST(CApi, NoFunctionIsNullAndTheVersionIsThatOfJax) {
  const PJRT_Api* api = GetPjrtApi();
  EXPECT_EQ(api->struct_size, sizeof(PJRT_Api));
  EXPECT_EQ(api->pjrt_api_version.major_version, 0);
  EXPECT_EQ(api->pjrt_api_version.minor_version, 112);
  const auto* slot = reinterpret_cast<void* const*>(&api->Error_Destroy);
  for (int i = 0; i < 138; ++i) EXPECT_NE(slot[i], nullptr) << i;
}

}  // namespace
