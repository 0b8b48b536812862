#include "packer/trace/descriptors.h"

#include <algorithm>
#include <utility>

namespace seekless {

std::shared_ptr<OpenFile> DescriptorTable::find(int32_t number) const {
  const auto found = files_.find(number);
  return found == files_.end() ? nullptr : found->second;
}

void DescriptorTable::set(int32_t number, std::shared_ptr<OpenFile> file) {
  total_ -= files_.size();
  files_.insert_or_assign(number, std::move(file));
  total_ += files_.size();
}

void DescriptorTable::close(int32_t number) {
  total_ -= files_.erase(number);
}

void DescriptorTable::close_range(int64_t first, int64_t last) {
  total_ -= files_.size();
  std::erase_if(files_,
                [&](const auto& entry) { return entry.first >= first && entry.first <= last; });
  total_ += files_.size();
}

void DescriptorTable::keep_only(const std::vector<int32_t>& numbers) {
  total_ -= files_.size();
  std::erase_if(
      files_, [&](const auto& entry) { return !std::ranges::binary_search(numbers, entry.first); });
  total_ += files_.size();
}

std::shared_ptr<DescriptorTable> DescriptorTable::copy() const {
  auto table = std::make_shared<DescriptorTable>(total_);
  if (total_ + files_.size() <= kMaxTotal) {
    table->files_ = files_;
    total_ += files_.size();
  }
  return table;
}

}  // namespace seekless
