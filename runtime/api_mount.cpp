// The C boundary: mounts.
#include "runtime/context.h"
#include "runtime/pack_mount.h"

using namespace seekless;
using namespace seekless::runtime;

extern "C" {

skl_result skl_mount(skl_context* context, const char* path, const skl_mount_options* options,
                     skl_mount_id* mount, skl_error* error) {
  if (context == nullptr || path == nullptr) return invalid(error, "expected a context and a path");
  skl_mount_options taken;
  if (!take_options(options, taken))
    return invalid(error, "options: expected struct_bytes to be their size");
  return guarded(error, [&] {
    auto opened = open_pack_mount(*context->io, path);
    if (!opened) return fill(error, opened.error());
    const auto id = context->names.add(std::move(*opened));
    if (!id) return fill(error, id.error());
    if (mount != nullptr) *mount = *id;
    return SKL_OK;
  });
}

}  // extern "C"
