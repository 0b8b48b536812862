#include "runtime/folder_mount.h"

#include <algorithm>
#include <vector>

#include "runtime/asset_path.h"
#include "runtime/content_hash.h"
#include "runtime/file_link.h"
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
    // The present file was never listed, and the caller knows another size.
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

constexpr size_t kNothingAbove = SIZE_MAX;

struct ListedFolder {
  std::string path;  // path in the mount, with '/' at the end; "" is the mounted folder itself
  FileStamp stamp;
  size_t above = kNothingAbove;  // index of the folder above it in the list
};

class FolderListing {
 public:
  FolderListing(const FileIo& io, const std::string& folder, bool leaves_out)
      : io_(io), folder_(folder), leaves_out_(leaves_out) {}

  // Lists the files in `below`, which has the form that list_loose_files takes.
  Result<LooseFiles> list(const std::string& below) {
    if (!enter(below)) return LooseFiles();
    for (size_t i = folders_.size() - 1; i < folders_.size(); ++i)
      if (auto listed = list_one(i); !listed) return std::unexpected(listed.error());
    if (files_.size() > INT32_MAX)
      return make_error(SKL_UNSUPPORTED, {folder_, ": expected at most 2^31 files"});
    heap_sort(files_, &LooseFile::path);
    return std::move(files_);
  }

 private:
  std::string full(const std::string& path) const {
    return path.empty() ? folder_ : join({folder_, "/", path});
  }

  // Returns false if it is a link back to a folder that contains it.
  bool enter(const std::string& below) {
    for (size_t end = 0;; end = below.find('/', end) + 1) {
      const std::string path = below.substr(0, end);
      const auto found = follow_link(full(path));
      const FileStamp stamp = found ? found->stamp : FileStamp();
      if (leads_back(stamp, folders_.size() - 1)) return false;
      folders_.push_back({path, stamp, folders_.size() - 1});
      if (end == below.size()) return true;
    }
  }

  // If the system doesn't number folders, an endless chain of links stops when the system refuses
  // to follow more of them.
  bool leads_back(const FileStamp& to, size_t from) const {
    if (to.number == 0) return false;
    for (size_t i = from; i != kNothingAbove; i = folders_[i].above)
      if (folders_[i].stamp.device == to.device && folders_[i].stamp.number == to.number)
        return true;
    return false;
  }

  Result<void> list_one(size_t number) {
    const std::string in = folders_[number].path;
    const auto entries = io_.list(full(in));
    if (!entries) return std::unexpected(entries.error());
    for (const FolderEntry& entry : *entries) {
      const std::string path = in + entry.name;
      const bool is_other = entry.kind == FolderEntry::Kind::other;
      const auto leads_to = is_other ? follow_link(full(path)) : std::nullopt;
      if (is_other && !leads_to) continue;
      if (auto added = add(path, is_other ? *leads_to : entry, number); !added) return added;
    }
    return {};
  }

  Result<void> add(const std::string& path, const FolderEntry& entry, size_t above) {
    const bool is_folder = entry.kind == FolderEntry::Kind::folder;
    if (is_folder && leads_back(entry.stamp, above)) return {};
    if (const auto fault = check_asset_path(path); fault != PathFault::none) {
      if (leaves_out_) return {};
      return make_error(SKL_UNSUPPORTED, {folder_, "/", path,
                                          ": expected a path such as "
                                          "'folder/file', found ",
                                          describe(fault), "; rename it"});
    }
    if (is_folder)
      folders_.push_back({join({path, "/"}), entry.stamp, above});
    else
      files_.push_back({path, entry.stamp});
    return {};
  }

  const FileIo& io_;
  const std::string& folder_;
  const bool leaves_out_;
  std::vector<ListedFolder> folders_;  // the folders above `below`, then all folders from there on
  LooseFiles files_;
};

}  // namespace

Result<LooseFiles> list_loose_files(const FileIo& io, const std::string& folder,
                                    const std::string& below, bool leaves_out) {
  return FolderListing(io, folder, leaves_out).list(below);
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
