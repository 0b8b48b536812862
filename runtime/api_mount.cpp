// The C boundary: mounts.
#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/asset_path.h"
#include "runtime/callers_files.h"
#include "runtime/context.h"
#include "runtime/open_mount.h"
#include "runtime/reload.h"
#include "runtime/sweep_plan.h"

using namespace seekless;
using namespace seekless::runtime;

namespace {

std::unexpected<Error> not_a_path(const std::string& what, std::string_view path) {
  return make_error(SKL_INVALID, {what, ": expected a path such as 'folder/file', found ",
                                  describe(check_asset_path(path)), ": '", path, "'"});
}

Result<MountRules> rules_of(const skl_mount_options& options) {
  MountRules rules;
  rules.priority = options.priority;
  if (options.at != nullptr) rules.at = options.at;
  if (!rules.at.empty() && check_asset_path(rules.at) != PathFault::none)
    return not_a_path("at", rules.at);
  if (options.deletions == nullptr && options.deletion_count > 0)
    return make_error(SKL_INVALID, {"deletions: expected paths, found NULL"});
  for (size_t i = 0; i < options.deletion_count; ++i) {
    const std::string place = join({"deletions[", i, "]"});
    if (options.deletions[i] == nullptr)
      return make_error(SKL_INVALID, {place, ": expected a path, found NULL"});
    const std::string_view path = options.deletions[i];
    if (!is_deletion(path)) return not_a_path(place, path);
    rules.deletions.emplace_back(path);
  }
  return rules;
}

// The watch begins before the folder is listed, so no change is missed in between.
using Watch = Result<std::unique_ptr<FolderWatch>>;

// Call this before the mount is added, because removing a mount needs memory.
std::shared_ptr<Reload> add_reload(skl_context& context, Reload::Of of, LooseFiles files,
                                   Watch watch) {
  auto reload =
      std::make_shared<Reload>(std::move(of), context.names, std::move(files), std::move(watch));
  context.reloads.add(reload);
  return reload;
}

skl_result mount_by(skl_context& context, std::shared_ptr<const FileIo> io, const std::string& path,
                    const skl_mount_options& options, skl_mount_id* mount, skl_error* error) {
  auto rules = rules_of(options);
  if (!rules) return fill(error, rules.error());
  std::optional<Watch> watch;
  if (options.on_change != nullptr && io == context.io && io->is_folder(path))
    watch = watch_folder(path);
  std::optional<LooseFiles> listed;
  auto opened = open_mount(*io, path,
                           {options.fold_case != 0,
                            {context.options.inflate, context.options.inflate_user},
                            context.memory,
                            &context.core->decoded,
                            watch ? &listed : nullptr});
  if (!opened) return fill(error, opened.error());
  (*opened)->keep(io);
  auto deletions = read_deletions(**opened, context.memory);
  if (!deletions) return fill(error, deletions.error());
  std::shared_ptr<Reload> reload;
  const auto take_back = [&context](Reload* one) { context.reloads.remove(one); };
  std::unique_ptr<Reload, decltype(take_back)> unless_mounted(nullptr, take_back);
  if (listed)
    reload = add_reload(context,
                        {io, path, options.fold_case != 0, context.memory, *rules, *deletions,
                         options.on_change, options.change_user},
                        std::move(*listed), std::move(*watch));
  unless_mounted.reset(reload.get());
  std::ranges::move(*deletions, std::back_inserter(rules->deletions));
  const auto id = context.names.add(std::move(*opened), *rules);
  if (!id) return fill(error, id.error());
  unless_mounted.release();
  if (mount != nullptr) *mount = *id;
  if (reload != nullptr) reload->start(*id, !context.core->is_pumped());
  return SKL_OK;
}

}  // namespace

extern "C" {

skl_result skl_mount(skl_context* context, const char* path, const skl_mount_options* options,
                     skl_mount_id* mount, skl_error* error) {
  if (context == nullptr || path == nullptr) return invalid(error, "expected a context and a path");
  skl_mount_options taken;
  if (!take_options(options, taken, error)) return SKL_INVALID;
  skl_file_io io;
  if (!take_options(taken.io, io, error, "io: struct_bytes: expected its size, found 0"))
    return SKL_INVALID;
  if (taken.io != nullptr && io.open == nullptr)
    return invalid(error, "io: open: expected a function, found NULL");
  return guarded(*context->core, error, [&] {
    return mount_by(*context, taken.io != nullptr ? make_callers_io(io) : context->io, path, taken,
                    mount, error);
  });
}

skl_result skl_mount_file(skl_context* context, const char* name, const skl_file* file,
                          const skl_mount_options* options, skl_mount_id* mount, skl_error* error) {
  if (context == nullptr || name == nullptr || file == nullptr)
    return invalid(error, "expected a context, a name and a file");
  skl_file opened;
  if (!take_options(file, opened, error, "file: struct_bytes: expected its size, found 0"))
    return SKL_INVALID;
  return guarded(error, [&] {
    // This comes first so that the file is closed even if the rest fails.
    auto io = make_single_file_io(name, opened);
    if (is_forked(*context->core, error)) return SKL_INVALID;
    skl_mount_options taken;
    if (!take_options(options, taken, error)) return SKL_INVALID;
    if (taken.io != nullptr) return invalid(error, "options: io: expected none beside a file");
    return mount_by(*context, std::move(io), name, taken, mount, error);
  });
}

skl_result skl_unmount(skl_context* context, skl_mount_id mount, skl_error* error) {
  if (context == nullptr) return invalid(error, "expected a context");
  return guarded(*context->core, error, [&] {
    if (context->reloads.is_own_thread(mount))
      return invalid(error, "mount: expected another one than that whose on_change calls this");
    context->recording.drain();
    const std::shared_ptr<Reload> reload = context->reloads.find(mount);
    // Prevents reports of changes in this mount until it is removed.
    std::unique_lock<std::mutex> hush;
    if (reload != nullptr) hush = reload->hush();
    const auto removed = context->names.remove(mount);
    if (!removed) return fill(error, removed.error());
    if (reload != nullptr) context->reloads.remove(reload.get());
    return SKL_OK;
  });
}

skl_result skl_mount_watched(skl_context* context, skl_mount_id mount, skl_error* error) {
  if (context == nullptr) return invalid(error, "expected a context");
  return guarded(*context->core, error, [&] {
    std::optional<Error> failure;
    if (context->reloads.is_watched(mount, failure)) return SKL_OK;
    if (failure) return fill(error, *failure);
    return invalid(error, "mount: expected a folder of loose files that is mounted with on_change");
  });
}

skl_result skl_list(skl_context* context,
                    int (*visit)(void* user, const char* path, skl_asset asset,
                                 uint64_t size_bytes),
                    void* user, skl_error* error) {
  if (context == nullptr || visit == nullptr)
    return invalid(error, "expected a context and a function");
  return guarded(*context->core, error, [&] {
    const auto listed =
        context->names.list([&](const std::string& path, skl_asset asset, uint64_t size_bytes) {
          return visit(user, path.c_str(), asset, size_bytes) == 0;
        });
    return listed ? SKL_OK : fill(error, listed.error());
  });
}

skl_result skl_list_scenario(skl_context* context, const char* scenario,
                             int (*visit)(void* user, const char* path, skl_asset asset,
                                          uint64_t size_bytes),
                             void* user, skl_error* error) {
  if (context == nullptr || visit == nullptr)
    return invalid(error, "expected a context and a function");
  return guarded(*context->core, error, [&] {
    const auto found = context->names.find_scenario(scenario);
    if (!found) return fill(error, found.error());
    const auto plan =
        SweepPlan::make_whole(*found->mount->pack_set(), found->scenario, context->memory);
    if (!plan) return fill(error, plan.error());
    for (const PlacedAsset& need : plan->needs) {
      const skl_asset asset = found->asset_base | plan->set->number_of(need);
      const auto path =
          context->names.with(asset, [&](const Mounted& mounted, uint32_t) -> Result<std::string> {
            auto own = need.pack->path(need.index);
            if (own) own->insert(0, mounted.at);
            return own;
          });
      if (!path) return fill(error, path.error());
      if (visit(user, path->c_str(), asset, need.record().size_bytes) != 0) break;
    }
    return SKL_OK;
  });
}

}  // extern "C"
