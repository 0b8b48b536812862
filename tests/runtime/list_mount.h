// A mount that consists only of names, for tests of the name space.
#pragma once

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "runtime/asset_path.h"
#include "runtime/mount.h"

namespace seekless::runtime {

class ListMount final : public Mount {
 public:
  // An asset's size is its number plus 1. `alive` (may be null) counts mounts.
  static MountPointer make(std::vector<std::string> paths, bool folds_case = false,
                           std::atomic<int>* alive = nullptr) {
    return MountPointer::adopt(new ListMount(std::move(paths), folds_case, alive));
  }

  uint32_t asset_count() const override { return static_cast<uint32_t>(paths_.size()); }
  uint64_t size_bytes(uint32_t number) const override { return number + 1; }
  bool folds_case() const override { return folds_case_; }
  uint32_t find(std::string_view path) const override {
    for (uint32_t i = 0; i < paths_.size(); ++i)
      if (folds_case_ ? compare_folded(paths_[i], path) == 0 : paths_[i] == path) return i;
    return format::kEmptySlot;
  }
  Result<void> for_each_path(const PathVisitor& visit) const override {
    for (uint32_t i = 0; i < paths_.size(); ++i)
      if (auto visited = visit(i, paths_[i]); !visited) return visited;
    return {};
  }
  Result<Place> place(uint32_t number) const override {
    Place place;
    place.number = number;
    place.size_bytes = number + 1;
    return place;
  }
  Result<std::string> path(uint32_t number) const override { return paths_[number]; }
  Result<format::ContentHash> content_hash(uint32_t) const override {
    return format::ContentHash{};
  }
  Result<void> read(const Place&, uint64_t, std::span<std::byte>) const override { return {}; }
  void describe(uint32_t, skl_asset_info&) const override {}

 private:
  ListMount(std::vector<std::string> paths, bool folds_case, std::atomic<int>* alive)
      : paths_(std::move(paths)), folds_case_(folds_case), alive_(alive) {
    if (alive_ != nullptr) ++*alive_;
  }
  ~ListMount() override {
    if (alive_ != nullptr) --*alive_;
  }

  std::vector<std::string> paths_;
  bool folds_case_;
  std::atomic<int>* alive_;
};

}  // namespace seekless::runtime
