#include "packer/library/game_content.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "packer/content/archive_kind.h"
#include "packer/content/iostore_set.h"
#include "packer/host/files.h"
#include "packer/host/folder_entries.h"
#include "packer/host/kept_elsewhere.h"

namespace seekless {
namespace {

// Seekless's own recordings and originals in a game's folder aren't the game's content.
constexpr std::string_view kOwnFolders[] = {".seekless-originals", "traces"};
// Archives are far larger. Smaller files aren't opened.
constexpr uint64_t kLeastArchiveBytes = 4096;

// Collects the files with one extension, which are assumed to be of the same kind as the largest.
struct FilesOfEnding {
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t largest_bytes = 0;
  std::string largest;
};
using Endings = std::map<std::string, FilesOfEnding>;

std::string ending_of(std::string_view name) {
  constexpr size_t kMostEndingBytes = 12;
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || name.size() - dot > kMostEndingBytes) return {};
  std::string ending(name.substr(dot));
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return ending;
}

class ContentWalk {
 public:
  ContentWalk(const ContentEffort& effort, GameContent& content)
      : left_(effort.most_entries), content_(content) {}

  // Walks level by level, so that the top levels are seen before the budget runs out.
  void walk(const std::string& top) {
    std::vector<std::string> folders = {top};
    for (size_t next = 0; next < folders.size() && content_.is_whole; ++next) {
      const auto entries = find_entries(std::string(folders[next]));
      if (!entries) {
        if (content_.unread.empty()) content_.unread = entries.error().message;
        continue;
      }
      for (const FolderEntry& entry : *entries) add(folders[next], entry, folders);
    }
  }

  const Endings& endings() const { return endings_; }

 private:
  void add(const std::string& folder, const FolderEntry& entry, std::vector<std::string>& folders) {
    if (entry.is_link || !content_.is_whole) return;
    if (left_ == 0) {
      content_.is_whole = false;
      return;
    }
    --left_;
    if (entry.is_folder) {
      if (std::ranges::find(kOwnFolders, entry.name) == std::end(kOwnFolders))
        folders.push_back(folder + "/" + entry.name);
      return;
    }
    ++content_.files;
    content_.bytes += entry.size_bytes;
    FilesOfEnding& of = endings_[ending_of(entry.name)];
    ++of.files;
    of.bytes += entry.size_bytes;
    if (entry.size_bytes < of.largest_bytes) return;
    of.largest_bytes = entry.size_bytes;
    of.largest = folder + "/" + entry.name;
  }

  uint64_t left_;
  GameContent& content_;
  Endings endings_;
};

// Parts of Unreal's containers can't be recognised, but the directory beside them can.
std::string recognisable(const std::string& path) {
  for (const std::string& directory : iostore_directories_of(path))
    if (kind_of_path(directory) == PathKind::file) return directory;
  return path;
}

Result<RecognisedFile> kind_of_file(const std::string& largest) {
  const std::string path = recognisable(largest);
  // Opening the file would download it.
  if (is_kept_elsewhere(path)) return RecognisedFile{};
  SKL_TRY(const auto source, open_source(path));
  return recognise_archive(*source);
}

// Returns the files that are worth opening: the largest file of each extension, for the extensions
// with most bytes.
std::vector<const FilesOfEnding*> worth_opening(const Endings& endings, size_t most) {
  std::vector<const FilesOfEnding*> files;
  for (const auto& [ending, of] : endings) files.push_back(&of);
  std::ranges::stable_sort(files, std::greater(), &FilesOfEnding::bytes);
  std::erase_if(files,
                [](const FilesOfEnding* of) { return of->largest_bytes < kLeastArchiveBytes; });
  if (files.size() > most) files.resize(most);
  return files;
}

}  // namespace

std::string_view name_of(ArchiveKind kind) {
  switch (kind) {
    case ArchiveKind::zip:
      return "zip";
    case ArchiveKind::flat:
      return "archive";
    case ArchiveKind::other:
      return "other";
    case ArchiveKind::none:
      break;
  }
  return "loose";
}

GameContent look_at_content(const std::string& folder, const ContentEffort& effort) {
  GameContent content;
  ContentWalk walk(effort, content);
  walk.walk(folder);
  std::map<std::pair<ArchiveKind, std::string>, GameFiles> kinds;
  GameFiles loose = {.files = content.files, .bytes = content.bytes};
  for (const FilesOfEnding* of : worth_opening(walk.endings(), effort.most_opened)) {
    const auto is = kind_of_file(of->largest);
    if (!is && content.unread.empty()) content.unread = is.error().message;
    if (!is || is->kind == ArchiveKind::none) continue;
    GameFiles& files = kinds[{is->kind, is->name}];
    files.kind = is->kind;
    files.what = is->name;
    files.files += of->files;
    files.bytes += of->bytes;
    loose.files -= of->files;
    loose.bytes -= of->bytes;
  }
  for (auto& [kind, files] : kinds) content.kinds.push_back(std::move(files));
  if (loose.files > 0) content.kinds.push_back(std::move(loose));
  std::ranges::stable_sort(content.kinds, std::greater(), &GameFiles::bytes);
  return content;
}

}  // namespace seekless
