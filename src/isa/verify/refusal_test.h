#pragma once
// Shared by the tests of isa/verify/.
#include <gtest/gtest.h>

#include <string>

#include "isa/small_body.h"
#include "isa/verify.h"

namespace trainyard::isa {

using hw::kNeuronCoreV2;
using hw::kNeuronCoreV3;
using hw::kNeuronCoreV4;

// The program is refused with `code`, and the message says `words` (a limit, a value, the remedy).
inline void expect_refused(const Program& program, const hw::CoreSpec& core, std::string_view code,
                           std::initializer_list<std::string_view> words) {
  const Status s = verify(program, core);
  EXPECT_EQ(s.code(), code) << s.str();
  for (const std::string_view w : words) {
    EXPECT_NE(s.message().find(w), std::string::npos) << "no '" << w << "' in: " << s.str();
  }
}

inline void expect_ok(const Program& program, const hw::CoreSpec& core) {
  const Status s = verify(program, core);
  EXPECT_TRUE(s.ok()) << s.str();
}

// A program of one instruction that `make` builds.
template <class Make>
Program program_of(Make make, std::optional<Engine> engine = {}) {
  SmallBody b;
  Instruction op = make(b);
  b.add(std::move(op), engine);
  return b.program;
}

template <class Make>
void expect_refused(Make make, const hw::CoreSpec& core, std::string_view code,
                    std::initializer_list<std::string_view> words,
                    std::optional<Engine> engine = {}) {
  expect_refused(program_of(make, engine), core, code, words);
}
template <class Make>
void expect_ok(Make make, const hw::CoreSpec& core, std::optional<Engine> engine = {}) {
  expect_ok(program_of(make, engine), core);
}

}  // namespace trainyard::isa
