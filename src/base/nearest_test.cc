#include "base/nearest.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

TEST(EditDistance, CountsEachKindOfSlipOnce) {
  EXPECT_EQ(edit_distance("matmul", "matmul"), 0);
  EXPECT_EQ(edit_distance("matmul", "matml"), 1);
  EXPECT_EQ(edit_distance("matmul", "mattmul"), 1);
  EXPECT_EQ(edit_distance("matmul", "matnul"), 1);
  EXPECT_EQ(edit_distance("matmul", "mamtul"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("abc", ""), 3);
}

TEST(EditDistance, IsTheSameInBothDirections) {
  EXPECT_EQ(edit_distance("tensor_copy", "tensor_scalar"),
            edit_distance("tensor_scalar", "tensor_copy"));
}

TEST(Nearest, ASlipFindsTheName) {
  const std::vector<std::string> names = {"trn1", "trn2", "inf2", "tensor_tensor"};
  EXPECT_EQ(nearest("tensor_tenosr", names), "tensor_tensor");
  EXPECT_EQ(nearest("TRN2", names), "trn2");
  EXPECT_EQ(nearest("trn9", names), "trn1");
}

TEST(Nearest, AWildGuessIsNotOffered) {
  EXPECT_EQ(nearest("h100", {"trn1", "doctor"}), "");
  EXPECT_EQ(nearest("anything", {}), "");
  EXPECT_EQ(did_you_mean("anything", {}), "");
}

TEST(Nearest, TheHintIsAppendable) {
  EXPECT_EQ(did_you_mean("doctr", {"doctor"}), " (did you mean 'doctor'?)");
}

}  // namespace
}  // namespace trainyard
