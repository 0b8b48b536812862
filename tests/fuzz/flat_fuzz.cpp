// Rewrites any bytes as an archive without headers (.pck, .pak). It must be refused, left
// unchanged, or the new archive must hold every entry.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "packer/content/flat_archive.h"
#include "packer/repack/internal/archive_rewriter.h"
#include "tests/fuzz/own_file.h"
#include "tests/fuzz/require.h"

namespace {

using namespace seekless;

std::vector<std::byte> data_of(const ByteSource& source, const FlatEntry& entry) {
  std::vector<std::byte> data(entry.size_bytes);
  require(source.read_at(entry.offset_bytes, data).has_value());
  return data;
}

void compare(const ByteSource& old_source, const FlatDirectory& before, const std::string& path) {
  const auto source = open_source(path).value();
  const auto after = read_flat_directory(*source);
  require(after && *after && (*after)->obstacle.empty());
  require((*after)->entries.size() == before.entries.size());
  for (size_t i = 0; i < before.entries.size(); ++i) {
    const FlatEntry& entry = (*after)->entries[i];
    require(entry.name == before.entries[i].name);
    require(entry.size_bytes == before.entries[i].size_bytes);
    if (entry.size_bytes > 0)
      require(data_of(*source, entry) == data_of(old_source, before.entries[i]));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto source = std::make_shared<MemorySource>(
      "fuzz.pck", std::vector<std::byte>(bytes.begin(), bytes.end()));
  const auto directory = read_flat_directory(*source);
  require(directory.has_value());
  if (*directory) require(obstacle_to_taking_apart(*source, **directory).has_value());
  if (!*directory || !(*directory)->obstacle.empty()) return 0;
  for (const FlatEntry& entry : (*directory)->entries)
    require(entry.header_bytes <= entry.size_bytes);
  std::vector<uint32_t> read_entries;
  for (size_t i = (*directory)->entries.size(); i-- > 0;)
    if (i % 3 != 1) read_entries.push_back(static_cast<uint32_t>(i));
  auto rewriter = open_flat_rewriter(source).value();
  const auto obstacle = rewriter->prepare(true);
  require(obstacle.has_value());
  if (!obstacle->empty()) return 0;
  const std::string path = own_file("flat.pck");
  const auto report = rewriter->rewrite(read_entries, {}, path, nullptr);
  if (report) {
    require(report->file_bytes <= rewriter->expected_bytes(read_entries, {}));
    require(rewriter->verify(path, *report, nullptr).has_value());
    compare(*source, **directory, path);
  } else {
    require(report.error().kind == ErrorKind::damaged);
  }
  std::filesystem::remove(path);
  return 0;
}
