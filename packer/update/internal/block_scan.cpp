#include "packer/update/internal/block_scan.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "packer/base/hasher.h"
#include "packer/patch/chunker.h"
#include "packer/update/clients.h"

namespace seekless {
namespace {

constexpr size_t kReadBytes = size_t{1} << 22;

// Computes the paper's rolling sum: a 16-bit sum of the bytes, and a 16-bit sum of those sums.
class RollingSum {
 public:
  void reset(std::span<const std::byte> window) {
    a_ = b_ = 0;
    length_ = static_cast<uint32_t>(window.size());
    for (const std::byte byte : window) {
      a_ += std::to_integer<uint32_t>(byte);
      b_ += a_;
    }
  }
  void roll(std::byte out, std::byte in) {
    const auto gone = std::to_integer<uint32_t>(out);
    a_ += std::to_integer<uint32_t>(in) - gone;
    b_ += a_ - length_ * gone;
  }
  uint32_t value() const { return (a_ & 0xffff) | (b_ << 16); }

 private:
  uint32_t a_ = 0;
  uint32_t b_ = 0;
  uint32_t length_ = 0;
};

class Blocks {
 public:
  Result<void> read(const ByteSource& old, uint32_t block_bytes) {
    auto read = for_each_fixed_chunk(
        old, block_bytes, [&](uint64_t, std::span<const std::byte> block) -> Result<void> {
          if (block.size() < block_bytes) return {};
          RollingSum sum;
          sum.reset(block);
          sums_.emplace_back(sum.value(), XXH3_64bits(block.data(), block.size()));
          maybe_[index_of(sum.value())] = true;
          return {};
        });
    std::ranges::sort(sums_);
    return read;
  }

  bool have(uint32_t sum, std::span<const std::byte> window) const {
    if (!maybe_[index_of(sum)]) return false;
    const auto at = std::ranges::lower_bound(sums_, sum, {}, &Sums::first);
    if (at == sums_.end() || at->first != sum) return false;
    return std::ranges::binary_search(sums_, Sums(sum, XXH3_64bits(window.data(), window.size())));
  }

 private:
  using Sums = std::pair<uint32_t, uint64_t>;  // the rolling and the strong sum

  static size_t index_of(uint32_t sum) { return (sum * 0x9E3779B1U) >> 12; }

  std::vector<Sums> sums_;  // sorted
  // Returns true if a block of the old file may have these bits in its rolling sum.
  std::vector<bool> maybe_ = std::vector<bool>(size_t{1} << 20);
};

// Holds a window of one block that moves over a file.
class RollingWindow {
 public:
  RollingWindow(const ByteSource& file, size_t block_bytes)
      : file_(file), block_bytes_(block_bytes), buffer_(kReadBytes + 2 * block_bytes) {}

  // Returns true if `bytes` more than the window are in memory, or can be read.
  Result<bool> has(size_t bytes) {
    if (at_ + block_bytes_ + bytes <= filled_) return true;
    std::memmove(buffer_.data(), buffer_.data() + at_, filled_ - at_);
    filled_ -= at_;
    at_ = 0;
    const size_t more =
        std::min<uint64_t>(buffer_.size() - filled_, file_.size_bytes() - read_bytes_);
    SKL_TRY_DO(file_.read_at(read_bytes_, std::span(buffer_).subspan(filled_, more)));
    read_bytes_ += more;
    filled_ += more;
    return block_bytes_ + bytes <= filled_;
  }
  std::span<const std::byte> bytes() const { return std::span(buffer_).subspan(at_, block_bytes_); }
  std::byte next() const { return buffer_[at_ + block_bytes_]; }
  void step(size_t bytes) { at_ += bytes; }

 private:
  const ByteSource& file_;
  const size_t block_bytes_;
  std::vector<std::byte> buffer_;
  size_t at_ = 0;
  size_t filled_ = 0;
  uint64_t read_bytes_ = 0;
};

}  // namespace

Result<uint64_t> matched_block_bytes(const ByteSource& old, const ByteSource& now) {
  const auto block_bytes = static_cast<uint32_t>(block_bytes_of(old.size_bytes()));
  Blocks blocks;
  SKL_TRY_DO(blocks.read(old, block_bytes));
  RollingWindow window(now, block_bytes);
  RollingSum sum;
  uint64_t matched = 0;
  bool is_fresh = true;  // the sum must be computed from scratch
  for (;;) {
    SKL_TRY(const auto has, window.has(is_fresh ? 0 : 1));
    if (!has) return matched;
    if (is_fresh) {
      sum.reset(window.bytes());
    } else {
      sum.roll(window.bytes().front(), window.next());
      window.step(1);
    }
    is_fresh = blocks.have(sum.value(), window.bytes());
    if (!is_fresh) continue;
    matched += block_bytes;
    // The rest may be shorter than a block; then there is no next window.
    SKL_TRY(const auto whole, window.has(block_bytes));
    if (!whole) return matched;
    window.step(block_bytes);
  }
}

}  // namespace seekless
