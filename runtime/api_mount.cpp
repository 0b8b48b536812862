// The C boundary: mounts.
#include <algorithm>
#include <iterator>
#include <string>

#include "runtime/asset_path.h"
#include "runtime/context.h"
#include "runtime/open_mount.h"

using namespace seekless;
using namespace seekless::runtime;

namespace {

std::unexpected<Error> not_a_path(const std::string& what, std::string_view path) {
  return std::unexpected(
      Error{SKL_INVALID, what + ": expected a path such as 'folder/file', found " +
                             describe(check_asset_path(path)) + ": '" + std::string(path) + "'"});
}

Result<MountRules> rules_of(const skl_mount_options& options) {
  MountRules rules;
  rules.priority = options.priority;
  if (options.at != nullptr) rules.at = options.at;
  if (!rules.at.empty() && check_asset_path(rules.at) != PathFault::none)
    return not_a_path("at", rules.at);
  if (options.deletions == nullptr && options.deletion_count > 0)
    return std::unexpected(Error{SKL_INVALID, "deletions: expected paths, found NULL"});
  for (size_t i = 0; i < options.deletion_count; ++i) {
    const std::string place = "deletions[" + std::to_string(i) + "]";
    if (options.deletions[i] == nullptr)
      return std::unexpected(Error{SKL_INVALID, place + ": expected a path, found NULL"});
    const std::string_view path = options.deletions[i];
    if (!is_deletion(path)) return not_a_path(place, path);
    rules.deletions.emplace_back(path);
  }
  return rules;
}

}  // namespace

extern "C" {

skl_result skl_mount(skl_context* context, const char* path, const skl_mount_options* options,
                     skl_mount_id* mount, skl_error* error) {
  if (context == nullptr || path == nullptr) return invalid(error, "expected a context and a path");
  skl_mount_options taken;
  if (!take_options(options, taken, error)) return SKL_INVALID;
  return guarded(error, [&] {
    auto rules = rules_of(taken);
    if (!rules) return fill(error, rules.error());
    auto opened = open_mount(*context->io, path,
                             {taken.fold_case != 0,
                              {context->options.inflate, context->options.inflate_user},
                              context->memory,
                              &context->core->decoded});
    if (!opened) return fill(error, opened.error());
    auto deletions = read_deletions(**opened, context->memory);
    if (!deletions) return fill(error, deletions.error());
    std::ranges::move(*deletions, std::back_inserter(rules->deletions));
    const auto id = context->names.add(std::move(*opened), *rules);
    if (!id) return fill(error, id.error());
    if (mount != nullptr) *mount = *id;
    return SKL_OK;
  });
}

skl_result skl_unmount(skl_context* context, skl_mount_id mount, skl_error* error) {
  if (context == nullptr) return invalid(error, "expected a context");
  return guarded(error, [&] {
    context->recording.drain();
    const auto removed = context->names.remove(mount);
    return removed ? SKL_OK : fill(error, removed.error());
  });
}

skl_result skl_list(skl_context* context,
                    int (*visit)(void* user, const char* path, skl_asset asset,
                                 uint64_t size_bytes),
                    void* user, skl_error* error) {
  if (context == nullptr || visit == nullptr)
    return invalid(error, "expected a context and a function");
  return guarded(error, [&] {
    const auto listed =
        context->names.list([&](const std::string& path, skl_asset asset, uint64_t size_bytes) {
          return visit(user, path.c_str(), asset, size_bytes) == 0;
        });
    return listed ? SKL_OK : fill(error, listed.error());
  });
}

}  // extern "C"
