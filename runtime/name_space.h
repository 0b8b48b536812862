// All mounts of a context as one: paths to assets, assets to where they lie, scenarios to the set
// that has them. Readers take no lock: mounting publishes a new immutable view.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "runtime/mount.h"

namespace seekless::runtime {

class NameSpace {
 public:
  NameSpace();
  ~NameSpace();
  NameSpace(const NameSpace&) = delete;
  NameSpace& operator=(const NameSpace&) = delete;

  Result<skl_mount_id> add(MountPointer mount);

  // The asset that the path names, or 0.
  skl_asset find(std::string_view path, uint64_t& size_bytes) const;
  // Errors: INVALID (never given out), STALE (its mount is gone), and those of Mount::place.
  Result<Located> locate(skl_asset asset) const;
  // `name` null: all of the uppermost mount, which must be a single pack. Errors: NOT_FOUND,
  // INVALID.
  Result<FoundScenario> find_scenario(const char* name) const;

 private:
  // First to last mounted.
  using View = std::vector<MountPointer>;

  std::atomic<const View*> view_ = nullptr;
  std::mutex mounting_;  // between those who mount; readers never take it
  std::vector<std::unique_ptr<const View>> views_;
};

}  // namespace seekless::runtime
