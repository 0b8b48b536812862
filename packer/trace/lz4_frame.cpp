#include "packer/trace/lz4_frame.h"

#include <algorithm>
#include <utility>

#include <lz4frame.h>
#include <lz4hc.h>

namespace seekless {
namespace {

// Gives LZ4 this many bytes at a time, which limits the output of one call.
constexpr size_t kDecodedAtOnceBytes = size_t{256} << 10;

// Chooses a checksum of the whole, and linked blocks, because lines repeat text from up to 64 KiB
// back.
LZ4F_preferences_t preferences_of_traces() {
  LZ4F_preferences_t preferences = {};
  preferences.frameInfo.blockMode = LZ4F_blockLinked;
  preferences.frameInfo.blockSizeID = LZ4F_max256KB;
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  // The highest level saves another seventh, and takes up to forty times as long.
  preferences.compressionLevel = LZ4HC_CLEVEL_MIN;
  return preferences;
}

// Lets `pack` append to the existing bytes: passes it the address and the room, and expects LZ4's
// result.
template <typename Pack>
Result<void> append(std::string& packed, size_t piece_bytes, Pack pack) {
  const LZ4F_preferences_t preferences = preferences_of_traces();
  const size_t had = packed.size();
  packed.resize(
      had + std::max<size_t>(LZ4F_compressBound(piece_bytes, &preferences), LZ4F_HEADER_SIZE_MAX));
  const size_t put = pack(packed.data() + had, packed.size() - had);
  packed.resize(had + (LZ4F_isError(put) != 0 ? 0 : put));
  if (LZ4F_isError(put) == 0) return {};
  return failed({.place = "packing a trace with LZ4", .found = LZ4F_getErrorName(put)});
}

}  // namespace

Result<Lz4Frame> Lz4Frame::create() {
  LZ4F_cctx* context = nullptr;
  if (LZ4F_isError(LZ4F_createCompressionContext(&context, LZ4F_VERSION)) != 0)
    return failed({.found = "too little memory to pack with LZ4"});
  return Lz4Frame(context);
}

Lz4Frame::Lz4Frame(Lz4Frame&& other) noexcept : context_(std::exchange(other.context_, nullptr)) {}

Lz4Frame::~Lz4Frame() {
  LZ4F_freeCompressionContext(context_);
}

Result<void> Lz4Frame::begin(std::string& packed) {
  const LZ4F_preferences_t preferences = preferences_of_traces();
  return append(packed, 0, [&](char* to, size_t size) {
    return LZ4F_compressBegin(context_, to, size, &preferences);
  });
}

Result<void> Lz4Frame::add(std::string_view text, std::string& packed) {
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, kDecodedAtOnceBytes);
    text.remove_prefix(piece.size());
    auto added = append(packed, piece.size(), [&](char* to, size_t size) {
      return LZ4F_compressUpdate(context_, to, size, piece.data(), piece.size(), nullptr);
    });
    if (!added) return added;
  }
  return {};
}

Result<void> Lz4Frame::flush(std::string& packed) {
  return append(packed, 0,
                [&](char* to, size_t size) { return LZ4F_flush(context_, to, size, nullptr); });
}

Result<void> Lz4Frame::end(std::string& packed) {
  return append(packed, 0, [&](char* to, size_t size) {
    return LZ4F_compressEnd(context_, to, size, nullptr);
  });
}

}  // namespace seekless
