#include "runtime/zip_mount.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/content_hash.h"
#include "runtime/crc32.h"
#include "runtime/heap_sort.h"
#include "runtime/listed_paths.h"
#include "runtime/tables.h"
#include "runtime/zip_directory.h"
#include "runtime/zip_fields.h"
#include "runtime/zip_name.h"

namespace seekless::runtime {
namespace {

// The facts about an entry that a mount keeps.
struct MountedEntry {
  std::string path;
  uint64_t header_offset_bytes = 0;
  uint64_t stored_bytes = 0;
  uint64_t size_bytes = 0;
  uint32_t crc32 = 0;
  // The checksum of the name's raw bytes; the local header must have the same name.
  uint32_t name_crc32 = 0;
  uint16_t name_bytes = 0;
  uint16_t method = 0;
  bool is_encrypted = false;
  ZipFlaw flaw = ZipFlaw::none;  // the result of fault_of; reported when the entry is read
};

struct MountedDirectory {
  std::vector<MountedEntry> entries;  // files only, in the order of the directory
  uint64_t data_end_bytes = 0;        // same as ZipEnd::entries_end_bytes()
};

struct Words {
  const char* expected;
  const char* found;
  bool counts = false;  // true if the message shows ZipFault::found before the text `found`
};

Words words_of(ZipFlaw flaw) {
  switch (flaw) {
    case ZipFlaw::no_zip64_end:
      return {"the record of zip64 before it", "none"};
    case ZipFlaw::long_comment:
      return {"a comment as long as it says", " bytes to the end of the file", true};
    case ZipFlaw::long_directory:
      return {"a directory that fits before it", " bytes of one", true};
    case ZipFlaw::short_directory:
      return {"a directory with room for its entries", " bytes of one", true};
    case ZipFlaw::no_directory:
      return {"a directory before it", "other bytes"};
    case ZipFlaw::other_archive:
      return {"the end of the zip that begins the file", "that of another"};
    case ZipFlaw::wrong_count:
      return {"as many entries as the directory has", " by its end", true};
    case ZipFlaw::bad_signature:
      return {"an entry", "other bytes"};
    case ZipFlaw::cut_record:
      return {"an entry's whole name", "the directory's end"};
    case ZipFlaw::short_zip64_field:
      return {"sizes of zip64", "other bytes"};
    default:
      return {"the end of a zip's directory", "other bytes"};
  }
}

Error error_of(const File& file, const ZipFault& fault) {
  if (fault.flaw == ZipFlaw::unreadable) return fault.cause;
  const bool is_hidden = fault.flaw == ZipFlaw::hidden_directory;
  if (is_hidden || fault.flaw == ZipFlaw::split || fault.flaw == ZipFlaw::split_entry)
    return {SKL_UNSUPPORTED, join({file.name(), ": expected a zip of one volume, found one ",
                                   is_hidden ? "with an encrypted directory" : "of several"})};
  const Words words = words_of(fault.flaw);
  return {SKL_DAMAGED,
          join({file.name(), ": zip record at byte ", fault.at_bytes, ": expected ", words.expected,
                ", found ", words.counts ? Part(fault.found) : Part(""), words.found,
                "; fetch the zip anew"}),
          0, fault.at_bytes};
}

// Adds the entry if it is a file with a valid path.
void add_entry(const ZipEnd& end, const ZipRecord& record, std::vector<MountedEntry>& entries) {
  ZipName name = name_of(record);
  if (name.is_folder || name.fault != PathFault::none || is_link(record)) return;
  const auto fault = fault_of(record, end);
  entries.push_back({.path = std::move(name.path),
                     .header_offset_bytes = record.header_offset_bytes,
                     .stored_bytes = record.stored_bytes,
                     .size_bytes = record.size_bytes,
                     .crc32 = record.crc32,
                     .name_crc32 = crc32(bytes_of(record.raw_name)),
                     .name_bytes = static_cast<uint16_t>(record.raw_name.size()),
                     .method = record.method,
                     .is_encrypted = record.is_encrypted(),
                     .flaw = fault ? fault->flaw : ZipFlaw::none});
}

// Keeps the last entry of each path, as unpacking in order would. Then removes files that are also
// a folder of others.
void drop_left_out(std::vector<MountedEntry>& entries, bool folds_case) {
  std::vector<uint32_t> order(entries.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  heap_sort(order, [&](uint32_t i) { return std::pair(std::string_view(entries[i].path), i); });
  std::vector<bool> is_left_out(entries.size());
  for (size_t i = 1; i < order.size(); ++i)
    is_left_out[order[i - 1]] = entries[order[i - 1]].path == entries[order[i]].path;
  std::erase_if(order, [&](uint32_t i) { return is_left_out[i]; });
  if (folds_case) heap_sort(order, [&](uint32_t i) { return fold_case(entries[i].path); });
  std::vector<std::string_view> paths;
  paths.reserve(order.size());
  for (const uint32_t i : order) paths.push_back(entries[i].path);
  const std::vector<bool> is_folder = find_files_as_folders(paths, folds_case);
  for (size_t i = 0; i < order.size(); ++i)
    if (is_folder[i]) is_left_out[order[i]] = true;
  size_t kept = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (is_left_out[i]) continue;
    if (kept != i) entries[kept] = std::move(entries[i]);
    ++kept;
  }
  entries.resize(kept);
}

// Leaves out folders, links, entries with invalid paths, all but the last entry of a path, and
// files that are also a folder of others.
Result<MountedDirectory> read_directory(const File& file, bool folds_case, const Memory& memory) {
  const auto end = find_zip_end(file);
  if (!end) return std::unexpected(error_of(file, end.error()));
  MountedDirectory directory;
  directory.data_end_bytes = end->entries_end_bytes();
  ZipRecords records(file, *end, memory);
  for (;;) {
    const auto is_there = records.next();
    if (!is_there) return std::unexpected(error_of(file, is_there.error()));
    if (!*is_there) break;
    add_entry(*end, records.record(), directory.entries);
  }
  drop_left_out(directory.entries, folds_case);
  return directory;
}

class ZipMount final : public Mount {
 public:
  ZipMount(std::unique_ptr<File> file, MountedDirectory directory, bool folds_case,
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
    const MountedEntry& entry = entries_[number];
    if (auto checked = check(entry); !checked) return std::unexpected(checked.error());
    uint64_t offset = data_offsets_bytes_[number].load(std::memory_order_relaxed);
    if (offset == 0) {
      const auto found = find_data(entry);
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
    const MountedEntry& entry = entries_[place.number];
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

  void describe(uint32_t number, skl_asset_info& info) const override {
    const MountedEntry& entry = entries_[number];
    info.flags = SKL_ASSET_ZIPPED;
    if (entry.method == kZipDeflated) info.flags |= SKL_ASSET_DEFLATED;
    if (entry.is_encrypted) info.flags |= SKL_ASSET_ENCRYPTED;
  }

 private:
  std::string name_of(const MountedEntry& entry) const {
    return join({file_->name(), ": entry '", entry.path, "'"});
  }

  Result<void> check(const MountedEntry& entry) const {
    const auto unsupported = [&](const std::string& found) {
      return make_error(SKL_UNSUPPORTED, {name_of(entry), ": expected a stored one, found ", found,
                                          "; pack it as stored"});
    };
    if (entry.is_encrypted) return unsupported("an encrypted one");
    if (entry.method == kZipDeflated && inflate_.function == nullptr)
      return unsupported("a deflated one, and the context has no inflate function");
    if (entry.method != kZipStored && entry.method != kZipDeflated)
      return unsupported(join({"compression method ", entry.method}));
    switch (entry.flaw) {
      case ZipFlaw::none:
        return {};
      case ZipFlaw::beyond_directory:
      case ZipFlaw::over_directory:
      case ZipFlaw::no_room:
        return elsewhere(entry);
      default:
        return broken(entry, "sizes that can be",
                      {entry.stored_bytes, " bytes stored for ", entry.size_bytes});
    }
  }

  // Finds where the entry's bytes begin, by its local header, which must agree with the directory.
  Result<uint64_t> find_data(const MountedEntry& entry) const {
    std::vector<std::byte> bytes(kZipLocalBytes + entry.name_bytes);
    if (auto read = file_->read_at(entry.header_offset_bytes, bytes); !read)
      return std::unexpected(read.error());
    if (load<uint32_t>(bytes, 0) != kZipLocalSignature ||
        load<uint16_t>(bytes, 8) != entry.method || load<uint16_t>(bytes, 26) != entry.name_bytes ||
        crc32(std::span(bytes).subspan(kZipLocalBytes)) != entry.name_crc32)
      return broken(entry, "a header that agrees with the directory", {"another"});
    const uint64_t data = entry.header_offset_bytes + bytes.size() + load<uint16_t>(bytes, 28);
    const uint64_t end = directory_.data_end_bytes;
    if (data > end || entry.stored_bytes > end - data) return elsewhere(entry);
    return data;
  }

  std::unexpected<Error> elsewhere(const MountedEntry& entry) const {
    return broken(entry, "its bytes where entries lie", {"them going beyond"});
  }

  std::unexpected<Error> broken(const MountedEntry& entry, const char* expected,
                                Parts found) const {
    return damaged(
        {name_of(entry), ": expected ", expected, ", found ", join(found), "; fetch the zip anew"},
        entry.header_offset_bytes);
  }

  Result<void> check_content(const MountedEntry& entry, std::span<const std::byte> content) const {
    if (crc32(content) == entry.crc32) return {};
    return damaged({name_of(entry), ": expected content of its CRC, found other bytes"},
                   entry.header_offset_bytes);
  }

  // Decodes the whole entry.
  Result<void> inflate(const Place& place, std::span<std::byte> into) const {
    const MountedEntry& entry = entries_[place.number];
    const TableMemory stored(entry.stored_bytes, memory_);
    const uint64_t offset = data_offsets_bytes_[place.number].load(std::memory_order_relaxed);
    if (auto read = file_->read_at(offset, stored.bytes()); !read) return read;
    if (inflate_.function(inflate_.user, stored.bytes().data(), stored.bytes().size(), into.data(),
                          into.size()) != SKL_OK)
      return damaged({name_of(entry), ": expected deflated bytes, found others"},
                     entry.header_offset_bytes);
    return check_content(entry, into);
  }

  const std::unique_ptr<File> file_;
  const MountedDirectory directory_;
  const std::vector<MountedEntry>& entries_;
  const bool folds_case_;
  const Inflate inflate_;
  const Memory memory_;
  // Where each entry's bytes begin; 0 if its header hasn't been read yet.
  mutable std::vector<std::atomic<uint64_t>> data_offsets_bytes_;
};

}  // namespace

Result<MountPointer> open_zip_mount(std::unique_ptr<File> file, bool folds_case,
                                    const Inflate& inflate, const Memory& memory) {
  auto directory = read_directory(*file, folds_case, memory);
  if (!directory) return std::unexpected(directory.error());
  return MountPointer::adopt(
      new ZipMount(std::move(file), std::move(*directory), folds_case, inflate, memory));
}

}  // namespace seekless::runtime
