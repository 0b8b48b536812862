#include "packer/trace/internal/unpack.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/base/utf8_stream.h"
#include "packer/trace/internal/unpack_deflate.h"
#include "packer/trace/internal/unpack_frames.h"

namespace seekless {
namespace {

constexpr size_t kMagicBytes = 5;  // the longest magic number in kPackings

// Packed files may be nested this deep; "trace.csv.gz" in a zip is two levels.
constexpr int kMaxDepth = 3;
// A trace's text compresses to a fiftieth at best; a file that expands much more was made to fill a
// disk.
constexpr uint64_t kMostExpansion = 400;
constexpr uint64_t kExpansionIsFineBytes = uint64_t{256} << 20;

// Counts how much is read of a stream that someone else owns.
class CountedStream final : public ByteStream {
 public:
  explicit CountedStream(ByteStream& stream) : stream_(stream) {}
  const std::string& name() const override { return stream_.name(); }
  Result<size_t> read(std::span<std::byte> into) override {
    auto got = stream_.read(into);
    if (got) bytes_ += *got;
    return got;
  }
  uint64_t bytes() const { return bytes_; }

 private:
  ByteStream& stream_;
  uint64_t bytes_ = 0;
};

// Stops a stream that expands out of proportion to its packed size.
class BoundedStream final : public ByteStream {
 public:
  // `plain` reads from `packed`, so `packed` must live as long.
  BoundedStream(std::unique_ptr<ByteStream> plain, const CountedStream& packed)
      : plain_(std::move(plain)), packed_(packed) {}
  const std::string& name() const override { return plain_->name(); }
  Result<size_t> read(std::span<std::byte> into) override {
    auto got = plain_->read(into);
    if (!got) return got;
    bytes_ += *got;
    if (bytes_ > kExpansionIsFineBytes && bytes_ / kMostExpansion > packed_.bytes())
      return damaged({.file = name(),
                      .expected = fmt::format("at most {} times as much unpacked", kMostExpansion),
                      .found = fmt::format("{} bytes from {}", bytes_, packed_.bytes()),
                      .advice = "if it is a trace all the same, unpack it first"});
    return got;
  }

 private:
  std::unique_ptr<ByteStream> plain_;
  const CountedStream& packed_;
  uint64_t bytes_ = 0;
};

struct Packing {
  std::string_view magic;
  // Returns null if the compression is recognised but can't be undone here.
  Result<std::unique_ptr<ByteStream>> (*unpack)(std::unique_ptr<ByteStream>,
                                                std::vector<std::string>& warnings);
  const char* name;
  const char* advice;
};

constexpr std::array kPackings = {
    Packing{"\x04\x22\x4d\x18", unpack_lz4, "LZ4", ""},
    Packing{"\x1f\x8b", unpack_gzip, "gzip", ""},
    Packing{"\x28\xb5\x2f\xfd", unpack_zstd, "zstd", ""},
    Packing{"PK\x03\x04",
            [](std::unique_ptr<ByteStream> packed, std::vector<std::string>&) {
              return unpack_zip(std::move(packed));
            },
            "zip", ""},
    Packing{"\xfd\x37zXZ", nullptr, "xz", "unpack it first: xz -dc FILE | seekless ... -"},
    Packing{"BZh", nullptr, "bzip2", "unpack it first: bzip2 -dc FILE | seekless ... -"},
    Packing{"7z\xbc\xaf", nullptr, "7z", "unpack it first: 7z x FILE"},
};

// Converts text of Windows programs to UTF-8.
Result<std::unique_ptr<PeekStream>> as_utf8(std::unique_ptr<PeekStream> plain) {
  SKL_TRY(const auto front, plain->peek(kTextFrontBytes));
  if (text_front(front).is_plain()) return plain;
  return std::make_unique<PeekStream>(std::make_unique<Utf8Stream>(std::move(plain)));
}

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
  auto counted = std::make_unique<CountedStream>(stream);
  const CountedStream& packed = *counted;
  auto plain = std::make_unique<PeekStream>(std::move(counted));
  for (int depth = 0; depth <= kMaxDepth; ++depth) {
    SKL_TRY(const auto front, plain->peek(kMagicBytes));
    const auto packing = std::ranges::find_if(
        kPackings, [&](const Packing& one) { return front.starts_with(one.magic); });
    if (packing == kPackings.end()) {
      if (depth == 0) return as_utf8(std::move(plain));
      return as_utf8(
          std::make_unique<PeekStream>(std::make_unique<BoundedStream>(std::move(plain), packed)));
    }
    if (packing->unpack == nullptr || depth == kMaxDepth)
      return damaged({.file = stream.name(),
                      .expected = "a trace that is plain, or packed by gzip, zip, zstd or LZ4",
                      .found = fmt::format("{}{}", packing->name,
                                           depth == 0 ? "" : " within what was unpacked"),
                      .advice = depth == kMaxDepth ? "unpack it first" : packing->advice});
    SKL_TRY(auto unpacked, packing->unpack(std::move(plain), warnings));
    plain = std::make_unique<PeekStream>(std::move(unpacked));
  }
  return plain;
}

}  // namespace seekless
