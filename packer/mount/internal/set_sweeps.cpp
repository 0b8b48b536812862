#include "packer/mount/internal/set_sweeps.h"

#include <algorithm>

#include "packer/foresee/longest_wait.h"

namespace seekless {
namespace {

constexpr uint32_t kLookAgainMs = 200;  // how often a sweep checks whether it must end
constexpr std::string_view kTypicalEnd = "/typical";

// Presents each asset as a file of one page. Assets that all scenarios need form the core.
Learned as_learned(const SetTree& tree) {
  Learned learned;
  for (uint32_t i = 0; i < tree.scenarios().size(); ++i) {
    LearnedScenario scenario = {tree.scenarios()[i], 1, tree.scenarios().size() > 1, {}};
    // The typical scenario has what most maps need. It isn't a map, so no reads start its sweep.
    if (!scenario.name.ends_with(kTypicalEnd))
      for (const uint32_t file : tree.order_of(i)) scenario.pages.push_back({page_key(file, 0), 1});
    else
      scenario.is_start = false;
    learned.scenarios.push_back(std::move(scenario));
  }
  return learned;
}

}  // namespace

SetSweeps::SetSweeps(skl_context* context, const SetTree& tree, bool sweeps, Warn warn)
    : context_(context), tree_(tree), sweeps_(sweeps), warn_(std::move(warn)) {
  if (sweeps_) sweeping_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

SetSweeps::~SetSweeps() {
  sweeping_.request_stop();
  if (sweeping_.joinable()) sweeping_.join();
}

void SetSweeps::start(uint32_t scenario) {
  const std::lock_guard lock(mutex_);
  if (!sweeps_ || std::ranges::find(waiting_, scenario) != waiting_.end()) return;
  waiting_.push_back(scenario);
  changed_.notify_all();
}

void SetSweeps::note_read(uint32_t file) {
  std::optional<uint32_t> scenario;
  {
    const std::lock_guard lock(mutex_);
    if (recogniser_) scenario = recogniser_->note_read(page_key(file, 0));
  }
  if (scenario) start(*scenario);
}

void SetSweeps::wait_for(uint32_t file, uint64_t end_bytes) {
  if (!is_sweeping_.load(std::memory_order_relaxed)) return;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kLongestWait, [&] {
    const auto found = on_its_way_.find(file);
    return found == on_its_way_.end() || found->second >= end_bytes;
  });
}

SweepFigures SetSweeps::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

// Reads the names of all needed files, in the background.
void SetSweeps::prepare() {
  auto recogniser = std::make_unique<Recogniser>(as_learned(tree_));
  const std::lock_guard lock(mutex_);
  recogniser_ = std::move(recogniser);
}

void SetSweeps::run(const std::stop_token& stop) {
  bool is_prepared = false;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (!waiting_.empty()) {
      const uint32_t scenario = waiting_.front();
      lock.unlock();
      sweep(scenario, stop);
      lock.lock();
      waiting_.pop_front();
    } else if (!is_prepared) {
      lock.unlock();
      prepare();
      is_prepared = true;
      lock.lock();
    } else {
      changed_.wait(lock, stop, [this] { return !waiting_.empty(); });
    }
  }
}

void SetSweeps::note_part(const skl_lease& lease) {
  const std::lock_guard lock(mutex_);
  figures_.swept_bytes += lease.size_bytes;
  const auto found = on_its_way_.find(tree_.file_of(lease.asset));
  if (found == on_its_way_.end()) return;
  found->second = lease.offset_bytes + lease.size_bytes;
  if (found->second >= lease.asset_bytes) on_its_way_.erase(found);
  changed_.notify_all();
}

void SetSweeps::sweep(uint32_t scenario, const std::stop_token& stop) {
  skl_error error = {.struct_bytes = sizeof(skl_error)};
  skl_sweep* sweep = nullptr;
  if (skl_sweep_open(context_, tree_.scenarios()[scenario].c_str(), &sweep, &error) != SKL_OK) {
    warn_(error.message);
    return;
  }
  const auto& files = tree_.order_of(scenario);
  {
    const std::lock_guard lock(mutex_);
    ++figures_.sweeps;
    for (const uint32_t file : files) on_its_way_[file] = 0;
    is_sweeping_ = true;
  }
  skl_result answer = SKL_OK;
  while (answer != SKL_END && answer != SKL_CANCELLED && !stop.stop_requested()) {
    skl_lease lease = {};
    answer = skl_sweep_wait(sweep, kLookAgainMs, &lease, &error);
    if (answer == SKL_OK) {
      note_part(lease);
      skl_lease_release(&lease);
    } else if (answer < 0 && answer != SKL_CANCELLED) {
      warn_(error.message);  // the files of that block are left out
      if (answer == SKL_OUT_OF_MEMORY) break;
    }
  }
  skl_sweep_close(sweep);
  const std::lock_guard lock(mutex_);
  on_its_way_.clear();
  is_sweeping_ = false;
  changed_.notify_all();
}

}  // namespace seekless
