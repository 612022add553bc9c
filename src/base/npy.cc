#include "base/npy.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/read_file.h"

namespace trainyard {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicBytes = 6;

Status bad(const std::string& name, std::string_view why) {
  return error(
      "TY-NPY-002",
      "{} is not an array that can be used: {}. Save it with numpy.save as a plain C-order array.",
      name, why);
}

// The text between the quotes that follow `key`, or empty.
std::string quoted_after(const std::string& header, std::string_view key) {
  const size_t at = header.find(key);
  if (at == std::string::npos) return "";
  const size_t open = header.find('\'', at + key.size());
  if (open == std::string::npos) return "";
  const size_t close = header.find('\'', open + 1);
  return close == std::string::npos ? "" : header.substr(open + 1, close - open - 1);
}

bool parse_shape(const std::string& header, std::vector<int64_t>& shape) {
  const size_t at = header.find("'shape'");
  const size_t open = at == std::string::npos ? at : header.find('(', at);
  const size_t close = open == std::string::npos ? open : header.find(')', open);
  if (close == std::string::npos) return false;
  std::istringstream in(header.substr(open + 1, close - open - 1));
  std::string item;
  while (std::getline(in, item, ',')) {
    item.erase(std::remove(item.begin(), item.end(), ' '), item.end());
    if (item.empty()) continue;
    if (item.size() > 15 ||
        !std::all_of(item.begin(), item.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      return false;
    }
    shape.push_back(std::stoll(item));
  }
  return true;
}

}  // namespace

Result<NpyArray> parse_npy(const std::string& file, const std::string& name) {
  if (file.size() < 10 || std::memcmp(file.data(), kMagic, kMagicBytes) != 0)
    return bad(name, "no NumPy header");
  const bool wide = file[6] >= 2;
  size_t length = static_cast<uint8_t>(file[8]) | static_cast<size_t>(static_cast<uint8_t>(file[9]))
                                                      << 8;
  size_t start = 10;
  if (wide) {
    if (file.size() < 12) return bad(name, "the header is cut off");
    length |= static_cast<size_t>(static_cast<uint8_t>(file[10])) << 16 |
              static_cast<size_t>(static_cast<uint8_t>(file[11])) << 24;
    start = 12;
  }
  if (length > file.size() - start) return bad(name, "the header is cut off");
  const std::string header = file.substr(start, length);
  NpyArray array;
  std::string type = quoted_after(header, "'descr':");
  if (type.size() < 2) return bad(name, "it has fields or no type");
  if (type[0] == '>') return bad(name, fmt::format("type {} is big endian", type));
  if (type[0] == '<' || type[0] == '|' || type[0] == '=') type.erase(0, 1);
  array.type = type;
  if (header.find("'fortran_order': False") == std::string::npos)
    return bad(name, "it is in Fortran order");
  if (!parse_shape(header, array.shape)) return bad(name, "its shape cannot be read");
  const char digit = type.back();
  if (type.size() != 2 || (digit != '1' && digit != '2' && digit != '4' && digit != '8')) {
    return bad(name,
               fmt::format("type {} is none of f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1 V1 V2", type));
  }
  const size_t have = file.size() - start - length;
  size_t want = static_cast<size_t>(digit - '0');
  for (const int64_t n : array.shape) {
    if (n != 0 && want > have / static_cast<size_t>(n)) return bad(name, "the data is cut off");
    want *= static_cast<size_t>(n);
  }
  array.bytes.resize(want);
  std::memcpy(array.bytes.data(), file.data() + start + length, want);
  return array;
}

Result<NpyArray> load_npy(const std::string& path) {
  const std::optional<std::string> text = read_whole(path);
  if (!text) return error("TY-NPY-001", "cannot read {}. {}", path, unreadable(path));
  return parse_npy(*text, path);
}

Status save_npy(const std::string& path, const NpyArray& array) {
  std::string shape;
  for (const int64_t n : array.shape) shape += fmt::format("{}, ", n);
  const std::string order = array.type.back() == '1' || array.type[0] == 'V' ? "|" : "<";
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   order, array.type, shape);
  header.append(63 - (10 + header.size()) % 64, ' ');
  header.push_back('\n');
  std::ofstream out(path, std::ios::binary);
  out.write(kMagic, kMagicBytes);
  const char version[] = {1, 0, static_cast<char>(header.size() & 0xff),
                          static_cast<char>(header.size() >> 8)};
  out.write(version, 4);
  out << header;
  out.write(reinterpret_cast<const char*>(array.bytes.data()),
            static_cast<std::streamsize>(array.bytes.size()));
  if (!out.flush())
    return error("TY-NPY-001", "cannot write {}. Check the path and the space left.", path);
  return Status();
}

}  // namespace trainyard
