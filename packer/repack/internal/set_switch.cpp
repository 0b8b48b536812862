#include "packer/repack/internal/set_switch.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "packer/base/paths.h"
#include "packer/content/content.h"
#include "packer/content/flat_archive.h"
#include "packer/host/files.h"
#include "packer/host/pending_file.h"
#include "packer/host/whole_files.h"
#include "packer/output/folder_tree.h"
#include "packer/repack/internal/sequential_output.h"

namespace seekless {
namespace {

std::string beside(const std::string& relative_path, const std::string& name) {
  const std::string parent = parent_of(relative_path);
  return parent.empty() ? name : parent + "/" + name;
}

Result<FlatDirectory> directory_of_set(const ByteSource& source) {
  SKL_TRY(auto directory, read_flat_directory(source));
  if (directory && directory->obstacle.empty()) return *std::move(directory);
  return damaged({.file = source.name(),
                  .expected = "the directory of a set",
                  .found = directory ? directory->obstacle : "something else"});
}

PartNames reversed(const PartNames& names) {
  PartNames back;
  for (const auto& [from, to] : names) back[to] = from;
  return back;
}

// Writes a set's directory with other names of its parts; returns the hash of the file.
Result<uint64_t> write_with_part_names(const std::string& from, const std::string& to,
                                       const PartNames& names) {
  SKL_TRY(const auto source, open_source(from));
  SKL_TRY(const auto directory, directory_of_set(*source));
  SKL_TRY(const auto around, with_part_names(*source, directory, names));
  SKL_TRY(auto file, PendingFile::create(to, source->size_bytes(), from));
  SequentialOutput output(file);
  SKL_TRY_DO(output.append(around.front));
  SKL_TRY_DO(output.append_from(*source, directory.data_begin_bytes,
                                directory.data_end_bytes - directory.data_begin_bytes,
                                [](std::span<const std::byte>) {}));
  SKL_TRY_DO(output.append(around.back));
  SKL_TRY(const auto hash, output.finish());
  SKL_TRY_DO(file.commit(false));
  SKL_TRY_DO(copy_attributes(from, to));
  SKL_TRY_DO(sync_file(to));
  // Whoever takes the names back must find what was there before.
  SKL_TRY(const auto written, open_source(to));
  SKL_TRY(const auto back, with_part_names(*written, directory, reversed(names)));
  SKL_TRY(const auto front, bytes_at(*source, 0, directory.data_begin_bytes));
  SKL_TRY(const auto rest, bytes_at(*source, directory.data_end_bytes,
                                    source->size_bytes() - directory.data_end_bytes));
  if (back.front == front && back.back == rest) return hash;
  return damaged({.file = to,
                  .expected = "the set's directory with other names of its parts",
                  .found = "other bytes",
                  .advice = "report this; nothing was put in place"});
}

}  // namespace

std::string SetSwitch::journal_front() {
  return std::string(kOriginalsFolder) + "/spare/";
}

std::vector<SetSwitch::SparePart> SetSwitch::spare_parts_of(const std::string& directory) const {
  const std::string front = journal_front();
  std::vector<SparePart> parts;
  for (const auto& [key, put] : originals_.journal_) {
    if (!key.starts_with(front)) continue;
    const std::string name = parent_of(key.substr(front.size()));
    if (directory_file_of(name) == directory)
      parts.push_back({key, name, beside(name, std::string(file_name(key))), put});
  }
  return parts;
}

std::vector<std::string> SetSwitch::begun_sets() const {
  const std::string front = journal_front();
  std::set<std::string> directories;
  for (const auto& [key, put] : originals_.journal_)
    if (key.starts_with(front))
      directories.insert(directory_file_of(parent_of(key.substr(front.size()))));
  return {directories.begin(), directories.end()};
}

Result<void> SetSwitch::begin(const std::string& directory, const std::string& from,
                              const std::vector<ComingPart>& parts) {
  SKL_TRY(const auto source, open_source(from));
  SKL_TRY(const auto spare, spare_parts(*source, originals_.home_ + "/" + directory, parts.size()));
  std::vector<std::string> moved;
  for (size_t i = 0; i < parts.size(); ++i) {
    SKL_TRY(const auto stamp, identity_of(parts[i].path));
    originals_.journal_.emplace(journal_front() + parts[i].name + "/" + spare[i],
                                PutArchive{parts[i].hash, stamp.size_bytes, stamp.modified_ns});
    moved.push_back(beside(parts[i].name, spare[i]));
  }
  SKL_TRY_DO(originals_.write_journal());
  for (size_t i = 0; i < parts.size(); ++i) {
    SKL_TRY_DO(make_way(originals_.home_, moved[i]));
    SKL_TRY_DO(rename_path(parts[i].path, originals_.home_ + "/" + moved[i]));
  }
  SKL_TRY_DO(sync_folders(originals_.home_, moved));
  return put_directory(directory, from, spare_parts_of(directory), true);
}

Result<void> SetSwitch::finish() {
  for (const std::string& directory : begun_sets()) SKL_TRY_DO(finish_set(directory));
  return clear();
}

Result<void> SetSwitch::finish_set(const std::string& directory) {
  SKL_TRY(auto parts, in_use(directory));
  while (!parts.empty()) {
    SKL_TRY(const size_t count, put_in_place(parts));
    const auto placed = std::span<const SparePart>(parts).first(count);
    SKL_TRY_DO(put_directory(directory, originals_.home_ + "/" + directory, placed, false));
    for (const SparePart& part : placed)
      SKL_TRY_DO(remove_file(originals_.home_ + "/" + part.spare));
    parts.erase(parts.begin(), parts.begin() + static_cast<ptrdiff_t>(count));
  }
  return {};
}

// Returns the parts whose spare names the directory in place mentions, if it is one of ours.
Result<std::vector<SetSwitch::SparePart>> SetSwitch::in_use(const std::string& directory) const {
  const std::string path = originals_.home_ + "/" + directory;
  SKL_TRY(const auto kind, known_kind_of_path(path));
  if (kind != PathKind::file) return std::vector<SparePart>{};
  SKL_TRY(const auto ours, originals_.is_ours(directory));
  if (!ours) return std::vector<SparePart>{};
  SKL_TRY(const auto source, open_source(path));
  SKL_TRY(const auto found, read_flat_directory(*source));
  if (!found) return std::vector<SparePart>{};
  std::vector<SparePart> parts = spare_parts_of(directory);
  std::erase_if(parts, [&](const SparePart& part) {
    return std::ranges::find(found->parts, file_name(part.spare)) == found->parts.end();
  });
  return parts;
}

// Returns how many parts were put in place: all of them, or those that can be done together.
Result<size_t> SetSwitch::put_in_place(std::span<const SparePart> parts) const {
  size_t count = 0;
  for (const SparePart& part : parts) {
    SKL_TRY(const bool is_linked, put_in_place(part, count == 0));
    if (!is_linked) {
      count = std::max<size_t>(count, 1);
      break;
    }
    ++count;
  }
  std::vector<std::string> names;
  for (const SparePart& part : parts.first(count)) names.push_back(part.name);
  SKL_TRY_DO(sync_folders(originals_.home_, names));
  return count;
}

// Returns whether the part is a second name of the file with the spare name. If it can't be that,
// it is a copy if `may_copy` is true, and isn't done otherwise.
Result<bool> SetSwitch::put_in_place(const SparePart& part, bool may_copy) const {
  const std::string spare = originals_.home_ + "/" + part.spare;
  const std::string path = originals_.home_ + "/" + part.name;
  SKL_TRY_DO(keep_replaced(part));
  SKL_TRY(const std::string staged, originals_.stage(part.name));
  SKL_TRY_DO(remove_file(staged));
  SKL_TRY(const bool is_linked, link_file(spare, staged));
  if (!is_linked) {
    if (!may_copy) return false;
    // Nothing mentions it, and a full disk may need its room.
    SKL_TRY_DO(remove_file(path));
    SKL_TRY_DO(copy_whole_file(spare, staged));
    SKL_TRY_DO(sync_file(staged));
  }
  SKL_TRY_DO(rename_path(staged, path));
  return is_linked;
}

// Keeps the original that is still in place, if no original is kept yet.
Result<void> SetSwitch::keep_replaced(const SparePart& part) const {
  const std::string path = originals_.home_ + "/" + part.name;
  SKL_TRY(const auto kind, known_kind_of_path(path));
  if (kind == PathKind::missing || originals_.has(part.name) || is_original(part)) return {};
  SKL_TRY(const bool is_linked, originals_.keep_original(part.name));
  return is_linked ? originals_.sync_kept({part.name}) : originals_.keep_moved(part.name, path);
}

// Puts the directory `from` in place, which calls these parts by their spare or their own names.
Result<void> SetSwitch::put_directory(const std::string& directory, const std::string& from,
                                      std::span<const SparePart> parts, bool to_spare) {
  PartNames names;
  for (const SparePart& part : parts)
    names[std::string(file_name(part.name))] = std::string(file_name(part.spare));
  SKL_TRY(const std::string staged, originals_.stage(directory + ".renamed"));
  SKL_TRY(const auto hash, write_with_part_names(from, staged, to_spare ? names : reversed(names)));
  SKL_TRY(const auto stamp, identity_of(staged));
  originals_.journal_.emplace(directory, PutArchive{hash, stamp.size_bytes, stamp.modified_ns});
  SKL_TRY_DO(originals_.write_journal());
  SKL_TRY_DO(rename_path(staged, originals_.home_ + "/" + directory));
  return sync_folders(originals_.home_, {directory});
}

Result<void> SetSwitch::clear() {
  const std::vector<std::string> begun = begun_sets();
  if (begun.empty()) return {};
  for (const std::string& directory : begun) {
    SKL_TRY(const auto used, in_use(directory));
    for (const SparePart& part : spare_parts_of(directory)) {
      if (std::ranges::any_of(used, [&](const auto& each) { return each.key == part.key; }))
        continue;
      SKL_TRY_DO(drop_unused(part));
      originals_.journal_.erase(part.key);
    }
    SKL_TRY_DO(sync_folders(originals_.home_, {directory}));
  }
  return originals_.write_journal();
}

// A killed run may have left it, or somebody else's update may have such a part now.
Result<void> SetSwitch::drop_unused(const SparePart& part) const {
  const std::string spare = originals_.home_ + "/" + part.spare;
  const std::string path = originals_.home_ + "/" + part.name;
  SKL_TRY(const auto kind, known_kind_of_path(spare));
  if (kind == PathKind::missing) return {};
  SKL_TRY(const bool is_spare, is_this(spare, part.put));
  if (!is_spare) return {};
  if (!is_original(part) || originals_.has(part.name)) return remove_file(spare);
  // The only original may have this name.
  SKL_TRY(const auto kind_in_place, known_kind_of_path(path));
  if (kind_in_place == PathKind::file) {
    SKL_TRY(const uint64_t hash, Originals::hash_of(path));
    if (hash == part.put.hash) return remove_file(spare);
  }
  return originals_.keep_moved(part.name, spare);
}

bool SetSwitch::is_original(const SparePart& part) const {
  const auto noted = originals_.journal_.find(Originals::key_of_original(part.name));
  return noted != originals_.journal_.end() && noted->second.hash == part.put.hash;
}

Result<bool> SetSwitch::is_this(const std::string& path, const PutArchive& put) const {
  SKL_TRY(const auto stamp, identity_of(path));
  if (!stamp.is_regular || stamp.size_bytes != put.size_bytes) return false;
  if (stamp.modified_ns == put.modified_ns) return true;
  SKL_TRY(const uint64_t hash, Originals::hash_of(path));
  return hash == put.hash;
}

}  // namespace seekless
