#include "packer/command/internal/repack_options.h"

#include <bit>
#include <charconv>

#include <fmt/format.h>

#include "packer/command/internal/plan_options.h"

namespace seekless {
namespace {

std::string check_alignment(const std::string& text) {
  uint32_t bytes = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, bytes);
  const bool is_number = error == std::errc() && stop == end;
  if (is_number && std::has_single_bit(bytes) && bytes <= kMaxZipAlignmentBytes) return "";
  return fmt::format("expected a power of two up to {}, found '{}'", kMaxZipAlignmentBytes, text);
}

void add_output_options(const Command& command, RepackArguments& arguments) {
  command.option(
      {.name = "-o,--output",
       .takes = "DIR",
       .help = "Output folder: new, empty, or with an earlier output, which is replaced. All "
               "archives are written there, even unchanged ones, but no loose files"},
      arguments.output);
  command.option({.name = "--in-place",
                  .help = "Replace the archives where they are, and keep the originals beside "
                          "them; 'seekless restore' brings them back"},
                 arguments.in_place);
  command.option(
      {.name = "--recorded",
       .help = "After an earlier --in-place: which archives were in use when the recordings "
               "were made, the originals or the current ones",
       .usual = "detected from the recorded offsets",
       .values = {"originals", "current"}},
      arguments.recorded_from);
  command.option(
      {.name = "--dry-run",
       .help = "Write nothing; print what would be done, and how much faster loads would be"},
      arguments.dry_run);
  command.option({.name = "--force",
                  .help = "Replace archives in place even if loads are predicted to get slower, or "
                          "if the recordings don't match the archives"},
                 arguments.force);
  command.option({.name = "--no-verify",
                  .help = "Don't compare the new archives' entries with those of the old archives. "
                          "By default, each new entry is read back with libzip"},
                 arguments.no_verify);
}

void add_rewrite_options(const Command& command, RepackArguments& arguments) {
  command.option(
      {.name = "--align",
       .takes = "BYTES",
       .help = "Align the data of each stored entry to a multiple of this many bytes, as zipalign "
               "does; 1 turns this off. By default, only entries that recordings read and that "
               "have at least 4096 bytes are aligned, and none in an overlay",
       .usual = "4096 for these",
       .check = check_alignment},
      arguments.repack.rewrite.alignment.bytes);
  command.option({.name = "--compression",
                  .help = "How deflated entries are written if recordings read them. store: "
                          "uncompressed; keep: as they are; auto: whichever is predicted to load "
                          "faster, counting the time to inflate. Unread entries stay as they are",
                  .usual = "auto, or store if --profile is given",
                  .values = {"auto", "store", "keep"}},
                 arguments.compression);
  command.option({.name = "--keep-compression",
                  .help = "The same as --compression keep",
                  .not_with = {"--compression"}},
                 arguments.keep_compression);
  command.option({.name = "--store",
                  .takes = "GLOB",
                  .help = "Store matching entries uncompressed; repeatable. If --store and "
                          "--compress both match, the later one wins"},
                 arguments.store);
  command.option(
      {.name = "--compress", .takes = "GLOB", .help = "Deflate matching entries; repeatable"},
      arguments.compress);
  command.option(
      {.name = "--sort-directory",
       .help = "List the entries in the directory in the order of their data, not in the old "
               "archive's order"},
      arguments.repack.rewrite.sort_directory);
}

}  // namespace

// Collects the rules in the order of the command line; the last one that matches wins.
void RepackArguments::take_compression(const Command& command) {
  size_t stored = 0;
  size_t deflated = 0;
  for (const std::string& option : command.options_in_order()) {
    if (option == "--store" && stored < store.size())
      repack.rewrite.rules.push_back({store[stored++], Compression::store});
    if (option == "--compress" && deflated < compress.size())
      repack.rewrite.rules.push_back({compress[deflated++], Compression::deflate});
  }
  if (keep_compression || compression == "keep") repack.rewrite.compression = Compression::keep;
  repack.rewrite.alignment.is_for_all = command.has("--align");
  repack.verify = !no_verify;
  repack.exclude = scan.exclude;
}

Result<void> RepackArguments::check() const {
  if (profile.empty() == traces.paths.empty())
    return wrong_usage({.place = "repack",
                        .expected = "either traces (in front of --content) or --profile",
                        .found = profile.empty() ? "neither" : "both"});
  if (!overlay.name.empty()) return {};
  const bool is_told = in_place != !output.empty();
  if (is_told || (dry_run && !in_place)) return {};
  return wrong_usage({.place = "repack",
                      .expected = "either -o DIR or --in-place",
                      .found = in_place ? "both" : "neither"});
}

void RepackArguments::add_to(const Command& command) {
  traces.add_to(command, "TRACE", false);
  command.option({.name = "--content",
                  .takes = "PATH",
                  .help = "Folders with zip archives, or single archives, up to the next option",
                  .is_required = true,
                  .takes_list = true},
                 roots);
  command.option({.name = "--exclude",
                  .takes = "GLOB",
                  .help = "Skip matching archives; treat matching entries as unread; repeatable"},
                 scan.exclude);
  command.option({.name = "--opaque",
                  .takes = "GLOB",
                  .help = "Treat matching archives as plain files; repeatable"},
                 scan.opaque);
  command.option({.name = "--profile",
                  .takes = "PROFILE.json",
                  .help = "A profile made earlier, instead of traces"},
                 profile);
  add_output_options(command, *this);
  overlay.add_to(command);
  drive.add_to(command, false, "the drive that holds the content; with -o, wd-black-1tb");
  command.option(option_text(plan_setting("weights")), weights);
  add_rewrite_options(command, *this);
  answer.add_verbose(command);
  answer.add_option(command);
  command.footer(
      "An archive stays as it is if no recording reads it, or if it has bytes that\nseekless "
      "doesn't understand. The same input always gives the same output.\nExample:\n  seekless "
      "repack "
      "traces/*.lz4 --content ~/game/baseoa --in-place\n  seekless repack traces/*.lz4 --content "
      "~/game/baseoa --overlay zz_seekless.pk3");
}

}  // namespace seekless
