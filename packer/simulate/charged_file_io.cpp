#include "packer/simulate/charged_file_io.h"

#include "runtime/pack_format.h"

namespace seekless {
namespace {

class ChargedFile final : public runtime::File {
 public:
  ChargedFile(std::unique_ptr<runtime::File> file, uint64_t position_bytes, Drive& drive,
              const OnRead& on_read)
      : file_(std::move(file)), position_bytes_(position_bytes), drive_(drive), on_read_(on_read) {}

  const std::string& name() const override { return file_->name(); }
  uint64_t size_bytes() const override { return file_->size_bytes(); }

  runtime::Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    // A drive reads whole pages.
    const uint64_t first = offset_bytes / format::kPageBytes * format::kPageBytes;
    const uint64_t length =
        format::round_up(offset_bytes + into.size(), format::kPageBytes) - first;
    const double ms = drive_.read(position_bytes_ + first, length);
    on_read_(position_bytes_ + first, length, ms);
    return file_->read_at(offset_bytes, into);
  }

  void will_need(uint64_t, uint64_t) const override {}

 private:
  std::unique_ptr<runtime::File> file_;
  uint64_t position_bytes_;
  Drive& drive_;
  const OnRead& on_read_;
};

}  // namespace

ChargedFileIo::ChargedFileIo(Drive& drive, OnRead on_read)
    : drive_(drive), on_read_(std::move(on_read)) {}

runtime::Result<std::unique_ptr<runtime::File>> ChargedFileIo::open(const std::string& path) const {
  auto file = system_->open(path);
  if (!file) return file;
  const auto [known, is_new] = positions_.emplace(path, next_position_);
  if (is_new) next_position_ += format::round_up((*file)->size_bytes(), format::kPageBytes);
  return std::make_unique<ChargedFile>(std::move(*file), known->second, drive_, on_read_);
}

}  // namespace seekless
