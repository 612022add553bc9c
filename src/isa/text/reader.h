#pragma once
// Reads tokens and remembers the first error. After it every token is End, so that a reader of any
// list comes to its end by itself and callers need not look at each result.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "isa/tensor.h"
#include "isa/text/lexer.h"

namespace trainyard::isa::text {

class Reader {
 public:
  Reader(std::string_view text, std::string file) : lexer_(text), file_(std::move(file)) {
    advance();
    advance();
  }

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  bool at_end() const { return now_.kind == Token::Kind::End; }

  const Token& peek() const { return now_; }
  const Token& peek_second() const { return next_; }
  Token take();

  // Takes the next token if it is this symbol or bare word.
  bool accept(std::string_view symbol_or_word);
  // The same, or error TY-TXT-001: "found ..., expected ...".
  void expect(std::string_view symbol_or_word);
  // Whether the next token is this bare word and does not begin a labelled statement (`word:`).
  bool at_word(std::string_view word) const { return now_.is(word) && !next_.is(":"); }
  // Whether the next tokens are `name:`.
  bool at_label() const { return now_.is_name() && next_.is(":"); }

  // A name, bare or quoted; `what` says in an error what was expected.
  Token name(std::string_view what);
  // An integer with an optional sign, min <= value <= max.
  int64_t integer(std::string_view what, int64_t min, int64_t max);

  void fail_expected(std::string_view expected);
  void fail(std::string_view code, std::string message) { fail_at(now_, code, std::move(message)); }
  void fail_at(const Token& at, std::string_view code, std::string message);
  // The same error as `status`, at `at` unless it says where.
  void fail_at(const Token& at, const Status& status);

  // At the end of the text: reports what stopped the lexer, if something did.
  void finish() {
    if (ok() && !lexer_.status().ok()) fail_at(now_, lexer_.status());
  }

  // Charges memory of the program to the text's budget (kMaxProgramBytes), so that a short hostile
  // text cannot ask for a long program. False, with an error, once it is spent.
  bool spend(size_t bytes);

  SourceRef source() const { return {0, now_.line, now_.column}; }

 private:
  void advance();

  Lexer lexer_;
  std::string file_;
  Token now_, next_;
  Status status_;
  size_t spent_ = 0;
};

// Above these a text is refused. They are far from what `place` and `sim` can digest.
inline constexpr size_t kMaxTextBytes = size_t{256} << 20;
inline constexpr size_t kMaxProgramBytes = size_t{4} << 30;
inline constexpr int kMaxDepth = 64;  // of nested blocks

}  // namespace trainyard::isa::text
