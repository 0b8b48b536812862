// Gives text that Windows programs wrote as plain UTF-8: drops a byte order mark, turns UTF-16 of
// either order into UTF-8. Stands before everything that reads text which a user names: traces and
// lists, once they are unpacked, and files of JSON. Bytes that are no text pass as they are.
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

// What a file's beginning tells of its text; kTextFrontBytes are enough. UTF-16 without a mark is
// told by its first two characters, of ASCII as most others of the front, and by having no U+0000.
inline constexpr size_t kTextFrontBytes = 512;
TextFront text_front(std::string_view front);

class Utf8Stream final : public ByteStream {
 public:
  // `stream` must outlive this.
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
  std::string carried_;  // a unit or pair that the last piece cut
  std::string text_;
  size_t given_ = 0;
};

// The same for a whole text, and for the front of one; what is cut at its end is left out.
std::string utf8_text(std::string bytes);
// UTF-16 to UTF-8; a lone surrogate becomes U+FFFD. Returns the bytes of a cut end, not used.
size_t append_utf16(std::string& text, std::string_view bytes, bool is_big);

}  // namespace seekless
