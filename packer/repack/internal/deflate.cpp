#include "packer/repack/internal/deflate.h"

#include <memory>
#include <new>

#include <libdeflate.h>
#include <zlib.h>

namespace seekless {
namespace {

constexpr int kLevel = 9;
constexpr int kMemoryLevel = 8;  // zlib's default
constexpr size_t kDeflatedAtOnceBytes = size_t{256} << 10;

struct FreeCompressor {
  void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};

class Deflater {
 public:
  Deflater() : out_(kDeflatedAtOnceBytes) {
    if (deflateInit2(&zlib_, kLevel, Z_DEFLATED, -MAX_WBITS, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
        Z_OK)
      throw std::bad_alloc();
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { deflateEnd(&zlib_); }

  template <typename Take>
  Result<void> put(std::span<std::byte> piece, bool is_last, const Take& take) {
    zlib_.next_in = reinterpret_cast<Bytef*>(piece.data());
    zlib_.avail_in = static_cast<uInt>(piece.size());
    do {
      zlib_.next_out = reinterpret_cast<Bytef*>(out_.data());
      zlib_.avail_out = static_cast<uInt>(out_.size());
      // Can't fail, because there is room for output.
      deflate(&zlib_, is_last ? Z_FINISH : Z_NO_FLUSH);
      SKL_TRY_DO(take(std::span(out_).first(out_.size() - zlib_.avail_out)));
    } while (zlib_.avail_out == 0);
    return {};
  }

 private:
  std::vector<std::byte> out_;
  z_stream zlib_ = {};
};

}  // namespace

std::vector<std::byte> deflate_whole(std::span<const std::byte> content) {
  thread_local const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
      libdeflate_alloc_compressor(kLevel));
  if (!compressor) throw std::bad_alloc();
  std::vector<std::byte> packed(
      libdeflate_deflate_compress_bound(compressor.get(), content.size()));
  packed.resize(libdeflate_deflate_compress(compressor.get(), content.data(), content.size(),
                                            packed.data(), packed.size()));
  return packed;
}

Result<void> deflate_stream(AssetStream& content,
                            const std::function<Result<void>(std::span<const std::byte>)>& take) {
  Deflater deflater;
  std::vector<std::byte> piece(kDeflatedAtOnceBytes);
  for (;;) {
    SKL_TRY(const auto got, content.read(piece));
    SKL_TRY_DO(deflater.put(std::span(piece).first(got), got == 0, take));
    if (got == 0) return {};
  }
}

}  // namespace seekless
