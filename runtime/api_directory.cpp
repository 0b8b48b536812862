// The C boundary: directories.
#include <memory>
#include <string>

#include "runtime/context.h"
#include "runtime/directory.h"

using namespace seekless;
using namespace seekless::runtime;

struct skl_directory {
  Directory paths;
};

extern "C" {

skl_result skl_directory_create(skl_context* context, skl_directory** out, skl_error* error) {
  if (context == nullptr || out == nullptr) return invalid(error, "expected a context and out");
  return guarded(*context->core, error, [&] {
    std::unique_ptr<skl_directory> made(new skl_directory{Directory(context->memory)});
    if (auto filled = made->paths.fill(context->names); !filled) return fill(error, filled.error());
    *out = made.release();
    return SKL_OK;
  });
}

skl_result skl_directory_list(const skl_directory* directory, const char* prefix, uint64_t* cursor,
                              skl_entry* out, size_t capacity, size_t* count) {
  if (count != nullptr) *count = 0;
  if (directory == nullptr || cursor == nullptr || out == nullptr || count == nullptr)
    return SKL_INVALID;
  *count = directory->paths.files(prefix != nullptr ? prefix : "", *cursor, {out, capacity});
  return *count > 0 || capacity == 0 ? SKL_OK : SKL_END;
}

skl_result skl_directory_children(const skl_directory* directory, const char* folder,
                                  uint64_t* cursor, skl_entry* out, size_t capacity,
                                  size_t* count) {
  if (count != nullptr) *count = 0;
  if (directory == nullptr || cursor == nullptr || out == nullptr || count == nullptr)
    return SKL_INVALID;
  return guarded(nullptr, [&] {
    std::string below = folder != nullptr ? folder : "";
    if (!below.empty() && !below.ends_with('/')) below += '/';
    *count = directory->paths.children(below, *cursor, {out, capacity});
    return *count > 0 || capacity == 0 ? SKL_OK : SKL_END;
  });
}

void skl_directory_destroy(skl_directory* directory) {
  delete directory;
}

}  // extern "C"
