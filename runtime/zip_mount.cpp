#include "runtime/zip_mount.h"

#include <algorithm>
#include <vector>

#include "runtime/asset_path.h"
#include "runtime/content_hash.h"
#include "runtime/crc32.h"
#include "runtime/listed_paths.h"
#include "runtime/tables.h"
#include "runtime/zip_directory.h"

namespace seekless::runtime {
namespace {

// No more comes out of deflate: 258 bytes for 2 bits, and what its headers take.
constexpr uint64_t kMostInflation = 1032;

class ZipMount final : public Mount {
 public:
  ZipMount(std::unique_ptr<File> file, ZipDirectory directory, bool folds_case,
           const Inflate& inflate, const Memory& memory)
      : file_(std::move(file)),
        directory_(std::move(directory)),
        entries_(directory_.entries),
        folds_case_(folds_case),
        inflate_(inflate),
        memory_(memory),
        data_offsets_bytes_(entries_.size()) {}

  uint32_t asset_count() const override { return static_cast<uint32_t>(entries_.size()); }
  uint64_t size_bytes(uint32_t number) const override { return entries_[number].size_bytes; }
  bool folds_case() const override { return folds_case_; }
  uint32_t find(std::string_view path) const override {
    return find_listed(entries_, path, folds_case_);
  }
  Result<void> for_each_path(const PathVisitor& visit) const override {
    return visit_listed(entries_, visit);
  }

  Result<Place> place(uint32_t number) const override {
    const ZipEntry& entry = entries_[number];
    if (auto checked = check(entry); !checked) return std::unexpected(checked.error());
    uint64_t offset = data_offsets_bytes_[number].load(std::memory_order_relaxed);
    if (offset == 0) {
      const auto found = find_zip_data(*file_, directory_, entry);
      if (!found) return std::unexpected(found.error());
      offset = *found;
      data_offsets_bytes_[number].store(offset, std::memory_order_relaxed);
    }
    Place place;
    place.number = number;
    place.size_bytes = entry.size_bytes;
    place.is_range = entry.method == kZipStored;
    place.file = file_.get();
    place.offset_bytes = place.is_range ? offset : 0;
    return place;
  }

  Result<std::string> path(uint32_t number) const override { return entries_[number].path; }
  Result<format::ContentHash> content_hash(uint32_t number) const override {
    const auto found = place(number);
    if (!found) return std::unexpected(found.error());
    return hash_content(*this, *found, memory_);
  }

  Result<void> read(const Place& place, uint64_t offset_bytes,
                    std::span<std::byte> into) const override {
    const ZipEntry& entry = entries_[place.number];
    const bool is_whole = into.size() == entry.size_bytes;
    if (into.empty()) return {};
    if (place.is_range) {
      if (auto read = file_->read_at(place.offset_bytes + offset_bytes, into); !read) return read;
      return is_whole ? check_content(entry, into) : Result<void>();
    }
    if (is_whole) return inflate(place, into);
    const TableMemory whole(entry.size_bytes, memory_);
    if (auto inflated = inflate(place, whole.bytes()); !inflated) return inflated;
    std::ranges::copy(whole.bytes().subspan(offset_bytes, into.size()), into.begin());
    return {};
  }

 private:
  std::string name_of(const ZipEntry& entry) const {
    return file_->name() + ": entry '" + entry.path + "'";
  }

  Result<void> check(const ZipEntry& entry) const {
    const auto unsupported = [&](const std::string& found) {
      return std::unexpected(Error{
          SKL_UNSUPPORTED,
          name_of(entry) + ": expected a stored one, found " + found + "; pack it as stored"});
    };
    if (entry.is_encrypted) return unsupported("an encrypted one");
    if (entry.method == kZipStored && entry.stored_bytes == entry.size_bytes) return {};
    if (entry.method == kZipDeflated && inflate_.function == nullptr)
      return unsupported("a deflated one, and the context has no inflate function");
    if (entry.method != kZipStored && entry.method != kZipDeflated)
      return unsupported("compression method " + std::to_string(entry.method));
    if (entry.method == kZipDeflated && entry.size_bytes / kMostInflation <= entry.stored_bytes)
      return {};
    return damaged(name_of(entry) + ": expected sizes that can be, found " +
                       std::to_string(entry.stored_bytes) + " bytes stored for " +
                       std::to_string(entry.size_bytes),
                   entry.header_offset_bytes);
  }

  Result<void> check_content(const ZipEntry& entry, std::span<const std::byte> content) const {
    if (crc32(content) == entry.crc32) return {};
    return damaged(name_of(entry) + ": expected content of its CRC, found other bytes",
                   entry.header_offset_bytes);
  }

  // The whole entry.
  Result<void> inflate(const Place& place, std::span<std::byte> into) const {
    const ZipEntry& entry = entries_[place.number];
    const TableMemory stored(entry.stored_bytes, memory_);
    const uint64_t offset = data_offsets_bytes_[place.number].load(std::memory_order_relaxed);
    if (auto read = file_->read_at(offset, stored.bytes()); !read) return read;
    if (inflate_.function(inflate_.user, stored.bytes().data(), stored.bytes().size(), into.data(),
                          into.size()) != SKL_OK)
      return damaged(name_of(entry) + ": expected deflated bytes, found others",
                     entry.header_offset_bytes);
    return check_content(entry, into);
  }

  const std::unique_ptr<File> file_;
  const ZipDirectory directory_;
  const std::vector<ZipEntry>& entries_;
  const bool folds_case_;
  const Inflate inflate_;
  const Memory memory_;
  // Where each entry's bytes begin; 0: its header hasn't been looked at.
  mutable std::vector<std::atomic<uint64_t>> data_offsets_bytes_;
};

}  // namespace

Result<MountPointer> open_zip_mount(std::unique_ptr<File> file, bool folds_case,
                                    const Inflate& inflate, const Memory& memory) {
  auto directory = read_zip_directory(*file, memory);
  if (!directory) return std::unexpected(directory.error());
  return MountPointer::adopt(
      new ZipMount(std::move(file), std::move(*directory), folds_case, inflate, memory));
}

}  // namespace seekless::runtime
