#include "base/read_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/npy.h"

namespace trainyard {
namespace {

TEST(ReadFile, AFolderIsNoEmptyFile) {
  const std::string folder = std::filesystem::temp_directory_path();
  EXPECT_FALSE(read_whole(folder));
  EXPECT_EQ(unreadable(folder), "It is a folder; name a file in it.");
  EXPECT_EQ(load_npy(folder).status().code(), "TY-NPY-001");
}

TEST(ReadFile, AnEmptyFileIsEmptyAndAnAbsentOneIsNot) {
  const std::string path = testing::TempDir() + "read_file_test_empty";
  std::ofstream(path).close();
  EXPECT_EQ(read_whole(path), "");
  std::filesystem::remove(path);
  EXPECT_FALSE(read_whole(path));
  EXPECT_EQ(unreadable(path), "Check the path.");
}

}  // namespace
}  // namespace trainyard
