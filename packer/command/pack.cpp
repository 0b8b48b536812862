// seekless pack: carries out a layout.
// Result: {command, folder, seconds, bytes, padding_share, packs: [{file, assets, file_bytes,
// content_bytes, duplicate_bytes, saved_bytes, table_bytes, padding_bytes, blocks, id}]}
#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "packer/command/command.h"
#include "packer/command/progress.h"
#include "packer/pack/pack_set_writer.h"

namespace seekless {
namespace {

struct Arguments {
  std::string layout;
  std::string output;
  std::string codec = "raw";
  unsigned threads = default_threads();
  Output answer;
};

struct Totals {
  uint64_t file_bytes = 0;
  uint64_t content_bytes = 0;
  uint64_t duplicate_bytes = 0;
  uint64_t saved_bytes = 0;
  uint64_t padding_bytes = 0;  // tables not counted

  double padding_share() const {
    return file_bytes == 0 ? 0
                           : static_cast<double>(padding_bytes) / static_cast<double>(file_bytes);
  }
};

Totals totals_of(const std::vector<WrittenPack>& packs) {
  Totals totals;
  for (const WrittenPack& pack : packs) {
    totals.file_bytes += pack.file_bytes;
    totals.content_bytes += pack.content_bytes;
    totals.duplicate_bytes += pack.duplicate_bytes;
    totals.saved_bytes += pack.saved_bytes;
    totals.padding_bytes += pack.padding_bytes;
  }
  return totals;
}

void print(const Arguments& arguments, const std::vector<WrittenPack>& packs, double seconds) {
  for (const WrittenPack& pack : packs)
    arguments.answer.line(fmt::format("  {:<28} {:>7} assets {:>9.1f} MB", pack.file_name,
                                      pack.placement.order.size(), megabytes(pack.file_bytes)));
  const Totals totals = totals_of(packs);
  arguments.answer.line(fmt::format(
      "{}: {} packs, {:.1f} MB in {:.1f} s; padding {:.2f} %, equal content saved {:.1f} MB{}",
      arguments.output, packs.size(), megabytes(totals.file_bytes), seconds,
      totals.padding_share() * 100, megabytes(totals.duplicate_bytes),
      totals.saved_bytes > 0 ? fmt::format(", compression {:.1f} MB", megabytes(totals.saved_bytes))
                             : ""));
}

Json to_json(const Arguments& arguments, const std::vector<WrittenPack>& packs, double seconds) {
  const Totals totals = totals_of(packs);
  Json json = {{"command", "pack"},
               {"folder", arguments.output},
               {"seconds", seconds},
               {"bytes", totals.file_bytes},
               {"padding_share", totals.padding_share()}};
  json["packs"] = Json::array();
  for (const WrittenPack& pack : packs)
    json["packs"].push_back({{"file", pack.file_name},
                             {"assets", pack.placement.order.size()},
                             {"file_bytes", pack.file_bytes},
                             {"content_bytes", pack.content_bytes},
                             {"duplicate_bytes", pack.duplicate_bytes},
                             {"saved_bytes", pack.saved_bytes},
                             {"table_bytes", pack.table_bytes},
                             {"padding_bytes", pack.padding_bytes},
                             {"blocks", pack.placement.blocks.size()},
                             {"id", fmt::format("{:016x}", pack.pack_id)}});
  return json;
}

Result<void> run(const Arguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  const auto layout = read_layout(arguments.layout);
  if (!layout) return std::unexpected(layout.error());
  uint64_t total_bytes = 0;
  for (const LaidPack& pack : layout->packs) total_bytes += pack.size_bytes();
  Progress progress("packing", total_bytes);
  const PackWriteOptions options = {
      .codec = arguments.codec == "lz4" ? format::Codec::lz4 : format::Codec::raw,
      .threads = arguments.threads,
      .done_bytes = &progress.done_bytes()};
  const auto packs = write_pack_set(*layout, options, arguments.output);
  if (!packs) return std::unexpected(packs.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.finish();
  print(arguments, *packs, seconds);
  return arguments.answer.result(to_json(arguments, *packs, seconds));
}

}  // namespace

void add_pack(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("pack", "Write the packs of a layout");
  command->add_option("LAYOUT", arguments->layout, "Made by 'seekless plan'")->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "A folder: new, empty, or with an earlier pack set, which is replaced")
      ->required()
      ->type_name("DIR");
  command->add_option("--codec", arguments->codec, "How blocks are stored")
      ->check(CLI::IsMember({"raw", "lz4"}))
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, "The result doesn't depend on it")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  arguments->answer.add_option(*command);
  command->footer("Example:\n  seekless pack layout.json -o packs");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
