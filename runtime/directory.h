// A sorted list of all paths that were visible when it was made. It is read page by page, without a
// lock. It is made on demand from a name space's list, because finding and reading don't need it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/error.h"
#include "runtime/include/seekless.h"
#include "runtime/memory.h"
#include "runtime/name_space.h"

namespace seekless::runtime {

class Directory {
 public:
  explicit Directory(const Memory& memory) : text_(memory), files_(memory) {}
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  // Call it once. Errors: those of NameSpace::list.
  Result<void> fill(const NameSpace& names);

  // Returns the number of entries listed, and moves `cursor` past them.
  size_t files(std::string_view prefix, uint64_t& cursor, std::span<skl_entry> out) const;
  // The same for a folder's children. `folder` ends with '/'; empty means the root.
  size_t children(std::string_view folder, uint64_t& cursor, std::span<skl_entry> out) const;

 private:
  struct Item {
    uint64_t begin = 0;  // the start of its path in text_
    uint32_t length = 0;
    skl_asset asset = 0;
    uint64_t size_bytes = 0;
  };
  std::string_view path(const Item& item) const { return {text_.data() + item.begin, item.length}; }
  // Returns the first entry at or after `from` whose path isn't before `limit`.
  size_t first_from(size_t from, std::string_view limit) const;
  size_t first_after_prefix(size_t from, std::string_view prefix) const;

  Vector<char> text_;
  Vector<Item> files_;
};

}  // namespace seekless::runtime
