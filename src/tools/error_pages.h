#pragma once
// The pages of docs/errors, carried inside the program. The build generates the source
// (cmake/embed_pages.cmake), so that `trainyard explain` needs no files.
#include <span>
#include <string_view>

namespace trainyard::tools {

struct ErrorPage {
  std::string_view code;  // "TY-TOOL-001"
  std::string_view text;  // the page, Markdown; its first line is "# CODE: title"
};

std::span<const ErrorPage> error_pages();  // sorted by code

}  // namespace trainyard::tools
