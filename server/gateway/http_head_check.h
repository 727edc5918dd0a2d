// What a request's head must look like before it is parsed. Anything that two parsers could read differently is
// refused, so that no proxy in front can be made to see other requests than we do (request smuggling, RFC 9112 §11.2).
// Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_HTTP_HEAD_CHECK_H_
#define BENCHWIRE_SERVER_GATEWAY_HTTP_HEAD_CHECK_H_

#include <string>
#include <string_view>

namespace benchwire::gateway {

// `head`: the request line and the header fields with the empty line that ends them. Empty where it is fine, else what
// is wrong: bare CR or LF, control characters, folded lines, a space before a colon, a request target that is not a
// path, a version other than 1.0 and 1.1, repeated Host, Content-Length or Transfer-Encoding, both of the latter, a
// coding other than `chunked`, a length that is not a number, more than 100 fields.
std::string CheckHead(std::string_view head);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_HTTP_HEAD_CHECK_H_
