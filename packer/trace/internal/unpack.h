// Decompresses a stream and converts Windows' text while reading. It recognises both from the first
// bytes. Stands between a file and the dialect that reads it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packer/host/files.h"

namespace seekless {

// A stream whose front can be read without consuming it.
class PeekStream final : public ByteStream {
 public:
  explicit PeekStream(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}
  const std::string& name() const override { return stream_->name(); }
  Result<size_t> read(std::span<std::byte> into) override;

  // Returns the next `count` bytes without consuming them, or fewer if the stream ends before.
  Result<std::string_view> peek(size_t count);

 private:
  std::unique_ptr<ByteStream> stream_;
  std::string front_;
  size_t taken_ = 0;
};

// Returns the plain bytes of `stream`; `stream` and `warnings` must outlive the result. Text
// becomes UTF-8 without a byte order mark (utf8_stream.h). LZ4 and zstd frames and gzip members,
// one or several, and a zip of one file are unpacked, also nested up to three deep. xz, bzip2 and
// 7z are recognised but refused, with the command that unpacks them. Anything else stays as it is.
// Damaged data, or data that expands out of proportion, gives an error of kind `damaged` from
// read(). If the data is cut short, as a killed recorder leaves it, everything up to the cut is
// read and `warnings` gets a line; only a zip that ends early is damaged.
Result<std::unique_ptr<PeekStream>> unpack(ByteStream& stream, std::vector<std::string>& warnings);

}  // namespace seekless
