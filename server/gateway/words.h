// What the pages say of their own, in both languages. Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_WORDS_H_
#define BENCHWIRE_SERVER_GATEWAY_WORDS_H_

#include <benchwire/v1/digest.pb.h>
#include <benchwire/v1/job.pb.h>
#include <benchwire/v1/measurement.pb.h>

#include <string>

namespace benchwire::gateway {

// Which texts of a digest a reader wants. Labels are Chinese for kChinese, else English.
enum class Language { kBoth, kChinese, kEnglish };

struct Words {
  const char* code;  // Of HTML's lang attribute.
  const char* tagline;
  const char* digest;
  const char* jobs;
  const char* both;
  const char* edition;
  const char* published;
  const char* earlier;
  const char* running;
  const char* nothing_running;
  const char* need_script;
  const char* nothing_published;
  const char* sources;
  const char* condition;
  const char* interval;
  const char* hardware;
  const char* repeat_run;
  const char* job;
  const char* spec;
  const char* environment;
  const char* seed;
  const char* state;
  const char* created;
  const char* attempts;
  const char* worker;
  const char* measurements;
  const char* log_tail;
  const char* more;
  const char* ran;
  const char* median;
  const char* mean;
  const char* latest;
  const char* not_found;
  const char* not_found_hint;
  const char* simulated;
};

const Words& WordsFor(Language language);

// Short words for people; the enum's own name where there is none.
std::string VerdictWord(v1::Verdict verdict, Language language);
std::string JobStateWord(v1::JobState state, Language language);
std::string AttemptStateWord(v1::AttemptState state);
std::string MeasurementStatusWord(v1::MeasurementStatus status);
// Class names of style.css: `good`, `bad`, `unsure`, `idle` or `busy`.
std::string VerdictClass(v1::Verdict verdict);
std::string JobStateClass(v1::JobState state);

// `2026-01-14 09:00 UTC`; empty where unset.
std::string FormatTime(const google::protobuf::Timestamp& time);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_WORDS_H_
