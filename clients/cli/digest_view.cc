#include "clients/cli/digest_view.h"

#include <map>
#include <string_view>

#include "clients/cli/facts.h"
#include "clients/cli/job_views.h"
#include "clients/cli/names.h"
#include "clients/cli/text.h"
#include "clients/cli/units.h"
#include "server/base/number_format.h"

namespace benchwire::cli {
namespace {

constexpr char kIndent[] = "  ";
constexpr char kClaimIndent[] = "      ";

std::string VerdictText(v1::Verdict verdict) { return v1::Verdict_Name(verdict).substr(sizeof("VERDICT_") - 1); }

std::string VerdictStyle(v1::Verdict verdict) {
  if (verdict == v1::VERDICT_SUPPORTED) return "1;32";
  if (verdict == v1::VERDICT_REFUTED) return "1;31";
  return "1;33";
}

std::string Joined(const google::protobuf::RepeatedPtrField<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out;
}

// Markdown as written; prose is broken at the terminal's width, code and tables are not.
void PrintMarkdown(Output& out, const std::string& markdown) {
  bool code = false;
  std::string text = ManyLines(markdown);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    const bool fence = line.starts_with("```") || line.starts_with("~~~");
    if (fence) code = !code;
    const bool whole = code || fence || line.starts_with("    ") || line.starts_with("|");
    out.Line(WrapTo(line, whole ? 0 : out.width(), kIndent));
    if (end == std::string_view::npos) return;
    rest.remove_prefix(end + 1);
  }
}

void PrintBody(Output& out, const v1::LocalizedText& body, Language language) {
  const bool chinese = !body.zh().empty() && (language != Language::kEnglish || body.en().empty());
  const bool english = !body.en().empty() && (language != Language::kChinese || body.zh().empty());
  if (chinese) {
    out.Line("");
    PrintMarkdown(out, body.zh());
  }
  if (english) {
    out.Line("");
    PrintMarkdown(out, body.en());
  }
}

std::string ConditionText(const v1::Condition& condition) {
  const std::string threshold = FormatValue(condition.threshold(), condition.unit());
  switch (condition.comparison()) {
    case v1::COMPARISON_GREATER:
      return "> " + threshold;
    case v1::COMPARISON_LESS:
      return "< " + threshold;
    case v1::COMPARISON_WITHIN:
      return "from " + threshold + " to " + FormatValue(condition.upper_threshold(), condition.unit());
    default:
      return "";
  }
}

std::string NumberText(const v1::ClaimEvaluation& evaluation) {
  if (!evaluation.has_value()) return "";
  const v1::Interval* interval = evaluation.has_interval() ? &evaluation.interval() : nullptr;
  const Quantity quantity = FormatQuantity(evaluation.value(), evaluation.unit(), interval);
  const std::string count = "n = " + std::to_string(evaluation.sample_count());
  if (interval == nullptr) return quantity.Text() + ", " + count + ", no interval";
  return quantity.Text() + " ± " + quantity.plus_minus + ", " + quantity.confidence + " interval " + quantity.Range() +
         ", " + count;
}

void PrintClaimFact(Output& out, const std::string& name, const std::string& value) {
  static constexpr int kName = 10;
  if (!value.empty()) out.Line(kClaimIndent + out.Styled(PadTo(name, kName, false), "2") + OneLine(value));
}

void PrintClaim(Output& out, const v1::Claim& claim, Language language) {
  const v1::ClaimEvaluation& evaluation = claim.evaluation();
  out.Line(kIndent + out.Styled(VerdictText(evaluation.verdict()), VerdictStyle(evaluation.verdict())) + "  " +
           OneLine(claim.id() + ": " + Localized(claim.text(), language)));
  std::string reason = evaluation.reason_code();
  if (!evaluation.reason().empty()) reason += (reason.empty() ? "" : ": ") + evaluation.reason();
  PrintClaimFact(out, "because", reason);
  PrintClaimFact(out, "claimed", ConditionText(claim.condition()));
  PrintClaimFact(out, "measured", NumberText(evaluation));
  const std::string labels = LabelsText(evaluation.measurement().labels());
  if (evaluation.has_measurement()) {
    PrintClaimFact(out, "what",
                   evaluation.measurement().metric() + " of " + evaluation.measurement().case_() +
                       (labels.empty() ? "" : ", " + labels));
  }
  PrintClaimFact(out, "hardware", evaluation.hardware());
  if (!evaluation.job().empty()) {
    PrintClaimFact(out, "run", evaluation.job() + ", seed " + std::to_string(evaluation.seed()));
  }
  PrintClaimFact(out, "repeat", evaluation.rerun_command());
  PrintClaimFact(out, "spec", evaluation.spec_path());
}

void PrintTitle(Output& out, const std::string& text) { out.Line(out.Styled(OneLine(text), "1")); }

}  // namespace

std::string Localized(const v1::LocalizedText& text, Language language) {
  if (text.zh().empty()) return text.en();
  if (text.en().empty()) return text.zh();
  if (language == Language::kChinese) return text.zh();
  if (language == Language::kEnglish || text.zh() == text.en()) return text.en();
  return text.zh() + " / " + text.en();
}

std::string VerdictCounts(const v1::Entry& entry) {
  std::map<v1::Verdict, int> counts;
  for (const v1::Claim& claim : entry.claims()) ++counts[claim.evaluation().verdict()];
  std::string out;
  for (const auto& [verdict, count] : counts) {
    out += (out.empty() ? "" : ", ") + std::to_string(count) + " " + VerdictText(verdict);
  }
  return out;
}

void PrintEntry(Output& out, const v1::Entry& entry, Language language, bool draft) {
  out.Line("");
  PrintTitle(out, Localized(entry.title(), language));
  std::string about = LastSegment(entry.name());
  if (draft) about += ", " + v1::EntryState_Name(entry.state()).substr(sizeof("ENTRY_STATE_") - 1);
  if (!entry.category().empty()) about += ", " + entry.category();
  if (!entry.tags().empty()) about += ", tags " + Joined(entry.tags());
  if (!entry.authors().empty()) about += ", by " + Joined(entry.authors());
  out.Line(kIndent + out.Styled(OneLine(about), "2"));
  PrintBody(out, entry.body(), language);
  if (!entry.sources().empty()) out.Line("");
  for (const v1::Source& source : entry.sources()) {
    out.Line(kIndent + OneLine(source.title().empty() ? source.uri() : source.title() + " " + source.uri()));
  }
  for (const v1::Claim& claim : entry.claims()) {
    out.Line("");
    PrintClaim(out, claim, language);
  }
}

void PrintEdition(Output& out, const std::string& digest, const v1::Edition& edition, Language language) {
  const std::string day = LastSegment(digest);
  const std::string title = Localized(edition.title(), language);
  PrintTitle(out, title == day || title.empty() ? day : day + "  " + title);
  std::string about = "edition " + LastSegment(edition.name());
  if (edition.has_publish_time()) about += ", published " + Rfc3339(FromProto(edition.publish_time()));
  out.Line(out.Styled(OneLine(about), "2"));
  if (!edition.note().empty()) out.Line(OneLine(edition.note()));
  for (const v1::Entry& entry : edition.entries()) PrintEntry(out, entry, language, false);
}

void PrintDraft(Output& out, const v1::Digest& digest, Language language) {
  const std::string day = LastSegment(digest.name());
  const std::string title = Localized(digest.title(), language);
  PrintTitle(out, title == day || title.empty() ? day : day + "  " + title);
  out.Line(out.Styled(digest.latest_edition() > 0
                          ? "draft; latest edition is " + std::to_string(digest.latest_edition())
                          : std::string("draft; nothing published yet"),
                      "2"));
  for (const v1::Entry& entry : digest.entries()) PrintEntry(out, entry, language, true);
}

}  // namespace benchwire::cli
