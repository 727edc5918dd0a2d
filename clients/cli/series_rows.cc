#include "clients/cli/series_rows.h"

#include <algorithm>
#include <functional>

#include "clients/cli/job_views.h"
#include "clients/cli/text.h"
#include "clients/cli/units.h"
#include "clients/cpp/outage.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

}  // namespace

absl::StatusOr<v1::SeriesData> SeriesRows::Ask(const v1::GetSeriesRequest& request, bool wait_for_server) {
  if (!wait_for_server) return session_.jobs().GetSeries(request);
  return client::ThroughOutage<v1::SeriesData>(
      session_.connection(), [&] { return session_.jobs().GetSeries(request); }, nullptr);
}

absl::Status SeriesRows::ForEachPart(v1::GetSeriesRequest request, bool wait_for_server,
                                     const std::function<absl::Status(v1::SeriesData&)>& take) {
  absl::StatusOr<v1::SeriesData> data = Ask(request, wait_for_server);
  if (data.ok()) return take(*data);
  if (ErrorReason(data.status()) != "TOO_MANY_POINTS") return data.status();
  v1::GetSeriesRequest range = request;
  range.set_max_buckets(1);
  ASSIGN_OR_RETURN(const v1::SeriesData ends, Ask(range, wait_for_server));
  if (ends.points().empty()) return data.status();
  const int64_t first = ends.points().begin()->step(), last = ends.points().rbegin()->step();
  const int64_t middle = std::max<int64_t>(first + (last - first) / 2, 1);  // 0 would be the open end.
  if (middle >= last) return data.status();
  // The end of the range is given even where it was open: what comes meanwhile is for the next call.
  request.set_first_step(first);
  request.set_last_step(middle);
  RETURN_IF_ERROR(ForEachPart(request, wait_for_server, take));
  request.set_first_step(request.last_step() + 1);
  request.set_last_step(last);
  return ForEachPart(request, wait_for_server, take);
}

absl::Status SeriesRows::Write(const std::string& series, int buckets) {
  v1::GetSeriesRequest request;
  request.set_name(series);
  request.set_max_buckets(buckets);
  return ForEachPart(request, false, [&](const v1::SeriesData& data) { return Print(data); });
}

absl::Status SeriesRows::WriteNew(const v1::Series& now) {
  Written& written = written_[now.name()];
  if (now.point_count() <= written.count) return absl::OkStatus();
  v1::GetSeriesRequest request;
  request.set_name(now.name());
  request.set_first_step(written.last_step);
  // Those of the last step that were written before come again first.
  int64_t skip = written.at_last_step;
  RETURN_IF_ERROR(ForEachPart(request, true, [&](v1::SeriesData& data) {
    const auto skipped = std::min<int64_t>(skip, data.points_size());
    data.mutable_points()->DeleteSubrange(0, static_cast<int>(skipped));
    skip -= skipped;
    for (const v1::SeriesPoint& point : data.points()) {
      written.at_last_step = point.step() == written.last_step ? written.at_last_step + 1 : 1;
      written.last_step = point.step();
      ++written.count;
    }
    return Print(data);
  }));
  if (written.count < now.point_count()) {
    written.count = now.point_count();
    if (!late_noted_) session_.Note("Some points have steps before those already written; leave -f out to see them.");
    late_noted_ = true;
  }
  return absl::OkStatus();
}

absl::Status SeriesRows::Print(const v1::SeriesData& data) {
  if (format_ == RowFormat::kJson) return data.points().empty() ? absl::OkStatus() : session_.PrintJson(data);
  const bool csv = format_ == RowFormat::kCsv;
  std::string out;
  if (!header_written_) out = csv ? "metric,labels,step,value\n" : "METRIC\tLABELS\tSTEP\tVALUE\n";
  header_written_ = true;
  const std::string metric = data.series().metric(), labels = LabelsText(data.series().labels());
  const std::string front =
      csv ? CsvField(metric) + "," + CsvField(labels) + "," : OneLine(metric) + "\t" + OneLine(labels) + "\t";
  for (const v1::SeriesPoint& point : data.points()) {
    out += front + std::to_string(point.step()) + (csv ? "," : "\t") + ExactNumber(point.value()) + "\n";
  }
  session_.out().Write(out);
  return absl::OkStatus();
}

}  // namespace benchwire::cli
