#include "packer/repack/originals.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <new>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "packer/base/hashed_file.h"
#include "packer/base/hasher.h"
#include "packer/base/paths.h"
#include "packer/content/archive_sets.h"
#include "packer/content/content.h"
#include "packer/content/zip_directory.h"
#include "packer/host/files.h"
#include "packer/host/leftovers.h"
#include "packer/output/folder_tree.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

constexpr const char* kKeptName = "files";
constexpr const char* kNewName = "new";
constexpr const char* kJournalName = "journal";
constexpr const char* kLockName = "lock";
constexpr const char* kJournalTitle = "seekless originals 1";
constexpr uint64_t kMaxJournalBytes = 64 * 1024 * 1024;

Result<uint64_t> hash_of_file(const std::string& path) {
  SKL_TRY(const auto file, open_source(path));
  Hasher64 hasher;
  SKL_TRY_DO(add_file(hasher, *file));
  return hasher.digest();
}

template <typename Number>
bool take_number(std::string_view& line, Number& number, int base) {
  const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), number, base);
  if (error != std::errc() || stop == line.data() + line.size() || *stop != ' ') return false;
  line.remove_prefix(static_cast<size_t>(stop - line.data()) + 1);
  return true;
}

// Returns an unused name beside `path`.
std::string free_name(const std::string& path, std::string_view what) {
  std::string name = fmt::format("{}.{}", path, what);
  for (unsigned number = 2; kind_of_path(name) != PathKind::missing; ++number)
    name = fmt::format("{}.{}-{}", path, what, number);
  return name;
}

// Returns the original's key in the journal.
std::string key_of_original(const std::string& name) {
  return std::string(kOriginalsFolder) + "/" + kKeptName + "/" + name;
}

// The keys of all parts that were added to sets begin with this.
std::string keys_of_added() {
  return std::string(kOriginalsFolder) + "/added/";
}

// Returns the key of a part that was added to the set `name`. The keys of all of its parts begin
// with the key of an empty name.
std::string key_of_added(const std::string& name, const std::string& part) {
  return keys_of_added() + name + "/" + part;
}

// Returns the parts that `directory` needs, which is at `path` or was; nothing if that can't be
// read.
std::optional<std::set<std::string>> parts_of(const std::string& directory,
                                              const std::string& path) {
  const auto bytes = open_source(directory);
  return bytes ? named_parts(**bytes, path) : std::nullopt;
}

bool may_name(const std::string& directory, const std::string& path, const std::string& part) {
  const auto parts = parts_of(directory, path);
  return !parts || parts->contains(part);
}

// Says whether what `directory` names is beside `path`; if it may not be, why.
std::pair<FitOfParts, std::string> fit_of(const std::string& directory, const std::string& path) {
  const auto bytes = open_source(directory);
  if (!bytes) return {FitOfParts::misfits, bytes.error().message};
  const auto set = read_set(**bytes, path);
  if (!set) return {FitOfParts::misfits, set.error().message};
  if (!*set) return {FitOfParts::misfits, "no directory of a set"};
  return {(*set)->fit, (*set)->obstacle};
}

// Says what `directory` names and isn't beside `path`; empty if all is there.
std::string misfit_of(const std::string& directory, const std::string& path) {
  auto [fit, why] = fit_of(directory, path);
  return fit == FitOfParts::fits ? std::string() : std::move(why);
}

std::string restore_first(const std::string& home) {
  return fmt::format("it was repacked once more as part of '{0}': run 'seekless restore {0}' first",
                     home);
}

std::unexpected<Error> lost_original(const std::string& path, const std::string& found) {
  return damaged({.file = path,
                  .expected = "the original as it was when it was repacked",
                  .found = found,
                  .advice = "nothing was done; --force brings the others back, and leaves this "
                            "archive as it is"});
}

}  // namespace

std::string original_of(const std::string& home, const std::string& name) {
  return home + "/" + key_of_original(name);
}

Originals::Originals(std::string home, Fence fence, FileLock lock)
    : home_(std::move(home)), fence_(std::move(fence)), lock_(std::move(lock)) {}

Originals::Originals(Originals&& other) noexcept
    : home_(std::move(other.home_)),
      fence_(std::move(other.fence_)),
      lock_(std::move(other.lock_)),
      journal_(std::move(other.journal_)),
      changed_parts_(std::move(other.changed_parts_)) {
  other.lock_.reset();
}

Originals::~Originals() {
  if (!lock_) return;
  // The next run, or `restore`, removes whatever can't be removed now.
  try {
    (void)clear_all();
  } catch (const std::exception&) {
  }
}

Result<void> Originals::close() {
  const auto cleared = clear_all();
  lock_.reset();
  // On Windows a removed file may remain until it is closed, and the lock was open until now. So
  // this tries again to remove the folder.
  if (cleared) {
    remove_empty_folder(folder());
    return {};
  }
  return std::unexpected(Error{
      cleared.error().kind,
      fmt::format("{}; the archives of '{}' are as they should be: what remains in '{}' is cleared "
                  "away by the next run",
                  cleared.error().message, home_, kOriginalsFolder)});
}

// Clears as much as possible, and returns the first error.
Result<void> Originals::clear_all() {
  const auto removed = remove_tree(folder() + "/" + kNewName);
  const auto dropped = drop_unreplaced();
  const auto parts = drop_unneeded_parts();
  const auto emptied = remove_empty_folders(folder() + "/" + kKeptName);
  for (const Result<void>* done : {&removed, &dropped, &parts, &emptied})
    if (!*done) return *done;
  if (kind_of_path(folder() + "/" + kKeptName) != PathKind::missing) return {};
  const auto lost = lost_originals();
  if (!lost || !lost->empty()) return lost ? Result<void>{} : std::unexpected(lost.error());
  // Parts that a directory still names may have to go later, so the journal keeps their lines.
  const auto erased = std::erase_if(
      journal_, [](const auto& line) { return !line.first.starts_with(keys_of_added()); });
  if (!journal_.empty()) return erased > 0 ? write_journal() : Result<void>{};
  for (const char* name : {kJournalName, kLockName}) SKL_TRY_DO(remove_file(folder() + "/" + name));
  remove_empty_folder(folder());
  return {};
}

// Returns true if the kept original is the directory of a set.
bool Originals::is_set(const std::string& name) const {
  const auto original = open_source(kept(name));
  if (!original) return false;
  const auto set = read_set(**original, home_ + "/" + name);
  return set && *set;
}

std::ranges::subrange<Originals::Journal::const_iterator> Originals::lines_with(
    const std::string& front) const {
  const auto begin = journal_.lower_bound(front);
  auto end = begin;
  while (end != journal_.end() && end->first.starts_with(front)) ++end;
  return {begin, end};
}

std::vector<std::string> Originals::added_to(const std::string& name) const {
  std::vector<std::string> parts;
  const std::string front = key_of_added(name, "");
  for (const auto& [key, added] : lines_with(front)) {
    const std::string part = key.substr(front.size());
    if (is_as_noted(home_ + "/" + path_beside(name, part), key).value_or(false))
      parts.push_back(part);
  }
  return parts;
}

Result<bool> Originals::has_sound_original(const std::string& home, const std::string& name) {
  SKL_TRY(const auto journal, read_journal(home));
  const auto noted = journal.find(key_of_original(name));
  if (noted == journal.end()) return true;
  SKL_TRY(const auto hash, hash_of_file(original_of(home, name)));
  return hash == noted->second.hash;
}

Result<std::vector<std::string>> Originals::noted_parts(const std::string& home,
                                                        const std::string& name) {
  SKL_TRY(const auto journal, read_journal(home));
  std::vector<std::string> parts;
  const std::string front = key_of_added(name, "");
  for (auto line = journal.lower_bound(front);
       line != journal.end() && line->first.starts_with(front); ++line) {
    const std::string part = line->first.substr(front.size());
    if (kind_of_path(home + "/" + path_beside(name, part)) == PathKind::file) parts.push_back(part);
  }
  return parts;
}

// An archive may have been repacked as part of several folders that lie in each other, such as a
// game and a mod in it. Then each of them keeps an original of its own.
std::vector<std::pair<std::string, std::string>> Originals::possible_homes(
    const std::string& name) const {
  std::vector<std::pair<std::string, std::string>> homes;
  for (size_t end = name.rfind('/'); end != std::string::npos && end > 0;
       end = name.rfind('/', end - 1))
    homes.emplace_back(home_ + "/" + name.substr(0, end), name.substr(end + 1));
  homes.emplace_back(home_, name);
  const std::string home = canonical_path(home_);
  for (size_t end = home.rfind('/'); end != std::string::npos && end > 0;
       end = home.rfind('/', end - 1))
    homes.emplace_back(home.substr(0, end), home.substr(end + 1) + "/" + name);
  return homes;
}

bool Originals::may_be_named_by_originals(const std::string& name, const std::string& part) const {
  for (const auto& [home, of_home] : possible_homes(name)) {
    const std::string original = original_of(home, of_home);
    const auto kind = known_kind_of_path(original);
    if ((!kind || *kind != PathKind::missing) && may_name(original, home_ + "/" + name, part))
      return true;
  }
  return false;
}

// A part is needed as long as the directory in place or an original names it. One that can't be
// read, or is missing for a moment, may name it. As long as an update's directory is in place and
// the original is kept, it is the user who decides.
bool Originals::is_needed(const std::string& name, const std::string& part) const {
  const std::string path = home_ + "/" + name;
  const bool is_known =
      is_ours(name).value_or(false) || is_like_original(name).value_or(false) || !has(name);
  return !is_known || may_name(path, path, part) || may_be_named_by_originals(name, part);
}

Result<PartFate> Originals::fate_of_part(const std::string& key) const {
  const std::string name = parent_of(key.substr(keys_of_added().size()));
  const std::string part(file_name(key));
  const bool is_still_needed = is_needed(name, part);
  if (is_still_needed && has(name)) return PartFate::keep;
  const std::string path = home_ + "/" + path_beside(name, part);
  SKL_TRY(const auto kind, known_kind_of_path(path));
  if (kind == PathKind::missing) return PartFate::forget;
  if (is_still_needed && has_noted_time(path, key)) return PartFate::keep;
  SKL_TRY_DO(check_way(home_, path_beside(name, part)));
  SKL_TRY(const auto ours, is_as_noted(path, key));
  if (is_still_needed) return ours ? PartFate::keep : PartFate::forget;
  return ours ? PartFate::remove : PartFate::leave;
}

// Drops parts that aren't needed, as many as it can; returns the first error. A run was killed
// before its directory was in place, the original came back, or a later run made other parts.
Result<void> Originals::drop_unneeded_parts() {
  std::vector<std::string> dropped;
  Result<void> all;
  for (const auto& [key, added] : lines_with(keys_of_added())) {
    const std::string path =
        path_beside(parent_of(key.substr(keys_of_added().size())), file_name(key));
    const auto fate = fate_of_part(key);
    const auto done = !fate                       ? std::unexpected(fate.error())
                      : *fate == PartFate::remove ? remove_file(home_ + "/" + path)
                                                  : Result<void>();
    if (!done && all) all = done;
    if (!done || *fate == PartFate::keep) continue;
    if (*fate == PartFate::leave) changed_parts_.push_back(path);
    dropped.push_back(key);
  }
  for (const std::string& key : dropped) journal_.erase(key);
  if (!dropped.empty()) SKL_TRY_DO(write_journal());
  return all;
}

// Drops originals whose archives were never replaced. A run that failed may have linked them and
// stopped before replacing them.
Result<void> Originals::drop_unreplaced() const {
  SKL_TRY(const auto names, plain_files(folder() + "/" + kKeptName));
  for (const std::string& name : names) {
    const auto original = identity_of(kept(name));
    const auto now = identity_of(home_ + "/" + name);
    if (!original || !now || !now->is_same_file(*original)) continue;
    SKL_TRY_DO(remove_file(kept(name)));
  }
  return {};
}

std::string Originals::folder() const {
  return home_ + "/" + kOriginalsFolder;
}

std::string Originals::kept(const std::string& name) const {
  return original_of(home_, name);
}

Result<Originals> Originals::open(const std::string& home) {
  const std::string folder = home + "/" + kOriginalsFolder;
  SKL_TRY(auto fence, Fence::around(home));
  SKL_TRY_DO(make_way(home, std::string(kOriginalsFolder) + "/" + kLockName));
  SKL_TRY(auto lock, FileLock::take(folder + "/" + kLockName));
  Originals originals(home, std::move(fence), std::move(lock));
  SKL_TRY(originals.journal_, read_journal(home));
  SKL_TRY_DO(originals.clear_unfinished());
  // close() reports parts that can't be dropped now, because a program has them open.
  (void)originals.drop_unneeded_parts();
  return originals;
}

// Removes files that a killed run had begun to write: archives, or the journal.
Result<void> Originals::clear_unfinished() const {
  SKL_TRY(const auto names, plain_files(folder()));
  for (const std::string& name : names)
    if (is_temporary_name(name)) SKL_TRY_DO(remove_file(folder() + "/" + name));
  return remove_tree(folder() + "/" + kNewName);
}

Result<Originals::Journal> Originals::read_journal(const std::string& home) {
  Journal journal;
  const std::string path = home + "/" + kOriginalsFolder + "/" + kJournalName;
  if (kind_of_path(path) == PathKind::missing) return journal;
  SKL_TRY(const auto text, read_text(path, kMaxJournalBytes));
  std::istringstream lines(text);
  std::string first;
  std::getline(lines, first);
  bool is_sound = first == kJournalTitle;
  size_t number = 1;
  for (std::string text_line; is_sound && std::getline(lines, text_line); ++number) {
    std::string_view line = text_line;
    PutArchive put;
    is_sound = take_number(line, put.hash, 16) && take_number(line, put.size_bytes, 10) &&
               take_number(line, put.modified_ns, 10) && check_asset_path(line) == PathFault::none;
    if (is_sound) journal.emplace(line, put);
  }
  if (is_sound) return journal;
  return damaged(
      {.file = path,
       .place = fmt::format("line {}", number),
       .expected = number == 1 ? fmt::format("'{}'", kJournalTitle) : "hash, bytes, time and path",
       .found = "something else",
       .advice = "the originals lie in 'files' beside it: move them back by hand"});
}

Result<void> Originals::write_journal() const {
  std::string text = std::string(kJournalTitle) + "\n";
  for (const auto& [name, put] : journal_)
    text += fmt::format("{:016x} {} {} {}\n", put.hash, put.size_bytes, put.modified_ns, name);
  return write_text(folder() + "/" + kJournalName, text);
}

bool Originals::has(const std::string& name) const {
  return kind_of_path(kept(name)) != PathKind::missing;
}

Result<bool> Originals::is_ours(const std::string& name) const {
  return is_as_noted(home_ + "/" + name, name);
}

bool Originals::is_of_set(const std::string& key) const {
  return key.starts_with(keys_of_added()) || !lines_with(key_of_added(key, "")).empty();
}

// Compares a file with the journal's lines of that key, by size and time. If only the time differs,
// it compares the content, because copying changes the time. What belongs to a set is always
// compared by content: if an update were taken for ours, the original would be put back, which
// doesn't fit the update's parts.
Result<bool> Originals::is_as_noted(const std::string& path, const std::string& key) const {
  SKL_TRY(const auto stamp, identity_of(path));
  const bool trusts_time = !is_of_set(key);
  std::optional<uint64_t> hash;
  const auto [begin, end] = journal_.equal_range(key);
  for (auto line = begin; line != end; ++line) {
    const PutArchive& was = line->second;
    if (!stamp.is_regular || was.size_bytes != stamp.size_bytes) continue;
    if (trusts_time && was.modified_ns == stamp.modified_ns) return true;
    if (!hash) {
      SKL_TRY(hash, hash_of_file(path));
    }
    if (*hash == was.hash) return true;
  }
  return false;
}

// Reads nothing, since a part may have many gigabytes.
bool Originals::has_noted_time(const std::string& path, const std::string& key) const {
  const auto stamp = identity_of(path);
  const auto [begin, end] = journal_.equal_range(key);
  return stamp && std::any_of(begin, end, [&](const auto& line) {
           return line.second.size_bytes == stamp->size_bytes &&
                  line.second.modified_ns == stamp->modified_ns;
         });
}

// Returns true if somebody else has put the original's bytes back, such as a launcher that checks
// a game's files.
Result<bool> Originals::is_like_original(const std::string& name) const {
  SKL_TRY(const auto stamp, identity_of(home_ + "/" + name));
  const auto noted = journal_.find(key_of_original(name));
  if (noted == journal_.end() || !stamp.is_regular || noted->second.size_bytes != stamp.size_bytes)
    return false;
  SKL_TRY(const auto hash, hash_of_file(home_ + "/" + name));
  return hash == noted->second.hash;
}

std::string Originals::other_home_of(const std::string& name) const {
  for (const auto& [home, of_home] : possible_homes(name))
    if (home != home_ && has_put(home, of_home)) return home;
  return {};
}

bool Originals::has_put(const std::string& home, const std::string& name) {
  if (kind_of_path(original_of(home, name)) == PathKind::missing) return false;
  const auto journal = read_journal(home);
  const auto hash = hash_of_file(home + "/" + name);
  if (!journal || !hash || !has_sound_original(home, name).value_or(false)) return false;
  const auto [begin, end] = journal->equal_range(name);
  return std::any_of(begin, end, [&](const auto& line) { return line.second.hash == *hash; });
}

Result<void> Originals::check_replaceable(const std::string& name) const {
  if (!has(name)) return {};
  const auto original = identity_of(kept(name));
  if (!original) return std::unexpected(original.error());
  SKL_TRY(const auto now, identity_of(home_ + "/" + name));
  if (now.is_same_file(*original)) return {};
  SKL_TRY(const auto ours, is_ours(name));
  if (ours) return {};
  SKL_TRY(const auto is_back, is_like_original(name));
  if (is_back) return {};
  const std::string other = other_home_of(name);
  return failed(
      {.file = home_ + "/" + name,
       .expected = "the archive that was put there when it was repacked",
       .found = "another one",
       .advice = other.empty()
                     ? fmt::format("if it is a new original, remove the old one, '{}'", kept(name))
                     : restore_first(other)});
}

Result<std::string> Originals::stage(const std::string& name) const {
  const std::string relative = std::string(kNewName) + "/" + name;
  SKL_TRY_DO(make_way(folder(), relative));
  return folder() + "/" + relative;
}

// Gives the archive a second name; returns false if the file system can't.
Result<bool> Originals::keep_original(const std::string& name) const {
  SKL_TRY_DO(make_way(folder(), std::string(kKeptName) + "/" + name));
  return link_file(home_ + "/" + name, kept(name));
}

Result<void> Originals::bring_back_missing() const {
  SKL_TRY(const auto names, plain_files(folder() + "/" + kKeptName));
  std::string missing;
  for (const std::string& name : names) {
    SKL_TRY(const auto kind, known_kind_of_path(home_ + "/" + name));
    if (kind != PathKind::missing) continue;
    // An update may have removed the whole set.
    if (is_set(name) && !misfit_of(kept(name), home_ + "/" + name).empty()) continue;
    SKL_TRY_DO(check_kept(name));
    SKL_TRY_DO(make_way(home_, name));
    SKL_TRY_DO(rename_path(kept(name), home_ + "/" + name));
    missing = name;
  }
  if (missing.empty()) return {};
  return failed({.file = home_ + "/" + missing,
                 .expected = "an archive",
                 .found = "none, since a run was killed",
                 .advice = "the original was brought back; run this again"});
}

// An original without a hash in the journal can only be checked against the format of the archive
// in its place.
Result<void> Originals::check_unnoted(const std::string& name, const ByteSource& original) const {
  const auto now = open_source(home_ + "/" + name);
  SKL_TRY(const auto was_zip, looks_like_zip(now ? **now : original));
  if (!was_zip) return {};
  const auto directory = read_zip_directory(original);
  if (directory) return {};
  if (directory.error().kind != ErrorKind::damaged) return std::unexpected(directory.error());
  return lost_original(kept(name), directory.error().message);
}

Result<void> Originals::check_kept(const std::string& name) const {
  SKL_TRY(const auto file, open_source(kept(name)));
  const auto noted = journal_.find(key_of_original(name));
  if (noted == journal_.end()) return check_unnoted(name, *file);
  const PutArchive& was = noted->second;
  if (file->size_bytes() != was.size_bytes)
    return lost_original(kept(name),
                         fmt::format("{} bytes instead of {}", file->size_bytes(), was.size_bytes));
  Hasher64 hasher;
  SKL_TRY_DO(add_file(hasher, *file));
  return hasher.digest() == was.hash ? Result<void>{} : lost_original(kept(name), "other bytes");
}

// Notes the archive's state before its first replacement, so that the original can be checked when
// it comes back.
Result<void> Originals::note_original(const std::string& name) {
  SKL_TRY(const auto now, identity_of(home_ + "/" + name));
  if (has(name)) {
    SKL_TRY(const auto original, identity_of(kept(name)));
    if (!now.is_same_file(original)) return {};  // noted by the earlier run
  }
  SKL_TRY(const auto hash, hash_of_file(home_ + "/" + name));
  journal_.erase(key_of_original(name));
  journal_.emplace(key_of_original(name), PutArchive{hash, now.size_bytes, now.modified_ns});
  return {};
}

// Returns the archives whose originals are no longer kept, although our archive or nothing is in
// their place.
Result<std::vector<std::string>> Originals::lost_originals() const {
  std::vector<std::string> lost;
  const std::string front = key_of_original("");
  for (const auto& [key, was] : journal_) {
    if (!key.starts_with(front)) continue;
    const std::string name = key.substr(front.size());
    const auto kept_kind = known_kind_of_path(kept(name));
    const auto kind = known_kind_of_path(home_ + "/" + name);
    for (const auto* each : {&kept_kind, &kind})
      if (!*each) return std::unexpected(each->error());
    if (*kept_kind != PathKind::missing) continue;
    if (*kind == PathKind::missing) {
      lost.push_back(name);
      continue;
    }
    SKL_TRY(const auto now, identity_of(home_ + "/" + name));
    const bool is_back =
        !is_of_set(name) && now.size_bytes == was.size_bytes && now.modified_ns == was.modified_ns;
    SKL_TRY(const auto ours, is_back ? Result<bool>(false) : is_ours(name));
    if (ours) lost.push_back(name);
  }
  return lost;
}

Result<void> Originals::check_unchanged(const std::vector<Replacement>& replacements) const {
  for (const Replacement& each : replacements) {
    SKL_TRY_DO(check_way(home_, each.name));
    SKL_TRY(const auto now, identity_of(home_ + "/" + each.name));
    if (!now.is_same_file(each.replaced) || now.modified_ns != each.replaced.modified_ns ||
        now.size_bytes != each.replaced.size_bytes)
      return failed({.file = home_ + "/" + each.name,
                     .expected = "it as it was when the run began",
                     .found = "it changed",
                     .advice = "nothing was put in place; run it again"});
  }
  return {};
}

// Returns for each archive whether it must be moved to the originals because it couldn't be linked.
Result<std::vector<bool>> Originals::keep_originals(
    const std::vector<Replacement>& replacements) const {
  std::vector<bool> is_to_be_moved;
  std::vector<std::string> names;
  for (const Replacement& each : replacements) {
    names.push_back(each.name);
    is_to_be_moved.push_back(false);
    if (has(each.name)) continue;
    SKL_TRY(const auto linked, keep_original(each.name));
    is_to_be_moved.back() = !linked;
  }
  SKL_TRY_DO(sync_folders(folder() + "/" + kKeptName, names));
  return is_to_be_moved;
}

// Puts new parts beside the directories that will name them. Each has a name that no file has; a
// file that somebody has put there meanwhile makes the link fail.
Result<void> Originals::put_added(const std::vector<Replacement>& replacements) {
  std::vector<std::string> names;
  for (const Replacement& each : replacements)
    for (const AddedFile& added : each.added) {
      const std::string& name = names.emplace_back(path_beside(each.name, added.name));
      const std::string staged = folder() + "/" + kNewName + "/" + name;
      SKL_TRY(const auto kind, known_kind_of_path(home_ + "/" + name));
      if (kind != PathKind::missing)
        return failed({.file = home_ + "/" + name,
                       .expected = "no file of that name, as when the run began",
                       .found = "one",
                       .advice = "nothing was put in place; run it again"});
      SKL_TRY(const auto linked, link_file(staged, home_ + "/" + name));
      if (!linked) SKL_TRY_DO(rename_path(staged, home_ + "/" + name));
    }
  return sync_folders(home_, names);
}

Result<void> Originals::put_in_place(const std::vector<Replacement>& replacements) {
  if (replacements.empty()) return {};
  // This reads each archive once more. It comes before the check, so that a write in the meantime
  // is noticed.
  for (const Replacement& each : replacements) SKL_TRY_DO(note_original(each.name));
  SKL_TRY_DO(check_unchanged(replacements));
  SKL_TRY(const auto is_to_be_moved, keep_originals(replacements));

  // Notes each archive before it is in place, which does no harm. An unnoted archive in place would
  // be treated as changed by others.
  for (const Replacement& each : replacements) {
    SKL_TRY(const auto stamp, identity_of(folder() + "/" + kNewName + "/" + each.name));
    journal_.emplace(each.name, PutArchive{each.hash, stamp.size_bytes, stamp.modified_ns});
    for (const AddedFile& added : each.added) {
      const std::string part = folder() + "/" + kNewName + "/" + path_beside(each.name, added.name);
      SKL_TRY(const auto made, identity_of(part));
      const std::string key = key_of_added(each.name, added.name);
      journal_.erase(key);
      journal_.emplace(key, PutArchive{added.hash, made.size_bytes, made.modified_ns});
    }
  }
  SKL_TRY_DO(write_journal());
  // This is the last moment to stop. The state is then the same as after a killed run, and the next
  // run tidies up.
  SKL_TRY_DO(check_unchanged(replacements));
  SKL_TRY_DO(put_added(replacements));

  std::vector<std::string> names;
  for (size_t i = 0; i < replacements.size(); ++i) {
    const std::string& name = names.emplace_back(replacements[i].name);
    const std::string path = home_ + "/" + name;
    if (is_to_be_moved[i]) SKL_TRY_DO(rename_path(path, kept(name)));
    SKL_TRY_DO(rename_path(folder() + "/" + kNewName + "/" + name, path));
  }
  return sync_folders(home_, names);
}

Result<void> Originals::put_beside(const std::string& name) const {
  SKL_TRY_DO(check_way(home_, name));
  SKL_TRY_DO(rename_path(folder() + "/" + kNewName + "/" + name, home_ + "/" + name));
  return sync_folders(home_, {name});
}

namespace {

enum class Restorable : uint8_t { missing, original, ours, foreign, updated, lost };

}  // namespace

// Does the work of restore_originals() while it holds the lock.
class Restorer {
 public:
  explicit Restorer(Originals& originals) : originals_(originals) {}

  Result<RestoreReport> restore(bool force) {
    SKL_TRY(auto names, plain_files(originals_.folder() + "/" + kKeptName));
    SKL_TRY(const auto lost, originals_.lost_originals());
    if (!lost.empty() && !force) return lost_original(originals_.kept(lost.front()), "none");
    report_.lost = lost;
    std::vector<Restorable> states;
    for (const std::string& name : names) {
      auto state = look_at(name);
      if (!state) return std::unexpected(state.error());
      if (*state == Restorable::foreign && (!force || must_wait(name))) return refused(name);
      if (*state != Restorable::original) {
        const auto checked = originals_.check_kept(name);
        const bool is_lost = !checked && checked.error().kind == ErrorKind::damaged;
        if (!checked && !(is_lost && force)) return std::unexpected(checked.error());
        if (is_lost)
          state = Restorable::lost;
        else if (is_outdated(name, *state))
          state = Restorable::updated;
        if (*state == Restorable::updated && !force) return refused(name);
      }
      states.push_back(*state);
    }
    for (size_t i = 0; i < states.size(); ++i) SKL_TRY_DO(bring_back(names[i], states[i]));
    SKL_TRY_DO(sync_folders(originals_.home_, names));
    for (const std::string& name : lost) originals_.journal_.erase(key_of_original(name));
    SKL_TRY_DO(originals_.drop_unneeded_parts());
    report_.changed_parts = originals_.changed_parts_;
    return std::move(report_);
  }

 private:
  std::string path_of(const std::string& name) const { return originals_.home_ + "/" + name; }

  Result<Restorable> look_at(const std::string& name) const {
    SKL_TRY_DO(check_way(originals_.home_, name));
    SKL_TRY(const auto kind, known_kind_of_path(path_of(name)));
    if (kind == PathKind::missing) return Restorable::missing;
    SKL_TRY(const auto original, identity_of(originals_.kept(name)));
    SKL_TRY(const auto now, identity_of(path_of(name)));
    if (now.is_same_file(original)) return Restorable::original;
    SKL_TRY(const auto ours, originals_.is_ours(name));
    if (ours) return Restorable::ours;
    SKL_TRY(const auto is_back, originals_.is_like_original(name));
    return is_back ? Restorable::original : Restorable::foreign;
  }

  // Returns true if the original of a set no longer fits its parts, or may not: an update has
  // replaced them, or one that only the original names is gone.
  bool is_outdated(const std::string& name, Restorable state) const {
    if (state == Restorable::original || !originals_.is_set(name)) return false;
    const FitOfParts fit = fit_of(path_of(name), path_of(name)).first;
    const bool original_fits = misfit_of(originals_.kept(name), path_of(name)).empty();
    if (state == Restorable::ours) return fit == FitOfParts::fits && !original_fits;
    return fit != FitOfParts::misfits || !original_fits;
  }

  std::unexpected<Error> refused(const std::string& name) const {
    const std::string misfit =
        originals_.is_set(name) ? misfit_of(originals_.kept(name), path_of(name)) : std::string();
    if (!misfit.empty())
      return failed({.file = originals_.kept(name),
                     .expected = "an original that fits the files of its set",
                     .found = misfit,
                     .advice = "--force leaves the set as it is, and keeps the original under "
                               "another name beside it; nothing was done yet"});
    return failed({.file = path_of(name),
                   .expected = "the archive that was put there when it was repacked",
                   .found = "another one, which somebody put there since",
                   .advice = advice_to_refused(name)});
  }

  std::string advice_to_refused(const std::string& name) const {
    if (const std::string other = originals_.other_home_of(name); !other.empty())
      return fmt::format("{}; nothing was done yet", restore_first(other));
    if (is_outdated(name, Restorable::foreign))
      return "--force leaves it there, because it fits the files beside it or isn't understood, "
             "and "
             "keeps the old original under another name; nothing was done yet";
    return "--force keeps it under another name; nothing was done yet";
  }

  // Returns true if another folder must be restored first. Its original names parts that were added
  // for this one, or the other way round.
  bool must_wait(const std::string& name) const {
    return originals_.is_set(name) && !originals_.other_home_of(name).empty();
  }

  Result<void> bring_back(const std::string& name, Restorable state) {
    // An update has replaced parts, too, so the original no longer fits them.
    if (state == Restorable::updated) {
      report_.outdated.push_back(free_name(path_of(name), "original"));
      SKL_TRY_DO(rename_path(originals_.kept(name), report_.outdated.back()));
      originals_.journal_.erase(key_of_original(name));  // or it would count as lost
      return originals_.write_journal();
    }
    // Renaming a file to another name of the same file would leave both names.
    if (state == Restorable::original) {
      report_.unchanged.push_back(name);
      return remove_file(originals_.kept(name));
    }
    if (state == Restorable::lost) {
      report_.lost.push_back(name);
      return {};
    }
    if (state == Restorable::foreign) {
      report_.set_aside.push_back(free_name(path_of(name), "changed"));
      SKL_TRY_DO(rename_path(path_of(name), report_.set_aside.back()));
    }
    SKL_TRY_DO(make_way(originals_.home_, name));
    report_.restored.push_back(name);
    return rename_path(originals_.kept(name), path_of(name));
  }

  Originals& originals_;
  RestoreReport report_;
};

namespace {

Result<void> check_home(const std::string& home) {
  SKL_TRY(const auto kind, known_kind_of_path(home));
  if (kind == PathKind::folder) return {};
  return wrong_usage({.file = home,
                      .expected = "a folder whose archives were repacked in place",
                      .found = "no folder of that name"});
}

// Returns nothing if nothing was repacked there.
Result<std::optional<Originals>> open_if_kept(const std::string& home) {
  SKL_TRY_DO(check_home(home));
  SKL_TRY(const auto kind, known_kind_of_path(home + "/" + kOriginalsFolder));
  if (kind == PathKind::missing) return std::nullopt;
  return Originals::open(home);
}

}  // namespace

class Discarder {
 public:
  explicit Discarder(Originals& originals) : originals_(originals) {}

  // Checks all originals before removing the first, and takes them out of the journal, so that
  // later runs don't report them as missing.
  Result<void> discard(const std::vector<std::string>& names) {
    for (const std::string& name : names) SKL_TRY_DO(check(name));
    const std::string front = key_of_original("");
    std::erase_if(originals_.journal_,
                  [&](const auto& line) { return line.first.starts_with(front); });
    SKL_TRY_DO(originals_.write_journal());
    for (const std::string& name : names) SKL_TRY_DO(remove_file(originals_.kept(name)));
    return sync_folders(originals_.folder() + "/" + kKeptName, names);
  }

 private:
  // Compares the content, because equal time and size don't prove that the bytes are still right.
  Result<void> check(const std::string& name) const {
    const std::string path = originals_.home_ + "/" + name;
    SKL_TRY_DO(check_way(originals_.home_, name));
    SKL_TRY(const auto kind, known_kind_of_path(path));
    if (kind == PathKind::missing) return refuse(path, "none");
    SKL_TRY(const auto original, identity_of(originals_.kept(name)));
    SKL_TRY(const auto now, identity_of(path));
    if (now.is_same_file(original)) return {};
    SKL_TRY(const auto hash, hash_of_file(path));
    const auto [begin, end] = originals_.journal_.equal_range(name);
    const auto is_this = [&](const auto& put) {
      return put.second.hash == hash && put.second.size_bytes == now.size_bytes;
    };
    if (!std::any_of(begin, end, is_this)) return refuse(path, "other bytes");
    return originals_.is_set(name) ? check_parts(name) : Result<void>();
  }

  // The directory in place may be one of an earlier run, whose parts are gone. What it names must
  // be there, in parts of the original or in parts that we added and nobody changed.
  Result<void> check_parts(const std::string& name) const {
    const std::string path = originals_.home_ + "/" + name;
    const auto parts = parts_of(path, path);
    if (!parts) return refuse(path, misfit_of(path, path));
    for (const std::string& part : *parts) {
      if (may_name(originals_.kept(name), path, part)) continue;
      const std::string part_path = path_beside(path, part);
      SKL_TRY(const auto kind, known_kind_of_path(part_path));
      if (kind == PathKind::missing) return refuse(part_path, "none");
      const auto added = originals_.journal_.find(key_of_added(name, part));
      if (added == originals_.journal_.end()) return refuse(part_path, "somebody else's");
      SKL_TRY(const auto hash, hash_of_file(part_path));
      if (hash != added->second.hash) return refuse(part_path, "other bytes");
    }
    const std::string misfit = misfit_of(path, path);
    return misfit.empty() ? Result<void>() : refuse(path, misfit);
  }

  static Result<void> refuse(const std::string& path, std::string found) {
    return failed({.file = path,
                   .expected = "the archive as it was put there when it was repacked",
                   .found = std::move(found),
                   .advice = "no original was dropped; 'seekless restore' brings them back"});
  }

  Originals& originals_;
};

Result<KeptOriginals> kept_originals(const std::string& home) {
  const std::string folder = home + "/" + kOriginalsFolder + "/" + kKeptName;
  SKL_TRY(auto names, plain_files(folder));
  KeptOriginals kept = {.names = std::move(names)};
  for (const std::string& name : kept.names) {
    SKL_TRY(const auto file, identity_of(folder + "/" + name));
    kept.size_bytes += file.size_bytes;
  }
  return kept;
}

Result<KeptOriginals> discard_originals(const std::string& home) {
  SKL_TRY(auto originals, open_if_kept(home));
  if (!originals) return KeptOriginals{};
  auto kept = kept_originals(home);
  if (!kept) return kept;
  SKL_TRY_DO(Discarder(*originals).discard(kept->names));
  SKL_TRY_DO(originals->close());
  return kept;
}

Result<RestoreReport> restore_originals(const std::string& home, bool force) {
  SKL_TRY(auto originals, open_if_kept(home));
  if (!originals) return RestoreReport{};
  auto report = Restorer(*originals).restore(force);
  if (!report) return report;
  SKL_TRY_DO(originals->close());
  return report;
}

}  // namespace seekless
