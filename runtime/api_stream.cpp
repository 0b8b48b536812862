// The C boundary: streams.
#include <algorithm>
#include <span>

#include "runtime/context.h"
#include "runtime/stream.h"

using namespace seekless;
using namespace seekless::runtime;

struct skl_stream {
  Stream stream;
};

namespace {

constexpr uint64_t kDefaultAheadBytes = uint64_t{1} << 20;
constexpr uint64_t kLeastAheadBytes = uint64_t{64} << 10;
constexpr uint64_t kMostAheadBytes = uint64_t{1} << 30;

std::span<std::byte> room(void* destination, size_t length_bytes) {
  return {static_cast<std::byte*>(destination), length_bytes};
}

// Calls read(stream, into, count), and passes the count on in `read_bytes`.
template <typename Read>
skl_result read_by(skl_stream* stream, void* destination, size_t length_bytes, size_t* read_bytes,
                   skl_error* error, Read read) {
  if (read_bytes != nullptr) *read_bytes = 0;
  if (stream == nullptr || (destination == nullptr && length_bytes > 0))
    return invalid(error, "expected a stream and a destination");
  size_t count = 0;
  const skl_result result = guarded(stream->stream.core(), error, [&] {
    return read(stream->stream, room(destination, length_bytes), count);
  });
  if (read_bytes != nullptr) *read_bytes = count;
  return result;
}

}  // namespace

extern "C" {

skl_result skl_stream_open(skl_context* context, skl_asset asset, const skl_stream_options* options,
                           skl_stream** out, skl_error* error) {
  if (context == nullptr || out == nullptr) return invalid(error, "expected a context and out");
  skl_stream_options taken;
  if (!take_options(options, taken, error)) return SKL_INVALID;
  if (taken.ahead_bytes == 0) taken.ahead_bytes = kDefaultAheadBytes;
  if (taken.ahead_bytes < kLeastAheadBytes || taken.ahead_bytes > kMostAheadBytes)
    return invalid(error, "ahead_bytes: expected 64 KiB to 1 GiB");
  return guarded(*context->core, error, [&] {
    const auto located = context->names.locate(asset);
    if (!located) return fill(error, located.error());
    const uint64_t size = located->size_bytes();
    if (taken.offset_bytes > size)
      return invalid(error, "offset_bytes: expected one within the asset");
    const uint64_t wanted = taken.length_bytes != 0 ? taken.length_bytes : SKL_TO_THE_END;
    const Stream::Range range = {asset, taken.offset_bytes,
                                 std::min(wanted, size - taken.offset_bytes)};
    *out = new skl_stream{Stream(context->core, context->names, context->recording, range,
                                 taken.ahead_bytes, taken.bytes_per_second)};
    return SKL_OK;
  });
}

skl_result skl_stream_read(skl_stream* stream, void* destination, size_t length_bytes,
                           size_t* read_bytes, skl_error* error) {
  return read_by(stream, destination, length_bytes, read_bytes, error,
                 [&](Stream& of, std::span<std::byte> into, size_t& count) {
                   return of.read(into, count, error);
                 });
}

skl_result skl_stream_wait(skl_stream* stream, uint32_t timeout_ms, void* destination,
                           size_t length_bytes, size_t* read_bytes, skl_error* error) {
  return read_by(stream, destination, length_bytes, read_bytes, error,
                 [&](Stream& of, std::span<std::byte> into, size_t& count) {
                   return of.wait(timeout_ms, into, count, error);
                 });
}

skl_result skl_stream_seek(skl_stream* stream, uint64_t position_bytes) {
  if (stream == nullptr) return SKL_INVALID;
  return guarded(stream->stream.core(), nullptr,
                 [&] { return stream->stream.seek(position_bytes) ? SKL_OK : SKL_INVALID; });
}

void skl_stream_about(const skl_stream* stream, skl_stream_info* info) {
  if (stream == nullptr || info == nullptr) return;
  skl_stream_info now = {};
  if (!is_forked(stream->stream.core())) now = stream->stream.about();
  give_struct(now, *info);
}

void skl_stream_close(skl_stream* stream) {
  if (stream == nullptr || is_forked(stream->stream.core())) return;
  delete stream;
}

}  // extern "C"
