// The C boundary: facts about an asset.
#include <cstring>
#include <string>

#include "runtime/context.h"

using namespace seekless;
using namespace seekless::runtime;

extern "C" {

skl_result skl_asset_about(skl_context* context, skl_asset asset, skl_asset_info* info) {
  if (context == nullptr || info == nullptr) return SKL_INVALID;
  return guarded(nullptr, [&] {
    skl_asset_info about = {};
    const auto told =
        context->names.with(asset, [&](const Mounted& mounted, uint32_t number) -> Result<void> {
          if (!mounted.mount->has(number)) return make_error(SKL_STALE, {"the file is gone"});
          about.size_bytes = mounted.mount->size_bytes(number);
          about.mount = mounted.id;
          mounted.mount->describe(number, about);
          return {};
        });
    if (!told) return told.error().result;
    give_struct(about, *info);
    return SKL_OK;
  });
}

skl_result skl_asset_path(skl_context* context, skl_asset asset, char* path, size_t capacity_bytes,
                          size_t* length_bytes, skl_error* error) {
  if (context == nullptr) return invalid(error, "expected a context");
  return guarded(*context->core, error, [&] {
    const auto text = context->names.with(
        asset, [](const Mounted& mounted, uint32_t number) -> Result<std::string> {
          auto own = mounted.mount->path(number);
          if (own) own->insert(0, mounted.at);
          return own;
        });
    if (!text) return fill(error, text.error());
    if (length_bytes != nullptr) *length_bytes = text->size();
    if (path == nullptr || capacity_bytes <= text->size())
      return invalid(error, "capacity_bytes: expected room for the path and a zero byte");
    std::memcpy(path, text->c_str(), text->size() + 1);
    return SKL_OK;
  });
}

skl_result skl_asset_hash(skl_context* context, skl_asset asset, skl_hash* hash, skl_error* error) {
  if (context == nullptr || hash == nullptr) return invalid(error, "expected a context and a hash");
  return guarded(*context->core, error, [&] {
    const auto content = context->names.with(asset, [](const Mounted& mounted, uint32_t number) {
      return mounted.mount->content_hash(number);
    });
    if (!content) return fill(error, content.error());
    std::memcpy(hash->bytes, content->data(), content->size());
    return SKL_OK;
  });
}

}  // extern "C"
