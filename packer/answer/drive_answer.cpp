#include "packer/answer/drive_answer.h"

#include <fmt/format.h>

#include "packer/drive/drive.h"
#include "packer/drive/drive_figures.h"
#include "packer/drive/profile_fields.h"
#include "packer/words/counted.h"

namespace seekless {
namespace {

std::string row_of(const DriveProfile& profile) {
  const DriveFigures figures = figures_of(profile);
  std::string rates = fmt::format("{:.0f}", figures.outer_bytes_per_s / 1e6);
  std::string capacity = "-";
  if (is_disk(profile)) {
    rates += fmt::format(" to {:.0f}", figures.inner_bytes_per_s / 1e6);
    capacity = fmt::format("{:.0f}", static_cast<double>(figures.capacity_bytes) / 1e9);
  }
  return fmt::format("{:<18} {:<5}{:>11}{:>13}{:>10.4g}{:>10.0f}{:>12.3g}\n", profile.name,
                     is_disk(profile) ? kHardDiskKind : kSolidStateKind, capacity, rates,
                     figures.access_ms, figures.iops, megabytes(figures.outer_gap_bytes));
}

std::string seek_table(const Drive& drive, uint64_t capacity_bytes) {
  std::string distances = "  distance, of the disk  ";
  std::string times = "  seek, ms              ";
  for (const double share : {0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0}) {
    const auto to = static_cast<uint64_t>(share * static_cast<double>(capacity_bytes));
    distances += fmt::format("{:>6.3g}%", share * 100);
    times += fmt::format(" {:>7.2f}", drive.seek_ms(0, to)).substr(0, 8);
  }
  return distances + "\n" + times;
}

// Describes the drive's cache. Returns an empty text if the cache only reads ahead in one place.
std::string describe_memory(const HardDisk& disk) {
  if (disk.segments < 2) return "";
  return fmt::format("  its memory holds       {} stretches of {} KiB\n", disk.segments,
                     kept_bytes_of_a_segment(disk) / 1024);
}

// Describes the fields that only profiles fitted to requests have.
std::string describe_habits(const HardDisk& disk) {
  std::string text;
  if (disk.near_tracks > 0)
    text += fmt::format("\n  within {} tracks        {:.3f} ms instead of the curve's",
                        disk.near_tracks, disk.near_seek_ms);
  if (disk.reads_whole_tracks != 0) text += "\n  its memory holds whole tracks";
  if (disk.sends_late != 0) text += "\n  it sends a read only once all of it is in memory";
  if (disk.write_cache_bytes > 0) text += "\n  writes are done once they are in the drive's memory";
  return text;
}

std::string describe_kind(const HardDisk& disk) {
  return fmt::format(
             "  a disk of {:.1f} GB at {:.1f} rpm: a turn takes {:.2f} ms\n"
             "  rate of the medium     {:.1f} MB/s at the first byte, {:.1f} at the last\n"
             "  overhead of a command  {:.3f} ms\n"
             "  reads ahead by itself  {} KiB, handed out at {:.0f} MB/s\n"
             "{}"
             "  seek over x of the stroke: {:.3f} + {:.3f} sqrt(x) ms below x = 1/4,\n"
             "                             {:.3f} + {:.3f} x ms from there on",
             static_cast<double>(disk.capacity_bytes) / 1e9, disk.rpm, 60e3 / disk.rpm,
             disk.outer_bytes_per_s / 1e6, disk.inner_bytes_per_s / 1e6, disk.overhead_ms,
             disk.read_ahead_bytes / 1024, disk.interface_bytes_per_s / 1e6, describe_memory(disk),
             disk.seek_t0_ms, disk.seek_b_ms, disk.seek_c_ms, disk.seek_e_ms) +
         describe_habits(disk);
}

std::string describe_kind(const SolidState& ssd) {
  return fmt::format("  solid state: every read takes {:.4f} ms and its bytes at {:.0f} MB/s",
                     ssd.latency_ms, ssd.bytes_per_s / 1e6);
}

}  // namespace

std::string describe_profile(const DriveProfile& profile) {
  const DriveFigures figures = figures_of(profile);
  std::string text = profile.name + "\n";
  text +=
      std::visit([](const auto& hardware) { return describe_kind(hardware); }, profile.hardware);
  text +=
      fmt::format("\n  average access         {:.4g} ms; 4 KiB at random {:.0f} times a second\n",
                  figures.access_ms, figures.iops);
  if (!is_disk(profile))
    return text +
           fmt::format("  break-even gap         {:.3g} MB", megabytes(figures.outer_gap_bytes));
  text +=
      fmt::format("  break-even gap         {:.2f} MB at the outer edge, {:.2f} near the inner\n",
                  megabytes(figures.outer_gap_bytes), megabytes(figures.inner_gap_bytes));
  return text + seek_table(Drive(profile), figures.capacity_bytes);
}

std::string to_text(const DriveListAnswer& answer) {
  std::string table = fmt::format("{:<18} {:<5}{:>11}{:>13}{:>10}{:>10}{:>12}\n", "name", "kind",
                                  "capacity GB", "MB/s", "access ms", "4K IOPS", "gap MB");
  for (const DriveProfile& profile : answer.drives) table += row_of(profile);
  return table + "gap: reading through a gap up to so long is cheaper than a second command";
}

nlohmann::ordered_json to_json(const DriveListAnswer& answer) {
  auto drives = nlohmann::ordered_json::array();
  for (const DriveProfile& profile : answer.drives) {
    const DriveFigures figures = figures_of(profile);
    nlohmann::ordered_json drive = {{"name", profile.name},
                                    {"kind", is_disk(profile) ? kHardDiskKind : kSolidStateKind}};
    if (is_disk(profile)) drive["capacity_bytes"] = figures.capacity_bytes;
    drive["outer_bytes_per_s"] = figures.outer_bytes_per_s;
    drive["inner_bytes_per_s"] = figures.inner_bytes_per_s;
    drive["average_access_ms"] = figures.access_ms;
    drive["random_4k_iops"] = figures.iops;
    drive["break_even_gap_bytes"] = figures.outer_gap_bytes;
    drives.push_back(std::move(drive));
  }
  return {{"command", "drive list"}, {"drives", std::move(drives)}};
}

}  // namespace seekless
