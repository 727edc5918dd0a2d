#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <cstring>
#include <string>

#include "workers/agent/machine_facts.h"

namespace benchwire::agent {

std::string HypervisorSignature() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  static constexpr unsigned kHypervisorPresent = 1U << 31;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & kHypervisorPresent) == 0) return "";
  __cpuid(0x40000000U, eax, ebx, ecx, edx);
  char text[12];
  std::memcpy(text, &ebx, 4);
  std::memcpy(text + 4, &ecx, 4);
  std::memcpy(text + 8, &edx, 4);
  return std::string(text, strnlen(text, sizeof text));
#else
  return "";
#endif
}

}  // namespace benchwire::agent
