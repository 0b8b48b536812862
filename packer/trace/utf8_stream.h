// Gives text that Windows programs wrote as plain UTF-8: drops a byte order mark, turns UTF-16 of
// either order into UTF-8. Stands between the unpacked stream and dialects of Windows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "packer/host/files.h"

namespace seekless {

enum class TextEncoding { utf8, utf16_little, utf16_big };

class Utf8Stream final : public ByteStream {
 public:
  // `stream` must outlive this.
  explicit Utf8Stream(ByteStream& stream) : stream_(stream) {}
  const std::string& name() const override { return stream_.name(); }
  Result<size_t> read(std::span<std::byte> into) override;

 private:
  Result<void> refill();

  ByteStream& stream_;
  TextEncoding encoding_ = TextEncoding::utf8;
  bool is_begun_ = false;
  bool at_end_ = false;
  std::vector<char> raw_;
  std::string carried_;  // a unit or pair that the last piece cut
  std::string text_;
  size_t given_ = 0;
};

// The same for the front of a file; what is cut at its end is left out.
std::string utf8_front(std::string_view front);
// UTF-16 to UTF-8; a lone surrogate becomes U+FFFD. Returns the bytes of a cut end, not used.
size_t append_utf16(std::string& text, std::string_view bytes, bool is_big);

}  // namespace seekless
