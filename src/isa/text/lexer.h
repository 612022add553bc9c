#pragma once
// Splits the text form into tokens, one at a time.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace trainyard::isa::text {

struct Token {
  enum class Kind : uint8_t {
    End,
    Name,     // letters, digits and '_', not beginning with a digit
    Quoted,   // "any name": never a keyword
    Integer,  // decimal, or hexadecimal with 0x
    Float,    // digits with a '.' or an exponent; inf and nan are names
    Symbol,   // one of the strings in kSymbols
  };
  Kind kind = Kind::End;
  std::string_view text;  // as written; of Quoted: with the quotes
  int line = 1;
  int column = 1;          // in bytes, from 1
  uint64_t magnitude = 0;  // of Integer; the sign is a token of its own
  std::string name;        // of Quoted: what the quotes and escapes mean

  bool is(std::string_view symbol_or_name) const {
    return (kind == Kind::Symbol || kind == Kind::Name) && text == symbol_or_name;
  }
  bool is_name() const { return kind == Kind::Name || kind == Kind::Quoted; }
  std::string_view spelled() const { return kind == Kind::Quoted ? std::string_view(name) : text; }
};

// What a token is in words, for an error: "'foo'", "the end of the text". Short, printable.
std::string describe(const Token& token);

// Any string, cut and escaped so that it can be shown in an error.
std::string shown(std::string_view text);

class Lexer {
 public:
  // `text` must outlive the lexer and its tokens.
  explicit Lexer(std::string_view text, int first_line = 1) : text_(text), line_(first_line) {}

  // The next token; End once the text is over. After an error every token is End.
  Token next();
  // Ok, or the first error: a character that begins no token, a malformed number or name.
  const Status& status() const { return status_; }
  // Makes every further token End.
  void stop() { at_ = text_.size(); }
  int line() const { return line_; }

 private:
  void skip_blanks();
  Token make(Token::Kind kind, size_t length);
  Token number();
  Token quoted();
  Token fail(std::string message);

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  size_t line_start_ = 0;
  int error_column_ = 0;
  Status status_;
};

}  // namespace trainyard::isa::text
