// Loads from packs as a game does: a sweep, requests of many threads, or both. Prints the delivered
// assets and the failures as JSON. `load --help` lists its options.
#include <array>
#include <atomic>
#include <cstdio>
#include <exception>
#include <fstream>
#include <future>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "integration/runtime/requesting.h"
#include "integration/runtime/sweeping.h"

namespace seekless {
namespace {

using nlohmann::json;

struct Arguments {
  std::vector<std::string> packs;
  std::string sweep;
  std::string requests;
  uint64_t budget_bytes = 0;
  uint32_t bypasses_per_second = 0;
  bool check = false;
  bool until_swept = false;
  RequestSettings settings;
};

std::vector<WantedRead> read_requests(const std::string& path) {
  std::vector<WantedRead> all;
  std::ifstream lines(path);
  WantedRead wanted;
  while (lines >> wanted.offset_bytes >> wanted.length_bytes && lines.get() == ' ' &&
         std::getline(lines, wanted.path))
    all.push_back(wanted);
  return all;
}

json to_json(const Swept& swept) {
  return {{"assets", swept.assets},    {"bytes", swept.bytes},     {"seconds", swept.seconds},
          {"blocked", swept.blocked},  {"arrived", swept.arrived}, {"wrong", swept.wrong},
          {"failures", swept.failures}};
}

json to_json(const AnsweredRequests& answered) {
  const auto& us = answered.latencies_us;
  const auto at = [&us](size_t percent) {
    return us.empty() ? 0.0 : static_cast<double>(us[(us.size() - 1) * percent / 100]) / 1e3;
  };
  return {{"done", answered.done},
          {"bytes", answered.bytes},
          {"seconds", answered.seconds},
          {"missed_deadlines", answered.missed_deadlines},
          {"latency_ms", {{"p50", at(50)}, {"p99", at(99)}, {"max", at(100)}}},
          {"arrived", answered.arrived},
          {"failures", answered.failures}};
}

const char* name_of(skl_media media) {
  return media == SKL_MEDIA_DETECT ? "none" : media == SKL_MEDIA_SOLID ? "solid" : "rotational";
}

const char* name_of(skl_media_source source) {
  constexpr std::array kNames = {"none", "options", "system", "unknown", "measured"};
  return kNames.at(source);
}

json to_json(const skl::Stats& stats) {
  return {{"reads", stats.reads},
          {"read_bytes", stats.read_bytes},
          {"seeks", stats.seeks},
          {"sequential_bytes", stats.sequential_bytes},
          {"coalesced_requests", stats.coalesced_requests},
          {"gap_bytes", stats.gap_bytes},
          {"bypasses", stats.bypasses},
          {"missed_deadlines", stats.missed_deadlines},
          {"retried_blocks", stats.retried_blocks},
          {"damaged_blocks", stats.damaged_blocks},
          {"io_errors", stats.io_errors},
          {"canaries", stats.canaries},
          {"budget_bytes", stats.budget_bytes},
          {"peak_used_bytes", stats.peak_used_bytes},
          {"leased_bytes", stats.leased_bytes},
          {"devices", stats.devices},
          {"media", name_of(stats.media)},
          {"media_source", name_of(stats.media_source)},
          {"system_media", name_of(stats.system_media)},
          {"media_changes", stats.media_changes},
          {"fast_jumps", stats.fast_jumps},
          {"slow_jumps", stats.slow_jumps},
          {"jumps_timed", stats.jumps_timed},
          {"median_jump_us", stats.median_jump_us}};
}

int failed(const skl::Error& error) {
  std::fprintf(stderr, "load: %s: %s\n", error.name(), error.message.c_str());
  return 1;
}

int run(const Arguments& arguments) {
  skl::ContextOptions options;
  options.memory_budget_bytes = arguments.budget_bytes;
  options.bypasses_per_second = arguments.bypasses_per_second;
  auto context = skl::Context::create(options);
  if (!context) return failed(context.error());
  for (const std::string& packs : arguments.packs)
    if (const auto mounted = context->mount(packs); !mounted) return failed(mounted.error());
  const std::vector<WantedRead> wanted = read_requests(arguments.requests);

  std::atomic<bool> is_swept = false;
  RequestSettings settings = arguments.settings;
  if (arguments.until_swept) settings.ends = &is_swept;
  std::future<AnsweredRequests> requests;
  if (!wanted.empty())
    requests =
        std::async(std::launch::async, [&] { return request_all(*context, wanted, settings); });
  json answer = json::object();
  if (!arguments.sweep.empty()) {
    const auto swept = sweep_scenario(*context, arguments.sweep, arguments.check);
    is_swept = true;
    answer["sweep"] = swept ? to_json(*swept) : json{{"refused", swept.error().message}};
  }
  if (requests.valid()) answer["requests"] = to_json(requests.get());
  answer["stats"] = to_json(context->stats());
  std::printf("%s\n", answer.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
  return 0;
}

int main_of(int count, char** words) {
  Arguments arguments;
  CLI::App app("Loads from packs, and says as JSON what came.", "load");
  app.add_option("packs", arguments.packs, "Pack sets; later ones hide earlier ones")->required();
  app.add_option("--sweep", arguments.sweep, "The scenario to sweep");
  app.add_option(
      "--requests", arguments.requests,
      "A file of lines 'OFFSET LENGTH PATH', to ask for beside it; a length of 0: to the end");
  app.add_option("--threads", arguments.settings.threads, "That ask, each with a queue of its own")
      ->check(CLI::Range(1, 64));
  app.add_option("--ahead", arguments.settings.ahead, "Requests that each keeps waiting")
      ->check(CLI::Range(1, 65536));
  app.add_option("--gap-us", arguments.settings.gap_us, "Between requests of a thread, on average");
  app.add_option("--priority", arguments.settings.priority, "Of the requests");
  app.add_option("--deadline-us", arguments.settings.deadline_us, "Of the requests; 0: none");
  app.add_option("--budget", arguments.budget_bytes, "Memory for blocks; 0: the default");
  app.add_option("--bypasses", arguments.bypasses_per_second, "A second at most; 0: the default");
  app.add_flag("--in-order", arguments.settings.in_order,
               "Read one after the other, as they arrive");
  app.add_flag("--until-swept", arguments.until_swept, "Ask for nothing after the sweep");
  app.add_flag("--check", arguments.check, "Hash what is swept, and name it");
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return run(arguments);
}

}  // namespace
}  // namespace seekless

int main(int count, char** words) {
  try {
    return seekless::main_of(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "load: %s\n", error.what());
    return 1;
  }
}
