#include "packer/trace/unpack.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <lz4frame.h>

namespace seekless {
namespace {

constexpr size_t kPackedBytes = size_t{64} << 10;

// A stream that someone else owns.
class BorrowedStream final : public ByteStream {
 public:
  explicit BorrowedStream(ByteStream& stream) : stream_(stream) {}
  const std::string& name() const override { return stream_.name(); }
  Result<size_t> read(std::span<std::byte> into) override { return stream_.read(into); }

 private:
  ByteStream& stream_;
};

class Lz4Stream final : public ByteStream {
 public:
  Lz4Stream(std::unique_ptr<ByteStream> packed, LZ4F_dctx* context,
            std::vector<std::string>& warnings)
      : packed_(std::move(packed)), context_(context), warnings_(warnings), buffer_(kPackedBytes) {}
  Lz4Stream(const Lz4Stream&) = delete;
  Lz4Stream& operator=(const Lz4Stream&) = delete;
  ~Lz4Stream() override { LZ4F_freeDecompressionContext(context_); }
  const std::string& name() const override { return packed_->name(); }

  Result<size_t> read(std::span<std::byte> into) override {
    for (;;) {
      size_t produced = into.size();
      size_t consumed = end_ - begin_;
      const size_t hint = LZ4F_decompress(context_, into.data(), &produced, buffer_.data() + begin_,
                                          &consumed, nullptr);
      if (LZ4F_isError(hint) != 0) return damaged_frame(LZ4F_getErrorName(hint));
      begin_ += consumed;
      position_bytes_ += consumed;
      // A call without input or output says nothing of where the frame stands.
      if (consumed > 0 || produced > 0) is_inside_ = hint != 0;
      if (produced > 0) return produced;
      if (begin_ < end_) continue;
      const auto got = packed_->read(std::as_writable_bytes(std::span(buffer_)));
      if (!got) return got;
      begin_ = 0;
      end_ = *got;
      if (*got == 0) {
        if (std::exchange(is_inside_, false)) warn_of_cut();
        return size_t{0};
      }
    }
  }

 private:
  std::unexpected<Error> damaged_frame(const std::string& found) const {
    return damaged({.file = name(),
                    .place = fmt::format("byte {}", position_bytes_),
                    .expected = "LZ4 frames",
                    .found = found,
                    .advice = "the file is damaged or cut short: take it anew from where it came"});
  }

  // What a recorder leaves that was killed: whole but for its tail.
  void warn_of_cut() const {
    warnings_.push_back(
        fmt::format("{}: byte {}: the file ends within an LZ4 frame; what was cut off is left out",
                    name(), position_bytes_));
  }

  std::unique_ptr<ByteStream> packed_;
  LZ4F_dctx* context_;
  std::vector<std::string>& warnings_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t position_bytes_ = 0;
  bool is_inside_ = false;
};

Result<std::unique_ptr<ByteStream>> unpack_lz4(std::unique_ptr<ByteStream> packed,
                                               std::vector<std::string>& warnings) {
  LZ4F_dctx* context = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) != 0)
    return failed({.file = packed->name(), .found = "too little memory to unpack LZ4"});
  return std::make_unique<Lz4Stream>(std::move(packed), context, warnings);
}

struct Packing {
  std::string_view magic;
  // Null where the packing is known but not undone here.
  Result<std::unique_ptr<ByteStream>> (*unpack)(std::unique_ptr<ByteStream>,
                                                std::vector<std::string>& warnings);
  const char* name;
  const char* advice;
};

constexpr std::array kPackings = {
    Packing{"\x04\x22\x4d\x18", unpack_lz4, "LZ4", ""},
    Packing{"\x1f\x8b", nullptr, "gzip", "unpack it first: gzip -dc FILE | seekless ... -"},
    Packing{"\x28\xb5\x2f\xfd", nullptr, "zstd", "unpack it first: zstd -dc FILE | seekless ... -"},
};

}  // namespace

Result<std::string_view> PeekStream::peek(size_t count) {
  front_.erase(0, std::exchange(taken_, 0));
  while (front_.size() < count) {
    const size_t had = front_.size();
    front_.resize(count);
    const auto got = stream_->read(std::as_writable_bytes(std::span(front_).subspan(had)));
    front_.resize(had + (got ? *got : 0));
    if (!got) return std::unexpected(got.error());
    if (*got == 0) break;
  }
  return std::string_view(front_).substr(0, count);
}

Result<size_t> PeekStream::read(std::span<std::byte> into) {
  if (taken_ == front_.size()) return stream_->read(into);
  const size_t count = std::min(into.size(), front_.size() - taken_);
  std::memcpy(into.data(), front_.data() + taken_, count);
  taken_ += count;
  return count;
}

Result<std::unique_ptr<PeekStream>> unpack(ByteStream& stream, std::vector<std::string>& warnings) {
  auto plain = std::make_unique<PeekStream>(std::make_unique<BorrowedStream>(stream));
  const auto front = plain->peek(4);
  if (!front) return std::unexpected(front.error());
  for (const Packing& packing : kPackings) {
    if (!front->starts_with(packing.magic)) continue;
    if (packing.unpack == nullptr)
      return damaged({.file = stream.name(),
                      .expected = "a plain or LZ4-framed trace",
                      .found = packing.name,
                      .advice = packing.advice});
    auto unpacked = packing.unpack(std::move(plain), warnings);
    if (!unpacked) return std::unexpected(unpacked.error());
    return std::make_unique<PeekStream>(*std::move(unpacked));
  }
  return plain;
}

}  // namespace seekless
