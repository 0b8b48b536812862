#include "packer/command/internal/repack_options.h"

#include <bit>

#include <fmt/format.h>

namespace seekless {
namespace {

std::string check_alignment(const std::string& text) {
  uint32_t bytes = 0;
  const bool is_number = CLI::detail::lexical_cast(text, bytes);
  if (is_number && std::has_single_bit(bytes) && bytes <= kMaxZipAlignmentBytes) return "";
  return fmt::format("expected a power of two up to {}, found '{}'", kMaxZipAlignmentBytes, text);
}

void add_output_options(CLI::App& command, RepackArguments& arguments) {
  command
      .add_option(
          "-o,--output", arguments.output,
          "A folder: new, empty, or with an earlier output, which is replaced. All archives "
          "are written there, also unchanged ones; loose files aren't")
      ->type_name("DIR");
  command.add_flag("--in-place", arguments.in_place,
                   "Replace the archives where they lie, and keep the originals beside them; "
                   "'seekless restore' brings them back");
  command
      .add_option("--recorded", arguments.recorded_from,
                  "If archives were repacked in place before: which of the two were recorded. "
                  "By default the places that the recordings name tell")
      ->check(CLI::IsMember({"originals", "current"}));
  command.add_flag("--dry-run", arguments.dry_run,
                   "Do nothing; say what would be done, and what loads would gain");
  command.add_flag("--force", arguments.force,
                   "Replace archives in place even if loads are predicted to get slower, or "
                   "recordings don't fit the archives as they are");
  command.add_flag("--no-verify", arguments.no_verify,
                   "Don't read the new archives back. By default every entry is compared with that "
                   "of the old archive through an independent reader, libzip");
}

void add_rewrite_options(CLI::App& command, RepackArguments& arguments) {
  command
      .add_option(
          "--align", arguments.repack.rewrite.alignment.bytes,
          "Begin the data of every stored entry at a multiple of this, as zipalign does; "
          "1 aligns none. By default only entries of 4096 bytes or more that recordings "
          "read are aligned, at a multiple of 4096; shorter ones lie close together, as all do "
          "in an overlay")
      ->type_name("BYTES")
      ->check(check_alignment);
  CLI::Option* compression =
      command
          .add_option("--compression", arguments.compression,
                      "What becomes of deflated entries that recordings read: all stored, all "
                      "kept, or what loads take the least for, by the forecast and with the time "
                      "that inflating takes [auto; with --profile store]. The others stay as they "
                      "are")
          ->check(CLI::IsMember({"auto", "store", "keep"}));
  command
      .add_flag("--keep-compression", arguments.keep_compression, "The same as --compression keep")
      ->excludes(compression);
  command
      .add_option("--store", arguments.store,
                  "Store entries whose names match; repeatable, the last of --store and "
                  "--compress that matches counts")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command.add_option("--compress", arguments.compress, "Deflate entries whose names match")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command.add_flag("--sort-directory", arguments.repack.rewrite.sort_directory,
                   "List entries in the order of their data, not in that of the old archive");
}

}  // namespace

// The rules in the order of the command line, in which the last that matches counts.
void RepackArguments::take_compression(const CLI::App& command) {
  size_t stored = 0;
  size_t deflated = 0;
  for (const CLI::Option* option : command.parse_order()) {
    if (option == command.get_option("--store") && stored < store.size())
      repack.rewrite.rules.push_back({store[stored++], Compression::store});
    if (option == command.get_option("--compress") && deflated < compress.size())
      repack.rewrite.rules.push_back({compress[deflated++], Compression::deflate});
  }
  if (keep_compression || compression == "keep") repack.rewrite.compression = Compression::keep;
  repack.rewrite.alignment.is_for_all = command.get_option("--align")->count() > 0;
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

void RepackArguments::add_to(CLI::App& command) {
  traces.add_to(command, "TRACE");
  command.get_option("TRACE")->required(false);
  command
      .add_option("--content", roots,
                  "Folders with zip archives, or single ones, up to the next option")
      ->required()
      ->type_name("PATH");
  command
      .add_option("--exclude", scan.exclude,
                  "Leave archives out, or take entries as if no recording read them; repeatable")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command.add_option("--opaque", scan.opaque, "Treat archives that match as plain files")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command.add_option("--profile", profile, "A profile made earlier, instead of traces")
      ->type_name("PROFILE.json");
  add_output_options(command, *this);
  overlay.add_to(command);
  drive.add_to(command, false, "what the content lies on; with -o wd-black-1tb");
  command
      .add_option("--weight", weights,
                  "The weight of a scenario's seconds, instead of 1; repeatable")
      ->type_name("SCENARIO=WEIGHT")
      ->allow_extra_args(false);
  add_rewrite_options(command, *this);
  answer.add_verbose(command);
  answer.add_option(command);
  command.footer(
      "An archive stays as it is if no recording reads it, or if some of its bytes\n"
      "aren't understood. The same input gives the same bytes.\n"
      "Example:\n"
      "  seekless repack traces/*.lz4 --content ~/game/baseoa --in-place\n"
      "  seekless repack traces/*.lz4 --content ~/game/baseoa --overlay zz_seekless.pk3");
}

}  // namespace seekless
