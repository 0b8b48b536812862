#include "packer/trace/internal/unpack_frames.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <lz4frame.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace seekless {
namespace {

constexpr size_t kPackedBytes = size_t{128} << 10;
// The largest zstd window, as a power of two: the zstd program's own default limit.
constexpr int kMaxWindowLog = 27;

struct FrameStep {
  size_t consumed = 0;
  size_t produced = 0;
  bool is_inside = false;       // more of the frame follows
  const char* error = nullptr;  // the library's name of the error
  bool is_out_of_memory = false;
};

class Lz4Decoder {
 public:
  static constexpr const char* kName = "LZ4";
  static constexpr const char* kFrame = "an LZ4 frame";
  static constexpr const char* kAdvice =
      "the file is damaged or cut short: take it anew from where it came";

  bool is_ready() const { return context_ != nullptr; }

  FrameStep decode(std::span<const std::byte> from, std::span<std::byte> into) {
    // The library has no number for this error.
    constexpr std::string_view kNoMemoryName = "ERROR_allocation_failed";
    FrameStep step = {.consumed = from.size(), .produced = into.size()};
    const size_t hint = LZ4F_decompress(context_.get(), into.data(), &step.produced, from.data(),
                                        &step.consumed, nullptr);
    if (LZ4F_isError(hint) != 0) step.error = LZ4F_getErrorName(hint);
    step.is_out_of_memory = step.error != nullptr && step.error == kNoMemoryName;
    step.is_inside = hint != 0;
    return step;
  }

 private:
  struct FreeLz4 {
    void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
  };
  static LZ4F_dctx* create() {
    LZ4F_dctx* context = nullptr;
    const bool failed = LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) != 0;
    return failed ? nullptr : context;
  }
  std::unique_ptr<LZ4F_dctx, FreeLz4> context_{create()};
};

class ZstdDecoder {
 public:
  static constexpr const char* kName = "zstd";
  static constexpr const char* kFrame = "a zstd frame";
  static constexpr const char* kAdvice =
      "the file is damaged, or packed with --long: take it anew from where it came, or unpack it "
      "first";

  bool is_ready() const {
    return context_ != nullptr && ZSTD_isError(ZSTD_DCtx_setParameter(
                                      context_.get(), ZSTD_d_windowLogMax, kMaxWindowLog)) == 0;
  }

  FrameStep decode(std::span<const std::byte> from, std::span<std::byte> into) {
    ZSTD_inBuffer in = {from.data(), from.size(), 0};
    ZSTD_outBuffer out = {into.data(), into.size(), 0};
    const size_t hint = ZSTD_decompressStream(context_.get(), &out, &in);
    return {.consumed = in.pos,
            .produced = out.pos,
            .is_inside = hint != 0,
            .error = ZSTD_isError(hint) != 0 ? ZSTD_getErrorName(hint) : nullptr,
            .is_out_of_memory = ZSTD_getErrorCode(hint) == ZSTD_error_memory_allocation};
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> context_{ZSTD_createDCtx()};
};

template <typename Decoder>
std::unexpected<Error> too_little_memory(const std::string& name) {
  return failed(
      {.file = name, .found = fmt::format("too little memory to unpack {}", Decoder::kName)});
}

template <typename Decoder>
class FrameStream final : public ByteStream {
 public:
  FrameStream(std::unique_ptr<ByteStream> packed, Decoder decoder,
              std::vector<std::string>& warnings)
      : packed_(std::move(packed)),
        decoder_(std::move(decoder)),
        warnings_(warnings),
        buffer_(kPackedBytes) {}
  const std::string& name() const override { return packed_->name(); }

  Result<size_t> read(std::span<std::byte> into) override {
    for (;;) {
      const FrameStep step =
          decoder_.decode(std::span(buffer_).subspan(begin_, end_ - begin_), into);
      // Decoders allocate memory once they have read a frame's header.
      if (step.is_out_of_memory) return too_little_memory<Decoder>(name());
      if (step.error != nullptr) return damaged_frame(step.error);
      begin_ += step.consumed;
      position_bytes_ += step.consumed;
      // A call without input or output doesn't tell whether the frame has ended.
      if (step.consumed > 0 || step.produced > 0) is_inside_ = step.is_inside;
      if (step.produced > 0) return step.produced;
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
                    .expected = fmt::format("{} frames", Decoder::kName),
                    .found = found,
                    .advice = Decoder::kAdvice});
  }

  // A killed recorder leaves such a file: complete except for its end.
  void warn_of_cut() const {
    warnings_.push_back(
        fmt::format("{}: byte {}: the file ends within {}; what was cut off is left out", name(),
                    position_bytes_, Decoder::kFrame));
  }

  std::unique_ptr<ByteStream> packed_;
  Decoder decoder_;
  std::vector<std::string>& warnings_;
  std::vector<std::byte> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t position_bytes_ = 0;
  bool is_inside_ = false;
};

template <typename Decoder>
Result<std::unique_ptr<ByteStream>> unpack_frames(std::unique_ptr<ByteStream> packed,
                                                  std::vector<std::string>& warnings) {
  Decoder decoder;
  if (!decoder.is_ready()) return too_little_memory<Decoder>(packed->name());
  return std::make_unique<FrameStream<Decoder>>(std::move(packed), std::move(decoder), warnings);
}

}  // namespace

Result<std::unique_ptr<ByteStream>> unpack_lz4(std::unique_ptr<ByteStream> packed,
                                               std::vector<std::string>& warnings) {
  return unpack_frames<Lz4Decoder>(std::move(packed), warnings);
}

Result<std::unique_ptr<ByteStream>> unpack_zstd(std::unique_ptr<ByteStream> packed,
                                                std::vector<std::string>& warnings) {
  return unpack_frames<ZstdDecoder>(std::move(packed), warnings);
}

}  // namespace seekless
