#include "packer/content/internal/iostore_names.h"

#include <cstring>
#include <utility>

#include "packer/content/internal/directory_cursor.h"
#include "packer/content/internal/unreal_text.h"

namespace seekless {
namespace {

constexpr uint32_t kNoRecord = UINT32_MAX;

// Folders are linked: a folder's record has its name, its first folder, its next sibling and its
// first file.
struct IndexFolder {
  uint32_t name = kNoRecord;
  uint32_t first_child = kNoRecord;
  uint32_t sibling = kNoRecord;
  uint32_t first_file = kNoRecord;
};

struct IndexFile {
  uint32_t name = kNoRecord;
  uint32_t next = kNoRecord;
  uint32_t chunk = kNoRecord;
};

struct ChunkIndex {
  std::string mount;
  std::vector<IndexFolder> folders;
  std::vector<IndexFile> files;
  std::vector<std::string> texts;
};

template <typename Record>
Result<std::vector<Record>> read_index_records(DirectoryCursor& cursor) {
  SKL_TRY(const auto count, cursor.number<uint32_t>());
  std::vector<Record> records;
  for (uint32_t i = 0; i < count; ++i) {
    SKL_TRY(const auto bytes, cursor.take(sizeof(Record)));
    std::memcpy(&records.emplace_back(), bytes.data(), sizeof(Record));
  }
  return records;
}

Result<ChunkIndex> read_name_index(DirectoryCursor& cursor) {
  ChunkIndex index;
  SKL_TRY(const std::string point, read_unreal_text(cursor));
  index.mount = unreal_mount(point);
  SKL_TRY(auto folders, read_index_records<IndexFolder>(cursor));
  SKL_TRY(auto files, read_index_records<IndexFile>(cursor));
  index.folders = std::move(folders);
  index.files = std::move(files);
  SKL_TRY(const auto count, cursor.number<uint32_t>());
  for (uint32_t i = 0; i < count; ++i) {
    SKL_TRY(auto text, read_unreal_text(cursor));
    index.texts.push_back(std::move(text));
  }
  return index;
}

// Walks the links. Each record is visited once, so that a circle ends.
class ChunkNamer {
 public:
  ChunkNamer(const ByteSource& directory, uint64_t index_bytes, const ChunkIndex& index,
             size_t chunk_count)
      : directory_(directory),
        index_(index),
        budget_(index_bytes),
        is_folder_seen_(index.folders.size(), false),
        is_file_seen_(index.files.size(), false),
        names_(chunk_count) {}

  Result<std::vector<std::string>> names() {
    std::vector<std::pair<uint32_t, std::string>> open = {{0, index_.mount}};
    while (!open.empty()) {
      const auto [number, parent] = std::move(open.back());
      open.pop_back();
      if (number >= index_.folders.size() || is_folder_seen_[number]) continue;
      is_folder_seen_[number] = true;
      const IndexFolder& folder = index_.folders[number];
      std::string path = parent;
      if (folder.name < index_.texts.size()) path += index_.texts[folder.name] + "/";
      SKL_TRY_DO(budget_.spend(directory_, path.size() + parent.size()));
      SKL_TRY_DO(name_files(folder.first_file, path));
      open.emplace_back(folder.sibling, parent);
      open.emplace_back(folder.first_child, std::move(path));
    }
    return std::move(names_);
  }

 private:
  Result<void> name_files(uint32_t number, const std::string& folder) {
    while (number < index_.files.size() && !is_file_seen_[number]) {
      is_file_seen_[number] = true;
      const IndexFile& file = index_.files[number];
      if (file.chunk < names_.size() && file.name < index_.texts.size()) {
        names_[file.chunk] = folder + index_.texts[file.name];
        SKL_TRY_DO(budget_.spend(directory_, names_[file.chunk].size()));
      }
      number = file.next;
    }
    return {};
  }

  const ByteSource& directory_;
  const ChunkIndex& index_;
  NameBudget budget_;
  std::vector<bool> is_folder_seen_;
  std::vector<bool> is_file_seen_;
  std::vector<std::string> names_;
};

}  // namespace

Result<std::vector<std::string>> read_iostore_names(const ByteSource& directory,
                                                    uint64_t begin_bytes, uint64_t end_bytes,
                                                    size_t chunk_count) {
  const std::vector<std::string> none(chunk_count);
  if (begin_bytes == end_bytes) return none;
  DirectoryCursor cursor(directory, begin_bytes, end_bytes);
  const auto index = read_name_index(cursor);
  if (!index && index.error().kind != ErrorKind::damaged) return std::unexpected(index.error());
  if (!index) return none;
  auto names = ChunkNamer(directory, end_bytes - begin_bytes, *index, chunk_count).names();
  if (names || names.error().kind != ErrorKind::damaged) return names;
  return none;
}

}  // namespace seekless
