#include "packer/content/asset_stream.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <libdeflate.h>
#include <zlib.h>

#include "packer/content/zip_directory.h"

namespace seekless {
namespace {

// Entries up to this size, packed and unpacked, are inflated in one call, which makes that twice as
// fast.
constexpr uint64_t kMaxWholeBytes = 4 << 20;
constexpr uint64_t kInflateInputBytes = 256 << 10;
constexpr uint64_t kMaxInflateCall = 1 << 30;  // zlib counts in 32 bits
// Implements what all archive entries share: reading the stored bytes, and the final check.
class EntryStream : public AssetStream {
 protected:
  explicit EntryStream(EntryData data) : data_(std::move(data)) {}

  uint64_t stored_left() const { return data_.stored_bytes - taken_bytes_; }

  // Fills `into` with the next stored bytes, of which there must be enough.
  Result<void> take_stored(std::span<std::byte> into) {
    if (taken_bytes_ < data_.lead.size()) {
      const size_t count = std::min<uint64_t>(into.size(), data_.lead.size() - taken_bytes_);
      std::memcpy(into.data(), data_.lead.data() + taken_bytes_, count);
      taken_bytes_ += count;
      into = into.subspan(count);
    }
    if (into.empty()) return {};
    auto read = data_.archive->read_at(data_.offset_bytes + taken_bytes_, into);
    taken_bytes_ += into.size();
    return read;
  }

  // Adds bytes that are about to be delivered to the checksums, which are checked after the last
  // ones.
  Result<size_t> hand_out(std::span<const std::byte> bytes) {
    given_bytes_ += bytes.size();
    if (data_.crc32) crc_ = libdeflate_crc32(crc_, bytes.data(), bytes.size());
    if (data_.md5) md5_.add(bytes);
    if (given_bytes_ != data_.size_bytes) return bytes.size();
    if (data_.crc32 && crc_ != *data_.crc32)
      return bad_data(fmt::format("content with CRC-32 {:08x}", *data_.crc32),
                      fmt::format("{:08x}", crc_));
    if (data_.md5 && md5_.digest() != *std::exchange(data_.md5, std::nullopt))
      return bad_data("content with the MD5 that the archive gives", "another MD5");
    return bytes.size();
  }

  std::unexpected<Error> bad_data(std::string expected, std::string found) const {
    return damaged({.file = data_.archive->name(),
                    .place = data_.place,
                    .expected = std::move(expected),
                    .found = std::move(found),
                    .advice = kArchiveAdvice});
  }

  std::unexpected<Error> bad_stream(const char* what) const {
    return bad_data(fmt::format("deflated data of {} bytes", data_.size_bytes),
                    fmt::format("{} after {}", what, given_bytes_));
  }

  EntryData data_;
  uint64_t taken_bytes_ = 0;  // number of stored bytes taken
  uint64_t given_bytes_ = 0;  // number of content bytes delivered
  uint32_t crc_ = 0;
  Md5Hasher md5_;
};

class StoredStream final : public EntryStream {
 public:
  explicit StoredStream(EntryData data) : EntryStream(std::move(data)) {}

  Result<size_t> read(std::span<std::byte> into) override {
    into = into.first(std::min<uint64_t>(into.size(), stored_left()));
    SKL_TRY_DO(take_stored(into));
    return hand_out(into);
  }
};

// Each thread keeps a decompressor, because creating one costs more than inflating a small entry.
libdeflate_decompressor* decompressor_of_this_thread() {
  struct Freer {
    void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
  };
  thread_local const std::unique_ptr<libdeflate_decompressor, Freer> decompressor(
      libdeflate_alloc_decompressor());
  if (!decompressor) throw std::bad_alloc();
  return decompressor.get();
}

class WholeInflateStream final : public EntryStream {
 public:
  explicit WholeInflateStream(EntryData data) : EntryStream(std::move(data)) {}

  Result<size_t> read(std::span<std::byte> into) override {
    const uint64_t left = data_.size_bytes - given_bytes_;
    if (into.empty() && left > 0) return 0;
    if (!is_inflated_) {
      is_inflated_ = true;
      if (into.size() >=
          left) {  // reads straight into the caller's buffer, which has room for the rest
        SKL_TRY_DO(inflate_into(into.first(left)));
        return hand_out(into.first(left));
      }
      content_.resize(left);
      SKL_TRY_DO(inflate_into(content_));
    }
    const size_t count = std::min<uint64_t>(into.size(), left);
    if (count == 0) return 0;
    std::memcpy(into.data(), content_.data() + given_bytes_, count);
    return hand_out(into.first(count));
  }

 private:
  Result<void> inflate_into(std::span<std::byte> out) {
    std::vector<std::byte> stored = std::move(data_.lead);
    const size_t have = stored.size();
    taken_bytes_ = have;
    stored.resize(data_.stored_bytes);
    SKL_TRY_DO(take_stored(std::span(stored).subspan(have)));
    std::byte nothing{};
    size_t count = 0;
    const auto result =
        libdeflate_deflate_decompress(decompressor_of_this_thread(), stored.data(), stored.size(),
                                      out.empty() ? &nothing : out.data(), out.size(), &count);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) return bad_stream("more bytes");
    if (result != LIBDEFLATE_SUCCESS) return bad_stream("a broken stream");
    if (count == out.size()) return {};
    return bad_data(fmt::format("deflated data of {} bytes", out.size()),
                    fmt::format("only {}", count));
  }

  std::vector<std::byte> content_;
  bool is_inflated_ = false;
};

class InflateStream final : public EntryStream {
 public:
  explicit InflateStream(EntryData data)
      : EntryStream(std::move(data)), input_(std::min(kInflateInputBytes, data_.stored_bytes)) {
    if (inflateInit2(&zlib_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~InflateStream() override { inflateEnd(&zlib_); }

  Result<size_t> read(std::span<std::byte> into) override {
    const uint64_t left = data_.size_bytes - given_bytes_;
    into = into.first(std::min({into.size(), left, kMaxInflateCall}));
    if (into.empty()) return 0;
    const auto count = inflate_into(into);
    if (!count) return count;
    if (*count < into.size()) return bad_stream("its end");
    if (into.size() == left) SKL_TRY_DO(check_end());
    return hand_out(into);
  }

 private:
  // Returns fewer bytes than asked for only at the end of the stream.
  Result<size_t> inflate_into(std::span<std::byte> out) {
    zlib_.next_out = reinterpret_cast<Bytef*>(out.data());
    zlib_.avail_out = static_cast<uInt>(out.size());
    while (zlib_.avail_out > 0 && !is_ended_) {
      if (zlib_.avail_in == 0 && stored_left() > 0) SKL_TRY_DO(fill_input());
      const int status = inflate(&zlib_, Z_NO_FLUSH);
      is_ended_ = status == Z_STREAM_END;
      if (status == Z_BUF_ERROR) return bad_stream("a stream cut short");
      if (status != Z_OK && status != Z_STREAM_END) return bad_stream("a broken stream");
    }
    return out.size() - zlib_.avail_out;
  }

  Result<void> fill_input() {
    const size_t count = std::min<uint64_t>(input_.size(), stored_left());
    zlib_.next_in = reinterpret_cast<Bytef*>(input_.data());
    zlib_.avail_in = static_cast<uInt>(count);
    return take_stored(std::span(input_).first(count));
  }

  Result<void> check_end() {
    std::array<std::byte, 1> beyond;
    SKL_TRY(const auto count, inflate_into(beyond));
    if (count > 0) return bad_stream("more bytes");
    return {};
  }

  std::vector<std::byte> input_;
  z_stream zlib_ = {};
  bool is_ended_ = false;
};

class LooseStream final : public AssetStream {
 public:
  LooseStream(std::unique_ptr<ByteStream> file, uint64_t size_bytes)
      : file_(std::move(file)), size_bytes_(size_bytes) {}

  Result<size_t> read(std::span<std::byte> into) override {
    const uint64_t left = size_bytes_ - given_bytes_;
    size_t count = 0;
    if (left > 0 && !into.empty()) {
      const auto got = file_->read(into.first(std::min<uint64_t>(into.size(), left)));
      if (!got) return got;
      if (*got == 0) return changed(fmt::format("only {}", given_bytes_));
      count = *got;
      given_bytes_ += count;
    }
    if (given_bytes_ == size_bytes_ && !is_checked_) {
      is_checked_ = true;
      std::array<std::byte, 1> beyond;
      const auto got = file_->read(beyond);
      if (!got) return got;
      if (*got > 0) return changed("more");
    }
    return count;
  }

 private:
  std::unexpected<Error> changed(std::string found) const {
    return failed({.file = file_->name(),
                   .expected = fmt::format("{} bytes", size_bytes_),
                   .found = std::move(found),
                   .advice = kContentChanged});
  }

  std::unique_ptr<ByteStream> file_;
  uint64_t size_bytes_;
  uint64_t given_bytes_ = 0;
  bool is_checked_ = false;
};

}  // namespace

std::unique_ptr<AssetStream> make_entry_stream(EntryData data) {
  if (data.method == zip_method::kStored) return std::make_unique<StoredStream>(std::move(data));
  if (data.size_bytes <= kMaxWholeBytes && data.stored_bytes <= kMaxWholeBytes)
    return std::make_unique<WholeInflateStream>(std::move(data));
  return std::make_unique<InflateStream>(std::move(data));
}

Result<std::unique_ptr<AssetStream>> open_loose_stream(const std::string& path,
                                                       uint64_t size_bytes) {
  SKL_TRY(auto file, open_stream(path));
  return std::make_unique<LooseStream>(std::move(file), size_bytes);
}

}  // namespace seekless
