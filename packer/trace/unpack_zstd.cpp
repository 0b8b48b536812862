#include "packer/trace/unpack_zstd.h"

#include <utility>

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace seekless {
namespace {

// Of the window, as a power of two: what the zstd program unpacks without being asked for more.
constexpr int kMaxWindowLog = 27;

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
using Context = std::unique_ptr<ZSTD_DCtx, FreeContext>;

class ZstdStream final : public ByteStream {
 public:
  ZstdStream(std::unique_ptr<ByteStream> packed, Context context,
             std::vector<std::string>& warnings)
      : packed_(std::move(packed)),
        context_(std::move(context)),
        warnings_(warnings),
        buffer_(ZSTD_DStreamInSize()) {}
  const std::string& name() const override { return packed_->name(); }

  Result<size_t> read(std::span<std::byte> into) override {
    for (;;) {
      ZSTD_inBuffer from = {buffer_.data(), end_, begin_};
      ZSTD_outBuffer to = {into.data(), into.size(), 0};
      const size_t hint = ZSTD_decompressStream(context_.get(), &to, &from);
      // It takes its memory when it has read the frame's header.
      if (ZSTD_getErrorCode(hint) == ZSTD_error_memory_allocation)
        return failed({.file = name(), .found = "too little memory to unpack zstd"});
      if (ZSTD_isError(hint) != 0) return damaged_frame(ZSTD_getErrorName(hint));
      // A call without input or output says nothing of where the frame stands.
      if (from.pos > begin_ || to.pos > 0) is_inside_ = hint != 0;
      position_bytes_ += from.pos - begin_;
      begin_ = from.pos;
      if (to.pos > 0) return to.pos;
      if (begin_ < end_) continue;
      const auto got = packed_->read(buffer_);
      if (!got) return got;
      begin_ = 0;
      end_ = *got;
      if (*got > 0) continue;
      if (std::exchange(is_inside_, false)) warn_of_cut();
      return size_t{0};
    }
  }

 private:
  std::unexpected<Error> damaged_frame(const std::string& found) const {
    return damaged({.file = name(),
                    .place = fmt::format("byte {}", position_bytes_),
                    .expected = "zstd frames",
                    .found = found,
                    .advice = "the file is damaged, or packed with --long: take it anew from "
                              "where it came, or unpack it first"});
  }
  void warn_of_cut() const {
    warnings_.push_back(
        fmt::format("{}: byte {}: the file ends within a zstd frame; what was cut off is left out",
                    name(), position_bytes_));
  }

  std::unique_ptr<ByteStream> packed_;
  Context context_;
  std::vector<std::string>& warnings_;
  std::vector<std::byte> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t position_bytes_ = 0;
  bool is_inside_ = false;
};

}  // namespace

Result<std::unique_ptr<ByteStream>> unpack_zstd(std::unique_ptr<ByteStream> packed,
                                                std::vector<std::string>& warnings) {
  Context context(ZSTD_createDCtx());
  if (context == nullptr ||
      ZSTD_isError(ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kMaxWindowLog)) != 0)
    return failed({.file = packed->name(), .found = "too little memory to unpack zstd"});
  return std::make_unique<ZstdStream>(std::move(packed), std::move(context), warnings);
}

}  // namespace seekless
