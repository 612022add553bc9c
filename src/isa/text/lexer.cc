#include "isa/text/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace trainyard::isa::text {
namespace {

// Longer ones first: the first that fits is the token.
constexpr std::array<std::string_view, 19> kSymbols = {"<-", ">=", "+:", ":", ",", ".", "=",
                                                       "@",  "[",  "]",  "{", "}", "(", ")",
                                                       "+",  "-",  "*",  "<", ">"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

// Length of the digits that begin `s`.
size_t digits(std::string_view s) {
  size_t n = 0;
  while (n < s.size() && is_digit(s[n])) ++n;
  return n;
}

// Length of the exponent that begins `s`, 0 if none does.
size_t exponent(std::string_view s) {
  if (s.empty() || (s[0] != 'e' && s[0] != 'E')) return 0;
  const size_t sign = s.size() > 1 && (s[1] == '+' || s[1] == '-') ? 1 : 0;
  const size_t n = digits(s.substr(1 + sign));
  return n == 0 ? 0 : 1 + sign + n;
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string shown(std::string_view text) {
  constexpr size_t kMost = 40;
  std::string out;
  for (const char c : text.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte >= 0x20 && byte < 0x7F ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return text.size() > kMost ? out + "..." : out;
}

std::string describe(const Token& token) {
  if (token.kind == Token::Kind::End) return "the end of the text";
  if (token.kind == Token::Kind::Quoted) return shown(token.text);
  return "'" + shown(token.text) + "'";
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      line_start_ = at_ + 1;
    } else if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      continue;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
    ++at_;
  }
}

Token Lexer::make(Token::Kind kind, size_t length) {
  Token token;
  token.kind = kind;
  token.text = text_.substr(at_, length);
  token.line = line_;
  token.column = static_cast<int>(at_ - line_start_) + 1;
  at_ += length;
  return token;
}

Token Lexer::fail(std::string message) {
  Token token = make(Token::Kind::End, 0);
  status_ = Status("TY-TXT-002", std::move(message), {"", token.line, token.column});
  stop();
  return token;
}

Token Lexer::next() {
  skip_blanks();
  const std::string_view rest = text_.substr(at_);
  if (rest.empty()) return make(Token::Kind::End, 0);
  if (is_digit(rest[0])) return number();
  if (rest[0] == '"') return quoted();
  if (is_letter(rest[0])) {
    size_t n = 1;
    while (n < rest.size() && is_word(rest[n])) ++n;
    return make(Token::Kind::Name, n);
  }
  for (const std::string_view symbol : kSymbols) {
    if (rest.starts_with(symbol)) return make(Token::Kind::Symbol, symbol.size());
  }
  return fail(fmt::format(
      "'{}' begins no token; remove it, or put the name that it is part of in double quotes",
      shown(rest.substr(0, 1))));
}

Token Lexer::number() {
  const std::string_view rest = text_.substr(at_);
  const bool hex = rest.starts_with("0x") || rest.starts_with("0X");
  bool is_float = false;
  size_t n = digits(rest);
  if (hex) {
    n = 2;
    while (n < rest.size() && hex_value(rest[n]) >= 0) ++n;
  } else {
    if (n < rest.size() && rest[n] == '.') {
      n += 1 + digits(rest.substr(n + 1));
      is_float = true;
    }
    if (const size_t e = exponent(rest.substr(n)); e > 0) {
      n += e;
      is_float = true;
    }
  }
  if ((hex && n == 2) || (n < rest.size() && is_word(rest[n]))) {
    size_t end = n;
    while (end < rest.size() && is_word(rest[end])) ++end;
    return fail(fmt::format(
        "'{}' is no number: digits are followed by a letter; put a blank between them, or the "
        "name in double quotes",
        shown(rest.substr(0, end))));
  }
  if (is_float) return make(Token::Kind::Float, n);
  uint64_t magnitude = 0;
  const char* const first = rest.data() + (hex ? 2 : 0);
  if (std::from_chars(first, rest.data() + n, magnitude, hex ? 16 : 10).ec != std::errc()) {
    Token token = fail(fmt::format("'{}' does not fit in 64 bits", shown(rest.substr(0, n))));
    status_ = Status("TY-TXT-007", status_.message(), status_.place());
    return token;
  }
  Token token = make(Token::Kind::Integer, n);
  token.magnitude = magnitude;
  return token;
}

Token Lexer::quoted() {
  const std::string_view rest = text_.substr(at_);
  std::string name;
  for (size_t i = 1; i < rest.size() && rest[i] != '\n'; ++i) {
    if (rest[i] == '"') {
      if (name.empty())
        return fail("a quoted name is empty; put at least one character between the quotes");
      Token token = make(Token::Kind::Quoted, i + 1);
      token.name = std::move(name);
      return token;
    }
    if (rest[i] != '\\') {
      name += rest[i];
      continue;
    }
    const std::string_view escape = rest.substr(i + 1, 3);
    if (escape.starts_with('"') || escape.starts_with('\\')) {
      name += escape[0];
      i += 1;
    } else if (escape.size() == 3 && escape[0] == 'x' && hex_value(escape[1]) >= 0 &&
               hex_value(escape[2]) >= 0) {
      name += static_cast<char>(hex_value(escape[1]) * 16 + hex_value(escape[2]));
      i += 3;
    } else {
      return fail("a quoted name has an unknown escape; \\\", \\\\ and \\xHH are the known ones");
    }
  }
  return fail("a quoted name does not end on its line; close it with \"");
}

}  // namespace trainyard::isa::text
