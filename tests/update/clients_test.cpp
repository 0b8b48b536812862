#include "packer/update/clients.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

const ClientCost& of(const ClientCosts& costs, Client client) {
  return costs[static_cast<size_t>(client)];
}

ClientCosts costs_of(const SetChange& change) {
  return client_costs(change, *find_profile(kTargetDrive));
}

SetChange two_files() {
  return {
      .changed = {{"a.skl", 100'000'000, 110'000'000, {4'000'000, 2'000'000, 3'000'000, 1'000'000}},
                  {"b.skl", 0, 20'000'000, {20'000'000, 20'000'000, 20'000'000, 20'000'000}}},
      .old_bytes = 500'000'000};
}

TEST(Clients, that_rebuild_files_write_all_of_each_and_read_what_they_have) {
  const ClientCosts costs = costs_of(two_files());
  for (const Client client : {Client::grid, Client::chunks, Client::blocks})
    EXPECT_EQ(of(costs, client).written_bytes, 130'000'000U);
  EXPECT_EQ(of(costs, Client::grid).downloaded_bytes, 24'000'000U);
  EXPECT_EQ(of(costs, Client::grid).read_bytes, 106'000'000U);
  EXPECT_EQ(of(costs, Client::chunks).downloaded_bytes, 22'000'000U);
  EXPECT_EQ(of(costs, Client::blocks).read_bytes, 107'000'000U + 100'000'000U);
}

TEST(Clients, need_room_for_all_files_if_they_stage_them_or_for_the_largest) {
  const ClientCosts costs = costs_of(two_files());
  EXPECT_EQ(of(costs, Client::grid).peak_room_bytes, 130'000'000U);
  EXPECT_EQ(of(costs, Client::blocks).peak_room_bytes, 110'000'000U);
}

TEST(Clients, take_as_long_as_the_drive_needs) {
  const double rate = 120e6;  // about the middle rate of the target
  const double seconds = of(costs_of(two_files()), Client::grid).seconds;
  EXPECT_GT(seconds, 236e6 / (rate * 2));
  EXPECT_LT(seconds, 236e6 / rate + 2);
}

TEST(Clients, do_nothing_without_a_change) {
  for (const ClientCost& cost : costs_of({.changed = {}, .old_bytes = 500'000'000}))
    EXPECT_EQ(cost, ClientCost());
}

TEST(Clients, blocks_are_as_long_as_rsync_makes_them) {
  EXPECT_EQ(block_bytes_of(0), 700U);
  EXPECT_EQ(block_bytes_of(490'000), 700U);
  EXPECT_EQ(block_bytes_of(100'000'000), 10'000U);
  EXPECT_EQ(block_bytes_of(uint64_t{1} << 40), uint64_t{1} << 17);
}

TEST(Clients, each_names_what_it_is_modelled_on) {
  for (const ClientModel& model : client_models()) {
    EXPECT_FALSE(model.name.empty());
    EXPECT_FALSE(model.like.empty());
    EXPECT_FALSE(model.source.empty());
  }
}

}  // namespace
}  // namespace seekless
