// Gives the plain bytes of a stream that may be packed, or text of Windows: recognises that from
// the first bytes and undoes it on the way. Stands between a file and the dialect that reads it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packer/host/files.h"

namespace seekless {

// A stream whose front can be looked at before it is read.
class PeekStream final : public ByteStream {
 public:
  explicit PeekStream(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}
  const std::string& name() const override { return stream_->name(); }
  Result<size_t> read(std::span<std::byte> into) override;

  // The first `count` bytes not yet read, or fewer if the stream ends before.
  Result<std::string_view> peek(size_t count);

 private:
  std::unique_ptr<ByteStream> stream_;
  std::string front_;
  size_t taken_ = 0;
};

// The plain bytes of `stream`, which must outlive what is returned, as must `warnings`: text comes
// as UTF-8 without a byte order mark (utf8_stream.h). LZ4 and
// zstd frames and members of gzip, one or several, and a zip of one file are unpacked, also within
// each other, up to three deep; xz, bzip2 and 7z are known but refused, with the command that
// unpacks them; anything else comes as it is. What is damaged, or unpacks out of all proportion, is
// an error of kind `damaged` from read(). What is cut short, as a recorder leaves that is killed,
// gives what is there, and then a warning in `warnings`; only a zip that ends early is damaged.
Result<std::unique_ptr<PeekStream>> unpack(ByteStream& stream, std::vector<std::string>& warnings);

}  // namespace seekless
