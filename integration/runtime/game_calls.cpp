#include "integration/runtime/game_calls.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

#include "integration/runtime/faults.h"

using faults::Inside;

namespace {

skl_error error_record() {
  skl_error error = {};
  error.struct_bytes = sizeof(error);
  return error;
}

skl_request request_of(skl_asset asset) {
  skl_request request = {};
  request.struct_bytes = sizeof(request);
  request.asset = asset;
  request.length_bytes = SKL_TO_THE_END;
  return request;
}

// Runs one call of the library.
template <typename Call>
auto in(Call call) {
  const Inside inside;
  return call();
}

// Returns true if this is a valid answer when memory or threads run out, with the right message.
bool is_of_want(skl_result result, const skl_error* error) {
  constexpr int32_t kNoThread = 11;  // EAGAIN
  if (result == SKL_OUT_OF_MEMORY) return true;
  if (error == nullptr) return result == SKL_IO;
  return result == SKL_IO && error->os_error == kNoThread &&
         std::strstr(error->message, "thread") != nullptr;
}

}  // namespace

void fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::_Exit(1);
}

// Keeps the first failure of several calls; a failure for any reason other than lack of memory or
// threads is wrong.
class Game::Worst {
 public:
  bool take(skl_result result, const skl_error* error = nullptr) {
    if (result >= 0) return true;
    if (!is_of_want(result, error))
      fail(std::string("wrong answer: ") + skl_result_name(result) + ": " +
           (error != nullptr ? error->message : ""));
    if (worst == SKL_OK) worst = result;
    return false;
  }
  skl_result worst = SKL_OK;
};

Content::Content(std::string mounted_path, const std::string& folder)
    : path(std::move(mounted_path)) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[std::filesystem::relative(entry.path(), folder).string()] = {
        std::istreambuf_iterator<char>(file), {}};
  }
}

Game::Game(const Content& content, const skl_context_options& options)
    : content_(content), options_(options) {
  skl_error error = error_record();
  const bool opened = in([&] {
    return skl_context_create(&options_, &context_, &error) == SKL_OK &&
           skl_mount(context_, content_.path.c_str(), nullptr, nullptr, &error) == SKL_OK;
  });
  if (!opened) fail(error.message);
  for (const auto& [name, bytes] : content_.files) {
    skl_asset asset = 0;
    const skl_result found = in([&] { return skl_find(context_, name.c_str(), &asset, nullptr); });
    if (found != SKL_OK) fail(name + ": isn't found");
    files_.push_back({name, asset, &bytes});
  }
}

Game::~Game() {
  in([&] { skl_context_destroy(context_); });
}

const Game::File& Game::file(skl_asset asset) const {
  const auto found = std::ranges::find(files_, asset, &File::asset);
  if (found == files_.end()) fail("an asset that isn't there");
  return *found;
}

skl_result Game::create_another() {
  skl_error error = error_record();
  skl_context* another = nullptr;
  const skl_result result = in([&] { return skl_context_create(&options_, &another, &error); });
  Worst worst;
  if (worst.take(result, &error)) in([&] { skl_context_destroy(another); });
  return worst.worst;
}

skl_result Game::mount_and_unmount() {
  Worst worst;
  skl_error error = error_record();
  skl_mount_options options = {};
  options.struct_bytes = sizeof(options);
  options.at = "another";
  const char* const deletions[] = {"nothing", "no/such/folder/"};
  options.deletions = deletions;
  options.deletion_count = 2;
  skl_mount_id id = 0;
  if (worst.take(
          in([&] { return skl_mount(context_, content_.path.c_str(), &options, &id, &error); }),
          &error)) {
    // A mount that couldn't be unmounted still exists, and works.
    for (int i = 0; i < 3; ++i) {
      if (worst.take(in([&] { return skl_unmount(context_, id, &error); }), &error)) break;
      skl_asset asset = 0;
      const std::string name = "another/" + files_.front().name;
      if (skl_find(context_, name.c_str(), &asset, nullptr) != SKL_OK) fail("is half unmounted");
      if (i == 1 && gives_up != nullptr) gives_up();
      if (i == 2) fail("can't be unmounted");
    }
  }
  return worst.worst;
}

skl_result Game::look_up() {
  Worst worst;
  skl_error error = error_record();
  int count = 0;
  const auto visit = [](void* user, const char*, skl_asset, uint64_t) {
    ++*static_cast<int*>(user);
    return 0;
  };
  if (worst.take(in([&] { return skl_list(context_, visit, &count, &error); }), &error) &&
      static_cast<size_t>(count) != files_.size())
    fail("skl_list: " + std::to_string(count) + " paths");
  for (const File& of : files_) {
    char path[200];
    skl_hash hash;
    if (worst.take(in([&] {
                     return skl_asset_path(context_, of.asset, path, sizeof(path), nullptr, &error);
                   }),
                   &error) &&
        of.name != path)
      fail("skl_asset_path: " + of.name + " is " + path);
    worst.take(in([&] { return skl_asset_hash(context_, of.asset, &hash, &error); }), &error);
  }
  return worst.worst;
}

skl_result Game::read_whole() {
  Worst worst;
  skl_error error = error_record();
  for (const File& of : files_) {
    std::string bytes(of.bytes->size(), '?');
    const skl_result result = in([&] {
      return skl_read(context_, of.asset, 0, bytes.data(), bytes.size(), nullptr, &error);
    });
    if (worst.take(result, &error) && bytes != *of.bytes) fail(of.name + ": other bytes are read");
  }
  return worst.worst;
}

skl_result Game::read_parts() {
  Worst worst;
  skl_error error = error_record();
  for (const File& of : files_) {
    if (of.bytes->size() < 3) continue;
    std::string part(of.bytes->size() - 2, '?');
    const skl_result result = in(
        [&] { return skl_read(context_, of.asset, 1, part.data(), part.size(), nullptr, &error); });
    if (worst.take(result, &error) && of.bytes->substr(1, part.size()) != part)
      fail(of.name + ": other bytes are read of a part");
  }
  return worst.worst;
}

void Game::take(const skl_completion& completion, const std::vector<std::string>& destinations,
                Worst& worst) const {
  const File& of = files_[completion.tag];
  if (completion.result < 0) {
    worst.take(completion.result, static_cast<const skl_error*>(completion.user));
    if (completion.lease.block != nullptr) fail(of.name + ": a failure brings a lease");
    return;
  }
  if (completion.read_bytes != of.bytes->size()) fail(of.name + ": is cut short");
  const bool is_lent = completion.lease.block != nullptr;
  const std::string_view got =
      is_lent ? std::string_view(static_cast<const char*>(completion.lease.data),
                                 completion.lease.size_bytes)
              : std::string_view(destinations[completion.tag]);
  if (completion.read_bytes > 0 && got != *of.bytes) fail(of.name + ": other bytes are requested");
  if (is_lent) in([&] { skl_lease_release(&completion.lease); });
}

skl_result Game::queue(bool lends) {
  constexpr size_t kMostLeaseBytes = 65536;
  Worst worst;
  skl_error error = error_record();
  skl_queue* queue = nullptr;
  if (!worst.take(in([&] { return skl_queue_create(context_, nullptr, &queue, &error); }), &error))
    return worst.worst;
  std::vector<std::string> destinations(files_.size());
  std::vector<skl_error> errors(files_.size(), error_record());
  std::vector<skl_request> requests;
  for (size_t i = 0; i < files_.size(); ++i) {
    if (lends && files_[i].bytes->size() > kMostLeaseBytes) continue;
    skl_request& request = requests.emplace_back(request_of(files_[i].asset));
    destinations[i].assign(files_[i].bytes->size() + 1, '?');
    if (!lends) request.destination = destinations[i].data();
    destinations[i].pop_back();
    request.priority = i % 3 == 0 ? SKL_PRIORITY_URGENT : SKL_PRIORITY_NORMAL;
    request.deadline_us = i % 4 == 0 ? 1 : 0;
    request.tag = i;
    request.error = &errors[i];
    request.user = &errors[i];
  }
  size_t accepted = 0;
  const skl_result submitted = in(
      [&] { return skl_queue_submit(queue, requests.data(), requests.size(), &accepted, &error); });
  worst.take(submitted, &error);
  size_t answered = 0;
  while (answered < accepted) {
    skl_completion completions[4] = {};
    completions[0].struct_bytes = sizeof(skl_completion);
    size_t count = 0;
    const skl_result waited =
        in([&] { return skl_queue_wait(queue, UINT32_MAX, completions, 4, &count); });
    if (waited != SKL_OK) fail("skl_queue_wait: requests are lost");
    for (size_t i = 0; i < count; ++i) take(completions[i], destinations, worst);
    answered += count;
  }
  in([&] { skl_queue_destroy(queue); });
  return worst.worst;
}

skl_result Game::queue_into_memory() {
  return queue(false);
}

skl_result Game::queue_leases() {
  return queue(true);
}

skl_result Game::cancel() {
  Worst worst;
  skl_error error = error_record();
  skl_queue* queue = nullptr;
  if (!worst.take(in([&] { return skl_queue_create(context_, nullptr, &queue, &error); }), &error))
    return worst.worst;
  std::vector<std::string> destinations;
  // Short strings lie inside the vector's elements, so these must not move.
  destinations.reserve(files_.size());
  size_t taken = 0;
  for (const File& of : files_) {
    std::string& destination = destinations.emplace_back(of.bytes->size(), '?');
    skl_request request = request_of(of.asset);
    request.tag = taken;
    request.destination = destination.data();
    size_t accepted = 0;
    worst.take(in([&] { return skl_queue_submit(queue, &request, 1, &accepted, &error); }), &error);
    taken += accepted;
  }
  in([&] { return skl_queue_cancel(queue, 1, 1); });
  for (size_t count = 0; taken > 0; taken -= count) {
    skl_completion completion = {};
    completion.struct_bytes = sizeof(completion);
    if (in([&] { return skl_queue_wait(queue, UINT32_MAX, &completion, 1, &count); }) != SKL_OK)
      fail("skl_queue_wait: requests are lost after cancelling");
    if (completion.result != SKL_CANCELLED) worst.take(completion.result);
  }
  in([&] { skl_queue_destroy(queue); });
  return worst.worst;
}

void Game::take(const skl_lease& lease, std::map<skl_asset, std::string>& got) const {
  std::string& bytes = got[lease.asset];
  if (bytes.size() != lease.offset_bytes) fail("a sweep brings a part twice, or not in order");
  bytes.append(static_cast<const char*>(lease.data), lease.size_bytes);
  in([&] { skl_lease_release(&lease); });
}

skl_result Game::sweep() {
  constexpr int kPatience = 3;
  Worst worst;
  skl_error error = error_record();
  skl_sweep* sweep = nullptr;
  const skl_result opened = in([&] { return skl_sweep_open(context_, "map", &sweep, &error); });
  if (opened == SKL_NOT_FOUND) return SKL_OK;  // folders and zips have none
  if (!worst.take(opened, &error)) return worst.worst;
  std::map<skl_asset, std::string> got;
  for (int failures = 0;;) {
    skl_lease lease;
    if (got.size() == 3)
      worst.take(in([&] { return skl_sweep_want(sweep, files_.back().asset, &error); }), &error);
    const skl_result result = in([&] { return skl_sweep_wait(sweep, UINT32_MAX, &lease, &error); });
    if (result == SKL_END) break;
    if (worst.take(result, &error)) {
      take(lease, got);
    } else if (++failures == kPatience && gives_up != nullptr) {
      gives_up();
    } else if (failures > 100) {
      fail("the sweep fails on and on");
    }
  }
  for (const File& of : files_) {
    if (of.bytes->empty()) continue;  // nothing of it was read when the scenario was recorded
    const auto found = got.find(of.asset);
    if (found == got.end() || found->second != *of.bytes)
      fail(of.name + ": the sweep " + (found == got.end() ? "lost it" : "brought other bytes"));
  }
  in([&] { skl_sweep_close(sweep); });
  return worst.worst;
}

skl_result Game::stream() {
  constexpr int kPatience = 3;
  Worst worst;
  skl_error error = error_record();
  skl_stream_options options = {};
  options.struct_bytes = sizeof(options);
  options.ahead_bytes = 64 * 1024;
  int failures = 0;
  for (const File& of : files_) {
    skl_stream* stream = nullptr;
    if (!worst.take(
            in([&] { return skl_stream_open(context_, of.asset, &options, &stream, &error); }),
            &error))
      continue;
    std::string bytes(of.bytes->size() + 1, '?');
    size_t at = 0;
    for (;;) {
      size_t got = 0;
      const skl_result result = in([&] {
        return skl_stream_wait(stream, UINT32_MAX, bytes.data() + at, bytes.size() - at, &got,
                               &error);
      });
      at += got;
      if (result == SKL_END) break;
      if (worst.take(result, &error)) continue;
      if (++failures == kPatience && gives_up != nullptr) gives_up();
      if (failures > 100) fail("a stream fails on and on");
    }
    if (bytes.substr(0, at) != *of.bytes) fail(of.name + ": other bytes are streamed");
    in([&] { skl_stream_close(stream); });
  }
  return worst.worst;
}

namespace {

struct Told {
  static void on_change(void* user, const skl_change* change) {
    auto& self = *static_cast<Told*>(user);
    ++(change->kind == SKL_CHANGE_UNWATCHED ? self.unwatched : self.changes);
  }
  bool wait(int most_ms) const {
    for (int i = 0; i < most_ms && changes == 0 && unwatched == 0; ++i) ::usleep(1000);
    return changes > 0 || unwatched > 0;
  }
  std::atomic<int> changes = 0;
  std::atomic<int> unwatched = 0;
};

}  // namespace

skl_result Game::watch() {
  const std::filesystem::path folder = trace + ".watched";
  std::filesystem::create_directories(folder);
  Told told;
  Worst worst;
  skl_error error = error_record();
  skl_mount_options options = {};
  options.struct_bytes = sizeof(options);
  options.at = "watched";
  options.on_change = &Told::on_change;
  options.change_user = &told;
  skl_mount_id id = 0;
  if (worst.take(in([&] { return skl_mount(context_, folder.c_str(), &options, &id, &error); }),
                 &error)) {
    std::ofstream(folder / "new") << "new";
    // The library keeps trying while there is no memory at all.
    const bool is_told = told.wait(300);
    if (gives_up != nullptr) gives_up();
    if (!is_told && !told.wait(10'000)) fail("a change is never told");
    if (in([&] { return skl_unmount(context_, id, &error); }) != SKL_OK) fail(error.message);
  }
  std::filesystem::remove_all(folder);
  return worst.worst;
}

skl_result Game::prefetch() {
  Worst worst;
  skl_error error = error_record();
  uint64_t ticket = 0;
  const skl_result begun = in([&] { return skl_prefetch(context_, "map", &ticket, &error); });
  if (begun == SKL_NOT_FOUND) return SKL_OK;
  if (worst.take(begun, &error)) in([&] { skl_prefetch_cancel(context_, ticket); });
  const auto visit = [](void*, skl_asset, uint64_t, uint64_t) {};
  in([&] { skl_stats_pins(context_, visit, nullptr); });
  return worst.worst;
}

skl_result Game::record() {
  Worst worst;
  skl_error error = error_record();
  if (!worst.take(in([&] { return skl_recorder_start(context_, trace.c_str(), nullptr, &error); }),
                  &error))
    return worst.worst;
  worst.take(in([&] { return skl_recorder_mark(context_, "map"); }));
  const skl_result read = read_whole();
  if (read != SKL_OK) worst.take(SKL_OUT_OF_MEMORY);
  worst.take(in([&] { return skl_recorder_mark(context_, nullptr); }));
  uint64_t lost = 0;
  worst.take(in([&] { return skl_recorder_stop(context_, &lost, &error); }), &error);
  if (worst.worst == SKL_OK && lost > 0) worst.take(SKL_OUT_OF_MEMORY);
  return worst.worst;
}

// Destroys the context while a queue, a sweep, a prefetch and a recorder are at work.
skl_result Game::leave_everything_open() {
  Worst worst;
  skl_error error = error_record();
  skl_context* context = nullptr;
  if (!worst.take(in([&] { return skl_context_create(&options_, &context, &error); }), &error))
    return worst.worst;
  skl_queue* queue = nullptr;
  skl_sweep* sweep = nullptr;
  std::vector<std::string> destinations;
  // Short strings lie inside the vector's elements, so these must not move.
  destinations.reserve(files_.size());
  const auto take = [&](skl_result result) {
    return result == SKL_NOT_FOUND || worst.take(result, &error);
  };
  if (take(in(
          [&] { return skl_mount(context, content_.path.c_str(), nullptr, nullptr, &error); }))) {
    take(in([&] { return skl_recorder_start(context, trace.c_str(), nullptr, &error); }));
    take(in([&] { return skl_prefetch(context, "map", nullptr, &error); }));
    if (!take(in([&] { return skl_sweep_open(context, "map", &sweep, &error); }))) sweep = nullptr;
    if (!take(in([&] { return skl_queue_create(context, nullptr, &queue, &error); })))
      queue = nullptr;
    skl_lease lease = {};
    if (sweep != nullptr && take(in([&] { return skl_sweep_next(sweep, &lease, &error); })) &&
        lease.block != nullptr)
      in([&] { skl_lease_release(&lease); });
    for (const File& of : files_) {
      skl_request request = request_of(0);
      in([&] { return skl_find(context, of.name.c_str(), &request.asset, nullptr); });
      request.destination = destinations.emplace_back(of.bytes->size() + 1, '?').data();
      if (queue != nullptr)
        take(in([&] { return skl_queue_submit(queue, &request, 1, nullptr, &error); }));
    }
  }
  in([&] { skl_context_destroy(context); });
  in([&] { skl_sweep_close(sweep); });
  in([&] { skl_queue_destroy(queue); });
  return worst.worst;
}
