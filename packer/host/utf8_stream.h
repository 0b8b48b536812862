// Converts text of Windows programs to plain UTF-8: drops a byte order mark, and converts UTF-16 of
// either byte order. All text that a user names passes through it: traces and lists after
// unpacking, and JSON files. Bytes that are no text pass unchanged.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/host/files.h"

namespace seekless {

enum class TextEncoding { utf8, utf16_little, utf16_big };

struct TextFront {
  TextEncoding encoding = TextEncoding::utf8;
  size_t mark_bytes = 0;

  bool is_plain() const { return encoding == TextEncoding::utf8 && mark_bytes == 0; }
};

// Finds a text's encoding from the file's beginning; kTextFrontBytes are enough. UTF-16 without a
// mark is recognised if the first two characters and most others of the front are ASCII, and none
// is U+0000.
inline constexpr size_t kTextFrontBytes = 512;
TextFront text_front(std::string_view front);

class Utf8Stream final : public ByteStream {
 public:
  // `stream` must outlive this object.
  explicit Utf8Stream(ByteStream& stream) : stream_(stream) {}
  explicit Utf8Stream(std::unique_ptr<ByteStream> stream)
      : owned_(std::move(stream)), stream_(*owned_) {}
  const std::string& name() const override { return stream_.name(); }
  Result<size_t> read(std::span<std::byte> into) override;

 private:
  Result<void> refill();

  std::unique_ptr<ByteStream> owned_;
  ByteStream& stream_;
  TextEncoding encoding_ = TextEncoding::utf8;
  bool is_begun_ = false;
  bool at_end_ = false;
  std::vector<char> raw_;
  std::string carried_;  // the cut-off part of a character at the end of the last piece
  std::string text_;
  size_t given_ = 0;
};

// Converts a whole text, or the front of one; a character cut off at the end is dropped.
std::string utf8_text(std::string bytes);
// Converts UTF-16 to UTF-8; a lone surrogate becomes U+FFFD. Returns the number of bytes at the end
// that were cut off and not used.
size_t append_utf16(std::string& text, std::string_view bytes, bool is_big);

}  // namespace seekless
