// What a game pays for a pack set of a million assets: opening it, and finding paths in it.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "packer/pack/pack_set_writer.h"
#include "runtime/include/seekless.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kAssets = 1'000'000;
constexpr size_t kAssetBytes = 100;

std::string path_of(uint32_t asset) {
  return "models/props/group-" + std::to_string(asset / 100) + "/part-" + std::to_string(asset) +
         ".mesh";
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "runtime_bench: %s\n", what);
  std::abort();
}

void put(std::string& out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

// A stored zip of all assets; the CRC of each is given by the layout and by its headers alike.
// Every asset has content of its own, so that none is found to be equal to another.
class ZipWriter {
 public:
  explicit ZipWriter(const std::string& path) : file_(path, std::ios::binary) {}

  uint32_t add(const std::string& name, const std::string& content) {
    const uint32_t crc = crc32_of(content);
    std::string header = "PK\3\4";
    put(header, 20, 2);
    put(header, 0, 8);
    put(header, crc, 4);
    put_sizes(header, name, content);
    put(header, 0, 2);
    directory_ += "PK\1\2";
    put(directory_, 20, 2);
    put(directory_, 20, 2);
    put(directory_, 0, 8);
    put(directory_, crc, 4);
    put_sizes(directory_, name, content);
    put(directory_, 0, 12);
    put(directory_, offset_, 4);
    directory_ += name;
    header += name + content;
    offset_ += header.size();
    file_ << header;
    ++count_;
    return crc;
  }

  void finish() {
    std::string end = "PK\6\6";
    put(end, 44, 8);
    put(end, 0x002D'002D, 4);
    put(end, 0, 8);
    put(end, count_, 8);
    put(end, count_, 8);
    put(end, directory_.size(), 8);
    put(end, offset_, 8);
    end += "PK\6\7";
    put(end, 0, 4);
    put(end, offset_ + directory_.size(), 8);
    put(end, 1, 4);
    end += "PK\5\6";
    put(end, 0, 4);
    put(end, 0xFFFF'FFFF, 4);
    put(end, UINT64_MAX, 8);
    put(end, 0, 2);
    file_ << directory_ << end;
  }

 private:
  static void put_sizes(std::string& out, const std::string& name, const std::string& content) {
    put(out, content.size(), 4);
    put(out, content.size(), 4);
    put(out, name.size(), 2);
  }

  static uint32_t crc32_of(const std::string& content) {
    uint32_t crc = 0xFFFF'FFFF;
    for (const char c : content) {
      crc ^= static_cast<unsigned char>(c);
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xEDB8'8320 & (0 - (crc & 1)));
    }
    return ~crc;
  }

  std::ofstream file_;
  std::string directory_;
  uint64_t offset_ = 0;
  uint64_t count_ = 0;
};

// Made once, and kept in the folder for temporary files.
const std::string& set_folder() {
  static const std::string folder = [] {
    const fs::path base = fs::temp_directory_path() / "seekless-runtime-bench-1";
    std::string set = (base / "set").string();
    if (fs::exists(fs::path(set) / "catalog.skl")) return set;
    fs::create_directories(base);
    const std::string zip = (base / "assets.zip").string();
    Layout layout;
    layout.scenarios = {{"all", 1}};
    layout.scenario_sets = {{}, {0}};
    LaidPack& pack = layout.packs.emplace_back();
    pack.name = "all";
    {
      ZipWriter writer(zip);
      for (uint32_t i = 0; i < kAssets; ++i) {
        std::string content = std::to_string(i);
        content.resize(kAssetBytes, '.');
        const uint32_t crc = writer.add(path_of(i), content);
        pack.assets.push_back({.path = path_of(i),
                               .size_bytes = kAssetBytes,
                               .entry = i,
                               .crc32 = crc,
                               .scenario_set = 1});
      }
      writer.finish();
    }
    layout.sources = {{.path = zip, .size_bytes = fs::file_size(zip), .kind = SourceKind::zip}};
    const auto written = write_pack_set(layout, {.threads = 2}, set);
    if (!written) std::fprintf(stderr, "%s\n", written.error().message.c_str());
    require(written.has_value(), "cannot write the pack set");
    fs::remove(zip);
    return set;
  }();
  return folder;
}

void open_a_million_assets(benchmark::State& state, const std::string& name) {
  const std::string path = set_folder() + name;
  for (auto _ : state) {
    skl_context* context = nullptr;
    require(skl_context_create(nullptr, &context, nullptr) == SKL_OK, "no context");
    require(skl_mount(context, path.c_str(), nullptr, nullptr, nullptr) == SKL_OK, "cannot mount");
    state.PauseTiming();
    skl_context_destroy(context);
    state.ResumeTiming();
  }
}
BENCHMARK_CAPTURE(open_a_million_assets, pack_set, std::string())
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(open_a_million_assets, single_pack, std::string("/all.skl"))
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// At random over all paths, so that the table's memory is as cold as it comes.
void find(benchmark::State& state, const char* prefix, skl_result expected) {
  static skl_context* const context = [] {
    skl_context* made = nullptr;
    require(skl_context_create(nullptr, &made, nullptr) == SKL_OK, "no context");
    require(skl_mount(made, set_folder().c_str(), nullptr, nullptr, nullptr) == SKL_OK,
            "cannot mount");
    return made;
  }();
  std::mt19937 random(1);
  std::vector<std::string> paths;
  for (int i = 0; i < 1 << 16; ++i) paths.push_back(prefix + path_of(random() % kAssets));
  size_t i = 0;
  for (auto _ : state) {
    skl_asset asset = 0;
    uint64_t size = 0;
    const skl_result result = skl_find(context, paths[i++ % paths.size()].c_str(), &asset, &size);
    if (result != expected) require(false, "found what it should not, or not what it should");
  }
}
BENCHMARK_CAPTURE(find, present, "", SKL_OK)->ThreadRange(1, 2);
BENCHMARK_CAPTURE(find, missing, "no-", SKL_NOT_FOUND)->ThreadRange(1, 2);

}  // namespace
}  // namespace seekless
