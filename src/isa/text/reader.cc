#include "isa/text/reader.h"

#include <limits>
#include <utility>

namespace trainyard::isa::text {

void Reader::advance() {
  now_ = std::move(next_);
  next_ = lexer_.next();
}

Token Reader::take() {
  // The lexer looks one token further than the reader, so its error is told only when the tokens
  // before it have been read.
  Token token = std::move(now_);
  advance();
  if (token.kind == Token::Kind::End && !lexer_.status().ok()) fail_at(token, lexer_.status());
  return token;
}

bool Reader::accept(std::string_view symbol_or_word) {
  if (!now_.is(symbol_or_word)) return false;
  take();
  return true;
}

void Reader::expect(std::string_view symbol_or_word) {
  if (!accept(symbol_or_word)) fail_expected(fmt::format("'{}'", symbol_or_word));
}

Token Reader::name(std::string_view what) {
  if (now_.is_name()) return take();
  fail_expected(what);
  return {};
}

int64_t Reader::integer(std::string_view what, int64_t min, int64_t max) {
  const Token at = now_;
  const bool negative = accept("-");
  if (now_.kind != Token::Kind::Integer) {
    fail_expected(what);
    return min;
  }
  const uint64_t magnitude = take().magnitude;
  constexpr uint64_t kTop = uint64_t{1} << 63;
  const bool fits = magnitude < kTop || (negative && magnitude == kTop);
  const auto value = static_cast<int64_t>(negative ? uint64_t{0} - magnitude : magnitude);
  if (fits && value >= min && value <= max) return value;
  fail_at(at, "TY-TXT-007",
          fmt::format("{} is {}{}; it must be from {} to {}", what, negative ? "-" : "", magnitude,
                      min, max));
  return min;
}

void Reader::fail_expected(std::string_view expected) {
  if (now_.kind == Token::Kind::End && !lexer_.status().ok()) {
    fail_at(now_, lexer_.status());
    return;
  }
  fail("TY-TXT-001", fmt::format("found {}, expected {}; correct it or what stands before it",
                                 describe(now_), expected));
}

void Reader::fail_at(const Token& at, const Status& status) {
  Token place = at;
  if (status.place().known()) {
    place.line = status.place().line;
    place.column = status.place().column;
  }
  fail_at(place, status.code(), status.message());
}

void Reader::fail_at(const Token& at, std::string_view code, std::string message) {
  if (ok()) status_ = Status(code, std::move(message), {file_, at.line, at.column});
  lexer_.stop();
  now_ = next_ = Token{};
}

bool Reader::spend(size_t bytes) {
  spent_ += bytes;
  if (spent_ <= kMaxProgramBytes) return true;
  fail("TY-TXT-011", fmt::format("the program needs more than {} GiB of memory by now; split it or "
                                 "use `repeat`",
                                 kMaxProgramBytes >> 30));
  return false;
}

}  // namespace trainyard::isa::text
