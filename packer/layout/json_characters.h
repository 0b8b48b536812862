// Feeds JSON from a file to the parser, for layouts and locks.
#pragma once

#include <cstddef>
#include <iterator>
#include <vector>

#include "packer/base/error.h"
#include "packer/base/utf8_stream.h"
#include "packer/host/files.h"

namespace seekless {

// Presents a stream's characters as the iterators that the parser takes. So the text of a layout of
// a million assets, some 150 MB, needn't be in memory at once.
class JsonCharacters {
 public:
  explicit JsonCharacters(ByteStream& stream) : text_(stream) { refill(); }

  bool at_end() const { return at_ == filled_; }
  char current() const { return static_cast<char>(buffer_[at_]); }
  void advance() {
    if (++at_ == filled_) refill();
  }
  const Result<void>& status() const { return status_; }

  struct CharacterIterator {
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    JsonCharacters* of = nullptr;  // null marks the end

    char operator*() const { return of->current(); }
    CharacterIterator& operator++() {
      of->advance();
      return *this;
    }
    void operator++(int) { of->advance(); }
    bool operator==(const CharacterIterator& other) const { return ended() == other.ended(); }
    bool ended() const { return of == nullptr || of->at_end(); }
  };

 private:
  void refill() {
    at_ = filled_ = 0;
    const auto got = text_.read(buffer_);
    if (got)
      filled_ = *got;
    else
      status_ = std::unexpected(got.error());
  }

  Utf8Stream text_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(size_t{1} << 18);
  size_t at_ = 0;
  size_t filled_ = 0;
  Result<void> status_;
};

}  // namespace seekless
