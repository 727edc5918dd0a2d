// Pages of digests. Pure: a message in, HTML out.
#ifndef BENCHWIRE_SERVER_GATEWAY_DIGEST_PAGE_H_
#define BENCHWIRE_SERVER_GATEWAY_DIGEST_PAGE_H_

#include <benchwire/v1/digest.pb.h>
#include <benchwire/v1/digest_service.pb.h>

#include <string>

#include "server/gateway/words.h"

namespace benchwire::gateway {

// `/`: the newest published digest in full, what runs now, and the earlier digests. `latest` null: nothing is
// published.
std::string HomePage(const v1::Digest* latest, const v1::ListDigestsResponse& digests, Language language);
// `/digests/D`.
std::string DigestPage(const v1::Digest& digest, Language language);
// `/digests/D/editions/N`.
std::string EditionPage(const v1::Edition& edition, Language language);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_DIGEST_PAGE_H_
