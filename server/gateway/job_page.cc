#include "server/gateway/job_page.h"

#include <cmath>

#include "server/base/number_format.h"
#include "server/gateway/claim_view.h"
#include "server/gateway/html.h"
#include "server/gateway/log_text.h"
#include "server/gateway/page_layout.h"
#include "server/gateway/url.h"

namespace benchwire::gateway {
namespace {

std::string KindOf(const v1::Job& job) {
  const auto* oneof = v1::Job::descriptor()->FindOneofByName("spec");
  const auto* field = job.GetReflection()->GetOneofFieldDescriptor(job, oneof);
  return field == nullptr ? "" : field->name();
}

std::string Percent(double fraction) { return std::to_string(std::lround(100 * fraction)) + " %"; }

std::string StateBadge(const v1::Job& job, Language language) {
  std::string html = Element("span", "badge " + JobStateClass(job.state()), JobStateWord(job.state(), language));
  if (job.state() == v1::JOB_STATE_RUNNING && job.has_progress()) {
    html += " " + Escape(Percent(job.progress().fraction()) + " " + job.progress().message());
  }
  return html;
}

std::string ReasonText(const v1::Reason& reason) {
  if (reason.code().empty()) return Escape(reason.message());
  return Escape(reason.message()) + " <code>" + Escape(reason.code()) + "</code>";
}

std::string AttemptView(const v1::Attempt& attempt, Language language) {
  const Words& words = WordsFor(language);
  std::string html = "<section class=\"attempt\">\n<h3>" + Escape(attempt.name()) + "</h3>\n<dl>\n";
  AddFact(html, words.state, Escape(AttemptStateWord(attempt.state())));
  if (attempt.has_reason()) AddFact(html, "", ReasonText(attempt.reason()));
  AddFact(html, words.worker, Escape(attempt.worker()));
  std::string devices;
  for (const std::string& device : attempt.devices()) devices += (devices.empty() ? "" : ", ") + device;
  AddFact(html, words.hardware, Escape(devices));
  std::string times = FormatTime(attempt.start_time());
  if (attempt.has_end_time()) times += " – " + FormatTime(attempt.end_time());
  AddFact(html, words.ran, attempt.has_start_time() ? Escape(times) : "");
  for (const v1::RunnerMessage& warning : attempt.warnings()) {
    AddFact(html, "⚠", Escape(warning.message()) + " <code>" + Escape(warning.code()) + "</code>");
  }
  return html + "</dl>\n" + EnvironmentView(attempt.environment(), language) + "</section>\n";
}

std::string MeasurementRow(const v1::Measurement& row, Language language) {
  std::string html = "<tr><td>" + Escape(row.metric()) + "</td><td>" + Escape(row.case_()) + "</td><td>";
  html += Escape(LabelsText(row.labels())) + "</td>";
  if (row.has_value()) {
    const Quantity quantity = FormatQuantity(row.value(), row.unit(), row.has_interval() ? &row.interval() : nullptr);
    html += "<td class=\"right\"><strong>" + Escape(quantity.value) + "</strong> " + Escape(quantity.unit) + "</td>";
    html += "<td class=\"right\">" + Escape(quantity.Range()) + "</td>";
  } else {
    html += "<td class=\"right\">—</td><td></td>";
  }
  html += "<td class=\"right\">" + std::to_string(row.samples_size()) + "</td><td>";
  if (row.status() != v1::MEASUREMENT_STATUS_OK) {
    html += Escape(MeasurementStatusWord(row.status())) + " <code>" + Escape(row.reason_code()) + "</code> ";
    html += Escape(row.reason());
  }
  if (row.simulated()) html += " " + Element("span", "badge idle", WordsFor(language).simulated);
  return html + "</td></tr>\n";
}

std::string MeasurementsView(const v1::Job& job, const v1::ListMeasurementsResponse& measurements, Language language) {
  if (measurements.measurements().empty()) return "";
  const Words& words = WordsFor(language);
  std::string html = "<h2>" + std::string(words.measurements) + "</h2>\n<div class=\"table\"><table>\n<thead><tr>";
  html += "<th>metric</th><th>case</th><th>labels</th><th class=\"right\">value</th><th class=\"right\">";
  html += std::string(words.interval) + "</th><th class=\"right\">n</th><th></th></tr></thead>\n<tbody>\n";
  for (const v1::Measurement& row : measurements.measurements()) html += MeasurementRow(row, language);
  html += "</tbody></table></div>\n";
  const std::string url = "/v1/" + job.name() + "/measurements";
  const bool more = !measurements.next_page_token().empty();
  return html + "<p class=\"meta\">" + (more ? std::string(words.more) + ": " : "") + Link(url, "JSON", true) +
         "</p>\n";
}

}  // namespace

std::string JobsPage(const v1::ListJobsResponse& jobs, Language language) {
  const Words& words = WordsFor(language);
  const std::string query = LanguageQuery(language);
  std::string main = "<h1>" + std::string(words.jobs) + "</h1>\n<div class=\"table\"><table>\n<thead><tr><th>" +
                     words.job + "</th><th></th><th>" + words.state + "</th><th>" + words.created +
                     "</th></tr></thead>\n<tbody>\n";
  for (const v1::Job& job : jobs.jobs()) {
    main +=
        "<tr><td>" + Link("/" + job.name() + query, job.display_name().empty() ? job.name() : job.display_name(), true);
    main += "</td><td>" + Escape(KindOf(job)) + "</td><td>" + StateBadge(job, language) + "</td><td>";
    main += Escape(FormatTime(job.create_time())) + "</td></tr>\n";
  }
  main += "</tbody></table></div>\n";
  if (!jobs.next_page_token().empty()) {
    const std::string url =
        "/jobs?pageToken=" + PercentEncode(jobs.next_page_token()) + (query.empty() ? "" : "&" + query.substr(1));
    main += "<p>" + Link(url, words.more, true) + "</p>\n";
  }
  return Layout({.title = words.jobs, .path = "/jobs", .language = language, .live = "jobs"}, main);
}

std::string JobPage(const v1::Job& job, const v1::ListMeasurementsResponse& measurements, const std::string& log,
                    Language language) {
  const Words& words = WordsFor(language);
  const std::string title = job.display_name().empty() ? job.name() : job.display_name();
  std::string main = "<h1>" + Escape(title) + "</h1>\n<p class=\"meta\">" + Escape(job.name()) + " · ";
  main += Escape(KindOf(job)) + " · " + Link("/v1/" + job.name(), "JSON", true) + "</p>\n<dl>\n";
  AddFact(main, words.state, StateBadge(job, language));
  if (job.has_reason()) AddFact(main, "", ReasonText(job.reason()));
  AddFact(main, words.created, Escape(FormatTime(job.create_time())));
  AddFact(main, words.seed, job.has_seed() ? std::to_string(job.seed()) : "");
  AddFact(main, words.spec, job.spec_digest().empty() ? "" : "<code>" + Escape(job.spec_digest()) + "</code>");
  AddFact(main, words.repeat_run, "<code>" + Escape("benchwire rerun " + job.name()) + "</code>");
  main += "</dl>\n" + MeasurementsView(job, measurements, language);
  if (!job.attempts().empty()) main += "<h2>" + std::string(words.attempts) + "</h2>\n";
  for (const v1::Attempt& attempt : job.attempts()) main += AttemptView(attempt, language);
  if (!log.empty()) {
    main += "<h2>" + std::string(words.log_tail) + "</h2>\n<pre class=\"log\">" + Escape(LogToText(log)) + "</pre>\n";
  }
  const bool ended = job.has_end_time();
  return Layout({.title = title, .path = "/" + job.name(), .language = language, .live = ended ? "" : job.name()},
                main);
}

}  // namespace benchwire::gateway
