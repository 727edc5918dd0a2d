#include "server/gateway/words.h"

#include <array>
#include <ctime>

namespace benchwire::gateway {
namespace {

constexpr Words kEnglishWords = {
    .code = "en",
    .tagline = "AI evaluation with numbers that were measured, not quoted",
    .digest = "Digest",
    .jobs = "Jobs",
    .both = "Both",
    .edition = "Edition",
    .published = "published",
    .earlier = "Earlier digests",
    .running = "Running now",
    .nothing_running = "No job is waiting or running.",
    .need_script = "With JavaScript this list follows the jobs live.",
    .nothing_published = "Nothing has been published yet.",
    .sources = "Sources",
    .condition = "Holds if",
    .interval = "interval",
    .hardware = "Hardware",
    .repeat_run = "Repeat this run",
    .job = "Job",
    .spec = "Spec",
    .environment = "Environment",
    .seed = "Seed",
    .state = "State",
    .created = "Created",
    .attempts = "Attempts",
    .worker = "Worker",
    .measurements = "Measurements",
    .log_tail = "End of the log",
    .more = "More",
    .ran = "Ran",
    .median = "median",
    .mean = "mean",
    .latest = "Latest edition",
    .not_found = "There is nothing here",
    .not_found_hint = "The address may be mistyped, or the digest is not published yet.",
    .simulated = "simulated device",
};

constexpr Words kChineseWords = {
    .code = "zh",
    .tagline = "人工智能评测：每个数字都是测出来的，不是抄来的",
    .digest = "日报",
    .jobs = "任务",
    .both = "双语",
    .edition = "版次",
    .published = "发布于",
    .earlier = "往期",
    .running = "正在运行",
    .nothing_running = "没有等待或运行中的任务。",
    .need_script = "启用 JavaScript 后，此列表会实时更新。",
    .nothing_published = "尚未发布任何内容。",
    .sources = "来源",
    .condition = "成立条件",
    .interval = "区间",
    .hardware = "硬件",
    .repeat_run = "重复此次运行",
    .job = "任务",
    .spec = "规格",
    .environment = "环境",
    .seed = "种子",
    .state = "状态",
    .created = "创建于",
    .attempts = "执行",
    .worker = "工作机",
    .measurements = "测量结果",
    .log_tail = "日志末尾",
    .more = "更多",
    .ran = "运行时间",
    .median = "中位数",
    .mean = "平均值",
    .latest = "最新版次",
    .not_found = "这里没有内容",
    .not_found_hint = "地址可能有误，或者该日报尚未发布。",
    .simulated = "模拟设备",
};

// `JOB_STATE_TIMED_OUT` without `JOB_STATE_` as `timed out`.
std::string Plain(std::string name, size_t prefix) {
  if (name.size() <= prefix) return name;
  name.erase(0, prefix);
  for (char& c : name) c = c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

}  // namespace

const Words& WordsFor(Language language) { return language == Language::kChinese ? kChineseWords : kEnglishWords; }

std::string VerdictWord(v1::Verdict verdict, Language language) {
  static constexpr std::array<const char*, 5> kChinese = {"未检验", "成立", "不成立", "无定论", "未检验"};
  static constexpr std::array<const char*, 5> kEnglish = {"Untested", "Supported", "Refuted", "Inconclusive",
                                                          "Untested"};
  const auto index = static_cast<size_t>(v1::Verdict_IsValid(verdict) ? verdict : v1::VERDICT_UNSPECIFIED);
  const std::string chinese = kChinese.at(index);
  const std::string english = kEnglish.at(index);
  if (language == Language::kBoth) return english + " " + chinese;
  return language == Language::kChinese ? chinese : english;
}

std::string JobStateWord(v1::JobState state, Language language) {
  static constexpr std::array<const char*, 10> kChinese = {"未知", "等待",   "已分配", "运行中", "已完成",
                                                           "失败", "已取消", "超时",   "已隔离", "已过期"};
  if (language == Language::kChinese && v1::JobState_IsValid(state)) return kChinese.at(static_cast<size_t>(state));
  return Plain(v1::JobState_Name(state), sizeof("JOB_STATE_") - 1);
}

std::string AttemptStateWord(v1::AttemptState state) {
  return Plain(v1::AttemptState_Name(state), sizeof("ATTEMPT_STATE_") - 1);
}

std::string MeasurementStatusWord(v1::MeasurementStatus status) {
  return Plain(v1::MeasurementStatus_Name(status), sizeof("MEASUREMENT_STATUS_") - 1);
}

std::string VerdictClass(v1::Verdict verdict) {
  switch (verdict) {
    case v1::VERDICT_SUPPORTED:
      return "good";
    case v1::VERDICT_REFUTED:
      return "bad";
    case v1::VERDICT_INCONCLUSIVE:
      return "unsure";
    default:
      return "idle";
  }
}

std::string JobStateClass(v1::JobState state) {
  switch (state) {
    case v1::JOB_STATE_SUCCEEDED:
      return "good";
    case v1::JOB_STATE_ASSIGNED:
    case v1::JOB_STATE_RUNNING:
      return "busy";
    case v1::JOB_STATE_FAILED:
    case v1::JOB_STATE_TIMED_OUT:
    case v1::JOB_STATE_QUARANTINED:
      return "bad";
    default:
      return "idle";
  }
}

std::string FormatTime(const google::protobuf::Timestamp& time) {
  if (time.seconds() == 0) return "";
  const auto seconds = static_cast<std::time_t>(time.seconds());
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts);
  return text.data();
}

}  // namespace benchwire::gateway
