#include "clients/cli/series.h"

#include <benchwire/v1/job_service.pb.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "clients/cli/exit_codes.h"
#include "clients/cli/job_options.h"
#include "clients/cli/job_views.h"
#include "clients/cli/logs.h"
#include "clients/cli/names.h"
#include "clients/cli/plot.h"
#include "clients/cli/series_rows.h"
#include "clients/cli/text.h"
#include "clients/cli/units.h"
#include "clients/cpp/outage.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

constexpr std::chrono::milliseconds kLook{500};  // Between two looks while following.
constexpr int64_t kMostBuckets = 10'000;
constexpr int64_t kMostAttempts = 1'000'000'000;

struct SeriesOptions {
  std::string job, metric;
  std::vector<std::string> labels;
  std::optional<std::string> attempt, buckets;
  bool csv = false;
  bool follow = false;
};

// What was asked for, checked.
struct Wanted {
  std::string job;      // Empty where `attempt` is given.
  std::string attempt;  // Empty: the job's latest, followed by the next ones.
  std::string metric;
  std::map<std::string, std::string> labels;
  int buckets = 0;
};

absl::StatusOr<Wanted> CheckWanted(const Session& session, const SeriesOptions& options) {
  Wanted out;
  if (NamesAttempt(options.job)) {
    if (options.attempt) return BadField("--attempt", *options.attempt, "left out where J already names the attempt");
    ASSIGN_OR_RETURN(out.attempt, AttemptArgument(options.job));
  } else {
    ASSIGN_OR_RETURN(out.job, JobArgument(options.job));
    if (options.attempt) {
      ASSIGN_OR_RETURN(const int64_t number, ParseInteger("--attempt", *options.attempt, 1, kMostAttempts));
      out.attempt = out.job + "/attempts/" + std::to_string(number);
    }
  }
  out.metric = options.metric;
  ASSIGN_OR_RETURN(out.labels, KeyValues("--label", options.labels));
  if (options.buckets) {
    ASSIGN_OR_RETURN(const int64_t buckets, ParseInteger("--buckets", *options.buckets, 1, kMostBuckets));
    out.buckets = static_cast<int>(buckets);
  }
  if (options.csv && session.json()) return absl::InvalidArgumentError("--csv: leave it out, or leave --json out");
  if (options.metric.empty() && (options.csv || options.follow || options.buckets)) {
    return absl::InvalidArgumentError(
        "METRIC: --csv, --buckets and -f are for the points of a metric; name one, or leave them out to see what there "
        "is");
  }
  return out;
}

bool Matches(const Wanted& wanted, const v1::Series& series) {
  return (wanted.metric.empty() || series.metric() == wanted.metric) &&
         std::all_of(wanted.labels.begin(), wanted.labels.end(), [&](const auto& label) {
           const auto found = series.labels().find(label.first);
           return found != series.labels().end() && found->second == label.second;
         });
}

std::vector<v1::Series> Select(const Wanted& wanted, const v1::ListSeriesResponse& all) {
  std::vector<v1::Series> out;
  for (const v1::Series& series : all.series()) {
    if (Matches(wanted, series)) out.push_back(series);
  }
  return out;
}

absl::Status NothingMatches(const Wanted& wanted, const std::string& attempt, const v1::ListSeriesResponse& all) {
  std::set<std::string> metrics;
  bool known = false;
  for (const v1::Series& series : all.series()) {
    metrics.insert(OneLine(series.metric()));
    known = known || series.metric() == wanted.metric;
  }
  if (known)
    return absl::NotFoundError(attempt + " has no series of '" + OneLine(wanted.metric) + "' with these labels");
  std::string names;
  for (const std::string& metric : metrics) names += (names.empty() ? "" : ", ") + metric;
  return absl::NotFoundError(attempt + " has no series '" + OneLine(wanted.metric) + "'; it has " +
                             (names.empty() ? "none" : names));
}

RowFormat FormatOf(const Session& session, const SeriesOptions& options) {
  return session.json() ? RowFormat::kJson : options.csv ? RowFormat::kCsv : RowFormat::kTabs;
}
bool WantsPlot(Session& session, const SeriesOptions& options) {
  return session.out().terminal() && !session.json() && !options.csv;
}

std::string SeriesTitle(Session& session, const v1::Series& series) {
  std::string text = session.out().Styled(OneLine(series.metric()), "1");
  if (!series.labels().empty()) text += "  " + OneLine(LabelsText(series.labels()));
  text += "  " + std::to_string(series.point_count()) + (series.point_count() == 1 ? " point" : " points");
  if (series.has_last_point()) {
    text += ", last " + AxisNumber(series.last_point().value()) + " at " + std::to_string(series.last_point().step());
  }
  return text;
}

// The plots of some series, one under the other, as many as fit where `height` is not 0.
absl::StatusOr<std::string> Draw(Session& session, const std::vector<v1::Series>& series, int buckets, int height) {
  static constexpr int kRows = 15, kLeastRows = 4, kOther = 3;  // Other lines of a plot: title, axis, steps.
  PlotOptions options;
  options.columns = session.out().width();
  options.unicode = IsUtf8Locale();
  size_t shown = series.size();
  options.rows = series.size() == 1 ? kRows : 8;
  if (height > 0) {
    const int room = height - 2;  // For the line of those left out, and the cursor's.
    shown = std::min(shown, static_cast<size_t>(std::max(room / (kLeastRows + kOther), 1)));
    options.rows = std::clamp(room / static_cast<int>(shown) - kOther, kLeastRows, options.rows);
  }
  std::string out;
  for (size_t i = 0; i < shown; ++i) {
    v1::GetSeriesRequest request;
    request.set_name(series[i].name());
    request.set_max_buckets(buckets > 0 ? buckets
                                        : static_cast<int>(std::min<int64_t>(PlotDots(options), kMostBuckets)));
    ASSIGN_OR_RETURN(const v1::SeriesData data,
                     client::ThroughOutage<v1::SeriesData>(
                         session.connection(), [&] { return session.jobs().GetSeries(request); }, nullptr));
    out += SeriesTitle(session, data.series()) + "\n";
    if (!data.points().empty()) out += RenderPlot(data.points(), options);
  }
  if (shown < series.size()) {
    out += std::to_string(series.size() - shown) + " more series; choose with --label\n";
  }
  return out;
}

absl::StatusOr<int> PrintList(Session& session, const Wanted& wanted, const std::string& attempt) {
  ASSIGN_OR_RETURN(const v1::ListSeriesResponse all, session.jobs().ListSeries(attempt));
  Table table({{"METRIC"}, {"LABELS", false, true}, {"POINTS", true}, {"LAST STEP", true}, {"LAST VALUE", true}});
  for (const v1::Series& series : Select(wanted, all)) {
    if (session.json()) {
      RETURN_IF_ERROR(session.PrintJson(series));
      continue;
    }
    const bool known = series.has_last_point();
    table.Add({series.metric(), LabelsText(series.labels()), std::to_string(series.point_count()),
               known ? std::to_string(series.last_point().step()) : "",
               known ? Cell(AxisNumber(series.last_point().value()), ExactNumber(series.last_point().value())) : ""});
  }
  if (session.json()) return kExitOk;
  if (table.empty() && session.out().terminal()) {
    session.Note(attempt + " has no series.");
  } else {
    session.Print(table);
  }
  return kExitOk;
}

absl::StatusOr<int> PrintPoints(Session& session, const SeriesOptions& options, const Wanted& wanted,
                                const std::string& attempt) {
  ASSIGN_OR_RETURN(const v1::ListSeriesResponse all, session.jobs().ListSeries(attempt));
  const std::vector<v1::Series> series = Select(wanted, all);
  if (series.empty()) return NothingMatches(wanted, attempt, all);
  if (WantsPlot(session, options)) {
    ASSIGN_OR_RETURN(const std::string text, Draw(session, series, wanted.buckets, 0));
    session.out().Write(text);
    return kExitOk;
  }
  SeriesRows rows(session, FormatOf(session, options));
  for (const v1::Series& one : series) RETURN_IF_ERROR(rows.Write(one.name(), wanted.buckets));
  return kExitOk;
}

// Shows what is new of the series that are followed: rows below rows, or a drawing in place of the last one.
class Follower {
 public:
  Follower(Session& session, const SeriesOptions& options, const Wanted& wanted)
      : session_(session),
        wanted_(wanted),
        plot_(WantsPlot(session, options)),
        rows_(session, FormatOf(session, options)) {}

  // Looks at an attempt once.
  absl::Status Look(const std::string& attempt) {
    ASSIGN_OR_RETURN(const v1::ListSeriesResponse all,
                     client::ThroughOutage<v1::ListSeriesResponse>(
                         session_.connection(), [&] { return session_.jobs().ListSeries(attempt); }, nullptr));
    const std::vector<v1::Series> series = Select(wanted_, all);
    if (!plot_) {
      for (const v1::Series& one : series) RETURN_IF_ERROR(rows_.WriteNew(one));
      return absl::OkStatus();
    }
    std::string seen = attempt;
    for (const v1::Series& one : series) seen += " " + std::to_string(one.point_count());
    if (series.empty() || seen == seen_) return absl::OkStatus();
    seen_ = seen;
    const bool over = session_.out().rewritable();
    ASSIGN_OR_RETURN(const std::string text,
                     Draw(session_, series, wanted_.buckets, over ? session_.out().height() : 0));
    if (over && lines_ > 0) session_.out().Write("\x1b[" + std::to_string(lines_) + "A\r\x1b[J");
    session_.out().Write(text);
    lines_ = std::count(text.begin(), text.end(), '\n');
    return absl::OkStatus();
  }

 private:
  Session& session_;
  const Wanted& wanted_;
  const bool plot_;
  SeriesRows rows_;
  std::string seen_;  // What was drawn last.
  std::ptrdiff_t lines_ = 0;
};

// From the attempt asked for, or the latest, through all later ones, until the attempt or the job has ended.
absl::StatusOr<int> FollowSeries(Session& session, const SeriesOptions& options, const Wanted& wanted) {
  const Signals::Watch watch(session.signals(), session.connection().cancel());
  const std::string job_name =
      wanted.job.empty() ? wanted.attempt.substr(0, wanted.attempt.find("/attempts/")) : wanted.job;
  Follower follower(session, options, wanted);
  ASSIGN_OR_RETURN(v1::Job job, session.jobs().Get(job_name));
  int at = std::max(job.attempts_size() - 1, 0);
  if (!wanted.attempt.empty()) {
    const auto found = std::find_if(job.attempts().begin(), job.attempts().end(),
                                    [&](const v1::Attempt& attempt) { return attempt.name() == wanted.attempt; });
    if (found == job.attempts().end()) return NotFound(wanted.attempt);
    at = static_cast<int>(found - job.attempts().begin());
  }
  while (session.out().ok()) {
    const bool ended = client::IsTerminal(job.state());
    while (at < job.attempts_size()) {
      RETURN_IF_ERROR(follower.Look(job.attempts(at).name()));
      if (!ended && at + 1 == job.attempts_size()) break;  // It may go on.
      ++at;
      if (!wanted.attempt.empty()) return kExitOk;
      if (at < job.attempts_size()) session.Note("Attempt " + LastSegment(job.attempts(at).name()) + " follows.");
    }
    if (ended) return kExitOk;
    if (session.connection().cancel().WaitFor(kLook)) return absl::CancelledError("interrupted");
    ASSIGN_OR_RETURN(job, session.jobs().GetThroughOutage(job_name, nullptr));
  }
  return kExitOk;
}

absl::StatusOr<int> ShowSeries(Session& session, const SeriesOptions& options) {
  ASSIGN_OR_RETURN(const Wanted wanted, CheckWanted(session, options));
  if (options.follow) {
    if (wanted.buckets > 0 && !WantsPlot(session, options)) {
      return absl::InvalidArgumentError("--buckets: rows that are followed are not reduced; leave --buckets or -f out");
    }
    return FollowSeries(session, options, wanted);
  }
  std::string attempt = wanted.attempt;
  if (attempt.empty()) {
    ASSIGN_OR_RETURN(attempt, LatestAttempt(session, wanted.job));
  }
  return wanted.metric.empty() ? PrintList(session, wanted, attempt) : PrintPoints(session, options, wanted, attempt);
}

}  // namespace

void AddSeries(CLI::App& group, CommandLine& line) {
  auto options = std::make_shared<SeriesOptions>();
  CLI::App* command = AddCommand(group, "series",
                                 "What a job reported over its steps: the metrics, or one of them as a plot or as rows",
                                 "  benchwire jobs series 01kexq2v7m\n  benchwire jobs series 01kexq2v7m loss -f\n"
                                 "  benchwire jobs series 01kexq2v7m loss --label gpu=0 --csv > loss.csv\n"
                                 "  benchwire jobs series 01kexq2v7m reward --attempt 1 --buckets 200 --json");
  command->add_option("job", options->job, "The job (its latest attempt) or `jobs/J/attempts/N`")
      ->required()
      ->type_name("J");
  command->add_option("metric", options->metric, "The metric; left out, the series there are")->type_name("METRIC");
  command->add_option("--label", options->labels, "Only series with this label; may be repeated")
      ->type_name("KEY=VALUE")
      ->type_size(1)
      ->allow_extra_args(false);
  AddText(*command, "--attempt", options->attempt, "Of this attempt of the job, not its latest", "N");
  AddText(*command, "--buckets", options->buckets,
          "Reduce to so many parts of the range; each keeps its first, last, least and largest point", "N");
  command->add_flag("--csv", options->csv, "Rows as CSV");
  command->add_flag("-f,--follow", options->follow, "Go on until the job has ended");
  command->callback(
      [&line, options] { line.action = [options](Session& session) { return ShowSeries(session, *options); }; });
}

}  // namespace benchwire::cli
