// Converts text of Windows programs to plain UTF-8: removes a byte order mark, and converts UTF-16
// of either byte order. Every text file that a user names passes through it: traces and lists
// (after unpacking) and JSON. Bytes that aren't text pass unchanged.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/bytes.h"
#include "packer/words/utf8.h"

namespace seekless {

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

}  // namespace seekless
