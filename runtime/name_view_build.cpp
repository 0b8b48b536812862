// Builds a view, once per mount. It is separate from name_view.cpp, which is compiled for speed.
#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>

#include "runtime/asset_path.h"
#include "runtime/core.h"
#include "runtime/name_view.h"

namespace seekless::runtime {
namespace {

std::unexpected<Error> hash_alike(const std::string& path) {
  return damaged({"'", path,
                  "': expected paths of different hashes, found thousands made to have the same; "
                  "unmount what isn't to be trusted"});
}

// The folders that higher mounts have deleted.
class DeletedFolders {
 public:
  explicit DeletedFolders(bool folds_case) : folds_case_(folds_case) {}
  bool empty() const { return folders_.empty(); }
  void add(const std::string& folder) { folders_.insert(folds_case_ ? fold_case(folder) : folder); }
  bool hide(const std::string& path) const {
    const std::string wanted = folds_case_ ? fold_case(path) : path;
    for (size_t slash = wanted.find('/'); slash != std::string::npos;
         slash = wanted.find('/', slash + 1))
      if (folders_.contains(wanted.substr(0, slash + 1))) return true;
    return false;
  }

 private:
  bool folds_case_;
  std::unordered_set<std::string> folders_;
};

}  // namespace

Mounted::~Mounted() {
  if (core == nullptr) return;
  // In a forked process, locks may stay locked, and leases on the mount may still be read.
  if (core->fork_mark.is_forked())
    mount->retain();
  else
    core->leases.hand_over(mount, core);
}

// Builds the view from the highest mount down, and keeps the first of equal paths.
class NameView::Builder {
 public:
  Builder(NameView& view, const Memory& memory) : view_(view), memory_(memory) {}

  Result<void> run() {
    choose_direct();
    make_tables();
    for (size_t i = view_.mounts_.size(); i-- > 0;) {
      Mounted& mounted = *view_.mounts_[i];
      const auto rank = static_cast<uint32_t>(i + 1);
      const auto added =
          &mounted == view_.direct_mounted_ ? hide_in_direct(mounted) : add(mounted, rank);
      if (!added) return added;
      if (auto deleted = remember_deletions(mounted, rank); !deleted) return deleted;
    }
    return {};
  }

 private:
  void choose_direct() {
    for (size_t i = 0; i < view_.mounts_.size(); ++i) {
      const Mounted& mounted = *view_.mounts_[i];
      const PackSet* set = mounted.mount->pack_set();
      if (set == nullptr || !mounted.at.empty()) continue;
      if (view_.direct_ != nullptr && view_.direct_->asset_count() > set->asset_count()) continue;
      view_.direct_ = set;
      view_.direct_mounted_ = &mounted;
      view_.direct_rank_ = static_cast<uint32_t>(i + 1);
      view_.hash_seed_ = set->hash_seed();
    }
  }

  void make_tables() {
    size_t exact = 0;
    size_t folded = 0;
    size_t deletions = 0;
    bool any_folds = view_.direct_ != nullptr && view_.direct_->folds_case();
    bool any_exact = view_.direct_ != nullptr && !view_.direct_->folds_case();
    for (const auto& mounted : view_.mounts_) {
      deletions += mounted->deletions.size();
      const bool folds = mounted->mount->folds_case();
      (folds ? any_folds : any_exact) = true;
      if (mounted.get() != view_.direct_mounted_)
        (folds ? folded : exact) += mounted->mount->asset_count();
    }
    if (deletions > 0) deletions += hidden_in_direct_at_most();
    view_.exact_ = NameTable(any_exact ? exact + deletions : 0, memory_);
    view_.folded_ = NameTable(any_folds ? folded + deletions : 0, memory_);
    has_exact_ = any_exact;
    has_folded_ = any_folds;
  }

  // With a deleted folder, each asset of the direct mount may need a place in the table.
  size_t hidden_in_direct_at_most() const {
    if (view_.direct_ == nullptr) return 0;
    for (const auto& mounted : view_.mounts_)
      for (const std::string& deletion : mounted->deletions)
        if (deletion.ends_with('/')) return view_.direct_->asset_count();
    return 0;
  }

  NameTable& table_for(const Mounted& mounted) {
    return mounted.mount->folds_case() ? view_.folded_ : view_.exact_;
  }
  const DeletedFolders& folders_for(const Mounted& mounted) const {
    return mounted.mount->folds_case() ? folded_folders_ : exact_folders_;
  }
  uint64_t hash(const std::string& path, bool folds) const {
    return hash_asset_path(path, view_.hash_seed_, folds);
  }

  Result<void> add(Mounted& mounted, uint32_t rank) {
    const Mount& mount = *mounted.mount;
    NameTable& table = table_for(mounted);
    const auto add_one = [&](uint32_t number, uint64_t path_hash) {
      return table.add({path_hash, mounted.asset(number), mount.size_bytes(number), rank});
    };
    if (const DeletedFolders& folders = folders_for(mounted); !folders.empty())
      return mount.for_each_path([&](uint32_t number, const std::string& own) -> Result<void> {
        const std::string path = mounted.at + own;
        if (folders.hide(path) || add_one(number, hash(path, mount.folds_case()))) return {};
        return hash_alike(path);
      });
    const PackSet* own_table = has_own_hashes(mounted) ? mount.pack_set() : nullptr;
    if (own_table == nullptr)
      if (auto hashed = hash_paths(mounted); !hashed) return hashed;
    for (uint32_t i = 0; i < mount.asset_count(); ++i)
      if (mount.has(i) &&
          !add_one(i, own_table != nullptr ? own_table->path_hash(i) : mounted.path_hashes[i]))
        return hash_alike(mount.path(i).value_or("?"));
    return {};
  }

  bool has_own_hashes(const Mounted& mounted) const {
    const PackSet* set = mounted.mount->pack_set();
    return set != nullptr && mounted.at.empty() && set->hash_seed() == view_.hash_seed_;
  }

  Result<void> hash_paths(Mounted& mounted) const {
    const Mount& mount = *mounted.mount;
    if (mounted.path_hashes.size() == mount.asset_count() && mounted.hash_seed == view_.hash_seed_)
      return {};
    std::vector<uint64_t> hashes(mount.asset_count());
    auto visited = mount.for_each_path([&](uint32_t number, const std::string& own) {
      hashes[number] = hash(mounted.at + own, mount.folds_case());
      return Result<void>();
    });
    if (!visited) return visited;
    mounted.path_hashes = std::move(hashes);
    mounted.hash_seed = view_.hash_seed_;
    return {};
  }

  // The direct mount's own table can't omit paths, so its hidden paths are added to our table as
  // deleted.
  Result<void> hide_in_direct(const Mounted& mounted) {
    const DeletedFolders& folders = folders_for(mounted);
    if (folders.empty()) return {};
    return mounted.mount->for_each_path([&](uint32_t number, const std::string& path) {
      const uint64_t path_hash = view_.direct_->path_hash(number);
      if (folders.hide(path) && !table_for(mounted).add({path_hash, 0, 0, view_.direct_rank_ + 1}))
        return Result<void>(hash_alike(path));
      return Result<void>();
    });
  }

  // Whether a deletion in a lower mount ignores case depends on that mount.
  Result<void> remember_deletions(const Mounted& mounted, uint32_t rank) {
    for (const std::string& path : mounted.deletions) {
      if (path.ends_with('/')) {
        exact_folders_.add(path);
        folded_folders_.add(path);
        continue;
      }
      if ((has_exact_ && !view_.exact_.add({hash(path, false), 0, 0, rank})) ||
          (has_folded_ && !view_.folded_.add({hash(path, true), 0, 0, rank})))
        return hash_alike(path);
    }
    return {};
  }

  NameView& view_;
  const Memory& memory_;
  bool has_exact_ = false;
  bool has_folded_ = false;
  DeletedFolders exact_folders_{false};
  DeletedFolders folded_folders_{true};
};

Result<std::unique_ptr<NameView>> NameView::make(Mounts mounts, std::vector<skl_mount_id> slots,
                                                 const Memory& memory) {
  std::unique_ptr<NameView> view(new NameView);
  view->mounts_ = std::move(mounts);
  for (const skl_mount_id latest : slots) view->slots_.push_back({latest, nullptr});
  for (const auto& mounted : view->mounts_)
    view->slots_[slot_of(mounted->id)].mounted = mounted.get();
  if (auto built = Builder(*view, memory).run(); !built) return std::unexpected(built.error());
  return view;
}

}  // namespace seekless::runtime
