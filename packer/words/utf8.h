// UTF-8, and the UTF-16 of Windows programs: the one place where text is taken apart into
// characters and put together from them.
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

// The first character; one byte of what isn't UTF-8. Overlong forms and surrogates aren't.
Utf8Character first_character(std::string_view text);
bool is_utf8(std::string_view text);
void append_character(std::string& text, char32_t code);
// Where the character begins that the byte at `at` belongs to.
size_t begin_of_character(std::string_view text, size_t at);

// JSON holds characters, but a name may be any bytes: each byte becomes the character of its
// number.
std::string characters_of_bytes(std::string_view bytes);
// Undoes it; nothing if a character is beyond U+00FF.
std::optional<std::string> bytes_of_characters(std::string_view text);

enum class TextEncoding { utf8, utf16_little, utf16_big };

struct TextFront {
  TextEncoding encoding = TextEncoding::utf8;
  size_t mark_bytes = 0;

  bool is_plain() const { return encoding == TextEncoding::utf8 && mark_bytes == 0; }
};

// Tells a text's encoding by its beginning, of which kTextFrontBytes are enough. UTF-16 without a
// mark is told by its first two characters, of ASCII as most others of the front, and by having no
// U+0000.
inline constexpr size_t kTextFrontBytes = 512;
TextFront text_front(std::string_view front);
// Turns UTF-16 into UTF-8; a lone surrogate becomes U+FFFD. Returns the bytes of a cut end, not
// used.
size_t append_utf16(std::string& text, std::string_view bytes, bool is_big);
// The text as UTF-8 without a byte order mark. What is cut at its end is left out.
std::string utf8_text(std::string bytes);

}  // namespace seekless
