// Response heads as bytes. Pure but for the date.
#ifndef BENCHWIRE_SERVER_GATEWAY_HTTP_MESSAGE_H_
#define BENCHWIRE_SERVER_GATEWAY_HTTP_MESSAGE_H_

#include <optional>
#include <string>

#include "server/gateway/http_types.h"

namespace benchwire::gateway {

struct Framing {
  bool http_1_0 = false;
  bool close = false;                         // Connection: close.
  bool stream = false;                        // No body known yet; chunked unless HTTP/1.0.
  std::optional<int64_t> stream_length = {};  // Of a stream: its length, not chunked.
  bool no_length = false;                     // To a HEAD whose body nobody knows.
};

// Status line, fields and the empty line.
std::string ResponseHead(const HttpResponse& response, const HeaderList& common_headers, const Framing& framing);

// `Content` as one chunk of a chunked body. Not empty: an empty chunk would end the body.
std::string Chunk(const std::string& content);
inline constexpr char kLastChunk[] = "0\r\n\r\n";

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_HTTP_MESSAGE_H_
