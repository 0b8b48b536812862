#include "packer/pack/internal/set_to_come.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include "packer/host/runtime_error.h"
#include "packer/pack/file_edit.h"
#include "packer/pack/verify.h"
#include "runtime/catalog.h"
#include "runtime/file_io.h"
#include "runtime/tables.h"

namespace seekless {
namespace {

// Opens staged files from the folder of new files, and all other files of the set from the folder
// where they stay.
class IoToCome final : public runtime::FileIo {
 public:
  explicit IoToCome(std::string folder) : folder_(std::move(folder)) {}

  runtime::Result<std::unique_ptr<runtime::File>> open(const std::string& path) const override {
    auto ready = system_->open(path);
    if (ready || ready.error().result != SKL_NOT_FOUND) return ready;
    auto stays = system_->open(folder_ + path.substr(path.find_last_of('/')));
    return stays ? std::move(stays) : std::move(ready);
  }
  bool is_folder(const std::string& path) const override { return system_->is_folder(path); }

 private:
  const std::string folder_;
  const std::unique_ptr<runtime::FileIo> system_ = runtime::make_system_file_io();
};

// Opens the same file for every path.
class EditedIo final : public runtime::FileIo {
 public:
  EditedIo(std::string journal, std::string file)
      : journal_(std::move(journal)), file_(std::move(file)) {}

  runtime::Result<std::unique_ptr<runtime::File>> open(const std::string&) const override {
    return open_as_edited(journal_, file_);
  }
  bool is_folder(const std::string&) const override { return false; }

 private:
  const std::string journal_;
  const std::string file_;
};

runtime::Error with_advice(runtime::Error error, const std::string& advice) {
  error.message += "; " + advice;
  return error;
}

VerifyOptions options_for(const runtime::FileIo& io) {
  return {.threads = std::max(1U, std::thread::hardware_concurrency()), .io = &io};
}

Result<void> first_damage(const VerifyReport& report, const std::string& advice) {
  if (report.damages.empty()) return {};
  const Damage& first = report.damages.front();
  const Fault fault = {.place = first.what, .advice = advice};
  return first.is_unseen ? failed(fault) : damaged(fault);
}

}  // namespace

Result<void> check_set_to_come(const std::string& ready, const std::string& folder,
                               const std::string& advice) {
  const IoToCome io(folder);
  const std::string path = ready + "/" + runtime::kCatalogName;
  const auto file = io.open(path);
  const auto catalog = file ? runtime::Catalog::open(**file) : std::unexpected(file.error());
  if (!catalog) return from_runtime(with_advice(catalog.error(), advice));
  SKL_TRY(const auto report, verify(path, options_for(io)));
  return first_damage(report, advice);
}

Result<void> check_edit_to_come(const std::string& journal, const std::string& file) {
  const std::string advice = "remove '" + journal + "', and get the pack anew";
  const EditedIo io(journal, file);
  const auto edited = io.open(file);
  if (!edited) return from_runtime(edited.error());
  const auto header = runtime::read_header(**edited);
  if (header && header->kind == format::FileKind::catalog) {
    const auto catalog = runtime::Catalog::open(**edited);
    return catalog ? Result<void>{} : from_runtime(catalog.error());
  }
  SKL_TRY(const auto report, verify(file, options_for(io)));
  return first_damage(report, advice);
}

}  // namespace seekless
