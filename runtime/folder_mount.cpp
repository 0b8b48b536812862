#include "runtime/folder_mount.h"

#include <algorithm>
#include <vector>

#include "runtime/asset_path.h"
#include "runtime/content_hash.h"
#include "runtime/heap_sort.h"
#include "runtime/listed_paths.h"

namespace seekless::runtime {
namespace {

class FolderMount final : public Mount {
 public:
  FolderMount(const FileIo& io, std::string folder, bool folds_case, const Memory& memory,
              LooseFiles files)
      : io_(io),
        folder_(std::move(folder)),
        folds_case_(folds_case),
        memory_(memory),
        files_(std::move(files)) {}

  uint32_t asset_count() const override { return static_cast<uint32_t>(files_.size()); }
  uint64_t size_bytes(uint32_t number) const override { return files_[number].stamp.size_bytes; }
  bool has(uint32_t number) const override { return !files_[number].is_gone; }
  bool folds_case() const override { return folds_case_; }
  uint32_t find(std::string_view path) const override {
    const uint32_t number = find_listed(files_, path, folds_case_);
    return number != format::kEmptySlot && has(number) ? number : format::kEmptySlot;
  }
  Result<void> for_each_path(const PathVisitor& visit) const override {
    return visit_listed(files_, [&](uint32_t number, const std::string& path) {
      return has(number) ? visit(number, path) : Result<void>();
    });
  }

  Result<Place> place(uint32_t number) const override {
    const LooseFile& file = files_[number];
    auto opened = io_.open(join({folder_, "/", file.path}));
    if (!opened && opened.error().result != SKL_NOT_FOUND) return std::unexpected(opened.error());
    // The file that is there now was never listed, and its size isn't what the caller was told.
    if (!opened || file.is_gone || (*opened)->stamp() != file.stamp)
      return make_error(
          SKL_STALE,
          {folder_, "/", file.path, ": expected the file that was there when its ",
           "folder was mounted, found ", (opened ? "another" : "none"), "; mount the folder again"},
          opened ? 0 : opened.error().os_error);
    Place place;
    place.number = number;
    place.size_bytes = file.stamp.size_bytes;
    place.is_range = true;
    place.opened = std::move(*opened);
    place.file = place.opened.get();
    return place;
  }

  Result<std::string> path(uint32_t number) const override { return files_[number].path; }
  Result<format::ContentHash> content_hash(uint32_t number) const override {
    const auto found = place(number);
    if (!found) return std::unexpected(found.error());
    return hash_content(*this, *found, memory_);
  }
  Result<void> read(const Place& place, uint64_t offset_bytes,
                    std::span<std::byte> into) const override {
    return place.file->read_at(offset_bytes, into);
  }
  void describe(uint32_t number, skl_asset_info& info) const override {
    info.flags = SKL_ASSET_LOOSE;
    info.modified_ns = files_[number].stamp.changed_ns;
  }

 private:
  const FileIo& io_;
  const std::string folder_;
  const bool folds_case_;
  const Memory memory_;
  const LooseFiles files_;
};

}  // namespace

Result<LooseFiles> list_loose_files(const FileIo& io, const std::string& folder,
                                    const std::string& below, bool leaves_out) {
  LooseFiles files;
  std::vector<std::string> pending = {below};  // folders, each with '/' at its end
  while (!pending.empty()) {
    const std::string in = std::move(pending.back());
    pending.pop_back();
    const auto entries = io.list(in.empty() ? folder : join({folder, "/", in}));
    if (!entries) return std::unexpected(entries.error());
    for (const FolderEntry& entry : *entries) {
      const std::string path = in + entry.name;
      if (entry.kind == FolderEntry::Kind::other) continue;
      if (const auto fault = check_asset_path(path); fault != PathFault::none) {
        if (leaves_out) continue;
        return make_error(SKL_UNSUPPORTED, {folder, "/", path,
                                            ": expected a path such as "
                                            "'folder/file', found ",
                                            describe(fault), "; rename it"});
      }
      if (entry.kind == FolderEntry::Kind::folder) {
        pending.push_back(join({path, "/"}));
      } else {
        files.push_back({path, entry.stamp});
      }
    }
  }
  if (files.size() > INT32_MAX)
    return make_error(SKL_UNSUPPORTED, {folder, ": expected at most 2^31 files"});
  heap_sort(files, &LooseFile::path);
  return files;
}

MountPointer make_folder_mount(const FileIo& io, const std::string& folder, bool folds_case,
                               const Memory& memory, LooseFiles files) {
  return MountPointer::adopt(new FolderMount(io, folder, folds_case, memory, std::move(files)));
}

Result<MountPointer> open_folder_mount(const FileIo& io, const std::string& folder, bool folds_case,
                                       const Memory& memory, std::optional<LooseFiles>* listed) {
  auto files = list_loose_files(io, folder);
  if (!files) return std::unexpected(files.error());
  if (listed != nullptr) *listed = *files;
  return make_folder_mount(io, folder, folds_case, memory, std::move(*files));
}

}  // namespace seekless::runtime
