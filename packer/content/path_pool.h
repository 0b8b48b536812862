// Stores the bytes of paths. A game can have a million of them, and separate strings would take
// more memory than all other records. Content and Layout keep a pool each; their records hold
// PooledPaths, which are views.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>

// Clang 16 crashes if a consteval constructor is called from a lambda.
#if defined(__clang__) && __clang_major__ < 17
#define SEEKLESS_CONSTEVAL constexpr
#else
#define SEEKLESS_CONSTEVAL consteval
#endif

namespace seekless {

// A view of a path's bytes, which only a literal or a PathPool can make, so it rarely dangles. It
// is valid as long as some copy of that pool exists. To keep the path longer, copy it to a
// std::string.
class PooledPath : public std::string_view {
 public:
  constexpr PooledPath() = default;
  template <size_t Size>
  SEEKLESS_CONSTEVAL PooledPath(const char (&literal)[Size])
      : std::string_view(literal, Size - 1) {}

  // Makes an owned copy, for functions that take strings.
  operator std::string() const { return std::string(begin(), end()); }

  // Returns the path without its first `count` bytes; `count` is at most size().
  PooledPath without_front(size_t count) const { return PooledPath(substr(count)); }

 private:
  friend class PathPool;
  explicit PooledPath(std::string_view kept) : std::string_view(kept) {}
};

// Copies share the bytes, which are freed with the last copy and never move. Only one thread at a
// time may add to a pool or its copies.
class PathPool {
 public:
  PooledPath add(std::string_view path) {
    if (!bytes_) bytes_ = std::make_shared<std::pmr::monotonic_buffer_resource>();
    char* kept = static_cast<char*>(bytes_->allocate(std::max<size_t>(path.size(), 1), 1));
    std::ranges::copy(path, kept);
    return PooledPath(std::string_view(kept, path.size()));
  }

  // Pools always compare as equal, so that records with a pool compare by the paths themselves.
  bool operator==(const PathPool&) const { return true; }

 private:
  std::shared_ptr<std::pmr::monotonic_buffer_resource> bytes_;
};

}  // namespace seekless

#undef SEEKLESS_CONSTEVAL
