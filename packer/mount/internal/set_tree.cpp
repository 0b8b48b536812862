#include "packer/mount/internal/set_tree.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/mount/internal/reader_error.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

// FUSE doesn't pass on longer names.
constexpr size_t kMostNameBytes = 1024;
constexpr size_t kListedAtOnce = 1024;
constexpr const char* kScenariosFolder = "scenarios";

std::vector<std::string_view> parts_of(std::string_view scenario) {
  std::vector<std::string_view> parts;
  for (size_t slash = 0; slash != std::string_view::npos;) {
    slash = scenario.find('/');
    parts.push_back(scenario.substr(0, slash));
    if (slash != std::string_view::npos) scenario.remove_prefix(slash + 1);
  }
  return parts;
}

// Returns true if a folder can have this name; names of scenarios may have more characters.
bool is_name(std::string_view part) {
  return !part.empty() && part != "." && part != ".." && part.size() <= kMostNameBytes;
}

}  // namespace

// A folder below the control folder. These are numbered instead of nested, because a scenario's
// name may have half as many components as bytes.
struct SetTree::ControlFolder {
  uint32_t scenario = kNoNumber;
  std::map<std::string_view, uint32_t> below;
};

SetTree::SetTree(skl_context* context, std::vector<std::string> scenarios)
    : context_(context), scenarios_(std::move(scenarios)), orders_(scenarios_.size()) {}

SetTree::~SetTree() {
  skl_directory_destroy(directory_);
}

Result<std::unique_ptr<SetTree>> SetTree::open(skl_context* context,
                                               std::vector<std::string> scenarios) {
  std::unique_ptr<SetTree> tree(new SetTree(context, std::move(scenarios)));
  SKL_TRY_DO(tree->add_assets());
  tree->add_scenarios();
  return tree;
}

Result<void> SetTree::add_assets() {
  skl_error error = {.struct_bytes = sizeof(skl_error)};
  if (skl_directory_create(context_, &directory_, &error) != SKL_OK) return from_reader(error);
  nodes_.push_back({.is_folder = true});
  for (uint32_t folder = 0; folder < nodes_.size(); ++folder)
    if (nodes_[folder].is_folder) SKL_TRY_DO(add_children_of(folder));
  return {};
}

Result<void> SetTree::add_children_of(uint32_t folder) {
  const std::string path = path_of(folder);
  const size_t front = path.empty() ? 0 : path.size() + 1;
  const auto first = static_cast<uint32_t>(nodes_.size());
  std::array<skl_entry, kListedAtOnce> entries;
  uint64_t cursor = 0;
  size_t count = 0;
  while (skl_directory_children(directory_, path.c_str(), &cursor, entries.data(), entries.size(),
                                &count) == SKL_OK)
    for (const skl_entry& entry : std::span(entries).first(count)) {
      const std::string_view name(entry.path + front, entry.length_bytes - front);
      if (name.size() > kMostNameBytes)
        ++left_out_;
      else
        nodes_.push_back({.name = name,
                          .parent = folder,
                          .is_folder = entry.asset == 0,
                          .asset = entry.asset,
                          .size_bytes = entry.size_bytes});
    }
  // If a file and a folder have the same name, the folder stays.
  const auto before = [](const SetNode& a, const SetNode& b) {
    return a.name != b.name ? a.name < b.name : a.is_folder > b.is_folder;
  };
  std::sort(nodes_.begin() + first, nodes_.end(), before);
  const auto twice =
      std::unique(nodes_.begin() + first, nodes_.end(),
                  [](const SetNode& a, const SetNode& b) { return a.name == b.name; });
  left_out_ += static_cast<size_t>(nodes_.end() - twice);
  nodes_.erase(twice, nodes_.end());
  nodes_[folder].first_child = first;
  nodes_[folder].child_count = static_cast<uint32_t>(nodes_.size()) - first;
  for (auto number = first; number < nodes_.size(); ++number)
    if (!nodes_[number].is_folder) keep_asset(nodes_[number].asset, number);
  return {};
}

// Stores the asset's file number. The reader numbers a mount's assets from 0 on, in the low half.
void SetTree::keep_asset(skl_asset asset, uint32_t number) {
  const auto index = static_cast<uint32_t>(asset);
  if (index >= file_of_asset_.size()) file_of_asset_.resize(size_t{index} + 1, kNoNumber);
  file_of_asset_[index] = number;
  ++asset_count_;
  asset_bytes_ += nodes_[number].size_bytes;
}

uint32_t SetTree::file_of(skl_asset asset) const {
  const auto index = static_cast<uint32_t>(asset);
  return index < file_of_asset_.size() ? file_of_asset_[index] : kNoNumber;
}

// Adds folders for the scenarios. Their names stay in the scenarios' list. Scenarios whose paths
// are longer than an asset's may be are left out, because no program could open them.
void SetTree::add_scenarios() {
  const bool is_taken = find(kRoot, kControlFolder).has_value();  // an asset has that name
  std::vector<ControlFolder> folders(1);
  const auto below = [&folders](uint32_t folder, std::string_view name) {
    const auto next = static_cast<uint32_t>(folders.size());
    const auto [found, is_new] = folders[folder].below.try_emplace(name, next);
    const uint32_t number = found->second;
    if (is_new) folders.emplace_back();
    return number;
  };
  for (uint32_t i = 0; i < scenarios_.size(); ++i) {
    const auto parts = parts_of(scenarios_[i]);
    if (is_taken || scenarios_[i].size() > kMaxPathBytes || !std::ranges::all_of(parts, is_name)) {
      ++scenarios_left_out_;
      continue;
    }
    uint32_t at = below(0, kScenariosFolder);
    for (const std::string_view part : parts) at = below(at, part);
    folders[at].scenario = i;
  }
  if (folders.size() == 1) return;
  control_ = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back({.name = kControlFolder, .parent = kRoot, .is_folder = true});
  add_control_folders(folders);
}

void SetTree::add_control_folders(const std::vector<ControlFolder>& folders) {
  // Each pair is a folder's index in nodes_, and its control folder.
  std::vector<std::pair<uint32_t, uint32_t>> pending = {{control_, 0}};
  for (size_t next = 0; next < pending.size(); ++next) {
    const auto [number, from] = pending[next];
    add_children_of(number, folders, folders[from]);
    for (const SetNode& child : children(number))
      if (child.is_folder)
        pending.emplace_back(number_of(child), folders[from].below.at(child.name));
  }
}

void SetTree::add_children_of(uint32_t folder, const std::vector<ControlFolder>& folders,
                              const ControlFolder& from) {
  const auto first = static_cast<uint32_t>(nodes_.size());
  for (const auto& [name, below] : from.below)
    nodes_.push_back(
        {.name = name, .parent = folder, .is_folder = true, .scenario = folders[below].scenario});
  if (from.scenario != kNoNumber && !from.below.contains(kOrderFile))
    nodes_.push_back({.name = kOrderFile, .parent = folder, .scenario = from.scenario});
  std::ranges::sort(nodes_.begin() + first, nodes_.end(), {}, &SetNode::name);
  nodes_[folder].first_child = first;
  nodes_[folder].child_count = static_cast<uint32_t>(nodes_.size()) - first;
}

std::span<const SetNode> SetTree::children(uint32_t folder) const {
  const SetNode& node = nodes_[folder];
  return std::span(nodes_).subspan(node.first_child, node.child_count);
}

std::optional<uint32_t> SetTree::find(uint32_t folder, std::string_view name) const {
  const auto below = children(folder);
  const auto found = std::ranges::lower_bound(below, name, {}, &SetNode::name);
  if (found != below.end() && found->name == name) return number_of(*found);
  if (folder == kRoot && control_ != kNoNumber && name == kControlFolder) return control_;
  return std::nullopt;
}

std::string SetTree::path_of(uint32_t number) const {
  std::vector<std::string_view> names;
  for (uint32_t at = number; at != kRoot; at = nodes_[at].parent) names.push_back(nodes_[at].name);
  return fmt::format("{}", fmt::join(names.rbegin(), names.rend(), "/"));
}

const std::vector<uint32_t>& SetTree::order_of(uint32_t scenario) const {
  struct Visit {
    const SetTree& tree;
    std::vector<uint32_t>& files;
  };
  Order& order = orders_[scenario];
  std::call_once(order.listed, [&] {
    Visit visit = {*this, order.files};
    const auto add = [](void* user, const char*, skl_asset asset, uint64_t) {
      const Visit& to = *static_cast<Visit*>(user);
      const uint32_t file = to.tree.file_of(asset);
      if (file != kNoNumber) to.files.push_back(file);
      return 0;
    };
    // If the scenario can't be listed, its sweep will find that out again, and report it.
    skl_list_scenario(context_, scenarios_[scenario].c_str(), add, &visit, nullptr);
  });
  return order.files;
}

const std::string& SetTree::order_text(uint32_t scenario) const {
  const auto& files = order_of(scenario);
  Order& order = orders_[scenario];
  std::call_once(order.written, [&] {
    for (const uint32_t file : files) order.text += path_of(file) + "\n";
  });
  return order.text;
}

}  // namespace seekless
