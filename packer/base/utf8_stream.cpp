#include "packer/base/utf8_stream.h"

#include <algorithm>
#include <cstring>

namespace seekless {
namespace {

constexpr size_t kReadAtOnceBytes = size_t{256} << 10;

}  // namespace

Result<void> Utf8Stream::refill() {
  text_.clear();
  given_ = 0;
  raw_.resize(kReadAtOnceBytes);
  std::copy(carried_.begin(), carried_.end(), raw_.begin());
  size_t filled = carried_.size();
  do {
    SKL_TRY(const auto got, stream_.read(std::as_writable_bytes(std::span(raw_)).subspan(filled)));
    at_end_ = got == 0;
    filled += got;
  } while (!at_end_ && filled < (is_begun_ ? 4 : kTextFrontBytes));
  std::string_view bytes(raw_.data(), filled);
  if (!is_begun_) {
    const TextFront front = text_front(bytes);
    encoding_ = front.encoding;
    bytes.remove_prefix(front.mark_bytes);
  }
  is_begun_ = true;
  carried_.clear();
  if (encoding_ == TextEncoding::utf8) {
    text_ = bytes;
    return {};
  }
  const size_t rest = append_utf16(text_, bytes, encoding_ == TextEncoding::utf16_big);
  carried_ = bytes.substr(bytes.size() - rest);
  if (at_end_ && rest > 0) append_character(text_, kReplacementCharacter);
  return {};
}

Result<size_t> Utf8Stream::read(std::span<std::byte> into) {
  if (is_begun_ && encoding_ == TextEncoding::utf8 && given_ == text_.size())
    return stream_.read(into);
  while (given_ == text_.size() && !at_end_) SKL_TRY_DO(refill());
  const size_t count = std::min(into.size(), text_.size() - given_);
  if (count > 0) std::memcpy(into.data(), text_.data() + given_, count);
  given_ += count;
  return count;
}

}  // namespace seekless
