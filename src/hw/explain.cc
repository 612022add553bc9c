#include "hw/explain.h"

#include <algorithm>

#include "hw/fields.h"
#include "hw/units.h"

namespace trainyard::hw {
namespace {

template <class Spec>
PageRow row(const Field<Spec>& field, const Spec& spec, std::string key) {
  const FactView fact = field.get(spec);
  return {std::move(key),           value_text(fact.value, field.kind),
          std::string(field.unit),  std::string(name(fact.trust)),
          std::string(fact.source), std::string(field.meaning)};
}

// "pe.mm_floor"
std::string short_key(const CoreField& field) {
  return fmt::format("{}.{}", field.group, field.name);
}

std::string peaks(const CoreSpec& core) {
  struct Mode {
    MatmulMode mode;
    std::string_view name;
  };
  constexpr Mode kModes[] = {{MatmulMode::Bits16, "bf16, fp16, tf32 and fp8"},
                             {MatmulMode::DoubleRow, "fp8 double-row"},
                             {MatmulMode::Mx, "MX formats"},
                             {MatmulMode::Fp32, "fp32"}};
  std::vector<std::string> parts;
  for (const Mode& m : kModes) {
    const double tflops = peak_flops(core, m.mode) * 1e-12;
    if (tflops > 0) parts.push_back(fmt::format("{:.1f} in {}", tflops, m.name));
  }
  return fmt::format("Peak TFLOPS of one core (2 x rows x columns x clock x multiplier): {}.",
                     fmt::join(parts, ", "));
}

std::string memory(const Machine& machine) {
  const CoreSpec& core = machine.core;
  const double stacks = static_cast<double>(machine.chip.hbm_stacks.value);
  const double gib = stacks * static_cast<double>(core.hbm.stack_bytes.value) / GiB;
  return fmt::format(
      "Memory: {} partitions of {} bytes SBUF per core, of which a kernel may use {}; PSUM of {} "
      "bytes per partition in {} banks; {:g} GiB HBM per chip at {:g} GB/s.",
      core.limits.partitions.value, core.sbuf.partition_bytes.value, core.sbuf_usable_bytes(),
      core.psum.partition_bytes.value, core.psum.banks.value, gib,
      stacks * core.hbm.stack_bytes_per_ns.value);
}

Page unit_page(const Unit& unit, const Machine& machine) {
  Page page{.name = std::string(unit.name), .title = std::string(unit.title)};
  page.aliases.assign(unit.aliases.begin(), unit.aliases.end());
  page.paragraphs.assign(unit.paragraphs.begin(), unit.paragraphs.end());
  page.paragraphs.push_back(fmt::format("Constants on {}:", machine.name));
  for (const CoreField& field : core_fields()) {
    if (std::ranges::find(unit.groups, field.group) == unit.groups.end()) continue;
    page.rows.push_back(row(field, machine.core, short_key(field)));
  }
  return page;
}

template <class Spec>
Page constant_page(const Field<Spec>& field, std::string key) {
  Page page{.name = std::move(key), .title = std::string(field.meaning)};
  const std::string range = field.kind == FieldKind::Flag
                                ? "true or false"
                                : fmt::format("{} to {}", value_text(field.low, field.kind),
                                              value_text(field.high, field.kind));
  if (page.name != field.key) page.aliases.emplace_back(field.key);
  page.paragraphs.push_back(
      fmt::format("Key in a machine file: {}. Allowed: {}.", field.key, range));
  return page;
}

bool in_catalogue(const Machine& machine) {
  const auto known = find_target(machine.name);
  return known && *known == machine;
}

// The machines whose values a constant's page shows.
std::vector<Machine> shown_machines(const Machine& machine) {
  std::vector<Machine> machines;
  for (const std::string& target : target_names()) machines.push_back(*find_target(target));
  if (!in_catalogue(machine)) machines.push_back(machine);
  return machines;
}

}  // namespace

Page machine_page(const Machine& machine) {
  const ChipSpec& chip = machine.chip;
  Page page{.name = machine.name,
            .title = fmt::format("{}: {} with {} cores {}", machine.name, chip.product,
                                 chip.cores.value, machine.core.name)};
  page.paragraphs = {peaks(machine.core), memory(machine),
                     fmt::format("Time is counted in ticks of 1/{} s.", machine.core.tick_hz)};
  for (const ChipField& field : chip_fields()) {
    page.rows.push_back(row(field, chip, std::string(field.key)));
  }
  return page;
}

std::vector<Page> target_pages() {
  std::vector<Page> pages;
  for (const std::string& target : target_names()) {
    pages.push_back(machine_page(*find_target(target)));
  }
  return pages;
}

std::vector<Page> unit_pages(const Machine& machine) {
  std::vector<Page> pages;
  for (const Unit& unit : units()) pages.push_back(unit_page(unit, machine));
  return pages;
}

std::vector<Page> constant_pages(const Machine& machine) {
  const std::vector<Machine> machines = shown_machines(machine);
  std::vector<Page> pages;
  for (const CoreField& field : core_fields()) {
    Page& page = pages.emplace_back(constant_page(field, short_key(field)));
    for (const Machine& m : machines) page.rows.push_back(row(field, m.core, m.name));
    for (PageRow& r : page.rows) r.meaning.clear();
  }
  for (const ChipField& field : chip_fields()) {
    Page& page = pages.emplace_back(constant_page(field, std::string(field.key)));
    for (const Machine& m : machines) page.rows.push_back(row(field, m.chip, m.name));
    for (PageRow& r : page.rows) r.meaning.clear();
  }
  return pages;
}

}  // namespace trainyard::hw
