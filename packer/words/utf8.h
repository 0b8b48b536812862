// Decodes and encodes UTF-8, and the UTF-16 of Windows programs. No other file splits text into
// characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seekless {

inline constexpr char32_t kReplacementCharacter = 0xfffd;

struct Utf8Character {
  char32_t code = kReplacementCharacter;
  size_t bytes = 1;
  bool valid = false;
};

// Returns the first character, or one byte if the text doesn't begin with valid UTF-8. Overlong
// forms and surrogates aren't valid.
Utf8Character first_character(std::string_view text);
bool is_utf8(std::string_view text);
void append_character(std::string& text, char32_t code);
// Returns the start of the character that contains the byte at `at`.
size_t begin_of_character(std::string_view text, size_t at);

// Turns each byte into the character of the same number, because JSON holds characters but a name
// may hold any bytes.
std::string characters_of_bytes(std::string_view bytes);
// Reverses characters_of_bytes. Returns nothing if a character is beyond U+00FF.
std::optional<std::string> bytes_of_characters(std::string_view text);

enum class TextEncoding { utf8, utf16_little, utf16_big };

struct TextFront {
  TextEncoding encoding = TextEncoding::utf8;
  size_t mark_bytes = 0;

  bool is_plain() const { return encoding == TextEncoding::utf8 && mark_bytes == 0; }
};

// Recognises a text's encoding from its first kTextFrontBytes. UTF-16 without a byte order mark is
// recognised if its first two characters and most others of the front are ASCII, and none is
// U+0000.
inline constexpr size_t kTextFrontBytes = 512;
TextFront text_front(std::string_view front);
// Converts UTF-16 to UTF-8; a lone surrogate becomes U+FFFD. Returns how many bytes of a cut-off
// character remain at the end.
size_t append_utf16(std::string& text, std::string_view bytes, bool is_big);
// Returns the text as UTF-8, without a byte order mark and without a character that is cut off at
// the end.
std::string utf8_text(std::string bytes);

}  // namespace seekless
