#include "packer/trace/descriptors.h"

#include <algorithm>
#include <utility>

namespace seekless {

std::shared_ptr<OpenDescription> DescriptorTable::find(int32_t number) const {
  const auto found = files_.find(number);
  return found == files_.end() ? nullptr : found->second.file;
}

void DescriptorTable::set(int32_t number, std::shared_ptr<OpenDescription> file) {
  total_ -= files_.size();
  files_.insert_or_assign(number, OpenDescriptor{std::move(file)});
  total_ += files_.size();
}

void DescriptorTable::set_closes_on_exec(int32_t number, bool closes) {
  if (const auto found = files_.find(number); found != files_.end())
    found->second.closes_on_exec = closes;
}

void DescriptorTable::set_closes_on_exec(int64_t first, int64_t last) {
  for (auto& [number, entry] : files_)
    if (number >= first && number <= last) entry.closes_on_exec = true;
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

std::shared_ptr<DescriptorTable> DescriptorTable::copy_for_exec() const {
  auto table = copy();
  table->total_ -=
      std::erase_if(table->files_, [](const auto& entry) { return entry.second.closes_on_exec; });
  return table;
}

}  // namespace seekless
