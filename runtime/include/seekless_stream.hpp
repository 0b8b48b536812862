// An asset as a stream: a reader with a position, and a std::istream over it. For C++17 and later;
// it needs only seekless.h. Adapters for other libraries' streams are built on AssetReader.
//
//   skl::AssetStream text(context->raw(), "scripts/start.lua");
//   if (!text) return report(text.error().message);
//   std::getline(text, line);
#ifndef SEEKLESS_STREAM_HPP
#define SEEKLESS_STREAM_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <istream>
#include <streambuf>
#include <string>
#include <vector>

#include <seekless.h>

namespace skl {

// A position in an asset, with a buffer (the window). The context must outlive it. One thread at a
// time may use it; readers of one asset are independent. A copy has its own window.
class AssetReader {
 public:
  // Decoders read 4 bytes to 16 KiB at a time. Most assets are smaller than this window.
  static constexpr size_t kWindowBytes = 256 * 1024;

  AssetReader(skl_context* context, skl_asset asset, uint64_t size_bytes,
              size_t window_bytes = kWindowBytes)
      : context_(context), asset_(asset), size_bytes_(size_bytes), window_bytes_(window_bytes) {}
  AssetReader(const AssetReader& other)
      : AssetReader(other.context_, other.asset_, other.size_bytes_, other.window_bytes_) {
    position_ = other.position_;
  }
  AssetReader& operator=(const AssetReader&) = delete;

  // Reads up to `wanted_bytes` from the position on, and advances the position. Returns the number
  // of bytes, or -1 on failure; then `error` (may be null) says why. Throws std::bad_alloc if there
  // is no memory for the window.
  int64_t read(void* into, size_t wanted_bytes, skl_error* error) {
    auto* const bytes = static_cast<char*>(into);
    const size_t wanted = std::min<uint64_t>(wanted_bytes, size_bytes_ - position_);
    for (size_t done = 0; done < wanted;) {
      size_t count = wanted - done;
      // A read that would fill the window, or that covers the whole asset, goes straight to the
      // caller.
      if (!holds_position() && (count >= window_bytes_ || count == size_bytes_)) {
        if (!read_all(position_, bytes + done, count, error)) return -1;
      } else {
        if (!holds_position() && !fill_window(error)) return -1;
        const size_t at = static_cast<size_t>(position_ - window_start_);
        count = std::min(count, window_.size() - at);
        std::memcpy(bytes + done, window_.data() + at, count);
      }
      position_ += count;
      done += count;
    }
    return static_cast<int64_t>(wanted);
  }
  // Returns false if the position is past the end.
  bool seek(uint64_t position) {
    if (position > size_bytes_) return false;
    position_ = position;
    return true;
  }
  uint64_t position() const { return position_; }
  uint64_t size_bytes() const { return size_bytes_; }

 private:
  bool holds_position() const {
    return position_ >= window_start_ && position_ - window_start_ < window_.size();
  }
  // Reads the whole asset if it fits, because only whole assets are checked against their hash.
  bool fill_window(skl_error* error) {
    window_start_ = size_bytes_ <= window_bytes_ ? 0 : position_;
    window_.resize(
        static_cast<size_t>(std::min<uint64_t>(window_bytes_, size_bytes_ - window_start_)));
    if (read_all(window_start_, window_.data(), window_.size(), error)) return true;
    window_.clear();
    return false;
  }
  bool read_all(uint64_t offset, void* into, size_t count, skl_error* error) const {
    return skl_read(context_, asset_, offset, into, count, nullptr, error) == SKL_OK;
  }

  skl_context* context_;
  skl_asset asset_;
  uint64_t size_bytes_;
  size_t window_bytes_;
  uint64_t position_ = 0;
  uint64_t window_start_ = 0;
  std::vector<char> window_;
};

// The stream buffer of a std::istream. A failed read ends the stream like the end of a file;
// error() says why.
class AssetBuffer : public std::streambuf {
 public:
  AssetBuffer(skl_context* context, skl_asset asset, uint64_t size_bytes)
      : reader_(context, asset, size_bytes) {}
  const skl_error& error() const { return error_; }

 protected:
  int_type underflow() override {
    const int64_t got = reader_.read(piece_, sizeof(piece_), &error_);
    if (got <= 0) return traits_type::eof();
    setg(piece_, piece_, piece_ + got);
    return traits_type::to_int_type(piece_[0]);
  }
  std::streamsize xsgetn(char* into, std::streamsize wanted) override {
    const std::streamsize held = std::min<std::streamsize>(wanted, egptr() - gptr());
    if (held > 0) std::memcpy(into, gptr(), static_cast<size_t>(held));
    setg(eback(), gptr() + held, egptr());
    if (held == wanted) return held;
    const int64_t got = reader_.read(into + held, static_cast<size_t>(wanted - held), &error_);
    return held + static_cast<std::streamsize>(std::max<int64_t>(got, 0));
  }
  std::streamsize showmanyc() override {
    const uint64_t left = reader_.size_bytes() - reader_.position();
    return left > 0 ? static_cast<std::streamsize>(left) : -1;
  }
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) override {
    const auto here = static_cast<off_type>(reader_.position()) - (egptr() - gptr());
    const auto size = static_cast<off_type>(reader_.size_bytes());
    const off_type base = from == std::ios_base::beg ? 0 : from == std::ios_base::cur ? here : size;
    const off_type place = base + offset;
    if (place < 0 || !reader_.seek(static_cast<uint64_t>(place))) return pos_type(off_type(-1));
    setg(piece_, piece_, piece_);
    return pos_type(place);
  }
  pos_type seekpos(pos_type place, std::ios_base::openmode mode) override {
    return seekoff(off_type(place), std::ios_base::beg, mode);
  }

 private:
  AssetReader reader_;
  skl_error error_{sizeof(skl_error), SKL_OK, 0, UINT64_MAX, {}};
  char piece_[4096];
};

// An asset as a std::istream. If there is no such path, it is in a failed state from the start.
class AssetStream : public std::istream {
 public:
  AssetStream(skl_context* context, const std::string& path)
      : AssetStream(context, find(context, path)) {}
  AssetStream(skl_context* context, skl_asset asset, uint64_t size_bytes)
      : AssetStream(context, Found{SKL_OK, asset, size_bytes}) {}
  // Its `result` is OK if nothing failed.
  const skl_error& error() const { return buffer_.error(); }

 private:
  struct Found {
    skl_result result;
    skl_asset asset;
    uint64_t size_bytes;
  };
  static Found find(skl_context* context, const std::string& path) {
    Found found{SKL_OK, 0, 0};
    found.result =
        skl_find_bytes(context, path.data(), path.size(), &found.asset, &found.size_bytes);
    return found;
  }
  AssetStream(skl_context* context, const Found& found)
      : std::istream(nullptr), buffer_(context, found.asset, found.size_bytes) {
    rdbuf(&buffer_);
    if (found.result != SKL_OK) setstate(std::ios_base::failbit);
  }

  AssetBuffer buffer_;
};

}  // namespace skl

#endif
