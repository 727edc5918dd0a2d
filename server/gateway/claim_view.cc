#include "server/gateway/claim_view.h"

#include <map>

#include "server/base/number_format.h"
#include "server/gateway/html.h"
#include "server/gateway/page_layout.h"

namespace benchwire::gateway {
namespace {

using StringMap = google::protobuf::Map<std::string, std::string>;

std::string NumberView(const v1::Claim& claim, Language language) {
  const v1::ClaimEvaluation& evaluation = claim.evaluation();
  if (!evaluation.has_value()) return "";
  const v1::Interval* interval = evaluation.has_interval() ? &evaluation.interval() : nullptr;
  const Quantity quantity = FormatQuantity(evaluation.value(), evaluation.unit(), interval);
  std::string html = "<p class=\"number\"><strong>" + Escape(quantity.value) + "</strong>";
  if (!quantity.plus_minus.empty()) html += " <span class=\"pm\">± " + Escape(quantity.plus_minus) + "</span>";
  html += " <span class=\"unit\">" + Escape(quantity.unit) + "</span>";
  std::string facts;
  if (interval != nullptr) {
    facts = quantity.confidence + " " + WordsFor(language).interval + " " + quantity.Range() + " · ";
  }
  facts += "n = " + std::to_string(evaluation.sample_count());
  const Words& words = WordsFor(language);
  facts += std::string(" · ") + (claim.selector().aggregate() == v1::AGGREGATE_MEAN ? words.mean : words.median);
  return html + " <small>" + Escape(facts) + "</small></p>\n";
}

std::string MeasurementText(const v1::ClaimEvaluation& evaluation) {
  if (!evaluation.has_measurement()) return "";
  const v1::Measurement& measurement = evaluation.measurement();
  std::string text = measurement.metric() + " · " + measurement.case_();
  const std::string labels = LabelsText(measurement.labels());
  return labels.empty() ? text : text + " · " + labels;
}

std::string JobLinks(const v1::ClaimEvaluation& evaluation, Language language) {
  if (evaluation.job().empty()) return "";
  std::string html = Link("/" + evaluation.job() + LanguageQuery(language), evaluation.job(), /*internal=*/true);
  html += " · " + Link("/v1/" + evaluation.job(), "JSON", /*internal=*/true);
  if (!evaluation.spec_path().empty()) {
    html += " · " + Link(evaluation.spec_path(), WordsFor(language).spec, /*internal=*/true);
  }
  return html;
}

std::string Comparison(v1::Comparison comparison) {
  return comparison == v1::COMPARISON_GREATER ? "> " : comparison == v1::COMPARISON_LESS ? "< " : "";
}

}  // namespace

std::string ConditionText(const v1::Condition& condition) {
  const std::string threshold = FormatValue(condition.threshold(), condition.unit());
  if (condition.comparison() == v1::COMPARISON_WITHIN) {
    return threshold + " – " + FormatValue(condition.upper_threshold(), condition.unit());
  }
  return Comparison(condition.comparison()) + threshold;
}

std::string LabelsText(const StringMap& labels) {
  std::string text;
  for (const auto& [key, value] : std::map<std::string, std::string>(labels.begin(), labels.end())) {
    text += (text.empty() ? "" : " ") + key + "=" + value;
  }
  return text;
}

std::string EnvironmentView(const StringMap& environment, Language language) {
  if (environment.empty()) return "";
  std::string html = "<details><summary>" + std::string(WordsFor(language).environment) + "</summary><dl>\n";
  for (const auto& [key, value] : std::map<std::string, std::string>(environment.begin(), environment.end())) {
    html += "<dt>" + Escape(key) + "</dt><dd>" + Escape(value) + "</dd>\n";
  }
  return html + "</dl></details>\n";
}

std::string ClaimView(const v1::Claim& claim, Language language) {
  const Words& words = WordsFor(language);
  const v1::ClaimEvaluation& evaluation = claim.evaluation();
  const std::string css_class = VerdictClass(evaluation.verdict());
  std::string html = "<section class=\"claim " + css_class + "\" id=\"claim-" + Escape(claim.id()) + "\">\n";
  html += Element("span", "badge " + css_class, VerdictWord(evaluation.verdict(), language)) + "\n";
  html += Localized(claim.text(), language, "p");
  html += NumberView(claim, language);
  if (!evaluation.reason().empty() || !evaluation.reason_code().empty()) {
    html +=
        "<p class=\"reason\">" + Escape(evaluation.reason().empty() ? evaluation.reason_code() : evaluation.reason());
    html += " <code>" + Escape(evaluation.reason_code()) + "</code></p>\n";
  }
  html += "<dl>\n";
  AddFact(html, words.condition, Escape(ConditionText(claim.condition())));
  AddFact(html, words.measurements, Escape(MeasurementText(evaluation)));
  AddFact(html, words.hardware,
          Escape(evaluation.hardware()) +
              (evaluation.measurement().simulated() ? " " + Element("span", "badge idle", words.simulated) : ""));
  AddFact(html, words.job, JobLinks(evaluation, language));
  html += "</dl>\n";
  if (!evaluation.rerun_command().empty()) {
    html += "<p class=\"label\">" + std::string(words.repeat_run) + "</p><pre class=\"command\"><code>";
    html += Escape(evaluation.rerun_command()) + "</code></pre>\n";
  }
  return html + EnvironmentView(evaluation.environment(), language) + "</section>\n";
}

}  // namespace benchwire::gateway
