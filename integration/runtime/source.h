// The sources of assets for the programs of this folder: packs, and the alternatives that games
// use. Each is used as efficiently as its library allows; objects that threads can't share exist
// once for each thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace seekless {

// A reader belongs to one thread.
class Reader {
 public:
  virtual ~Reader() = default;
  // Opens the asset, reads it to its end, and closes it. Returns its number of bytes; -1 if it
  // can't be read or is longer than `into`. A source that returns bytes without a copy reads
  // through them instead of filling `into`.
  virtual int64_t read(const std::string& path, std::span<char> into) = 0;
};

// It is opened once. An error in it ends the program.
class AssetSource {
 public:
  virtual ~AssetSource() = default;
  virtual std::unique_ptr<Reader> reader() = 0;
};

// A pack set or a pack, through skl_find and skl_read; threads share all of it.
std::unique_ptr<AssetSource> open_packs(const std::string& place);
// A pack set or a pack, through skl_find and skl_map. The packs are raw.
std::unique_ptr<AssetSource> open_mapped(const std::string& place);
// `place` holds all content end to end; `place`.index says where: lines "OFFSET SIZE PATH". Threads
// share the index and the file. No other source can be much faster.
std::unique_ptr<AssetSource> open_indexed(const std::string& place);
// A folder, of loose files or mounted: open, read, close.
std::unique_ptr<AssetSource> open_folder(const std::string& place);
// A zip, or a catalog.skl, through PhysFS. Its state is global, so threads share it.
std::unique_ptr<AssetSource> open_physfs(const std::string& place);
// A zip through libzip, whose archives may not be shared: each thread opens its own.
std::unique_ptr<AssetSource> open_zip(const std::string& place);

// A folder with an LMDB database; threads share it.
std::unique_ptr<AssetSource> open_lmdb(const std::string& place);
// An SQLite database; each thread opens its own.
std::unique_ptr<AssetSource> open_sqlite(const std::string& place);

// Reads all of the bytes, as a game that uses them does. Returns their number.
int64_t go_through(std::span<const char> bytes);

[[noreturn]] void die(const std::string& what, const char* why);

}  // namespace seekless
