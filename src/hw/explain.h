#pragma once
// Pages about the machine, for `trainyard explain <target|unit|constant>` and for docs/machine/.
// A page is data; text() prints it, and the tools write it as JSON.
#include <string>
#include <string_view>
#include <vector>

#include "hw/catalogue.h"

namespace trainyard::hw {

// One number on a page.
struct PageRow {
  std::string key;      // "pe.mm_floor"; on the page of one constant the machine, "trn2"
  std::string value;    // "64", "true"
  std::string unit;     // "cycles"; may be empty
  std::string trust;    // "assumed"
  std::string source;   // key of docs/sources.md
  std::string meaning;  // one line; may be empty
};

struct Page {
  std::string name;                  // "tensor", "trn2", "pe.mm_floor"
  std::string title;                 // one line
  std::vector<std::string> aliases;  // other names: "pe", "tensore"; "core.pe.mm_floor"
  std::vector<std::string> paragraphs;
  std::vector<PageRow> rows;
};

// The chips of the catalogue: what is in them, with peaks and memory.
std::vector<Page> target_pages();
// The page of one machine, which may come from a machine file.
Page machine_page(const Machine& machine);
// The units of a core, with the numbers of `machine`.
std::vector<Page> unit_pages(const Machine& machine);
// Every constant: meaning, allowed range, key in a machine file, value on each chip; and on
// `machine` if it is none of the catalogue.
std::vector<Page> constant_pages(const Machine& machine);

// For a terminal, at most 100 columns except where a row is longer.
std::string text(const Page& page);

// docs/machine/<unit>.md: the words of the unit and its constants on all generations.
std::string unit_markdown(std::string_view unit);

}  // namespace trainyard::hw
