// benchwire digests and benchwire entries, against services in memory, with scripts as editors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/cli/server_fixture.h"

namespace benchwire::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kEntry[] = "digests/2026-01-14/entries/p2p";

class DigestsTest : public ServerFixture {
 protected:
  // A digest with one entry whose claim was tested.
  void AddEntry() {
    server_.Change([](FakeState& state) {
      v1::Digest& digest = state.digests["digests/2026-01-14"];
      digest.set_name("digests/2026-01-14");
      digest.mutable_title()->set_zh("今日评测");
      digest.mutable_title()->set_en("Measured today");
      v1::Entry& entry = state.entries[kEntry];
      entry.set_name(kEntry);
      entry.set_etag("1");
      entry.set_state(v1::ENTRY_STATE_DRAFT);
      entry.mutable_title()->set_zh("卡间带宽");
      entry.mutable_title()->set_en("Peer bandwidth");
      entry.mutable_body()->set_zh("正文。\x1b[31m");
      entry.mutable_body()->set_en("Body.\n\n```\ncode\n```\n");
      entry.add_sources()->set_uri("https://example.com/paper");
      v1::Claim& claim = *entry.add_claims();
      claim.set_id("fast");
      claim.mutable_text()->set_en("Above 10 GB/s");
      claim.mutable_condition()->set_comparison(v1::COMPARISON_GREATER);
      claim.mutable_condition()->set_threshold(1e10);
      claim.mutable_condition()->set_unit("B/s");
      v1::ClaimEvaluation& evaluation = *claim.mutable_evaluation();
      evaluation.set_verdict(v1::VERDICT_SUPPORTED);
      evaluation.set_value(1.2345e10);
      evaluation.set_unit("B/s");
      evaluation.mutable_interval()->set_low(1.2e10);
      evaluation.mutable_interval()->set_high(1.25e10);
      evaluation.mutable_interval()->set_confidence(0.9586);
      evaluation.set_sample_count(20);
      evaluation.set_job("jobs/01a");
      evaluation.set_seed(42);
      evaluation.set_hardware("2 × Example CPU, host memory");
      evaluation.set_rerun_command("benchwire rerun --here jobs/01a");
      evaluation.set_spec_path("/v1/jobs/01a");
    });
  }

  // Runs `entries edit` with a shell script as the editor; `$1` is the file.
  Result Edit(const std::string& script, const std::map<std::string, std::string>& more = {}) {
    RunOptions options;
    options.environment = more;
    options.environment["EDITOR"] = directory_.Write("editor", "#!/bin/sh\n" + script, true);
    options.environment["TMPDIR"] = directory_.path();
    return Run({"entries", "edit", "2026-01-14/p2p"}, options);
  }
  v1::Entry Stored() {
    v1::Entry entry;
    server_.Change([&](FakeState& state) { entry = state.entries[kEntry]; });
    return entry;
  }
  int Updates() {
    int count = 0;
    server_.Change([&](FakeState& state) { count = static_cast<int>(state.updates.size()); });
    return count;
  }
  // Files of edits left behind.
  std::vector<std::string> Kept() {
    std::vector<std::string> out;
    for (const auto& file : std::filesystem::directory_iterator(directory_.path())) {
      if (file.path().filename().string().rfind("benchwire-p2p-", 0) == 0) out.push_back(file.path().string());
    }
    return out;
  }

  TempDirectory directory_;
};

TEST_F(DigestsTest, FromNothingToAnEdition) {
  EXPECT_EQ(Run({"digests", "create", "2026-01-14", "--title-zh", "今日评测"}).out, "digests/2026-01-14\n");
  EXPECT_EQ(Run({"digests", "create", "2026-01-14"}).code, 4);
  const std::string body = directory_.Write("zh.md", "\xEF\xBB\xBF正文\r\n第二行\r\n");
  const std::string claim = directory_.Write("claim.json", R"({"id": "slow", "selector": {"job": "jobs/01a"}})");
  const Result made =
      Run({"entries",    "new",
           "2026-01-14", "p2p",
           "--title-en", "Peer bandwidth",
           "--body-zh",  body,
           "--category", "GPU",
           "--tag",      "p2p",
           "--tag",      "带宽",
           "--source",   "https://example.com",
           "--claim",    R"({"id": "fast", "condition": {"comparison": "COMPARISON_GREATER", "threshold": 1e10}})",
           "--claim",    "@" + claim});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out, std::string(kEntry) + "\n");
  const v1::Entry entry = Stored();
  EXPECT_EQ(entry.body().zh(), "正文\n第二行\n");
  EXPECT_EQ(entry.tags_size(), 2);
  ASSERT_EQ(entry.claims_size(), 2);
  EXPECT_EQ(entry.claims(0).condition().threshold(), 1e10);
  EXPECT_EQ(entry.claims(1).id(), "slow");
  EXPECT_EQ(entry.state(), v1::ENTRY_STATE_DRAFT);
  const Result nothing = Run({"digests", "publish", "2026-01-14"});
  EXPECT_EQ(nothing.code, 4);
  EXPECT_THAT(nothing.err, HasSubstr("NOTHING_READY"));
  EXPECT_EQ(Run({"entries", "ready", "2026-01-14/p2p"}).code, 0);
  EXPECT_EQ(Run({"digests", "publish", "2026-01-14", "--note", "first"}).out, "digests/2026-01-14/editions/1\n");
  EXPECT_THAT(Run({"digests", "editions", "2026-01-14"}).out, HasSubstr("digests/2026-01-14/editions/1\t20"));
  EXPECT_THAT(Run({"digests", "ls"}).out, HasSubstr("digests/2026-01-14\t1\t20"));
  EXPECT_THAT(Run({"entries", "ls", "2026-01-14"}).out, HasSubstr("READY\tGPU\tPeer bandwidth\t"));
  EXPECT_EQ(Run({"entries", "rm", "2026-01-14/p2p"}).code, 0);
  EXPECT_EQ(Run({"entries", "rm", "2026-01-14/p2p"}).code, 3);
}

TEST_F(DigestsTest, NewTakesJsonAndReady) {
  EXPECT_EQ(Run({"digests", "create", "2026-01-14"}).code, 0);
  const Result made = Run({"entries", "new", "2026-01-14", "p2p", "-f", "-", "--ready", "--json"},
                          {.input = R"({"title": {"zh": "卡间带宽"}, "category": "GPU"})"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(Stored().state(), v1::ENTRY_STATE_READY);
  EXPECT_EQ(Stored().title().zh(), "卡间带宽");
  EXPECT_EQ(Run({"entries", "new", "2026-01-14", "Bad_Id"}).code, 2);
  EXPECT_EQ(Run({"entries", "new", "2026-01-14", "x", "--claim", "{"}).code, 2);
}

TEST_F(DigestsTest, ShowHasTextClaimNumberAndHowToRepeat) {
  AddEntry();
  EXPECT_EQ(Run({"digests", "show", "2026-01-14"}).code, 3);  // Nothing published yet.
  EXPECT_EQ(Run({"entries", "ready", "2026-01-14/p2p"}).code, 0);
  EXPECT_EQ(Run({"digests", "publish", "2026-01-14", "--note", "the first"}).code, 0);
  const Result result = Run({"digests", "show", "2026-01-14"});
  EXPECT_EQ(result.code, 0);
  for (const char* text :
       {"2026-01-14  今日评测 / Measured today", "edition 1, published 20", "the first", "卡间带宽 / Peer bandwidth",
        "正文。\\x1b[31m", "Body.", "  ```\n  code\n  ```", "https://example.com/paper",
        "SUPPORTED  fast: Above 10 GB/s", "> 10 GB/s", "12.35 GB/s ± 0.35, 95.86 % interval 12.00 – 12.50 GB/s, n = 20",
        "2 × Example CPU, host memory", "jobs/01a, seed 42", "benchwire rerun --here jobs/01a", "/v1/jobs/01a"}) {
    EXPECT_THAT(result.out, HasSubstr(text));
  }
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
  const Result english = Run({"digests", "show", "2026-01-14", "--lang", "en", "--edition", "1"});
  EXPECT_THAT(english.out, HasSubstr("Peer bandwidth"));
  EXPECT_THAT(english.out, Not(HasSubstr("正文")));
  EXPECT_EQ(Run({"digests", "show", "2026-01-14", "--edition", "2"}).code, 3);
  EXPECT_THAT(Run({"digests", "show", "2026-01-14", "--draft"}).out, HasSubstr("draft; latest edition is 1"));
  EXPECT_THAT(Run({"digests", "show", "2026-01-14", "--json"}).out,
              HasSubstr(R"("name":"digests/2026-01-14/editions/1")"));
}

TEST_F(DigestsTest, ColoursOnlyOnATerminalWithoutNoColor) {
  AddEntry();
  const std::vector<std::string> command = {"entries", "show", "2026-01-14/p2p"};
  EXPECT_THAT(Run(command, {.terminal_columns = 80}).out, HasSubstr("\x1b[1;32mSUPPORTED\x1b[0m"));
  EXPECT_THAT(Run(command, {.environment = {{"NO_COLOR", "1"}}, .terminal_columns = 80}).out, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(Run(command).out, Not(HasSubstr("\x1b[")));
}

TEST_F(DigestsTest, TodayIsTheLocalDay) {
  // 26 hours apart: never the same day.
  const Result east = Run({"digests", "create", "today"}, {.environment = {{"TZ", "<+14>-14"}}});
  const Result west = Run({"digests", "create", "today"}, {.environment = {{"TZ", "<-12>12"}}});
  EXPECT_EQ(east.code, 0) << east.err;
  EXPECT_EQ(west.code, 0) << west.err;
  EXPECT_GT(east.out, west.out);
}

TEST_F(DigestsTest, EditSavesWithTheEtag) {
  AddEntry();
  const Result result = Edit(R"(sed -i 's/Peer bandwidth/Better title/' "$1")");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "Saved digests/2026-01-14/entries/p2p.\n");
  EXPECT_EQ(Stored().title().en(), "Better title");
  server_.Change([](FakeState& state) {
    EXPECT_EQ(state.updates.back().entry().etag(), "1");
    EXPECT_EQ(state.updates.back().update_mask().paths(0), "*");
    EXPECT_FALSE(state.updates.back().entry().claims(0).has_evaluation());
  });
  EXPECT_TRUE(Kept().empty());
}

TEST_F(DigestsTest, EditNormalisesByteOrderMarkAndCrlf) {
  AddEntry();
  const Result result =
      Edit(R"(sed -i 's/Peer/Better/; s/$/\r/' "$1"; printf '\357\273\277' | cat - "$1" > "$1.x"; mv "$1.x" "$1")");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(Stored().title().en(), "Better bandwidth");
  EXPECT_EQ(Stored().body().en(), "Body.\n\n```\ncode\n```\n");
}

TEST_F(DigestsTest, NoChangeOnlyLineEndsOrFailureSavesNothingAndSaysSo) {
  AddEntry();
  const Result same = Edit("exit 0");
  EXPECT_EQ(same.code, 0);
  EXPECT_THAT(same.err, HasSubstr("No change, nothing saved."));
  EXPECT_THAT(Edit(R"(sed -i 's/$/\r/' "$1")").err, HasSubstr("No change, nothing saved."));
  const Result failed = Edit("exit 1");
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.err, HasSubstr("The editor ended with status 1. Nothing saved."));
  const Result empty = Edit(": > \"$1\"");
  EXPECT_EQ(empty.code, 1);
  EXPECT_THAT(empty.err, HasSubstr("The file is empty. Nothing saved."));
  EXPECT_EQ(Updates(), 0);
  EXPECT_TRUE(Kept().empty());
}

TEST_F(DigestsTest, EditorIsACommandLineAndVisualComesFirst) {
  AddEntry();
  const std::string tool =
      directory_.Write("my editor", "#!/bin/sh\n[ \"$1\" = --wait ] && shift\nsed -i 's/Peer/Visual/' \"$1\"\n", true);
  const Result result = Edit("exit 1", {{"VISUAL", "'" + tool + "' --wait"}});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(Stored().title().en(), "Visual bandwidth");
  // A path with spaces that is no command line.
  const std::string bare = directory_.Write("my other editor", "#!/bin/sh\nsed -i 's/Visual/Bare/' \"$1\"\n", true);
  EXPECT_EQ(Edit("exit 1", {{"VISUAL", bare}}).code, 0);
  EXPECT_EQ(Stored().title().en(), "Bare bandwidth");
  EXPECT_EQ(Edit("exit 1", {{"VISUAL", "/nonexistent/editor"}}).code, 1);
}

TEST_F(DigestsTest, ARefusedTextIsKeptInANamedFile) {
  AddEntry();
  // Somebody else saves while the editor is open.
  const Result stale = Edit(std::string(R"(sed -i 's/Peer/Mine/' "$1"; ")") + BENCHWIRE_CLI_PATH + "\" --server " +
                            server_.address() + " entries ready 2026-01-14/p2p > /dev/null");
  EXPECT_EQ(stale.code, 4);
  EXPECT_THAT(stale.err, HasSubstr("Someone changed digests/2026-01-14/entries/p2p meanwhile"));
  ASSERT_EQ(Kept().size(), 1u);
  EXPECT_THAT(stale.err, HasSubstr("Your text is kept in " + Kept()[0]));
  EXPECT_THAT(ReadWhole(Kept()[0]), HasSubstr("Mine bandwidth"));
  EXPECT_EQ(Stored().title().en(), "Peer bandwidth");
  // As the message says: with the new etag it can be saved.
  std::string text = ReadWhole(Kept()[0]);
  text.replace(text.find("\"etag\": \"1\""), 11, "\"etag\": \"2\"");
  directory_.Write("mended.json", text);
  EXPECT_EQ(Run({"entries", "edit", "2026-01-14/p2p", "-f", directory_.path() + "/mended.json"}).code, 0);
  EXPECT_EQ(Stored().title().en(), "Mine bandwidth");
}

TEST_F(DigestsTest, TextThatIsNoEntryIsKeptToo) {
  AddEntry();
  const Result result = Edit("echo '{\"titel\": 1}' > \"$1\"");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("titel"));
  ASSERT_EQ(Kept().size(), 1u);
  EXPECT_EQ(ReadWhole(Kept()[0]), "{\"titel\": 1}\n");
  EXPECT_EQ(Updates(), 0);
}

}  // namespace
}  // namespace benchwire::cli
