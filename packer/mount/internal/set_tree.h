// Presents a pack set's assets as numbered folders and files: FUSE's inode is the number plus one.
// Beside the assets there is a folder with a subfolder for each scenario, which listings don't
// show. Nothing changes after opening, so any thread may call any function.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "runtime/include/seekless.h"

namespace seekless {

inline constexpr const char* kControlFolder = ".seekless";
// The file in a scenario's folder that lists the paths it needs, in load order, one a line.
inline constexpr const char* kOrderFile = "order.txt";
inline constexpr uint32_t kNoNumber = UINT32_MAX;

struct SetNode {
  std::string_view name;
  uint32_t parent = 0;
  uint32_t first_child = 0;  // a folder's children are neighbours, sorted by name
  uint32_t child_count = 0;
  bool is_folder = false;
  skl_asset asset = 0;      // 0 means none
  uint64_t size_bytes = 0;  // size of an asset
  // The scenario that this folder stands for, or whose order this file holds.
  uint32_t scenario = kNoNumber;
};

class SetTree {
 public:
  // `context` has the set mounted at the root, and must outlive the tree. `scenarios` are the
  // scenarios' names.
  static Result<std::unique_ptr<SetTree>> open(skl_context* context,
                                               std::vector<std::string> scenarios);
  ~SetTree();
  SetTree(const SetTree&) = delete;
  SetTree& operator=(const SetTree&) = delete;

  const SetNode& node(uint32_t number) const { return nodes_[number]; }
  size_t node_count() const { return nodes_.size(); }
  static constexpr uint32_t kRoot = 0;
  std::span<const SetNode> children(uint32_t folder) const;
  uint32_t number_of(const SetNode& node) const {
    return static_cast<uint32_t>(&node - nodes_.data());
  }
  // Also finds files that listings don't show.
  std::optional<uint32_t> find(uint32_t folder, std::string_view name) const;
  std::string path_of(uint32_t number) const;

  const std::vector<std::string>& scenarios() const { return scenarios_; }
  // Returns the files that a scenario's sweep delivers, in the sweep's order. The list is read on
  // first use.
  const std::vector<uint32_t>& order_of(uint32_t scenario) const;
  // Returns the order file's text.
  const std::string& order_text(uint32_t scenario) const;
  // Returns the file of an asset, or kNoNumber.
  uint32_t file_of(skl_asset asset) const;

  size_t asset_count() const { return asset_count_; }
  uint64_t asset_bytes() const { return asset_bytes_; }
  // Returns the number of assets that a folder can't show: "a" beside "a/b", or a name that is too
  // long.
  size_t left_out() const { return left_out_; }
  // Returns the number of scenarios without a folder, because no folder can have their names.
  size_t scenarios_left_out() const { return scenarios_left_out_; }

 private:
  struct Order {
    std::once_flag listed;
    std::once_flag written;
    std::vector<uint32_t> files;
    std::string text;
  };
  SetTree(skl_context* context, std::vector<std::string> scenarios);
  Result<void> add_assets();
  Result<void> add_children_of(uint32_t folder);
  void keep_asset(skl_asset asset, uint32_t number);
  struct ControlFolder;
  void add_scenarios();
  void add_control_folders(const std::vector<ControlFolder>& folders);
  void add_children_of(uint32_t folder, const std::vector<ControlFolder>& folders,
                       const ControlFolder& from);

  skl_context* context_;
  skl_directory* directory_ = nullptr;  // owns the memory of the names
  std::vector<std::string> scenarios_;
  std::vector<SetNode> nodes_;
  std::vector<uint32_t> file_of_asset_;
  uint32_t control_ = kNoNumber;
  size_t asset_count_ = 0;
  uint64_t asset_bytes_ = 0;
  size_t left_out_ = 0;
  size_t scenarios_left_out_ = 0;
  mutable std::vector<Order> orders_;
};

}  // namespace seekless
