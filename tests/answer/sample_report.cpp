#include "tests/answer/sample_report.h"

namespace seekless {

Report sample_report() {
  Report report;
  report.drive = "wd-black-1tb";
  report.capacity_bytes = 1'000'000'000'000;
  report.assumptions = {"The packs lie in one piece."};
  report.warnings = {"The runs of boot differ: record it again."};
  report.scenarios = {
      {.name = "boot",
       .runs = 3,
       .assets = 120,
       .needed_bytes = 20'000'000,
       .before = {.bytes = 25'000'000, .reads = 1'500, .seeks = 310, .seconds = 2.0},
       .after = {.bytes = 20'500'000, .reads = 10, .seeks = 2, .seconds = 0.5},
       .bound_seconds = 0.4},
      {.name = "map/lakeville",
       .runs = 5,
       .assets = 840,
       .needed_bytes = 140'000'000,
       .before = {.bytes = 150'000'000, .reads = 12'345, .seeks = 2'000, .seconds = 12.0},
       .after = {.bytes = 141'000'000, .reads = 70, .seeks = 40, .seconds = 2.5},
       .bound_seconds = 2.0}};
  report.packs = {{"common.skl", "common", 400, 50'000'000, 49'000'000, 1'000'000},
                  {"boot.skl", "sub", 120, 150'000'000, 149'000'000, 1'000'000}};
  return report;
}

void add_reads(Report& report) {
  report.reads = {{.name = "boot",
                   .read = {{0, 0, 20'000'000}, {1, 0, 150'000'000}},
                   .needed = {{0, 0, 10'000'000}, {1, 0, 150'000'000}},
                   .copied = {{1, 90'000'000, 150'000'000}}},
                  {.name = "map/lakeville",
                   .read = {{0, 0, 20'000'000}},
                   .needed = {{0, 0, 20'000'000}},
                   .copied = {}}};
}

void add_plan(Report& report) {
  report.scenarios[0].planned = {.sweep_s = 0.4, .demand_s = 0.9, .is_held_out = true};
  report.plan = {.drive = "wd-black-1tb",
                 .reasons = "Copies pay on a disk.",
                 .chosen = {1.25, 40'000'000, 2.5},
                 .curve = {{1, 0, 3}, {1.25, 40'000'000, 2.5}, {2, 160'000'000, 2.25}}};
}

std::vector<HeadMove> zig_zag(size_t count) {
  constexpr uint64_t kReadBytes = 16384;
  constexpr uint64_t kSpanBytes = 140'000'000;
  std::vector<HeadMove> moves;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t place = i % 2 == 0 ? 31'000'000'000 : 431'000'000'000;
    moves.push_back(
        {static_cast<double>(i) * 1e-4, place + i * 7'919'003 % kSpanBytes, kReadBytes});
  }
  return moves;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

size_t occurrences(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace seekless
