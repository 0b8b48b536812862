// Recognises reads that the kernel makes: it reads whole pages, and reads ahead of the program.
// Separates reads that continue an earlier one, as read-ahead does, from reads that begin anew.
// Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <unordered_map>

#include "packer/content/read_coverage.h"
#include "runtime/pack_format.h"

namespace seekless {

class PageReads {
 public:
  // Adds a read of file number `file`. If the read continues a chain of earlier reads, returns
  // where the chain began; otherwise its own offset.
  uint64_t add(uint32_t file, const ArchiveRead& read, uint64_t file_bytes) {
    const uint64_t begin = read.offset_bytes;
    const uint64_t end = begin + read.length_bytes;
    are_all_ = are_all_ && begin % format::kPageBytes == 0 &&
               (end % format::kPageBytes == 0 || end == file_bytes);
    if (!are_all_) return begin;
    auto& chains = chains_[file];
    const auto next = chains.upper_bound(begin);
    are_all_ = next == chains.end() || next->first >= end;
    if (next == chains.begin()) return add_chain(chains, begin, end);
    auto& [chain_begin, chain_end] = *std::prev(next);
    if (chain_end < begin) return add_chain(chains, begin, end);
    are_all_ = are_all_ && chain_end == begin;
    chain_end = std::max(chain_end, end);
    return chain_begin;
  }
  // Notes a read that wasn't of whole pages.
  void add_other() { are_all_ = false; }

  // Returns true if every read so far covered whole pages, up to a file's end, and none of them had
  // been read before. The kernel never rereads cached pages; a program that itself reads whole
  // pages rereads some.
  bool are_all() const { return are_all_; }

 private:
  using Chains = std::map<uint64_t, uint64_t>;  // end of a chain -> its beginning

  static uint64_t add_chain(Chains& chains, uint64_t begin, uint64_t end) {
    chains.emplace(begin, end);
    return begin;
  }

  bool are_all_ = true;
  std::unordered_map<uint32_t, Chains> chains_;
};

// Returns true if the chain of reads that began at `chain_begin` was meant for this asset, as far
// as one read shows. That is so if the read lies in the asset and begins the chain, or if the asset
// contains the end of the chain's first page. The rest of the chain may be read-ahead only.
inline bool leads_into(const Place& place, const ArchiveRead& read, uint64_t chain_begin) {
  if (place.entry == kWholeSource || place.size_bytes == 0) return true;
  if (read.offset_bytes == chain_begin && stays_within(place, read)) return true;
  const uint64_t page_end = chain_begin + format::kPageBytes;
  return place.header_offset_bytes < page_end && read.offset_bytes + read.length_bytes > page_end &&
         page_end < data_begin_bytes(place) + place.stored_bytes;
}

// Returns true if reads of a run that reads only whole pages (PageReads::are_all) touched the asset
// merely as read-ahead. `is_led_into` is true if one of them leads into it.
inline bool is_only_read_ahead(bool is_led_into, const ReadCoverage& coverage) {
  return !is_led_into && !coverage.is_whole();
}

}  // namespace seekless
