// seekless.h for C++17 and later: handles that clean up after themselves, spans, expected values.
// It is header-only and only calls the C functions, whose comments say what each does, which
// threads may call it, and how it fails. It throws nothing of its own and compiles without
// exceptions and without RTTI; std::bad_alloc can come from the strings of errors and paths.
//
//   auto context = skl::Context::create();
//   if (!context) return report(context.error());
//   context->mount("packs");
//   if (const auto found = context->find("texpages/page-14.png")) {
//     std::vector<std::byte> bytes(found->size_bytes);
//     const auto read = context->read(found->asset, 0, bytes);
//   }
//
// Handles can be moved. A moved-from handle is empty, and may only be destroyed or assigned to.
// Sweeps, queues and streams may not outlive their context.
#ifndef SEEKLESS_HPP
#define SEEKLESS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#if defined(__has_include) && __has_include(<version>)
#include <version>
#endif
#ifdef __cpp_lib_expected
#include <expected>
#endif
#ifdef __cpp_lib_span
#include <span>
#endif

#include <seekless.h>
#if !defined(__cpp_lib_expected) || !defined(__cpp_lib_span)
#include <seekless_before_cpp23.hpp>
#endif

namespace skl {

// These are the standard library's types, or those of seekless_before_cpp23.hpp. Each choice has
// its own inline namespace, so sources compiled for different C++ standards can be linked into one
// program.
#if defined(__cpp_lib_expected) && defined(__cpp_lib_span)
inline namespace cpp23 {
using std::expected;
using std::span;
using std::unexpected;
#elif defined(__cpp_lib_span)
inline namespace cpp20 {
using before_cpp23::expected;
using before_cpp23::unexpected;
using std::span;
#else
inline namespace cpp17 {
using before_cpp23::expected;
using before_cpp23::span;
using before_cpp23::unexpected;
#endif

// An error: a copy of a skl_error.
struct Error {
  skl_result result = SKL_OK;
  int32_t os_error = 0;
  uint64_t offset_bytes = UINT64_MAX;
  std::string message;

  const char* name() const { return skl_result_name(result); }
};

template <typename T>
using Result = expected<T, Error>;

// A zero-terminated string for the C functions.
class Text {
 public:
  Text(const char* text) : text_(text) {}
  Text(const std::string& text) : text_(text.c_str()) {}
  const char* get() const { return text_; }

 private:
  const char* text_;
};

// Waits forever.
inline constexpr std::chrono::milliseconds kForever{UINT32_MAX};

namespace detail {

// All members are 0, except the struct's size.
template <typename Raw>
Raw sized() {
  Raw raw{};
  raw.struct_bytes = sizeof(Raw);
  return raw;
}

struct ErrorRecord {
  skl_error raw{sizeof(skl_error), SKL_OK, 0, UINT64_MAX, {}};

  unexpected<Error> of(skl_result result) const {
    return unexpected(Error{result, raw.os_error, raw.offset_bytes, raw.message});
  }
  Result<void> done(skl_result result) const {
    if (result < 0) return of(result);
    return {};
  }
};

template <auto Destroy>
struct Destroyer {
  template <typename T>
  void operator()(T* handle) const {
    Destroy(handle);
  }
};

inline uint32_t timeout_ms(std::chrono::milliseconds timeout) {
  if (timeout.count() < 0) return 0;
  return timeout >= kForever ? UINT32_MAX : static_cast<uint32_t>(timeout.count());
}

}  // namespace detail

// ---- Options: zero means the default, as in C; struct_bytes is filled in
// ----------------------------

template <typename Raw>
struct Options : Raw {
  Options() : Raw(detail::sized<Raw>()) {}
};
using Allocator = Options<skl_allocator>;
using ContextOptions = Options<skl_context_options>;
using MountOptions = Options<skl_mount_options>;
using File = Options<skl_file>;
using FileIo = Options<skl_file_io>;
using AssetInfo = Options<skl_asset_info>;
using QueueOptions = Options<skl_queue_options>;
using StreamOptions = Options<skl_stream_options>;
using StreamInfo = Options<skl_stream_info>;
using RecorderOptions = Options<skl_recorder_options>;
using UploadOptions = Options<skl_upload_options>;
using Stats = Options<skl_stats>;

// ---- Leases
// -----------------------------------------------------------------------------------------

// A reference-counted, read-only view of an asset or of a part of it. Copies share the same block.
// A default-constructed lease is empty.
class Lease {
 public:
  Lease() = default;
  // Takes over a reference from C code.
  explicit Lease(const skl_lease& raw) : raw_(raw) {}
  Lease(const Lease& other) : raw_(other.raw_) {
    if (raw_.block != nullptr) skl_lease_retain(&raw_);
  }
  Lease(Lease&& other) noexcept : raw_(std::exchange(other.raw_, skl_lease{})) {}
  Lease& operator=(Lease other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Lease() {
    if (raw_.block != nullptr) skl_lease_release(&raw_);
  }

  explicit operator bool() const { return raw_.block != nullptr; }
  skl_asset asset() const { return raw_.asset; }
  uint64_t asset_bytes() const { return raw_.asset_bytes; }
  uint64_t offset_bytes() const { return raw_.offset_bytes; }
  span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(raw_.data), raw_.size_bytes};
  }
  // Returns true if the asset ends with this part.
  bool is_last() const { return raw_.offset_bytes + raw_.size_bytes == raw_.asset_bytes; }
  bool is_whole() const { return raw_.size_bytes == raw_.asset_bytes; }

  Result<void> copy_to(span<std::byte> into) const {
    return detail::ErrorRecord().done(skl_lease_copy(&raw_, into.data(), into.size()));
  }
  Result<void> claim() {
    detail::ErrorRecord error;
    return error.done(skl_lease_claim(&raw_, &error.raw));
  }
  const skl_lease& raw() const { return raw_; }

 private:
  skl_lease raw_{};
};

// ---- Sweep
// ------------------------------------------------------------------------------------------

// SKL_OK with a lease, or SKL_END or SKL_WOULD_BLOCK without one.
struct Step {
  skl_result answer = SKL_OK;
  Lease lease;
};

class Sweep {
 public:
  Result<Step> next() {
    return take([this](skl_lease* lease, skl_error* error) {
      return skl_sweep_next(raw_.get(), lease, error);
    });
  }
  Result<Step> wait(std::chrono::milliseconds timeout = kForever) {
    return take([this, timeout](skl_lease* lease, skl_error* error) {
      return skl_sweep_wait(raw_.get(), detail::timeout_ms(timeout), lease, error);
    });
  }
  // Returns SKL_OK, or SKL_END if the asset has been handed out already.
  Result<skl_result> want(skl_asset asset) {
    detail::ErrorRecord error;
    const skl_result result = skl_sweep_want(raw_.get(), asset, &error.raw);
    if (result < 0) return error.of(result);
    return result;
  }
  skl_progress progress() const {
    auto found = detail::sized<skl_progress>();
    skl_sweep_progress(raw_.get(), &found);
    return found;
  }
  skl_sweep* raw() const { return raw_.get(); }

 private:
  friend class Context;
  explicit Sweep(skl_sweep* raw) : raw_(raw) {}

  template <typename Take>
  Result<Step> take(Take take_one) {
    detail::ErrorRecord error;
    skl_lease lease{};
    const skl_result result = take_one(&lease, &error.raw);
    if (result < 0) return error.of(result);
    return Step{result, result == SKL_OK ? Lease(lease) : Lease()};
  }

  std::unique_ptr<skl_sweep, detail::Destroyer<skl_sweep_close>> raw_;
};

// ---- Queue
// ------------------------------------------------------------------------------------------

// A request for a whole asset at normal priority. Set the other members by name.
struct Request : skl_request {
  Request(skl_asset of, span<std::byte> into) : skl_request(detail::sized<skl_request>()) {
    asset = of;
    length_bytes = into.size();
    destination = into.data();
  }
  // A request whose completion has a lease, on at most one block.
  explicit Request(skl_asset of) : skl_request(detail::sized<skl_request>()) {
    asset = of;
    length_bytes = UINT64_MAX;
  }
};
static_assert(sizeof(Request) == sizeof(skl_request));

// Holds its lease, if any, until the completion is destroyed or reused, or the lease is moved out.
class Completion {
 public:
  Completion() = default;
  Completion(Completion&& other) noexcept
      : raw_(std::exchange(other.raw_, detail::sized<skl_completion>())) {}
  Completion& operator=(Completion&& other) noexcept {
    Completion taken(std::move(other));  // its destructor releases this completion's old lease
    std::swap(raw_, taken.raw_);
    return *this;
  }
  ~Completion() { take_lease(); }

  skl_result result() const { return raw_.result; }
  bool missed_deadline() const { return raw_.missed_deadline != 0; }
  skl_asset asset() const { return raw_.asset; }
  uint64_t offset_bytes() const { return raw_.offset_bytes; }
  uint64_t read_bytes() const { return raw_.read_bytes; }
  uint64_t tag() const { return raw_.tag; }
  void* user() const { return raw_.user; }
  std::chrono::microseconds latency() const { return std::chrono::microseconds(raw_.latency_us); }
  Lease take_lease() { return Lease(std::exchange(raw_.lease, skl_lease{})); }

 private:
  friend class Queue;
  skl_completion raw_ = detail::sized<skl_completion>();
};
static_assert(std::is_standard_layout_v<Completion> &&
              sizeof(Completion) == sizeof(skl_completion));

// `answer` is SKL_OK, SKL_END (nothing is outstanding) or SKL_WOULD_BLOCK (none completed in time).
// `completions` is the filled front of the given span.
struct Polled {
  skl_result answer = SKL_OK;
  span<Completion> completions;
};

// The destructor cancels outstanding requests and waits until nothing is read any more. So declare
// the requests' memory before the queue, because members and variables are destroyed in reverse
// order.
class Queue {
 public:
  // Returns how many requests were accepted from the front. If these aren't all, the queue is full.
  Result<size_t> submit(span<const Request> requests) {
    detail::ErrorRecord error;
    size_t accepted = 0;
    const skl_result result =
        skl_queue_submit(raw_.get(), requests.data(), requests.size(), &accepted, &error.raw);
    if (result < 0) return error.of(result);
    return accepted;
  }
  // Returns false if the queue is full.
  Result<bool> submit(const Request& request) {
    const auto accepted = submit(span(&request, 1));
    if (!accepted) return unexpected(accepted.error());
    return *accepted == 1;
  }
  Polled poll(span<Completion> into) {
    return fill(into, [this](skl_completion* out, size_t capacity, size_t* count) {
      return skl_queue_poll(raw_.get(), out, capacity, count);
    });
  }
  Polled wait(span<Completion> into, std::chrono::milliseconds timeout = kForever) {
    return fill(into, [this, timeout](skl_completion* out, size_t capacity, size_t* count) {
      return skl_queue_wait(raw_.get(), detail::timeout_ms(timeout), out, capacity, count);
    });
  }
  size_t cancel(uint64_t tag, uint64_t mask = UINT64_MAX) {
    return skl_queue_cancel(raw_.get(), tag, mask);
  }
  // `deadline` counts from this call; 0 means no deadline.
  size_t reschedule(uint64_t tag, uint64_t mask, int32_t priority,
                    std::chrono::microseconds deadline = {}) {
    return skl_queue_reschedule(raw_.get(), tag, mask, priority,
                                static_cast<uint32_t>(deadline.count()));
  }
  // Returns a handle to wait for together with others. The queue owns it.
  Result<intptr_t> event() {
    detail::ErrorRecord error;
    intptr_t handle = 0;
    const skl_result result = skl_queue_event(raw_.get(), &handle, &error.raw);
    if (result < 0) return error.of(result);
    return handle;
  }
  skl_queue* raw() const { return raw_.get(); }

 private:
  friend class Context;
  explicit Queue(skl_queue* raw) : raw_(raw) {}

  template <typename Fill>
  Polled fill(span<Completion> into, Fill fill_some) {
    for (Completion& completion : into) completion = Completion();
    size_t count = 0;
    // A Completion consists only of its raw_.
    const skl_result result =
        fill_some(reinterpret_cast<skl_completion*>(into.data()), into.size(), &count);
    return {result, into.first(count)};
  }

  std::unique_ptr<skl_queue, detail::Destroyer<skl_queue_destroy>> raw_;
};

// ---- Stream
// -----------------------------------------------------------------------------------------

// `answer` is SKL_OK, SKL_END or SKL_WOULD_BLOCK. `bytes` is the filled front of the given span.
struct Streamed {
  skl_result answer = SKL_OK;
  span<std::byte> bytes;
};

class Stream {
 public:
  // Reads what has arrived. Never waits for the disk.
  Result<Streamed> read(span<std::byte> into) {
    return take(into, [&](size_t* count, skl_error* error) {
      return skl_stream_read(raw_.get(), into.data(), into.size(), count, error);
    });
  }
  // Waits until all of `into` is filled.
  Result<Streamed> wait(span<std::byte> into, std::chrono::milliseconds timeout = kForever) {
    return take(into, [&](size_t* count, skl_error* error) {
      return skl_stream_wait(raw_.get(), detail::timeout_ms(timeout), into.data(), into.size(),
                             count, error);
    });
  }
  // Returns false if the position is past the end.
  bool seek(uint64_t position_bytes) {
    return skl_stream_seek(raw_.get(), position_bytes) == SKL_OK;
  }
  StreamInfo about() const {
    StreamInfo info;
    skl_stream_about(raw_.get(), &info);
    return info;
  }
  skl_stream* raw() const { return raw_.get(); }

 private:
  friend class Context;
  explicit Stream(skl_stream* raw) : raw_(raw) {}

  template <typename Read>
  Result<Streamed> take(span<std::byte> into, Read read_some) {
    detail::ErrorRecord error;
    size_t count = 0;
    const skl_result result = read_some(&count, &error.raw);
    if (result < 0) return error.of(result);
    return Streamed{result, into.first(count)};
  }

  std::unique_ptr<skl_stream, detail::Destroyer<skl_stream_close>> raw_;
};

// ---- Context
// ----------------------------------------------------------------------------------------

struct Found {
  skl_asset asset = 0;
  uint64_t size_bytes = 0;
};

// A sorted snapshot of all paths. The strings that it returns are views into it.
class Directory {
 public:
  struct Entry {
    std::string_view path;
    skl_asset asset = 0;  // 0: a folder
    uint64_t size_bytes = 0;
    bool is_folder() const { return asset == 0; }
  };
  // Calls visit(entry) for the files whose paths begin with `prefix`, until it returns false.
  template <typename Visit>
  void files(Text prefix, Visit visit) const {
    pages(skl_directory_list, prefix, visit);
  }
  // The same for the files and folders directly in a folder.
  template <typename Visit>
  void children(Text folder, Visit visit) const {
    pages(skl_directory_children, folder, visit);
  }
  const skl_directory* raw() const { return raw_.get(); }

 private:
  friend class Context;
  explicit Directory(skl_directory* raw) : raw_(raw) {}

  template <typename Page, typename Visit>
  void pages(Page page, Text where, Visit& visit) const {
    skl_entry entries[64];
    uint64_t cursor = 0;
    size_t count = 0;
    while (page(raw_.get(), where.get(), &cursor, entries, 64, &count) == SKL_OK)
      for (size_t i = 0; i < count; ++i)
        if (!visit(Entry{{entries[i].path, entries[i].length_bytes},
                         entries[i].asset,
                         entries[i].size_bytes}))
          return;
  }

  std::unique_ptr<skl_directory, detail::Destroyer<skl_directory_destroy>> raw_;
};

class Context {
 public:
  using OnCanary = std::function<void(const skl_canary&)>;

  Context(Context&&) noexcept = default;
  // Destroys the old context before the canary function that its threads call.
  Context& operator=(Context&& other) noexcept {
    Context taken(std::move(other));
    std::swap(on_canary_, taken.on_canary_);
    std::swap(raw_, taken.raw_);
    return *this;
  }

  // `on_canary`, if given, replaces options.on_canary. It is called from any thread, concurrently,
  // and reading stops meanwhile. It may not call the library.
  static Result<Context> create(const ContextOptions& options = {}, OnCanary on_canary = nullptr) {
    detail::ErrorRecord error;
    auto canary = on_canary ? std::make_unique<OnCanary>(std::move(on_canary)) : nullptr;
    skl_context_options taken = options;
    if (canary != nullptr) {
      taken.on_canary = [](void* user, const skl_canary* of) {
        (*static_cast<OnCanary*>(user))(*of);
      };
      taken.canary_user = canary.get();
    }
    skl_context* raw = nullptr;
    const skl_result result = skl_context_create(&taken, &raw, &error.raw);
    if (result < 0) return error.of(result);
    return Context(raw, std::move(canary));
  }

  Result<skl_mount_id> mount(Text path, const MountOptions& options = {}) {
    detail::ErrorRecord error;
    skl_mount_id id = 0;
    const skl_result result = skl_mount(raw_.get(), path.get(), &options, &id, &error.raw);
    if (result < 0) return error.of(result);
    return id;
  }
  // Mounts a single pack or a zip that is already open.
  Result<skl_mount_id> mount_file(Text name, const File& file, const MountOptions& options = {}) {
    detail::ErrorRecord error;
    skl_mount_id id = 0;
    const skl_result result =
        skl_mount_file(raw_.get(), name.get(), &file, &options, &id, &error.raw);
    if (result < 0) return error.of(result);
    return id;
  }
  Result<void> unmount(skl_mount_id mount) {
    detail::ErrorRecord error;
    return error.done(skl_unmount(raw_.get(), mount, &error.raw));
  }
  // Succeeds while the folder is being watched; see skl_mount_watched.
  Result<void> watched(skl_mount_id mount) const {
    detail::ErrorRecord error;
    return error.done(skl_mount_watched(raw_.get(), mount, &error.raw));
  }
  // Calls visit(path, found) for every visible path, until it returns false.
  template <typename Visit>
  Result<void> list(Visit visit) const {
    detail::ErrorRecord error;
    return error.done(skl_list(raw_.get(), visitor<Visit>, &visit, &error.raw));
  }
  // The same for the assets that a sweep of the scenario hands out, in that order.
  template <typename Visit>
  Result<void> list_scenario(Text scenario, Visit visit) const {
    detail::ErrorRecord error;
    return error.done(
        skl_list_scenario(raw_.get(), scenario.get(), visitor<Visit>, &visit, &error.raw));
  }
  Result<Directory> directory() const {
    detail::ErrorRecord error;
    skl_directory* raw = nullptr;
    const skl_result result = skl_directory_create(raw_.get(), &raw, &error.raw);
    if (result < 0) return error.of(result);
    return Directory(raw);
  }

  // Finds a path. A miss costs no more than a hit.
  std::optional<Found> find(std::string_view path) const {
    Found found;
    if (skl_find_bytes(raw_.get(), path.data(), path.size(), &found.asset, &found.size_bytes) !=
        SKL_OK)
      return {};
    return found;
  }
  // Hashes a path for find_hashed.
  skl_path_hash hash(std::string_view path) const {
    skl_path_hash hash{};
    skl_hash_path(raw_.get(), path.data(), path.size(), &hash);
    return hash;
  }
  // Fails with SKL_STALE if mounting has changed the seed; then hash the path again.
  Result<std::optional<Found>> find_hashed(const skl_path_hash& path) const {
    Found found;
    const skl_result result = skl_find_hashed(raw_.get(), &path, &found.asset, &found.size_bytes);
    if (result == SKL_OK) return std::optional(found);
    if (result == SKL_NOT_FOUND) return std::optional<Found>();
    return detail::ErrorRecord().of(result);
  }
  // Returns none if the number isn't an asset, or no longer one.
  std::optional<AssetInfo> about(skl_asset asset) const {
    AssetInfo info;
    if (skl_asset_about(raw_.get(), asset, &info) != SKL_OK) return {};
    return info;
  }
  Result<std::string> path(skl_asset asset) const {
    detail::ErrorRecord error;
    std::string path;
    size_t length = 0;
    skl_result result = skl_asset_path(raw_.get(), asset, nullptr, 0, &length, &error.raw);
    if (length > 0) {
      path.resize(length);
      result = skl_asset_path(raw_.get(), asset, path.data(), length + 1, nullptr, &error.raw);
    }
    if (result < 0) return error.of(result);
    return path;
  }
  Result<skl_hash> hash(skl_asset asset) const {
    detail::ErrorRecord error;
    skl_hash hash{};
    const skl_result result = skl_asset_hash(raw_.get(), asset, &hash, &error.raw);
    if (result < 0) return error.of(result);
    return hash;
  }
  // Returns how many bytes were read.
  Result<size_t> read(skl_asset asset, uint64_t offset_bytes, span<std::byte> into) const {
    detail::ErrorRecord error;
    size_t got = 0;
    const skl_result result =
        skl_read(raw_.get(), asset, offset_bytes, into.data(), into.size(), &got, &error.raw);
    if (result < 0) return error.of(result);
    return got;
  }
  Result<std::vector<std::byte>> read(const Found& found) const {
    std::vector<std::byte> bytes(found.size_bytes);
    const auto got = read(found.asset, 0, bytes);
    if (!got) return unexpected(got.error());
    bytes.resize(*got);
    return bytes;
  }
  // Returns the asset without a copy; see skl_map.
  Result<Lease> map(skl_asset asset) const {
    detail::ErrorRecord error;
    skl_lease lease{};
    const skl_result result = skl_map(raw_.get(), asset, &lease, &error.raw);
    if (result < 0) return error.of(result);
    return Lease(lease);
  }

  Result<Sweep> sweep(Text scenario) {
    detail::ErrorRecord error;
    skl_sweep* raw = nullptr;
    const skl_result result = skl_sweep_open(raw_.get(), scenario.get(), &raw, &error.raw);
    if (result < 0) return error.of(result);
    return Sweep(raw);
  }
  // Null means no scenario.
  Result<void> set_scenario(Text scenario) {
    detail::ErrorRecord error;
    return error.done(skl_context_set_scenario(raw_.get(), scenario.get(), &error.raw));
  }
  // Sweeps all of the latest mount, which must be a single pack.
  Result<Sweep> sweep_all() { return sweep(Text(static_cast<const char*>(nullptr))); }

  Result<Queue> queue(const QueueOptions& options = {}) {
    detail::ErrorRecord error;
    skl_queue* raw = nullptr;
    const skl_result result = skl_queue_create(raw_.get(), &options, &raw, &error.raw);
    if (result < 0) return error.of(result);
    return Queue(raw);
  }

  Result<Stream> stream(skl_asset asset, const StreamOptions& options = {}) {
    detail::ErrorRecord error;
    skl_stream* raw = nullptr;
    const skl_result result = skl_stream_open(raw_.get(), asset, &options, &raw, &error.raw);
    if (result < 0) return error.of(result);
    return Stream(raw);
  }
  // For a context with SKL_BACKEND_PUMP. Returns SKL_OK, SKL_END, SKL_WOULD_BLOCK or SKL_INVALID.
  skl_result pump(std::chrono::microseconds budget) {
    return skl_pump(raw_.get(), static_cast<uint64_t>(budget.count()));
  }

  // Returns a ticket for cancelling.
  Result<uint64_t> prefetch(Text scenario) {
    detail::ErrorRecord error;
    uint64_t ticket = 0;
    const skl_result result = skl_prefetch(raw_.get(), scenario.get(), &ticket, &error.raw);
    if (result < 0) return error.of(result);
    return ticket;
  }
  // Returns false if the prefetch has ended.
  bool cancel_prefetch(uint64_t ticket) {
    return skl_prefetch_cancel(raw_.get(), ticket) == SKL_OK;
  }

  Stats stats() const {
    Stats found;
    skl_stats_get(raw_.get(), &found);
    return found;
  }
  void reset_stats() { skl_stats_reset(raw_.get()); }
  // Calls visit(asset, bytes, held) for each asset with unreleased leases.
  template <typename Visit>
  void pins(Visit visit) const {
    const auto call = [](void* user, skl_asset asset, uint64_t bytes, uint64_t held_ms) {
      (*static_cast<Visit*>(user))(asset, bytes, std::chrono::milliseconds(held_ms));
    };
    skl_stats_pins(raw_.get(), call, &visit);
  }

  Result<void> start_recording(Text path, const RecorderOptions& options = {}) {
    detail::ErrorRecord error;
    return error.done(skl_recorder_start(raw_.get(), path.get(), &options, &error.raw));
  }
  Result<void> start_uploads(skl_mount_id mount, Text path, const UploadOptions& options) {
    detail::ErrorRecord error;
    return error.done(
        skl_recorder_start_uploads(raw_.get(), mount, path.get(), &options, &error.raw));
  }
  Result<void> mark(Text scenario) {
    return detail::ErrorRecord().done(skl_recorder_mark(raw_.get(), scenario.get()));
  }
  Result<void> end_scenario() { return mark(Text(static_cast<const char*>(nullptr))); }
  // Returns the number of lost events.
  Result<uint64_t> stop_recording() {
    detail::ErrorRecord error;
    uint64_t lost = 0;
    const skl_result result = skl_recorder_stop(raw_.get(), &lost, &error.raw);
    if (result < 0) return error.of(result);
    return lost;
  }

  skl_context* raw() const { return raw_.get(); }

 private:
  Context(skl_context* raw, std::unique_ptr<OnCanary> on_canary)
      : on_canary_(std::move(on_canary)), raw_(raw) {}

  template <typename Visit>
  static int visitor(void* user, const char* path, skl_asset asset, uint64_t size_bytes) {
    return (*static_cast<Visit*>(user))(path, Found{asset, size_bytes}) ? 0 : 1;
  }

  std::unique_ptr<OnCanary> on_canary_;  // outlives raw_, whose threads call it
  std::unique_ptr<skl_context, detail::Destroyer<skl_context_destroy>> raw_;
};

// ---- Hashing
// ----------------------------------------------------------------------------------------

class Hasher {
 public:
  static Result<Hasher> create() {
    skl_hasher* raw = nullptr;
    const skl_result result = skl_hasher_create(&raw);
    if (result < 0) return detail::ErrorRecord().of(result);
    return Hasher(raw);
  }
  void reset() { skl_hasher_reset(raw_.get()); }
  void update(span<const std::byte> bytes) {
    skl_hasher_update(raw_.get(), bytes.data(), bytes.size());
  }
  skl_hash finish() const {
    skl_hash hash{};
    skl_hasher_finish(raw_.get(), &hash);
    return hash;
  }

 private:
  explicit Hasher(skl_hasher* raw) : raw_(raw) {}
  std::unique_ptr<skl_hasher, detail::Destroyer<skl_hasher_destroy>> raw_;
};

}  // the inline namespace
}  // namespace skl

#endif
