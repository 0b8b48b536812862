// Measures a pack set of a million assets (opening it, and finding paths in it), and small assets
// that are read one by one, compared with the bare system calls.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include "packer/pack/pack_set_writer.h"
#include "runtime/asset_path.h"
#include "runtime/include/seekless.h"
#include "runtime/pack_set.h"

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

// Writes a stored zip of all assets. The layout and the zip's headers give the same CRCs. No two
// assets have equal content.
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

// Makes words in random order, like text and tables: LZ4 reduces them to a third.
std::string wordy_content(uint32_t asset, size_t size_bytes) {
  static const std::vector<std::string> words = [] {
    std::mt19937 random(7);
    std::vector<std::string> made(512);
    for (std::string& word : made)
      for (size_t i = 0; i < 12; ++i) word += static_cast<char>('a' + random() % 26);
    return made;
  }();
  std::mt19937 random(asset);
  std::string content = std::to_string(asset);
  while (content.size() < size_bytes) content += words[random() % words.size()];
  content.resize(size_bytes);
  return content;
}

std::string padded_content(uint32_t asset, size_t size_bytes) {
  std::string content = std::to_string(asset);
  content.resize(size_bytes, '.');
  return content;
}

// Makes the set once, and keeps it in the folder for temporary files.
std::string make_set(const std::string& name, uint32_t asset_count, size_t asset_bytes,
                     format::Codec codec = format::Codec::raw,
                     std::string (*content_of)(uint32_t, size_t) = padded_content) {
  const fs::path base = fs::temp_directory_path() / "seekless-runtime-bench-3";
  std::string set = (base / name).string();
  if (fs::exists(fs::path(set) / "catalog.skl")) return set;
  fs::create_directories(base);
  const std::string zip = (base / (name + ".zip")).string();
  Layout layout;
  layout.scenarios = {{"all", 1}};
  layout.scenario_sets = {{}, {0}};
  LaidPack& pack = layout.packs.emplace_back();
  pack.name = "all";
  {
    ZipWriter writer(zip);
    for (uint32_t i = 0; i < asset_count; ++i) {
      const std::string content = content_of(i, asset_bytes);
      const uint32_t crc = writer.add(path_of(i), content);
      pack.assets.push_back({.path = layout.paths.add(path_of(i)),
                             .size_bytes = asset_bytes,
                             .entry = i,
                             .crc32 = crc,
                             .scenario_set = 1});
    }
    writer.finish();
  }
  layout.sources = {
      {.path = layout.paths.add(zip), .size_bytes = fs::file_size(zip), .kind = SourceKind::zip}};
  const auto written = write_pack_set(layout, {.codec = codec, .threads = 2}, set);
  if (!written) std::fprintf(stderr, "%s\n", written.error().message.c_str());
  require(written.has_value(), "cannot write the pack set");
  fs::remove(zip);
  return set;
}

const std::string& set_folder() {
  static const std::string folder = make_set("million", kAssets, kAssetBytes);
  return folder;
}

skl_context* new_context() {
  skl_context* context = nullptr;
  require(skl_context_create(nullptr, &context, nullptr) == SKL_OK, "no context");
  return context;
}

void mount(skl_context* context, const std::string& path, const char* at = nullptr) {
  skl_mount_options options = {};
  options.struct_bytes = sizeof(options);
  options.at = at;
  require(skl_mount(context, path.c_str(), &options, nullptr, nullptr) == SKL_OK, "cannot mount");
}

void open_a_million_assets(benchmark::State& state, const std::string& name) {
  const std::string path = set_folder() + name;
  for (auto _ : state) {
    skl_context* const context = new_context();
    mount(context, path);
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

// Mounts the million, and as many mounts in all as the benchmark says: mods of a thousand assets
// each. The last mod hides assets of the million.
skl_context* context_with(int64_t mounts) {
  static std::map<int64_t, skl_context*> made;
  skl_context*& context = made[mounts];
  if (context != nullptr) return context;
  context = new_context();
  mount(context, set_folder());
  const std::string mod = make_set("mod", 1000, kAssetBytes);
  for (int64_t i = 1; i < mounts; ++i)
    mount(context, mod, i + 1 == mounts ? nullptr : ("mods/" + std::to_string(i)).c_str());
  return context;
}

skl_context* shared_context_with(int64_t mounts) {
  static std::mutex making;
  const std::lock_guard lock(making);
  return context_with(mounts);
}

// Chooses among all paths at random, so that the table's memory is as cold as possible.
std::vector<std::string> random_paths(const char* prefix) {
  std::mt19937 random(1);
  std::vector<std::string> paths;
  for (int i = 0; i < 1 << 16; ++i) paths.push_back(prefix + path_of(random() % kAssets));
  return paths;
}

void find(benchmark::State& state, const char* prefix, skl_result expected) {
  skl_context* const context = shared_context_with(state.range(0));
  const std::vector<std::string> paths = random_paths(prefix);
  size_t i = 0;
  for (auto _ : state) {
    skl_asset asset = 0;
    uint64_t size = 0;
    const skl_result result = skl_find(context, paths[i++ % paths.size()].c_str(), &asset, &size);
    if (result != expected) require(false, "found what it should not, or not what it should");
  }
}
BENCHMARK_CAPTURE(find, present, "", SKL_OK)
    ->ArgName("mounts")
    ->Arg(1)
    ->Arg(2)
    ->Arg(16)
    ->Arg(64)
    ->ThreadRange(1, 2);
BENCHMARK_CAPTURE(find, missing, "no-", SKL_NOT_FOUND)
    ->ArgName("mounts")
    ->Arg(1)
    ->Arg(2)
    ->Arg(16)
    ->Arg(64)
    ->ThreadRange(1, 2);

void find_hashed(benchmark::State& state, const char* prefix, skl_result expected) {
  skl_context* const context = shared_context_with(state.range(0));
  std::vector<skl_path_hash> hashes;
  for (const std::string& path : random_paths(prefix))
    require(skl_hash_path(context, path.data(), path.size(), &hashes.emplace_back()) == SKL_OK,
            "cannot hash");
  size_t i = 0;
  for (auto _ : state) {
    skl_asset asset = 0;
    uint64_t size = 0;
    const skl_result result = skl_find_hashed(context, &hashes[i++ % hashes.size()], &asset, &size);
    if (result != expected) require(false, "found what it should not, or not what it should");
  }
}
BENCHMARK_CAPTURE(find_hashed, present, "", SKL_OK)->ArgName("mounts")->Arg(1)->Arg(16);
BENCHMARK_CAPTURE(find_hashed, missing, "no-", SKL_NOT_FOUND)->ArgName("mounts")->Arg(1)->Arg(16);

// Mounts a mod over the million. Its cost is that of its own assets, not of those it hides.
void mount_a_mod(benchmark::State& state) {
  skl_context* context = new_context();
  mount(context, set_folder());
  const std::string mod = make_set("mod", 1000, kAssetBytes);
  for (auto _ : state) {
    skl_mount_id id = 0;
    require(skl_mount(context, mod.c_str(), nullptr, &id, nullptr) == SKL_OK, "cannot mount");
    require(skl_unmount(context, id, nullptr) == SKL_OK, "cannot unmount");
  }
  skl_context_destroy(context);
}
BENCHMARK(mount_a_mod)->Unit(benchmark::kMillisecond)->UseRealTime();

// Finds 30,000 assets of 8 KiB by path in random order and reads them whole; all of them are in the
// system's cache. Beside it runs the least possible: a hash map from path to offset, and one pread.
constexpr uint32_t kSmallAssets = 30'000;
constexpr size_t kSmallBytes = 8 << 10;

struct Small {
  Small() : folder(make_set("small", kSmallAssets, kSmallBytes)), context(new_context()) {
    mount(context, folder);
    file = ::open((folder + "/all.skl").c_str(), O_RDONLY | O_CLOEXEC);
    require(file >= 0, "cannot open the pack");
    const std::unique_ptr<runtime::FileIo> io = runtime::make_system_file_io();
    const auto set = runtime::PackSet::open(*io, folder);
    require(set.has_value(), "cannot open the set");
    std::mt19937 random(1);
    for (uint32_t i = 0; i < kSmallAssets; ++i) {
      paths.push_back(path_of(i));
      const uint32_t number =
          (*set)->find(hash_asset_path(paths.back(), (*set)->hash_seed(), (*set)->folds_case()));
      const auto placed = (*set)->place(number);
      require(placed.has_value(), "cannot place an asset");
      offsets_bytes[paths.back()] = placed->pack->blocks()[placed->record().block].offset_bytes +
                                    runtime::offset_in_block(placed->record());
    }
    std::ranges::shuffle(paths, random);
  }
  std::string folder;
  skl_context* context;
  int file = -1;
  std::vector<std::string> paths;
  std::unordered_map<std::string, uint64_t> offsets_bytes;
};

Small& small() {
  static Small made;
  return made;
}

void find_and_read(benchmark::State& state) {
  const Small& of = small();
  std::vector<char> into(kSmallBytes);
  size_t i = static_cast<size_t>(state.thread_index()) * 3571;
  for (auto _ : state) {
    skl_asset asset = 0;
    uint64_t size = 0;
    size_t got = 0;
    skl_find(of.context, of.paths[i++ % kSmallAssets].c_str(), &asset, &size);
    skl_read(of.context, asset, 0, into.data(), into.size(), &got, nullptr);
    if (got != kSmallBytes) require(false, "cannot read");
  }
}
void indexed_pread(benchmark::State& state) {
  const Small& of = small();
  std::vector<char> into(kSmallBytes);
  size_t i = static_cast<size_t>(state.thread_index()) * 3571;
  for (auto _ : state) {
    const uint64_t offset = of.offsets_bytes.find(of.paths[i++ % kSmallAssets])->second;
    const ssize_t got = ::pread(of.file, into.data(), into.size(), static_cast<off_t>(offset));
    if (got != static_cast<ssize_t>(kSmallBytes)) require(false, "cannot read");
  }
}
// Reads assets of 8 KiB one by one, from a raw and from a compressed pack; all of them are in the
// system's cache. They are chosen at random from `span` neighbours; 512 neighbours lie in two
// blocks.
void read_one_by_one(benchmark::State& state, format::Codec codec) {
  const bool is_raw = codec == format::Codec::raw;
  static std::map<bool, skl_context*> made;
  skl_context*& context = made[is_raw];
  if (context == nullptr) {
    context = new_context();
    mount(context, make_set(is_raw ? "words" : "words-lz4", kSmallAssets, kSmallBytes, codec,
                            wordy_content));
  }
  const auto span = static_cast<uint32_t>(state.range(0));
  std::mt19937 random(1);
  std::vector<skl_asset> assets(1 << 12);
  for (skl_asset& asset : assets)
    require(skl_find(context, path_of(random() % span).c_str(), &asset, nullptr) == SKL_OK,
            "cannot find");
  std::vector<char> into(kSmallBytes);
  size_t i = 0;
  for (auto _ : state) {
    size_t got = 0;
    skl_read(context, assets[i++ % assets.size()], 0, into.data(), into.size(), &got, nullptr);
    if (got != kSmallBytes) require(false, "cannot read");
  }
}
BENCHMARK_CAPTURE(read_one_by_one, raw, format::Codec::raw)
    ->ArgName("span")
    ->Arg(512)
    ->Arg(kSmallAssets);
BENCHMARK_CAPTURE(read_one_by_one, lz4, format::Codec::lz4)
    ->ArgName("span")
    ->Arg(512)
    ->Arg(kSmallAssets);

// Reads parts of assets of 1 MiB, at random places of `span` of them; all are in the system's
// cache. A compressed pack's frames of two assets are kept in memory, those of 64 aren't.
constexpr uint32_t kLargeAssets = 64;
constexpr size_t kLargeBytes = 1 << 20;

void read_parts(benchmark::State& state, format::Codec codec) {
  const bool is_raw = codec == format::Codec::raw;
  static std::map<bool, skl_context*> made;
  skl_context*& context = made[is_raw];
  if (context == nullptr) {
    context = new_context();
    mount(context, make_set(is_raw ? "large" : "large-lz4", kLargeAssets, kLargeBytes, codec,
                            wordy_content));
  }
  const auto length = static_cast<size_t>(state.range(0));
  const auto span = static_cast<uint32_t>(state.range(1));
  std::vector<skl_asset> assets(span);
  for (uint32_t i = 0; i < span; ++i)
    require(skl_find(context, path_of(i).c_str(), &assets[i], nullptr) == SKL_OK, "cannot find");
  std::mt19937 random(1);
  std::vector<char> into(length);
  for (auto _ : state) {
    size_t got = 0;
    skl_read(context, assets[random() % span], random() % (kLargeBytes - length), into.data(),
             length, &got, nullptr);
    if (got != length) require(false, "cannot read");
  }
}
BENCHMARK_CAPTURE(read_parts, raw, format::Codec::raw)
    ->ArgNames({"bytes", "span"})
    ->ArgsProduct({{4096, 65536}, {2, kLargeAssets}});
BENCHMARK_CAPTURE(read_parts, lz4, format::Codec::lz4)
    ->ArgNames({"bytes", "span"})
    ->ArgsProduct({{4096, 65536}, {2, kLargeAssets}});

// Submits a request of 4 KiB of a raw pack in the system's cache, and waits for it. The processor
// time is that of all threads.
void submit_and_wait(benchmark::State& state) {
  skl_context* const context = new_context();
  mount(context, make_set("large", kLargeAssets, kLargeBytes, format::Codec::raw, wordy_content));
  skl_queue* queue = nullptr;
  require(skl_queue_create(context, nullptr, &queue, nullptr) == SKL_OK, "no queue");
  std::vector<skl_asset> assets(kLargeAssets);
  for (uint32_t i = 0; i < kLargeAssets; ++i)
    require(skl_find(context, path_of(i).c_str(), &assets[i], nullptr) == SKL_OK, "cannot find");
  std::vector<char> into(4096);
  std::mt19937 random(1);
  skl_request request = {};
  request.struct_bytes = sizeof(request);
  request.length_bytes = into.size();
  request.destination = into.data();
  skl_completion done = {};
  done.struct_bytes = sizeof(done);
  for (auto _ : state) {
    request.asset = assets[random() % kLargeAssets];
    request.offset_bytes = random() % (kLargeBytes - into.size());
    size_t count = 0;
    skl_queue_submit(queue, &request, 1, nullptr, nullptr);
    skl_queue_wait(queue, UINT32_MAX, &done, 1, &count);
    if (count != 1 || done.result != SKL_OK) require(false, "cannot read");
  }
  skl_queue_destroy(queue);
  skl_context_destroy(context);
}
BENCHMARK(submit_and_wait)->MeasureProcessCPUTime()->UseRealTime();

// Counts what the caller's allocator has given out.
struct CountedMemory {
  static void* allocate(void* user, size_t size_bytes, size_t alignment_bytes) {
    static_cast<CountedMemory*>(user)->bytes += size_bytes;
    return std::aligned_alloc(
        alignment_bytes, (size_bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes);
  }
  static void release(void* user, void* memory, size_t size_bytes) {
    if (memory != nullptr) static_cast<CountedMemory*>(user)->bytes -= size_bytes;
    std::free(memory);
  }
  double of_an_asset() const { return static_cast<double>(bytes.load()) / kAssets; }
  std::atomic<uint64_t> bytes = 0;
};

// Mounts the million and reads one asset; the counters are bytes of tables for each asset.
void memory_of_tables(benchmark::State& state) {
  for (auto _ : state) {
    CountedMemory memory;
    const skl_allocator allocator = {sizeof(allocator), &CountedMemory::allocate,
                                     &CountedMemory::release, &memory};
    skl_context_options options = {};
    options.struct_bytes = sizeof(options);
    options.allocator = &allocator;
    skl_context* context = nullptr;
    require(skl_context_create(&options, &context, nullptr) == SKL_OK, "no context");
    mount(context, set_folder());
    state.counters["mounted"] = memory.of_an_asset();
    skl_asset asset = 0;
    char content[kAssetBytes];
    skl_find(context, path_of(1).c_str(), &asset, nullptr);
    require(skl_read(context, asset, 0, content, sizeof(content), nullptr, nullptr) == SKL_OK,
            "cannot read");
    state.counters["read"] = memory.of_an_asset();
    skl_context_destroy(context);
  }
}
BENCHMARK(memory_of_tables)->Unit(benchmark::kMillisecond)->Iterations(1);

BENCHMARK(indexed_pread)->ThreadRange(1, 8)->UseRealTime();
BENCHMARK(find_and_read)->ThreadRange(1, 8)->UseRealTime();

}  // namespace
}  // namespace seekless
