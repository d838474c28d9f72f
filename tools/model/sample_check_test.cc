// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/sample_check.h"

#include <gmock/gmock.h>

#include "base/fs.h"

namespace kv {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The inputs are those of the parsers.
std::string testdata(const std::string& name) {
  path tools = path(KVERDICT_TESTDATA).parent_path().parent_path();
  Result<std::string> text = read_file(tools / "parse/testdata" / name);
  EXPECT_TRUE(text) << name;
  return text.value_or("");
}

StressRun run_of(const std::string& name, size_t index = 0) {
  Result<std::vector<StressRun>> runs = parse_stress_ng(testdata(name), name);
  EXPECT_TRUE(runs && runs->size() > index) << name;
  return runs && runs->size() > index ? (*runs)[index] : StressRun{};
}

StressYaml yaml_of(const std::string& name) {
  Result<StressYaml> yaml = parse_stress_ng_yaml(testdata(name), name);
  EXPECT_TRUE(yaml) << name;
  return yaml.value_or(StressYaml{});
}

WaitStatus exited(int code) {
  return WaitStatus(code << 8);
}
WaitStatus killed_by(int signal) {
  return WaitStatus(signal);
}

SampleExpectation expect(long instances, double seconds) {
  return {"ramfs", instances, seconds};
}

SampleVerdict check(const std::string& name, SampleExpectation expectation = {},
                    std::optional<WaitStatus> status = {}) {
  return check_sample(run_of(name), expectation, status, {});
}

TEST(SampleCheck, AGoodRunIsUsableAndNeedsNoWords) {
  SampleVerdict verdict =
      check_sample(run_of("v0.15.06-brief-verbose.txt"), expect(2, 2),
                   exited(0), yaml_of("v0.15.06-brief-verbose.yaml"));
  EXPECT_EQ(verdict.use, SampleUse::kUsable);
  EXPECT_THAT(verdict.reasons, IsEmpty());
  EXPECT_THAT(verdict.notes, IsEmpty());
}

TEST(SampleCheck, BothBlocksOfTheMailAreUsableWithoutStatusAndYaml) {
  for (size_t i : {0U, 1U}) {
    SampleVerdict verdict =
        check_sample(run_of("two-blocks-mail.txt", i), expect(9, 60), {}, {});
    EXPECT_EQ(verdict.use, SampleUse::kUsable);
    EXPECT_THAT(verdict.notes, IsEmpty());
  }
}

TEST(SampleCheck, NotBeingRootIsASkipEvenWithExitStatusZero) {
  for (const char* name :
       {"v0.15.06-notroot.txt", "v0.15.06-notroot-verbose.txt",
        "v0.15.06-notroot-log-brief.txt", "v0.19.00-notroot-rebuilt.txt"}) {
    SampleVerdict verdict = check(name, expect(2, 1), exited(0));
    EXPECT_EQ(verdict.use, SampleUse::kSkipped) << name;
    EXPECT_THAT(verdict.reasons,
                ElementsAre(AllOf(HasSubstr("CAP_SYS_ADMIN"),
                                  HasSubstr("exit status is 0 all the same"))))
        << name;
  }
  EXPECT_THAT(check("v0.15.06-notroot-verbose.txt").reasons,
              ElementsAre(HasSubstr("line 7: ")));
}

TEST(SampleCheck, NoPermissionInAContainerIsASkip) {
  SampleVerdict verdict =
      check("v0.18.02-container-rebuilt.txt", expect(2, 60), exited(3));
  EXPECT_EQ(verdict.use, SampleUse::kSkipped);
  EXPECT_THAT(verdict.reasons, ElementsAre(HasSubstr("no permission")));
}

TEST(SampleCheck, AStressorThatIsNotBuiltInIsASkip) {
  StressRun run;
  SampleVerdict verdict = check_sample(run, {}, exited(4), {});
  EXPECT_EQ(verdict.use, SampleUse::kSkipped);
  EXPECT_THAT(verdict.reasons, ElementsAre(HasSubstr("not implemented")));
}

TEST(SampleCheck, AKilledWorkerIsDiscardedThoughItsRowLooksFine) {
  SampleVerdict verdict = check("v0.15.06-killed.txt", expect(2, 2), exited(2));
  EXPECT_EQ(verdict.use, SampleUse::kDiscarded);
  EXPECT_THAT(verdict.reasons,
              Contains("stress-ng ended with exit status 2 (a stressor "
                       "failed)"));
  EXPECT_THAT(verdict.reasons,
              Contains(AllOf(HasSubstr("line 25: "), HasSubstr("corrupted"),
                             HasSubstr("2 more like it"))));
  EXPECT_THAT(verdict.reasons, Contains(HasSubstr("line 19: a worker was")));
  EXPECT_THAT(verdict.reasons, Contains(HasSubstr("metrics-check")));
}

TEST(SampleCheck, AKilledWorkerIsSeenInABriefLogAloneToo) {
  SampleVerdict verdict = check("v0.15.06-killed-log-brief.txt");
  EXPECT_EQ(verdict.use, SampleUse::kDiscarded);
  EXPECT_THAT(verdict.reasons, Contains(HasSubstr("line 6: ")));
  EXPECT_THAT(verdict.reasons, Contains(HasSubstr("line 15: stress-ng calls")));
}

TEST(SampleCheck, AnInterruptedRunIsDiscardedThoughItSaysSuccessful) {
  SampleVerdict verdict = check("v0.15.06-sigint.txt", expect(2, 6), exited(0));
  EXPECT_EQ(verdict.use, SampleUse::kDiscarded);
  EXPECT_THAT(verdict.reasons,
              ElementsAre(AllOf(HasSubstr("line 23: "), HasSubstr("1.95 s"),
                                HasSubstr("of the 6 s asked for"))));
  // The log says what was asked for when nobody else does.
  EXPECT_EQ(check("v0.15.06-sigint.txt").use, SampleUse::kDiscarded);
}

TEST(SampleCheck, ARunThatACountEndedIsDiscarded) {
  SampleVerdict verdict = check("v0.15.06-ramfs-ops.txt", {}, exited(0));
  EXPECT_EQ(verdict.use, SampleUse::kDiscarded);
  EXPECT_THAT(verdict.reasons, Contains(HasSubstr("--ramfs-ops")));
}

TEST(SampleCheck, TheWallTimeMayBeShortByTwoPercentOrHalfASecond) {
  StressRun run = run_of("v0.13.12-rebuilt.txt");
  auto use_at = [&](double real_s) {
    run.rows[0].real_s = real_s;
    return check_sample(run, expect(9, 60), {}, {}).use;
  };
  EXPECT_EQ(use_at(58.8), SampleUse::kUsable);
  EXPECT_EQ(use_at(58.79), SampleUse::kDiscarded);
  StressRun brief = run_of("v0.15.06-brief.txt");
  brief.rows[0].real_s = 1.5;
  EXPECT_EQ(check_sample(brief, expect(2, 2), {}, {}).use, SampleUse::kUsable);
  brief.rows[0].real_s = 1.49;
  EXPECT_EQ(check_sample(brief, expect(2, 2), {}, {}).use,
            SampleUse::kDiscarded);
}

TEST(SampleCheck, WorkersThatEndLateAreNotedForThatIsWhatASlowUmountDoes) {
  StressRun run = run_of("v0.13.12-rebuilt.txt");
  run.rows[0].real_s = 61.21;
  SampleVerdict late = check_sample(run, expect(9, 60), {}, {});
  EXPECT_EQ(late.use, SampleUse::kUsable);
  EXPECT_THAT(late.notes, Contains(HasSubstr("ended late, after 61.21 s")));
  run.rows[0].real_s = 125;
  EXPECT_EQ(check_sample(run, expect(9, 60), {}, {}).use,
            SampleUse::kDiscarded);
}

TEST(SampleCheck, MetricsCheckDiscards) {
  EXPECT_THAT(check("v0.13.12-corrupted-rebuilt.txt").reasons,
              Contains(HasSubstr("line 8: metrics-check")));
  EXPECT_THAT(check("v0.14.03-all-zero-rebuilt.txt").reasons,
              Contains(HasSubstr("line 6: metrics-check")));
}

TEST(SampleCheck, UntrustworthyMetricsOfTheSummaryDiscard) {
  EXPECT_THAT(check("v0.16.00-rebuilt.txt").reasons,
              ElementsAre(AllOf(HasSubstr("line 9: "),
                                HasSubstr("metrics untrustworthy: 1"))));
}

TEST(SampleCheck, UmountRetriesAndAdviceAreNotedAndDoNotDiscard) {
  SampleVerdict verdict =
      check("v0.17.08-rebuilt.txt", expect(9, 60), exited(0));
  EXPECT_EQ(verdict.use, SampleUse::kUsable);
  EXPECT_THAT(verdict.notes, Contains(AllOf(HasSubstr("line 6: umount failed"),
                                            HasSubstr("1 more like it"))));
  EXPECT_THAT(verdict.notes, Contains(HasSubstr("sched_autogroup")));
}

TEST(SampleCheck, OtherInstancesOrAnotherTimeThanAskedForAreDiscarded) {
  EXPECT_THAT(check("v0.15.06-brief.txt", expect(9, 2)).reasons,
              ElementsAre("line 2: 2 instances of ramfs were started, 9 were "
                          "asked for"));
  EXPECT_THAT(check("v0.15.06-brief.txt", expect(2, 60)).reasons,
              Contains("line 1: the log is of a run of 2 s, 60 s were asked "
                       "for"));
}

TEST(SampleCheck, TextAndYamlOfDifferentRunsAreDiscarded) {
  SampleVerdict verdict =
      check_sample(run_of("v0.15.06-brief.txt"), expect(2, 2), exited(0),
                   yaml_of("v0.15.06-brief-verbose.yaml"));
  EXPECT_EQ(verdict.use, SampleUse::kDiscarded);
  EXPECT_THAT(
      verdict.reasons,
      Contains("text and YAML are of different runs: bogo-ops is 13949 "
               "in line 5 of the text and 14370 in the entry at line 28 "
               "of the YAML"));
  verdict = check_sample(run_of("v0.13.12-rebuilt.txt"), {}, {},
                         yaml_of("v0.15.06-brief.yaml"));
  EXPECT_THAT(verdict.reasons,
              Contains("the text is of stress-ng 0.13.12, the YAML of "
                       "0.15.06"));
}

TEST(SampleCheck, TextAndYamlOfOneRunAgreeInEveryNotation) {
  for (const char* name : {"v0.15.06-brief", "v0.15.06-metrics", "v0.15.06-sn",
                           "v0.15.06-mixed", "v0.13.12-rebuilt"}) {
    SampleVerdict verdict =
        check_sample(run_of(fmt::format("{}.txt", name)), {}, {},
                     yaml_of(fmt::format("{}.yaml", name)));
    EXPECT_EQ(verdict.use, SampleUse::kUsable) << name;
  }
}

TEST(SampleCheck, AMissingRowIsDiscardedWithTheLinesSearched) {
  SampleVerdict verdict = check("v0.15.06-brief.txt", {"get", 0, 0}, exited(0));
  EXPECT_THAT(verdict.reasons,
              ElementsAre("lines 1 to 12 have no metrics row of get"));
}

TEST(SampleCheck, TwoRowsOfAStressorAreDiscarded) {
  StressRun run = run_of("v0.15.06-brief.txt");
  run.rows.push_back(run.rows[0]);
  EXPECT_THAT(check_sample(run, {}, {}, {}).reasons,
              ElementsAre(HasSubstr("one of 2 rows")));
}

TEST(SampleCheck, FewOperationsAreNotedNotDiscarded) {
  StressRun run = run_of("v0.15.06-brief.txt");
  run.rows[0].bogo_ops = 29;
  SampleVerdict verdict = check_sample(run, {}, {}, {});
  EXPECT_EQ(verdict.use, SampleUse::kUsable);
  EXPECT_THAT(verdict.notes, Contains(HasSubstr("29 operations")));
}

TEST(SampleCheck, ALogWithoutItsEndIsNoted) {
  StressRun run = run_of("other-tables-rebuilt.txt", 1);
  SampleVerdict verdict = check_sample(run, {}, {}, {});
  EXPECT_EQ(verdict.use, SampleUse::kUsable);
  EXPECT_THAT(verdict.notes, ElementsAre(HasSubstr("cut short")));
}

TEST(SampleCheck, AKilledStressNgIsDiscarded) {
  EXPECT_THAT(check("v0.15.06-brief.txt", {}, killed_by(9)).reasons,
              ElementsAre(HasSubstr("killed by SIGKILL")));
}

TEST(SampleCheck, EveryExitCodeHasWords) {
  for (int code = 0; code <= 7; ++code) {
    std::string words = explain_stress_exit(code);
    EXPECT_THAT(words, HasSubstr(fmt::format("exit status {} (", code)));
    EXPECT_EQ(words.find("not one of"), std::string::npos) << code;
    SampleVerdict verdict = check("v0.15.06-brief.txt", {}, exited(code));
    EXPECT_EQ(verdict.use == SampleUse::kUsable, code == 0) << code;
  }
  EXPECT_THAT(explain_stress_exit(77), HasSubstr("not one of stress-ng's"));
}

TEST(SampleCheck, TheSizeOfTheRateIsNoReason) {
  StressRun run = run_of("v0.13.12-rebuilt.txt");
  run.rows[0].bogo_ops = 60;
  run.rows[0].ops_per_real_s = 1;
  EXPECT_EQ(check_sample(run, expect(9, 60), exited(0), {}).use,
            SampleUse::kUsable);
}

}  // namespace
}  // namespace kv
