// seekless drive: the profiles of drives; list and show are here, calibrate is in
// drive_calibrate.cpp.
// Result of list: {command, drives: [{name, kind, capacity_bytes, outer_bytes_per_s,
// inner_bytes_per_s, average_access_ms, random_4k_iops, break_even_gap_bytes}]}; of show: the
// profile itself (schemas/drive.schema.json), as a file of one's own begins.
#include "packer/drive/drive.h"

#include <memory>

#include <fmt/format.h>

#include "packer/command/command.h"
#include "packer/command/drive_command.h"
#include "packer/command/drive_options.h"
#include "packer/host/files.h"

namespace seekless {
namespace {

constexpr uint64_t kSmallReadBytes = 4096;

struct Figures {
  uint64_t capacity_bytes = 0;
  double outer_bytes_per_s = 0;
  double inner_bytes_per_s = 0;
  double access_ms = 0;
  double iops = 0;  // 4 KiB at random places, one at a time
  uint64_t outer_gap_bytes = 0;
  uint64_t inner_gap_bytes = 0;
};

Figures figures_of(const DriveProfile& profile) {
  const Drive drive(profile);
  const uint64_t middle = drive.capacity_bytes() / 2;
  Figures figures = {.capacity_bytes = drive.capacity_bytes(),
                     .outer_bytes_per_s = drive.rate_bytes_per_s(0),
                     .inner_bytes_per_s = drive.rate_bytes_per_s(drive.capacity_bytes()),
                     .access_ms = drive.average_access_ms()};
  figures.iops = 1e3 / (figures.access_ms + drive.sweep_ms(middle, kSmallReadBytes));
  figures.outer_gap_bytes = drive.break_even_gap_bytes(0);
  // At the very end there is no room for a gap; a tenth of the disk is plenty.
  figures.inner_gap_bytes =
      drive.break_even_gap_bytes(drive.capacity_bytes() - drive.capacity_bytes() / 10);
  return figures;
}

bool is_disk(const DriveProfile& profile) {
  return std::holds_alternative<HardDisk>(profile.hardware);
}

struct ListArguments {
  Output answer;
};

Result<void> list(const ListArguments& arguments) {
  Json drives = Json::array();
  arguments.answer.line(fmt::format("{:<18} {:<5}{:>11}{:>13}{:>10}{:>10}{:>12}", "name", "kind",
                                    "capacity GB", "MB/s", "access ms", "4K IOPS", "gap MB"));
  for (const DriveProfile& profile : builtin_profiles()) {
    const Figures figures = figures_of(profile);
    const std::string rates = is_disk(profile)
                                  ? fmt::format("{:.0f} to {:.0f}", figures.outer_bytes_per_s / 1e6,
                                                figures.inner_bytes_per_s / 1e6)
                                  : fmt::format("{:.0f}", figures.outer_bytes_per_s / 1e6);
    const std::string capacity =
        is_disk(profile) ? fmt::format("{:.0f}", static_cast<double>(figures.capacity_bytes) / 1e9)
                         : "-";
    arguments.answer.line(fmt::format("{:<18} {:<5}{:>11}{:>13}{:>10.4g}{:>10.0f}{:>12.3g}",
                                      profile.name, is_disk(profile) ? "disk" : "ssd", capacity,
                                      rates, figures.access_ms, figures.iops,
                                      static_cast<double>(figures.outer_gap_bytes) / 1e6));
    Json drive = {{"name", profile.name}, {"kind", is_disk(profile) ? "disk" : "ssd"}};
    if (is_disk(profile)) drive["capacity_bytes"] = figures.capacity_bytes;
    drive["outer_bytes_per_s"] = figures.outer_bytes_per_s;
    drive["inner_bytes_per_s"] = figures.inner_bytes_per_s;
    drive["average_access_ms"] = figures.access_ms;
    drive["random_4k_iops"] = figures.iops;
    drive["break_even_gap_bytes"] = figures.outer_gap_bytes;
    drives.push_back(drive);
  }
  arguments.answer.line(
      "gap: reading through a gap up to so long is cheaper than a second command");
  return arguments.answer.result({{"command", "drive list"}, {"drives", drives}});
}

struct ShowArguments {
  std::string drive;
  std::string output;
  std::string json;
};

std::string seek_table(const Drive& drive, uint64_t capacity_bytes) {
  std::string distances = "  distance, of the disk   ";
  std::string times = "  seek, ms               ";
  for (const double share : {0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0}) {
    const auto to = static_cast<uint64_t>(share * static_cast<double>(capacity_bytes));
    distances += fmt::format("{:>6.3g}%", share * 100);
    times += fmt::format(" {:>7.2f}", drive.seek_ms(0, to)).substr(0, 8);
  }
  return distances + "\n" + times;
}

std::string describe_kind(const HardDisk& disk) {
  return fmt::format(
      "  a disk of {:.1f} GB at {:.1f} rpm: a turn takes {:.2f} ms\n"
      "  rate of the medium     {:.1f} MB/s at the first byte, {:.1f} at the last\n"
      "  overhead of a command  {:.3f} ms\n"
      "  reads ahead by itself  {} KiB, handed out at {:.0f} MB/s\n"
      "  seek over x of the stroke: {:.3f} + {:.3f} sqrt(x) ms below x = 1/4,\n"
      "                             {:.3f} + {:.3f} x ms from there on",
      static_cast<double>(disk.capacity_bytes) / 1e9, disk.rpm, 60e3 / disk.rpm,
      disk.outer_bytes_per_s / 1e6, disk.inner_bytes_per_s / 1e6, disk.overhead_ms,
      disk.read_ahead_bytes / 1024, disk.interface_bytes_per_s / 1e6, disk.seek_t0_ms,
      disk.seek_b_ms, disk.seek_c_ms, disk.seek_e_ms);
}

std::string describe_kind(const SolidState& ssd) {
  return fmt::format("  solid state: every read takes {:.4f} ms and its bytes at {:.0f} MB/s",
                     ssd.latency_ms, ssd.bytes_per_s / 1e6);
}

Result<void> show(const ShowArguments& arguments) {
  const auto profile = get_drive(arguments.drive);
  if (!profile) return std::unexpected(profile.error());
  if (arguments.json != "-" && arguments.output != "-")
    fmt::print("{}\n", printable(describe_profile(*profile)));
  for (const std::string& path : {arguments.output, arguments.json})
    if (!path.empty())
      if (auto written = write_text(path, to_json(*profile)); !written) return written;
  return {};
}

void add_list_of(CLI::App& drive, Action& chosen) {
  auto arguments = std::make_shared<ListArguments>();
  CLI::App* command = drive.add_subcommand("list", "List the built-in profiles");
  arguments->answer.add_option(*command);
  command->footer("Example:\n  seekless drive list");
  command->callback([arguments, &chosen] { chosen = [arguments] { return list(*arguments); }; });
}

void add_show_of(CLI::App& drive, Action& chosen) {
  auto arguments = std::make_shared<ShowArguments>();
  CLI::App* command = drive.add_subcommand("show", "Show a profile and what follows from it");
  command
      ->add_option("DRIVE", arguments->drive,
                   "A built-in profile, or a file as in schemas/drive.schema.json")
      ->type_name("NAME|FILE.json")
      ->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "Write the profile itself, to begin one of your own; '-' is stdout")
      ->type_name("FILE");
  command->add_option("--json", arguments->json, "The same")->type_name("FILE");
  command->footer("Example:\n  seekless drive show wd-black-1tb -o mine.json");
  command->callback([arguments, &chosen] { chosen = [arguments] { return show(*arguments); }; });
}

}  // namespace

std::string describe_profile(const DriveProfile& profile) {
  const Figures figures = figures_of(profile);
  std::string text = profile.name + "\n";
  text +=
      std::visit([](const auto& hardware) { return describe_kind(hardware); }, profile.hardware);
  text +=
      fmt::format("\n  average access         {:.4g} ms; 4 KiB at random {:.0f} times a second\n",
                  figures.access_ms, figures.iops);
  if (!is_disk(profile))
    return text + fmt::format("  break-even gap         {:.3g} MB",
                              static_cast<double>(figures.outer_gap_bytes) / 1e6);
  text +=
      fmt::format("  break-even gap         {:.2f} MB at the outer edge, {:.2f} near the inner\n",
                  static_cast<double>(figures.outer_gap_bytes) / 1e6,
                  static_cast<double>(figures.inner_gap_bytes) / 1e6);
  return text + seek_table(Drive(profile), figures.capacity_bytes);
}

void add_drive(CLI::App& app, Action& chosen) {
  CLI::App* drive = app.add_subcommand("drive", "List, show and measure models of drives");
  drive->require_subcommand(1);
  add_list_of(*drive, chosen);
  add_show_of(*drive, chosen);
  add_calibrate(*drive, chosen);
}

}  // namespace seekless
