#include "packer/repack/archive_set.h"

#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "packer/base/glob.h"
#include "packer/base/in_parallel.h"
#include "packer/base/paths.h"
#include "packer/content/flat_archive.h"
#include "packer/host/file_stamp.h"
#include "packer/host/files.h"
#include "packer/host/whole_files.h"
#include "packer/output/folder_tree.h"
#include "packer/repack/internal/archive_rewriter.h"
#include "packer/repack/internal/output_folder.h"
#include "packer/repack/originals.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

constexpr const char* kUnread = "no recording reads it";

struct Root {
  std::string home;  // has no slash at its end
  std::string base;  // prefix of its sources' paths
};

Root root_of(const std::string& path) {
  std::string home = path;
  while (home.size() > 1 && home.ends_with('/')) home.pop_back();
  if (kind_of_path(path) == PathKind::folder)
    return {home, path.ends_with('/') ? path : path + "/"};
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", ""};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(0, slash + 1)};
}

// If several roots fit, takes the one that leaves the shortest name.
Result<RepackedArchive> place_archive(const Content& content, uint32_t source,
                                      const std::vector<Root>& roots) {
  const std::string path(content.sources[source].path);
  const Root* best = nullptr;
  for (const Root& root : roots)
    if (path.starts_with(root.base) && (best == nullptr || root.base.size() > best->base.size()))
      best = &root;
  RepackedArchive archive{.source = source,
                          .path = path,
                          .name = best == nullptr ? path : path.substr(best->base.size()),
                          .home = best == nullptr ? "." : best->home,
                          .bytes = path,
                          .kind = content.sources[source].kind,
                          .old_bytes = content.sources[source].size_bytes,
                          .new_bytes = content.sources[source].size_bytes};
  while (archive.name.starts_with('/')) archive.name.erase(0, 1);
  if (const PathFault fault = check_asset_path(archive.name); fault != PathFault::none)
    return damaged({.file = path,
                    .place = "name of the archive",
                    .expected = "a relative path of plain names",
                    .found = describe(fault),
                    .advice = "rename it, or leave it out with --exclude"});
  return archive;
}

// `place_of_archive` returns the path that each archive will have.
template <typename PlaceOf>
Result<void> check_names(const std::vector<RepackedArchive>& archives,
                         const PlaceOf& place_of_archive) {
  std::map<std::string, const RepackedArchive*> by_name;
  for (const RepackedArchive& archive : archives) {
    const auto [found, is_new] = by_name.emplace(place_of_archive(archive), &archive);
    if (!is_new)
      return wrong_usage({.file = archive.path,
                          .expected = "archives of different names",
                          .found = fmt::format("'{}', which has the same", found->second->path),
                          .advice = "repack them one after the other"});
  }
  return {};
}

void leave(RepackedArchive& archive, std::string reason, bool is_faulty) {
  archive.is_repacked = false;
  archive.is_faulty = is_faulty;
  archive.reason = std::move(reason);
  archive.new_bytes = archive.old_bytes;
}

// An archive can be replaced by renaming only if its path isn't a symbolic link.
std::string obstacle_in_place(const RepackedArchive& archive) {
  const auto stamp = identity_of(archive.path);
  if (!stamp || !stamp->is_regular || !check_way(archive.home, archive.name))
    return "it is reached by a symbolic link; name the folder that it lies in";
  return {};
}

// A fault of the archive itself is no error: the archive stays as it is.
template <typename T>
bool is_left(RepackedArchive& archive, const Result<T>& result) {
  if (result || result.error().kind != ErrorKind::damaged) return false;
  leave(archive, result.error().message, true);
  return true;
}

// Errors are those of open_archive().
Result<std::unique_ptr<ByteSource>> open_bytes(const RepackedArchive& archive) {
  auto bytes = open_source(archive.bytes);
  if (!bytes) return bytes;
  if ((*bytes)->size_bytes() != archive.old_bytes)
    return failed({.file = archive.path,
                   .expected = fmt::format("an archive of {} bytes", archive.old_bytes),
                   .found = fmt::format("{}", (*bytes)->size_bytes()),
                   .advice = "it changed since it was scanned; run this again"});
  return bytes;
}

Result<std::unique_ptr<ArchiveRewriter>> open_rewriter(const RepackedArchive& archive) {
  SKL_TRY(auto bytes, open_bytes(archive));
  return archive.kind == SourceKind::flat ? open_flat_rewriter(std::move(bytes))
                                          : open_zip_rewriter(std::move(bytes), archive.bytes);
}

// Returns true if the archive holds the directory of a set.
bool leads_set(const RepackedArchive& archive) {
  return !archive.set.empty() && directory_file_of(archive.name).empty();
}

// Collects what is known of a set, to decide whether its files are repacked.
struct PlannedSet {
  std::vector<RepackedArchive*> members;
  std::vector<std::string> parts;  // names that the directory lists
  uint64_t directory_bytes = 0;    // expected size of the new directory's file
};

using PlannedSets = std::map<std::string, PlannedSet>;  // indexed by RepackedArchive::set

std::string path_at_home(const RepackedArchive& archive, const std::string& name) {
  return canonical_path(archive.home) + "/" + name;
}

void note_set(RepackedArchive& archive, const ArchiveRewriter& rewriter, uint64_t expected_bytes,
              PlannedSets& sets) {
  if (rewriter.is_part())
    sets[archive.set = path_at_home(archive, directory_file_of(archive.name))];
  if (rewriter.parts().empty()) return;
  PlannedSet& set = sets[archive.set = path_at_home(archive, archive.name)];
  set.parts = rewriter.parts();
  set.directory_bytes = expected_bytes;
}

// Puts each set's directory after its parts, in the order in which they are written.
void collect_members(std::vector<RepackedArchive>& archives, PlannedSets& sets) {
  if (sets.empty()) return;
  for (RepackedArchive& archive : archives)
    // A directory that can't be read doesn't tell that it has parts, but its parts do.
    if (archive.set.empty() && sets.contains(path_at_home(archive, archive.name)))
      archive.set = path_at_home(archive, archive.name);
  std::ranges::stable_partition(archives, std::not_fn(leads_set));
  for (RepackedArchive& archive : archives)
    if (!archive.set.empty()) sets[archive.set].members.push_back(&archive);
}

// Returns why the set stays as it is, or an empty text.
std::string obstacle_of_set(const PlannedSet& set) {
  const RepackedArchive* leader = nullptr;
  for (const RepackedArchive* member : set.members) {
    if (leads_set(*member)) leader = member;
    if (!member->reason.empty() && member->reason != kUnread)
      return fmt::format("'{}' of the same set stays as it is: {}", member->name, member->reason);
  }
  if (leader == nullptr)
    return fmt::format("its directory, '{}', isn't part of the content",
                       file_name(set.members.front()->set));
  for (const std::string& part : set.parts) {
    const std::string path = fmt::format("{}/{}", folder_above(leader->path), part);
    if (kind_of_path(path) != PathKind::file)
      return fmt::format("'{}' is missing, which has data of its entries", path);
  }
  return {};
}

// A set is replaced while its parts have other names beside it.
std::string obstacle_to_replacing(const RepackedArchive& leader, size_t parts) {
  if (auto obstacle = obstacle_in_place(leader); !obstacle.empty()) return obstacle;
  const auto source = open_source(leader.bytes);
  if (!source) return source.error().message;
  const auto spare = spare_parts(**source, leader.path, parts);
  return spare ? std::string() : spare.error().message;
}

// A set is repacked as a whole, or stays as it is.
void settle_set(const PlannedSet& set, bool in_place) {
  std::string obstacle = obstacle_of_set(set);
  const auto is_to_be_repacked = [](const RepackedArchive* member) { return member->is_repacked; };
  const bool is_read = std::ranges::any_of(set.members, is_to_be_repacked);
  const auto leader = std::ranges::find_if(
      set.members, [](const RepackedArchive* member) { return leads_set(*member); });
  if (obstacle.empty() && is_read && in_place)
    obstacle = obstacle_to_replacing(**leader, set.members.size());
  if (obstacle.empty()) {
    if (!is_read) return;
    RepackedArchive& directory = **leader;
    directory.is_repacked = true;
    directory.reason.clear();
    directory.new_bytes = set.directory_bytes;
    return;
  }
  for (RepackedArchive* member : set.members)
    if (member->reason.empty() || member->reason == kUnread) leave(*member, obstacle, true);
}

// Hands parts that were rewritten to the rewriter of their directory, which is written last.
class RewrittenParts {
 public:
  explicit RewrittenParts(std::span<const RepackedArchive> planned) {
    for (const RepackedArchive& archive : planned)
      if (archive.is_repacked && !archive.set.empty()) members_[archive.set].push_back(&archive);
  }

  // Returns false if another file of the set stays as it is, and so must this one.
  bool is_whole(const RepackedArchive& archive) const {
    const auto found = members_.find(archive.set);
    return found == members_.end() ||
           std::ranges::all_of(found->second,
                               [](const RepackedArchive* member) { return member->is_repacked; });
  }

  void give(const RepackedArchive& archive, ArchiveRewriter& rewriter) {
    if (!leads_set(archive)) return;
    for (MovedPart& part : parts_[archive.set]) rewriter.add_part(std::move(part));
    parts_.erase(archive.set);
  }

  void take(const RepackedArchive& archive, MovedPart part) {
    if (!archive.set.empty() && !leads_set(archive)) parts_[archive.set].push_back(std::move(part));
  }

 private:
  std::map<std::string, std::vector<const RepackedArchive*>> members_;
  std::map<std::string, std::vector<MovedPart>> parts_;
};

constexpr const char* kSetStays = "another file of the same set stays as it is";

// Holds an archive that has been written, and what is needed to compare it with the old one.
struct WrittenArchive {
  std::unique_ptr<ArchiveRewriter> rewriter;
  RewriteReport report;
  std::string new_path;
};

// Returns nothing if the archive stays as it is.
Result<std::optional<WrittenArchive>> write_archive(RepackedArchive& archive,
                                                    const std::vector<uint32_t>& read_entries,
                                                    const RepackOptions& options,
                                                    const std::string& new_path,
                                                    RewrittenParts& parts) {
  if (!parts.is_whole(archive)) {
    leave(archive, kSetStays, true);
    return std::nullopt;
  }
  auto rewriter = open_rewriter(archive);
  if (is_left(archive, rewriter)) return std::nullopt;
  if (!rewriter) return std::unexpected(rewriter.error());
  const auto obstacle = (*rewriter)->prepare(options.verify);
  if (is_left(archive, obstacle)) return std::nullopt;
  if (!obstacle) return std::unexpected(obstacle.error());
  if (!obstacle->empty()) {
    leave(archive, *obstacle, false);
    return std::nullopt;
  }
  parts.give(archive, **rewriter);
  auto report = (*rewriter)->rewrite(read_entries, options.rewrite, new_path, options.done_bytes);
  if (is_left(archive, report)) return std::nullopt;
  if (!report) return std::unexpected(report.error());
  SKL_TRY_DO(copy_attributes(archive.bytes, new_path));
  parts.take(archive, (*rewriter)->moved(new_path, *report));
  archive.new_bytes = report->file_bytes;
  archive.unpacked_entries = report->unpacked_entries;
  archive.packed_entries = report->packed_entries;
  archive.aligned_entries = report->aligned_entries;
  return WrittenArchive{*std::move(rewriter), *std::move(report), new_path};
}

// Flushes the archive and compares it with the old one at the same time.
Result<void> finish_archive(const WrittenArchive& written, const RepackOptions& options) {
  Result<void> flushed;
  Result<void> same;
  const auto flush = [&] { flushed = sync_file(written.new_path); };
  const auto compare = [&] {
    if (options.verify)
      same = written.rewriter->verify(written.new_path, written.report, options.done_bytes);
  };
  in_parallel(2, 2, [&](size_t number, size_t) { number == 0 ? compare() : flush(); });
  return same ? flushed : same;
}

Result<void> copy_old(const RepackedArchive& archive, const std::string& to) {
  auto copied = copy_whole_file(archive.bytes, to);
  return copied ? sync_file(to) : copied;
}

// Finishes one archive while the next one is being written.
class Finisher {
 public:
  // Called when an archive is finished. If `is_repacked` is false, the archive stays as it is and
  // the new file isn't used.
  using Settle = std::function<Result<void>(bool is_repacked)>;

  explicit Finisher(const RepackOptions& options) : options_(options) {}

  // Returns the result of the previous archive. `archive` must outlive it.
  Result<void> add(RepackedArchive& archive, WrittenArchive new_one, Settle settle) {
    auto before = wait();
    const auto written = std::make_shared<const WrittenArchive>(std::move(new_one));
    const auto finish = [this, written] { return finish_archive(*written, options_); };
    archive_ = &archive;
    settle_ = std::move(settle);
    try {
      finishing_ = std::async(std::launch::async, finish);
    } catch (const std::system_error&) {
      // If the system gives no thread, wait() does the work.
      finishing_ = std::async(std::launch::deferred, finish);
    }
    return before;
  }

  Result<void> wait() {
    if (!finishing_.valid()) return {};
    const auto finished = finishing_.get();
    if (is_left(*archive_, finished)) return settle_(false);
    return finished ? settle_(true) : finished;
  }

 private:
  const RepackOptions& options_;
  RepackedArchive* archive_ = nullptr;  // the archive being finished
  Settle settle_;
  std::future<Result<void>> finishing_;
};

Result<void> check_space(const std::string& folder, uint64_t needed_bytes) {
  SKL_TRY(const auto available, free_bytes(folder));
  if (needed_bytes <= available) return {};
  return failed({.file = folder,
                 .expected = fmt::format("{} bytes of free space", needed_bytes),
                 .found = fmt::format("{}", available),
                 .advice = "free some space, or choose another output"});
}

// Returns how much room replacing these archives takes at most. A set's directory is written twice,
// and without hard links its original is copied, as is one part after the other.
uint64_t bytes_in_place(const std::vector<RepackedArchive*>& archives, bool has_links) {
  uint64_t bytes = 0;
  uint64_t largest_part_bytes = 0;
  for (const RepackedArchive* archive : archives) {
    bytes += archive->new_bytes;
    if (archive->set.empty()) continue;
    if (leads_set(*archive))
      bytes += archive->new_bytes + (has_links ? 0 : archive->old_bytes);
    else
      largest_part_bytes = std::max(largest_part_bytes, archive->new_bytes);
  }
  return bytes + (has_links ? 0 : largest_part_bytes);
}

// The output must not become content of the next run.
Result<void> check_output(const std::string& output, const std::vector<std::string>& roots,
                          const std::vector<std::string>& exclude) {
  const std::string canonical = canonical_path(output);
  for (const std::string& root : roots) {
    const std::string content = canonical_path(root);
    const bool is_within = canonical != content && lies_in(canonical, content);
    const size_t root_bytes = content.ends_with('/') ? content.size() : content.size() + 1;
    if (is_within && matches_any_glob(exclude, canonical.substr(root_bytes) + "/any/file"))
      continue;
    if (is_within || lies_in(content, canonical))
      return wrong_usage({.file = output,
                          .expected = "an output that lies outside of the content",
                          .found = fmt::format("the content '{}'", root),
                          .advice = "choose another folder, exclude it, or repack --in-place"});
  }
  return {};
}

// A part may turn out to be damaged when others of its set have been written. Then all of them are
// copied as they were.
Result<void> copy_torn_sets(std::vector<RepackedArchive>& archives, const RewrittenParts& parts,
                            const OutputFolder& folder) {
  std::vector<RepackedArchive*> torn;
  for (RepackedArchive& archive : archives)
    if (archive.is_repacked && !parts.is_whole(archive)) torn.push_back(&archive);
  for (RepackedArchive* archive : torn) {
    leave(*archive, kSetStays, true);
    SKL_TRY(const auto staged, folder.stage(archive->name));
    SKL_TRY_DO(remove_file(staged));
    SKL_TRY_DO(copy_old(*archive, staged));
  }
  return {};
}

// Repacks the archives of one home, whose originals are kept together.
Result<void> repack_home(Originals& originals, const std::vector<RepackedArchive*>& archives,
                         const EntryOrder& order, const RepackOptions& options,
                         RewrittenParts& parts) {
  std::vector<Replacement> replacements;
  Finisher finisher(options);
  for (RepackedArchive* archive : archives) {
    SKL_TRY_DO(originals.check_replaceable(archive->name));
    SKL_TRY(const auto stamp, identity_of(archive->path));
    const auto staged = originals.stage(archive->name);
    if (!staged) return std::unexpected(staged.error());
    SKL_TRY(auto written,
            write_archive(*archive, order.read_entries[archive->source], options, *staged, parts));
    if (!written) continue;
    const Replacement replacement = {archive->name, written->report.file_hash, stamp};
    const auto settle = [&replacements, replacement, staged = *staged](bool is_repacked) {
      if (!is_repacked) return remove_file(staged);
      replacements.push_back(replacement);
      return Result<void>();
    };
    SKL_TRY_DO(finisher.add(*archive, *std::move(written), settle));
  }
  SKL_TRY_DO(finisher.wait());
  std::vector<RepackedArchive*> left;
  for (RepackedArchive* archive : archives) {
    if (!archive->is_repacked || parts.is_whole(*archive)) continue;
    std::erase_if(replacements,
                  [&](const Replacement& each) { return each.name == archive->name; });
    left.push_back(archive);
  }
  for (RepackedArchive* archive : left) leave(*archive, kSetStays, true);
  return originals.put_in_place(replacements);
}

}  // namespace

Result<OpenedArchive> open_archive(const RepackedArchive& archive) {
  SKL_TRY(auto bytes, open_bytes(archive));
  SKL_TRY(auto directory, read_zip_directory(*bytes));
  return OpenedArchive{std::move(bytes), std::move(directory)};
}

ScanOptions repack_scan_options() {
  return {
      .keep_archives = true, .require_readable = false, .flat_archives = true, .any_names = true};
}

Result<std::map<std::string, std::string>> kept_originals(const Content& content,
                                                          const std::vector<std::string>& roots) {
  std::vector<Root> places;
  for (const std::string& root : roots) places.push_back(root_of(root));
  std::map<std::string, std::string> originals;
  for (uint32_t i = 0; i < content.sources.size(); ++i) {
    if (!content.sources[i].is_archive()) continue;
    SKL_TRY(const auto archive, place_archive(content, i, places));
    const std::string kept = original_of(archive.home, archive.name);
    if (kind_of_path(kept) != PathKind::file) continue;
    SKL_TRY(const auto now, identity_of(canonical_path(archive.path)));
    SKL_TRY(const auto original, identity_of(kept));
    if (!now.is_same_file(original)) originals[canonical_path(archive.path)] = kept;
  }
  return originals;
}

Result<void> bring_back_missing(const std::vector<std::string>& roots) {
  for (const std::string& root : roots) {
    const std::string home = root_of(root).home;
    SKL_TRY(const auto kept, kept_originals(home));
    SKL_TRY(const bool has_begun, has_begun_sets(home));
    const auto is_missing = [&](const std::string& name) {
      return kind_of_path(home + "/" + name) == PathKind::missing;
    };
    if (!has_begun && std::ranges::none_of(kept.names, is_missing)) continue;
    SKL_TRY(auto originals, Originals::open(home));
    SKL_TRY_DO(originals.bring_back_missing());
    SKL_TRY_DO(originals.close());
  }
  return {};
}

Result<std::vector<RepackedArchive>> plan_repack(const Content& content,
                                                 const std::vector<std::string>& roots,
                                                 const EntryOrder& order,
                                                 const RepackOptions& options) {
  std::vector<Root> places;
  for (const std::string& root : roots) places.push_back(root_of(root));
  std::vector<RepackedArchive> archives;
  PlannedSets sets;
  for (uint32_t i = 0; i < content.sources.size(); ++i) {
    if (!content.sources[i].is_archive()) continue;
    SKL_TRY(auto placed, place_archive(content, i, places));
    RepackedArchive& archive = archives.emplace_back(std::move(placed));
    if (!options.read_from.empty()) {
      const auto other = options.read_from.find(canonical_path(archive.path));
      if (other != options.read_from.end()) archive.bytes = other->second;
    }
    const auto rewriter = open_rewriter(archive);
    if (is_left(archive, rewriter)) continue;
    if (!rewriter) return std::unexpected(rewriter.error());
    const std::vector<uint32_t>& read_entries = order.read_entries[i];
    archive.entries = (*rewriter)->entry_count();
    archive.read_entries = read_entries.size();
    archive.reason = (*rewriter)->obstacle();
    if (archive.reason.empty() && read_entries.empty()) archive.reason = kUnread;
    if (archive.reason.empty() && options.in_place) archive.reason = obstacle_in_place(archive);
    archive.is_repacked = archive.reason.empty();
    const uint64_t expected_bytes = (*rewriter)->expected_bytes(read_entries, options.rewrite);
    if (archive.is_repacked) archive.new_bytes = expected_bytes;
    note_set(archive, **rewriter, expected_bytes, sets);
  }
  collect_members(archives, sets);
  for (const auto& [path, set] : sets) settle_set(set, options.in_place);
  return archives;
}

uint64_t repack_bytes(const std::vector<RepackedArchive>& archives, const RepackOptions& options) {
  uint64_t bytes = 0;
  for (const RepackedArchive& archive : archives)
    bytes += archive.old_bytes + (archive.is_repacked && options.verify ? archive.new_bytes : 0);
  return bytes;
}

Result<std::vector<RepackedArchive>> repack_archives(const Content& content,
                                                     const std::vector<std::string>& roots,
                                                     const EntryOrder& order,
                                                     const std::string& output,
                                                     const RepackOptions& options) {
  SKL_TRY_DO(check_output(output, roots, options.exclude));
  auto archives = plan_repack(content, roots, order, options);
  if (!archives) return archives;
  const auto name_of = [](const RepackedArchive& archive) { return archive.name; };
  if (!options.copies_others)
    std::erase_if(*archives, [](const RepackedArchive& archive) { return !archive.is_repacked; });
  SKL_TRY_DO(check_names(*archives, name_of));
  SKL_TRY(auto folder, OutputFolder::open(output));
  uint64_t needed_bytes = 0;
  for (const RepackedArchive& archive : *archives) needed_bytes += archive.new_bytes;
  SKL_TRY_DO(check_space(output, needed_bytes));
  Finisher finisher(options);
  RewrittenParts parts(*archives);
  ReadFiles read;
  for (RepackedArchive& archive : *archives) {
    SKL_TRY_DO(read.add(archive.bytes));
    const auto staged = folder.stage(archive.name);
    if (!staged) return std::unexpected(staged.error());
    if (archive.is_repacked) {
      SKL_TRY(auto written,
              write_archive(archive, order.read_entries[archive.source], options, *staged, parts));
      if (written) {
        const auto settle = [&archive, staged = *staged](bool is_repacked) -> Result<void> {
          if (is_repacked) return {};
          SKL_TRY_DO(remove_file(staged));
          return copy_old(archive, staged);
        };
        SKL_TRY_DO(finisher.add(archive, *std::move(written), settle));
        continue;
      }
    }
    SKL_TRY_DO(copy_old(archive, *staged));
    if (options.done_bytes != nullptr) *options.done_bytes += archive.old_bytes;
  }
  SKL_TRY_DO(finisher.wait());
  SKL_TRY_DO(copy_torn_sets(*archives, parts, folder));
  SKL_TRY_DO(read.check());
  SKL_TRY_DO(folder.commit());
  return archives;
}

Result<std::vector<RepackedArchive>> repack_in_place(const Content& content,
                                                     const std::vector<std::string>& roots,
                                                     const EntryOrder& order,
                                                     const RepackOptions& options) {
  RepackOptions planning = options;
  planning.in_place = true;
  auto archives = plan_repack(content, roots, order, planning);
  if (!archives) return archives;
  const auto path_of = [](const RepackedArchive& archive) { return canonical_path(archive.path); };
  SKL_TRY_DO(check_names(*archives, path_of));
  std::map<std::string, std::vector<RepackedArchive*>> by_home;
  for (RepackedArchive& archive : *archives)
    if (archive.is_repacked) by_home[canonical_path(archive.home)].push_back(&archive);
  RewrittenParts parts(*archives);
  for (const auto& [home, of_home] : by_home) {
    SKL_TRY(auto originals, Originals::open(of_home.front()->home));
    SKL_TRY_DO(originals.bring_back_missing());
    SKL_TRY(const bool has_links, originals.has_links());
    SKL_TRY_DO(check_space(home, bytes_in_place(of_home, has_links)));
    SKL_TRY_DO(repack_home(originals, of_home, order, options, parts));
    SKL_TRY_DO(originals.close());
  }
  return archives;
}

}  // namespace seekless
