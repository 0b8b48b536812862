#include "packer/simulate/internal/charged_file_io.h"

#include <utility>

namespace seekless {

class ChargedFile final : public runtime::File {
 public:
  ChargedFile(std::unique_ptr<runtime::File> file, const ChargedFileIo& io, CachedFile open_file)
      : file_(std::move(file)), io_(io), open_file_(open_file) {}

  const std::string& name() const override { return file_->name(); }
  uint64_t size_bytes() const override { return file_->size_bytes(); }

  runtime::Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    io_.charge(open_file_, offset_bytes, into.size());
    return file_->read_at(offset_bytes, into);
  }

  // The drive is never idle in a simulation, so a hint has no effect.
  void will_need(uint64_t, uint64_t) const override {}

 private:
  std::unique_ptr<runtime::File> file_;
  const ChargedFileIo& io_;
  mutable CachedFile open_file_;
};

ChargedFileIo::ChargedFileIo(const runtime::FileIo& io, Drive& drive, const ReadAhead& read_ahead,
                             std::span<const FileToPlace> files,
                             std::span<const uint64_t> positions, OnRead on_read)
    : io_(io), drive_(drive), cache_(drive, read_ahead), on_read_(std::move(on_read)) {
  for (size_t i = 0; i < files.size(); ++i)
    if (const auto number = cache_.add_file(positions[i], files[i].size_bytes))
      numbers_.emplace(files[i].path, *number);
}

runtime::Result<std::unique_ptr<runtime::File>> ChargedFileIo::open(const std::string& path) const {
  auto file = io_.open(path);
  if (!file) return file;
  const auto known = numbers_.find(path);
  if (known == numbers_.end())
    return std::unexpected(runtime::Error{
        SKL_IO, path + ": expected a file that lies on the simulated drive, found another"});
  return std::make_unique<ChargedFile>(std::move(*file), *this, cache_.open(known->second));
}

void ChargedFileIo::charge(CachedFile& open_file, uint64_t offset_bytes,
                           uint64_t length_bytes) const {
  for (const DriveRead& miss : cache_.misses(open_file, offset_bytes, length_bytes)) {
    const double ms = drive_.read(miss.position_bytes, miss.length_bytes);
    on_read_(miss.position_bytes, miss.length_bytes, ms);
  }
}

}  // namespace seekless
