#include "packer/trace/internal/unpack_deflate.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

namespace seekless {
namespace {

constexpr size_t kDeflatedBytes = size_t{64} << 10;
constexpr int kGzip = 15 + 16;    // zlib's code for a window of 32 KiB and a gzip header
constexpr int kRawDeflate = -15;  // the same window without a header
constexpr const char* kUnpackAdvice =
    "the file is damaged or cut short: take it anew from where it came";

// Packed bytes and a position in them; gzip and zip both read from it.
class PackedBytes {
 public:
  explicit PackedBytes(std::unique_ptr<ByteStream> stream)
      : stream_(std::move(stream)), buffer_(kDeflatedBytes) {}

  const std::string& name() const { return stream_->name(); }
  std::span<std::byte> rest() { return std::span(buffer_).subspan(begin_, end_ - begin_); }
  uint64_t position_bytes() const { return position_bytes_; }
  void take(size_t count) {
    begin_ += count;
    position_bytes_ += count;
  }
  // Returns true if there is a byte to take.
  Result<bool> fill() {
    if (begin_ < end_) return true;
    SKL_TRY(const auto got, stream_->read(buffer_));
    begin_ = 0;
    end_ = got;
    return end_ > 0;
  }
  // Takes up to `count` bytes; gives fewer only at the end.
  Result<std::string> take_bytes(size_t count) {
    std::string bytes;
    while (bytes.size() < count) {
      SKL_TRY(const auto more, fill());
      if (!more) break;
      const auto part = rest().first(std::min(count - bytes.size(), rest().size()));
      bytes.append(reinterpret_cast<const char*>(part.data()), part.size());
      take(part.size());
    }
    return bytes;
  }
  std::unexpected<Error> wrong(std::string expected, std::string found,
                               std::string advice = kUnpackAdvice) const {
    return damaged({.file = name(),
                    .place = fmt::format("byte {}", position_bytes_),
                    .expected = std::move(expected),
                    .found = std::move(found),
                    .advice = std::move(advice)});
  }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::vector<std::byte> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t position_bytes_ = 0;
};

// Owns zlib's state.
class Inflater {
 public:
  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&state_); }
  bool begin(int window) { return inflateInit2(&state_, window) == Z_OK; }
  bool begin_anew() { return inflateReset(&state_) == Z_OK; }

  struct InflaterStep {
    size_t produced = 0;
    bool is_end = false;
    bool is_cut = false;  // the file ends inside the member
  };
  // Unpacks at least one byte, or to the end of the member.
  Result<InflaterStep> step(PackedBytes& packed, std::span<std::byte> into) {
    constexpr size_t kMostAtOnce = size_t{1} << 30;
    const size_t room = std::min(into.size(), kMostAtOnce);
    for (;;) {
      SKL_TRY(const auto more, packed.fill());
      if (!more) return InflaterStep{.is_cut = true};
      state_.next_in = reinterpret_cast<Bytef*>(packed.rest().data());
      state_.avail_in = static_cast<uInt>(packed.rest().size());
      state_.next_out = reinterpret_cast<Bytef*>(into.data());
      state_.avail_out = static_cast<uInt>(room);
      const int result = inflate(&state_, Z_NO_FLUSH);
      packed.take(packed.rest().size() - state_.avail_in);
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return packed.wrong("deflated data", state_.msg != nullptr ? state_.msg : "others");
      const InflaterStep step{.produced = room - state_.avail_out,
                              .is_end = result == Z_STREAM_END};
      if (step.produced > 0 || step.is_end) return step;
    }
  }

 private:
  z_stream state_ = {};
};

class GzipStream final : public ByteStream {
 public:
  GzipStream(std::unique_ptr<ByteStream> packed, std::vector<std::string>& warnings)
      : packed_(std::move(packed)), warnings_(warnings) {}
  bool begin() { return inflater_.begin(kGzip); }
  const std::string& name() const override { return packed_.name(); }

  Result<size_t> read(std::span<std::byte> into) override {
    for (;;) {
      if (is_between_) {
        SKL_TRY(const auto more, packed_.fill());
        if (!more) return size_t{0};
        is_between_ = false;
      }
      SKL_TRY(const auto step, inflater_.step(packed_, into));
      if (step.is_cut) return warn_of_cut();
      if (step.is_end) {
        is_between_ = true;
        if (!inflater_.begin_anew()) return failed({.file = name(), .found = "that zlib failed"});
      }
      if (step.produced > 0) return step.produced;
    }
  }

 private:
  size_t warn_of_cut() {
    is_between_ = true;
    warnings_.push_back(
        fmt::format("{}: byte {}: the file ends within gzip's data; what was cut off is left out",
                    name(), packed_.position_bytes()));
    return 0;
  }

  PackedBytes packed_;
  Inflater inflater_;
  std::vector<std::string>& warnings_;
  bool is_between_ = false;  // between two gzip members
};

// Holds the parts of a local header that are used (APPNOTE.TXT 4.3.7).
struct LocalHeader {
  static constexpr size_t kBytes = 26;  // size after the signature
  uint16_t flags = 0;
  uint16_t method = 0;
  uint32_t packed_bytes = 0;
  uint16_t name_bytes = 0;
  uint16_t extra_bytes = 0;
};
constexpr uint16_t kEncrypted = 1U << 0;
constexpr uint16_t kSizesBehind = 1U << 3;
constexpr uint32_t kZip64 = UINT32_MAX;
constexpr std::string_view kLocalSignature = "PK\x03\x04";

uint32_t little_endian(std::string_view bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i)
    value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}

class ZipStream final : public ByteStream {
 public:
  explicit ZipStream(std::unique_ptr<ByteStream> packed) : packed_(std::move(packed)) {}
  const std::string& name() const override { return packed_.name(); }

  // Moves to the first file.
  Result<void> begin() {
    if (!inflater_.begin(kRawDeflate)) return failed({.file = name(), .found = "that zlib failed"});
    SKL_TRY(const auto found, next_file());
    if (!found) return packed_.wrong("a zip with one file, the trace", "none");
    return {};
  }

  Result<size_t> read(std::span<std::byte> into) override {
    while (!at_end_) {
      const auto got = read_member(into);
      if (!got) return got;
      if (*got > 0) return got;
      at_end_ = true;
      SKL_TRY(const auto another, next_file());
      if (another)
        return packed_.wrong("a zip with one file, the trace",
                             fmt::format("a second one, '{}'", file_name_),
                             "unpack it, and import those that are traces");
    }
    return size_t{0};
  }

 private:
  // Expects to be at a signature. Returns false after the last file.
  Result<bool> next_file();
  Result<size_t> read_member(std::span<std::byte> into);
  Result<void> skip_member();

  PackedBytes packed_;
  Inflater inflater_;
  LocalHeader header_;
  std::string file_name_;
  uint64_t left_bytes_ = 0;  // bytes left of a stored file
  bool is_member_over_ = false;
  bool at_end_ = false;
};

Result<size_t> ZipStream::read_member(std::span<std::byte> into) {
  if (is_member_over_) return size_t{0};
  if (header_.method == 0) {
    if (left_bytes_ == 0) return size_t{0};
    SKL_TRY(const auto more, packed_.fill());
    if (!more) return packed_.wrong("stored data", "the end of the file within them");
    const size_t count = std::min({into.size(), packed_.rest().size(), size_t{1} << 30});
    const size_t taken = static_cast<size_t>(std::min<uint64_t>(count, left_bytes_));
    std::memcpy(into.data(), packed_.rest().data(), taken);
    packed_.take(taken);
    left_bytes_ -= taken;
    return taken;
  }
  SKL_TRY(const auto step, inflater_.step(packed_, into));
  if (step.is_cut) return packed_.wrong("deflated data", "the end of the file within them");
  is_member_over_ = step.is_end;
  return step.produced;
}

Result<void> ZipStream::skip_member() {
  std::vector<std::byte> passed(kDeflatedBytes);
  for (;;) {
    SKL_TRY(const auto got, read_member(passed));
    if (got == 0) return {};
  }
}

Result<bool> ZipStream::next_file() {
  for (;;) {
    auto signature = packed_.take_bytes(4);
    if (!signature) return std::unexpected(signature.error());
    // If the sizes weren't known when the data was written, a descriptor follows it: an optional
    // signature, a CRC and two sizes, which are longer in Zip64. Nothing else begins like a local
    // header.
    if (*signature == std::string_view("PK\x07\x08") && (header_.flags & kSizesBehind) != 0) {
      SKL_TRY_DROP(packed_.take_bytes(12));
      signature = packed_.take_bytes(4);
      if (!signature) return std::unexpected(signature.error());
    }
    if (*signature != kLocalSignature) return false;
    const auto bytes = packed_.take_bytes(LocalHeader::kBytes);
    if (!bytes) return std::unexpected(bytes.error());
    if (bytes->size() < LocalHeader::kBytes)
      return packed_.wrong("a local header of 30 bytes", "the end of the file within it");
    header_.flags = static_cast<uint16_t>(little_endian(*bytes, 2, 2));
    header_.method = static_cast<uint16_t>(little_endian(*bytes, 4, 2));
    header_.packed_bytes = little_endian(*bytes, 14, 4);
    header_.name_bytes = static_cast<uint16_t>(little_endian(*bytes, 22, 2));
    header_.extra_bytes = static_cast<uint16_t>(little_endian(*bytes, 24, 2));
    SKL_TRY(auto name, packed_.take_bytes(header_.name_bytes));
    file_name_ = std::move(name);
    SKL_TRY_DROP(packed_.take_bytes(header_.extra_bytes));

    const bool has_no_end = header_.method == 0 &&
                            ((header_.flags & kSizesBehind) != 0 || header_.packed_bytes == kZip64);
    if ((header_.flags & kEncrypted) != 0 || has_no_end ||
        (header_.method != 0 && header_.method != Z_DEFLATED))
      return packed_.wrong("a file that is stored or deflated",
                           fmt::format("'{}', which is encrypted or packed otherwise", file_name_),
                           "unpack it first");
    left_bytes_ = header_.packed_bytes;
    is_member_over_ = false;
    if (!inflater_.begin_anew()) return failed({.file = this->name(), .found = "that zlib failed"});
    if (!file_name_.ends_with('/') && !file_name_.starts_with("__MACOSX/")) return true;
    SKL_TRY_DO(skip_member());
  }
}

}  // namespace

Result<std::unique_ptr<ByteStream>> unpack_gzip(std::unique_ptr<ByteStream> packed,
                                                std::vector<std::string>& warnings) {
  auto stream = std::make_unique<GzipStream>(std::move(packed), warnings);
  if (!stream->begin()) return failed({.file = stream->name(), .found = "that zlib failed"});
  return stream;
}

Result<std::unique_ptr<ByteStream>> unpack_zip(std::unique_ptr<ByteStream> packed) {
  auto stream = std::make_unique<ZipStream>(std::move(packed));
  SKL_TRY_DO(stream->begin());
  return stream;
}

}  // namespace seekless
