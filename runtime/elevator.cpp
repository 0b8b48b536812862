#include "runtime/elevator.h"

#include <algorithm>

namespace seekless::runtime {
namespace {

// Cost of one seek; the allowance is counted in millionths of a seek.
constexpr uint64_t kSeek = 1'000'000;
constexpr uint64_t kSecondUs = 1'000'000;
constexpr uint64_t kNearlyDoneReads = 8;
constexpr size_t kMostGathered = 64;  // a disk takes about 0.7 s for this many reads

}  // namespace

Urgency urgency_of(int32_t priority) {
  if (priority >= 100) return Urgency::urgent;
  if (priority >= 0) return Urgency::normal;
  return priority > -100 ? Urgency::stream : Urgency::prefetch;
}

Elevator::Elevator(const ElevatorOptions& options, const Memory& memory) : nodes_(memory) {
  set_options(options);
}

void Elevator::set_options(const ElevatorOptions& options) {
  options_ = options;
  // A bypass needs two seeks: one there and one back.
  most_allowance_ = std::max<uint64_t>(2, options.bypasses_per_second / 5) * kSeek;
  allowance_ = most_allowance_;
}

bool Elevator::is_in_reach(const Entry& entry) const {
  return entry.wish.file == scan_file_ && entry.wish.place_bytes >= scan_bytes_ &&
         entry.wish.place_bytes <= scan_end_bytes_ + options_.gap_bytes;
}

bool Elevator::joins_pass(const Entry& entry) const {
  return !pass().empty() && now_us_ - pass_began_us_ < options_.pass_us &&
         entry.wish.place_bytes >= scan_bytes_;
}

Elevator::Keys& Elevator::home_of(const Entry& entry) {
  if (entry.urgency == Urgency::stream) return stream_.by_place;
  if (entry.urgency == Urgency::prefetch) return prefetch_.by_place;
  return joins_pass(entry) ? pass() : next_pass();
}

// Returns the time at which the wish becomes urgent.
uint64_t Elevator::due_of(const Wish& wish, Urgency urgency) const {
  if (urgency == Urgency::urgent) return wish.asked_us;
  if (wish.deadline_us == 0) return kNever;
  return wish.deadline_us - std::min(wish.deadline_us, options_.notice_us);
}

Elevator::Keys* Elevator::ages_of(Urgency urgency) {
  if (urgency == Urgency::stream) return &stream_.by_age;
  return urgency == Urgency::prefetch ? &prefetch_.by_age : nullptr;
}

void Elevator::add(const Wish& wish) {
  refill(wish.asked_us);
  Entry& entry = entries_.try_emplace(wish.id).first->second;
  entry = {.wish = wish, .urgency = urgency_of(wish.priority), .since_us = now_us_};
  entry.due_us = due_of(wish, entry.urgency);
  entry.home = &home_of(entry);
  try {
    entry.home->emplace(wish.place_bytes, wish.id);
    if (entry.due_us != kNever) due_.emplace(entry.due_us, wish.id);
    if (Keys* const ages = ages_of(entry.urgency)) ages->emplace(now_us_, wish.id);
  } catch (...) {
    forget(entry);
    throw;
  }
}

bool Elevator::remove(uint64_t id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return false;
  forget(found->second);
  return true;
}

void Elevator::forget(const Entry& entry) {
  const uint64_t id = entry.wish.id;
  entry.home->erase({entry.wish.place_bytes, id});
  due_.erase({entry.due_us, id});
  if (Keys* const ages = ages_of(entry.urgency)) ages->erase({entry.since_us, id});
  entries_.erase(id);
}

bool Elevator::reschedule(uint64_t id, int32_t priority, uint64_t deadline_us, uint64_t now_us) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return false;
  refill(now_us);
  Entry& entry = found->second;
  Entry changed = entry;
  changed.urgency = urgency_of(priority);
  changed.wish.priority = priority;
  changed.wish.deadline_us = deadline_us;
  changed.due_us = due_of(changed.wish, changed.urgency);
  // The steps that allocate come first, because they can be undone.
  const bool is_due_anew = changed.due_us != entry.due_us && changed.due_us != kNever;
  if (is_due_anew) due_.emplace(changed.due_us, id);
  Keys* const ages = changed.urgency != entry.urgency ? ages_of(changed.urgency) : nullptr;
  try {
    if (ages != nullptr) ages->emplace(changed.since_us = now_us_, id);
  } catch (...) {
    if (is_due_anew) due_.erase({changed.due_us, id});
    throw;
  }
  if (changed.due_us != entry.due_us) due_.erase({entry.due_us, id});
  Keys* const old_ages = changed.urgency != entry.urgency ? ages_of(entry.urgency) : nullptr;
  if (old_ages != nullptr) old_ages->erase({entry.since_us, id});
  if (changed.urgency != entry.urgency) {
    changed.home = &home_of(changed);
    changed.home->insert(entry.home->extract({entry.wish.place_bytes, id}));
  }
  entry = changed;
  return true;
}

void Elevator::begin_pass() {
  pass_number_ = 1 - pass_number_;
  pass_began_us_ = now_us_;
  promote(stream_, options_.stream_us);
  promote(prefetch_, options_.prefetch_us);
}

void Elevator::promote(Background& waiting, uint64_t patience_us) {
  for (const auto& [since_us, id] : waiting.by_age) {
    if (now_us_ - since_us < patience_us) return;
    Entry& entry = entries_.at(id);
    if (entry.home != &waiting.by_place) continue;
    pass().insert(waiting.by_place.extract({entry.wish.place_bytes, id}));
    entry.home = &pass();
  }
}

void Elevator::refill(uint64_t now_us) {
  const uint64_t elapsed_us = std::min(now_us - std::min(now_us, now_us_), kSecondUs);
  allowance_ = std::min(most_allowance_, allowance_ + elapsed_us * options_.bypasses_per_second);
  now_us_ = std::max(now_us_, now_us);
}

// Returns true if any request isn't urgent, or isn't urgent yet.
bool Elevator::others_wait() const {
  return due_.size() < entries_.size() || due_.rbegin()->first > now_us_;
}

// Without this limit, a caller that always has urgent requests could monopolise the device: if
// seeks cost nothing, if one read takes as long as earning the allowance for the next seek, or if
// all its requests lie in one place.
void Elevator::count_turn(const Pick& pick, bool is_due, bool others_waited) {
  const uint64_t cost_bytes = pick.length_bytes + options_.gap_bytes;
  if (!others_waited)
    ahead_bytes_ = 0;
  else if (is_due)
    ahead_bytes_ += cost_bytes;
  else
    ahead_bytes_ -= std::min(ahead_bytes_, options_.urgent_share * cost_bytes);
}

Elevator::Gathered Elevator::gather_due() {
  Gathered gathered;
  size_t looked_at = 0;
  // The difference is unsigned, so places ahead of the head come first.
  const auto is_nearer = [this](const Entry& a, const Entry* b) {
    return b == nullptr || a.wish.place_bytes - head_bytes_ < b->wish.place_bytes - head_bytes_;
  };
  for (const auto& [due_us, id] : due_) {
    if (due_us > now_us_ || ++looked_at > kMostGathered) break;
    Entry& entry = entries_.at(id);
    if (is_nearer(entry, gathered.nearest)) gathered.nearest = &entry;
    if (entry.wish.deadline_us == 0) continue;
    ++gathered.count;
    gathered.first_deadline_us = std::min(gathered.first_deadline_us, entry.wish.deadline_us);
    if (is_nearer(entry, gathered.nearest_with_deadline)) gathered.nearest_with_deadline = &entry;
  }
  return gathered;
}

// Within the allowance, picks an urgent wish at once. Beyond it, picks only wishes with a deadline,
// and only if the first deadline leaves just enough time to read all waiting ones, or if the head
// is already there.
Elevator::Entry* Elevator::due_on_a_disk(Entry& first) {
  if (is_in_reach(first)) return &first;
  const Gathered gathered = gather_due();
  Entry& entry = is_away_ ? *gathered.nearest : first;
  const bool goes_on =
      is_away_ && entry.wish.file == head_file_ && entry.wish.place_bytes == head_bytes_;
  const uint64_t cost = goes_on ? 0 : (is_away_ ? 1 : 2) * kSeek;
  if (allowance_ >= cost) {
    allowance_ -= cost;
    return &entry;
  }
  if (gathered.count == 0) return nullptr;
  const uint64_t takes_us = options_.notice_us + gathered.count * options_.seek_us;
  const bool is_near = now_us_ + takes_us >= gathered.first_deadline_us;
  return is_away_ || is_near ? gathered.nearest_with_deadline : nullptr;
}

// Returns an urgent wish that may be served out of turn, or that is adjacent to the latest pick.
Elevator::Entry* Elevator::due() {
  if (due_.empty() || due_.begin()->first > now_us_ || entries_.size() == 1) return nullptr;
  if (ahead_bytes_ >= options_.urgent_reads * options_.most_read_bytes) return nullptr;
  Entry& first = entries_.at(due_.begin()->second);
  return options_.seeks_cost ? due_on_a_disk(first) : &first;
}

Elevator::Entry* Elevator::nearest_ahead(const Keys& keys) {
  if (keys.empty()) return nullptr;
  auto at = keys.lower_bound({scan_bytes_, 0});
  if (at == keys.end()) at = keys.begin();
  return &entries_.at(at->second);
}

Elevator::Entry* Elevator::ordinary() {
  if (pass().empty()) begin_pass();
  for (const Keys* keys : {&pass(), &stream_.by_place, &prefetch_.by_place})
    if (Entry* entry = nearest_ahead(*keys)) return entry;
  return nullptr;
}

// Returns the first wish of the file that begins within [from, to].
const Elevator::Entry* Elevator::neighbour(uint64_t file, uint64_t from_bytes,
                                           uint64_t to_bytes) const {
  const Entry* nearest = nullptr;
  for (const Keys* keys : {&ordinary_[0], &ordinary_[1], &stream_.by_place, &prefetch_.by_place}) {
    const auto at = keys->lower_bound({from_bytes, 0});
    if (at == keys->end() || at->first > to_bytes) continue;
    const Entry& entry = entries_.at(at->second);
    if (entry.wish.file != file || entry.wish.is_whole) continue;
    if (nearest == nullptr || at->first < nearest->wish.place_bytes) nearest = &entry;
  }
  return nearest;
}

void Elevator::take(Entry& entry, uint64_t length_bytes, Pick& pick) {
  Wish& wish = entry.wish;
  pick.parts.push_back({wish.id, wish.place_bytes, length_bytes});
  pick.gap_bytes += wish.place_bytes - (pick.place_bytes + pick.length_bytes);
  pick.length_bytes = wish.place_bytes + length_bytes - pick.place_bytes;
  if (length_bytes == wish.length_bytes) {
    forget(entry);
    return;
  }
  // The rest counts as if it had just arrived. Nodes are moved, so nothing can fail.
  auto node = entry.home->extract({wish.place_bytes, wish.id});
  wish.place_bytes += length_bytes;
  wish.length_bytes -= length_bytes;
  if (entry.urgency > Urgency::normal) {
    Keys& ages = *ages_of(entry.urgency);
    auto age = ages.extract({entry.since_us, wish.id});
    age.value().first = entry.since_us = now_us_;
    ages.insert(std::move(age));
  }
  // A nearly finished wish stays in its pass, or the head would have to come back for it.
  if (entry.home != &pass() || wish.length_bytes > kNearlyDoneReads * options_.most_read_bytes)
    entry.home = &home_of(entry);
  node.value().first = wish.place_bytes;
  entry.home->insert(std::move(node));
}

void Elevator::begin_pick(const Wish& wish, Pick& pick) const {
  pick.file = wish.file;
  pick.place_bytes = wish.place_bytes;
  pick.length_bytes = 0;
  pick.gap_bytes = 0;
  const bool is_same_file = wish.file == head_file_;
  pick.is_seek =
      !is_same_file || wish.place_bytes < head_begin_bytes_ || wish.place_bytes > head_bytes_;
  const bool is_known = is_same_file || (wish.is_placed && is_head_placed_);
  const auto [low, high] = std::minmax(wish.place_bytes, head_bytes_);
  pick.jump_bytes = pick.is_seek && is_known ? high - low : 0;
}

bool Elevator::next(uint64_t now_us, Pick& pick, const Cut& cut) {
  refill(now_us);
  pick.parts.clear();
  if (entries_.empty()) return false;
  const bool others_waited = others_wait();
  Entry* first = due();
  const bool is_due = first != nullptr;
  pick.is_bypass = first != nullptr && !is_in_reach(*first);
  if (first == nullptr) first = ordinary();

  const Wish& wish = first->wish;
  begin_pick(wish, pick);
  const bool is_whole = wish.is_whole;
  is_head_placed_ = wish.is_placed;
  const uint64_t most_bytes = pick.jump_bytes < cut.far_bytes
                                  ? options_.most_read_bytes
                                  : std::min(options_.most_read_bytes, cut.most_after_jump_bytes);
  if (!pick.is_bypass) {
    scan_file_ = pick.file;
    scan_bytes_ = pick.place_bytes;
  }
  take(*first, is_whole ? wish.length_bytes : std::min(wish.length_bytes, most_bytes), pick);
  const uint64_t most_end = pick.place_bytes + most_bytes;
  while (!is_whole && pick.parts.size() < options_.most_parts) {
    const uint64_t end = pick.place_bytes + pick.length_bytes;
    if (end >= most_end) break;
    const uint64_t reach = std::min(end + options_.gap_bytes, most_end - 1);
    const Entry* entry = neighbour(pick.file, end, reach);
    if (entry == nullptr) break;
    take(entries_.at(entry->wish.id),
         std::min(entry->wish.length_bytes, most_end - entry->wish.place_bytes), pick);
  }
  is_away_ = pick.is_bypass;
  if (!is_away_) scan_end_bytes_ = pick.place_bytes + pick.length_bytes;
  head_file_ = pick.file;
  head_begin_bytes_ = pick.place_bytes;
  head_bytes_ = pick.place_bytes + pick.length_bytes;
  count_turn(pick, is_due, others_waited);
  return true;
}

std::optional<PickedPart> Elevator::following() const {
  if (is_away_) return std::nullopt;
  const Entry* entry = neighbour(scan_file_, scan_end_bytes_, scan_end_bytes_ + options_.gap_bytes);
  if (entry == nullptr) return std::nullopt;
  return PickedPart{entry->wish.id, entry->wish.place_bytes,
                    std::min(entry->wish.length_bytes, options_.most_read_bytes)};
}

uint64_t Elevator::adjoining_bytes(uint64_t enough_bytes) const {
  if (is_away_) return 0;
  constexpr int kMostWishes = 64;  // limits the time under the scheduler's lock
  uint64_t end = scan_end_bytes_;
  for (int i = 0; i < kMostWishes && end - scan_end_bytes_ < enough_bytes; ++i) {
    const Entry* const entry = neighbour(scan_file_, end, end);
    if (entry == nullptr) break;
    end += entry->wish.length_bytes;
  }
  return end - scan_end_bytes_;
}

}  // namespace seekless::runtime
