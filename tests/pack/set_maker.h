// Makes pack sets for tests, with the real writer, from files that a test writes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "packer/layout/layout.h"
#include "packer/pack/pack_set_writer.h"
#include "runtime/pack_format.h"
#include "tests/content/test_folder.h"

namespace seekless {

inline std::string bytes_of_file(const std::string& path) {
  std::ifstream file(std::filesystem::path(path), std::ios::binary);
  // Read as a whole, because reading single bytes takes seconds under sanitizers.
  std::ostringstream bytes;
  if (file.peek() != std::ifstream::traits_type::eof()) bytes << file.rdbuf();
  return std::move(bytes).str();
}

// Returns the content of every file in a folder, by name.
inline std::map<std::string, std::string> files_in(const std::string& folder) {
  std::map<std::string, std::string> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[std::filesystem::relative(entry.path(), folder).generic_string()] =
          bytes_of_file(entry.path().generic_string());
  return files;
}

// The block size of a set that doesn't ask for another.
inline constexpr uint32_t kBlock = format::kMinBlockBytes;

// Returns bytes that LZ4 can't shorten. The same seed gives the same bytes on every machine.
inline std::string noise(size_t size_bytes, uint64_t seed) {
  std::string bytes(size_bytes, '\0');
  for (char& byte : bytes) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<char>(seed >> 56);
  }
  return bytes;
}

// Builds a layout piece by piece. Each asset, and each of its copies, is a separate file.
class SetMaker {
 public:
  explicit SetMaker(uint32_t block_bytes = kBlock) {
    layout.block_bytes = block_bytes;
    layout.read_through_bytes = 0;
    layout.scenario_sets.emplace_back();
  }

  uint32_t add_scenario(const std::string& name) {
    layout.scenarios.push_back({name, 1});
    return static_cast<uint32_t>(layout.scenarios.size() - 1);
  }

  LaidPack& add_pack(const std::string& name, PackKind kind = PackKind::common) {
    return layout.packs.emplace_back(LaidPack{name, kind, {}});
  }

  // Adds an asset to the last pack. `readers` are scenarios, rising.
  LaidAsset& add(const std::string& path, std::string_view content,
                 const std::vector<uint32_t>& readers = {}) {
    const uint32_t source = source_of(path, content);
    auto set = std::ranges::find(layout.scenario_sets, readers);
    if (set == layout.scenario_sets.end()) set = layout.scenario_sets.insert(set, readers);
    return layout.packs.back().assets.emplace_back(
        LaidAsset{.path = layout.paths.add(path),
                  .size_bytes = content.size(),
                  .source = source,
                  .scenario_set = static_cast<uint32_t>(set - layout.scenario_sets.begin())});
  }

  // Writes the set to folder(); fails the test if that fails.
  std::vector<WrittenPack> write(PackWriteOptions options = {}) {
    const auto checked = check_layout(layout, "test");
    EXPECT_TRUE(checked) << checked.error().message;
    auto written = write_pack_set(layout, options, folder());
    EXPECT_TRUE(written) << written.error().message;
    return written.value_or(std::vector<WrittenPack>());
  }

  std::string folder() const { return output_.path("set"); }
  std::string file(const std::string& name) const { return folder() + "/" + name; }
  const TestFolder& content_folder() const { return content_; }

  Layout layout;
  std::map<std::string, std::string> contents;  // indexed by path

 private:
  uint32_t source_of(const std::string& path, std::string_view content) {
    if (const auto known = contents.find(path); known != contents.end() && known->second == content)
      return sources_.at(path);
    const auto source = static_cast<uint32_t>(layout.sources.size());
    const std::string file = content_.write("source-" + std::to_string(source), content);
    layout.sources.push_back({.path = layout.paths.add(file), .size_bytes = content.size()});
    contents[path] = content;
    return sources_[path] = source;
  }

  TestFolder content_;
  TestFolder output_;
  std::map<std::string, uint32_t> sources_;  // indexed by path
};

}  // namespace seekless
