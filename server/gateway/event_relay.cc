#include "server/gateway/event_relay.h"

#include "server/base/mutex.h"
#include "server/base/status.h"
#include "server/gateway/json.h"

namespace benchwire::gateway {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// How long an error may take to be an HTTP error still. Then the head is sent, so that the reader knows it is
// connected.
constexpr std::chrono::milliseconds kBeginAfter{250};
// Reconnect after two seconds; the comment makes proxies pass the head on.
constexpr char kPreamble[] = "retry: 2000\n: connected\n\n";
constexpr char kHeartbeat[] = ": alive\n\n";

std::string ErrorEvent(const absl::Status& status) {
  const HttpResponse response = ErrorResponse(status);
  return "event: error\ndata: " + *response.body + "\n\n";
}

class EventRelay : public std::enable_shared_from_this<EventRelay> {
 public:
  EventRelay(EventRelayContext& context, const Route& route, std::shared_ptr<Responder> responder)
      : context_(context), type_(route.method->output_type()), responder_(std::move(responder)) {}
  ~EventRelay() { --context_.streams; }
  EventRelay(const EventRelay&) = delete;
  EventRelay& operator=(const EventRelay&) = delete;

  void Start(const std::string& rpc_path, const Message& rpc_request, const CallOptions& options) {
    StreamEvents events;
    events.on_message = [self = shared_from_this()](std::string bytes) { self->Relay(bytes); };
    events.on_end = [self = shared_from_this()](const absl::Status& status) { self->End(status); };
    {
      MutexLock lock(mutex_);
      stream_ = context_.rpc->Stream(rpc_path, rpc_request, options, std::move(events));
    }
    context_.server->PostAfter(kBeginAfter, [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->Begin();
    });
  }

 private:
  // Sends the head and returns the open stream; null where the answer was given already.
  std::shared_ptr<StreamWriter> Begin() {
    MutexLock lock(mutex_);
    if (writer_ == nullptr && responder_ != nullptr) {
      StreamOptions options;
      options.heartbeat = kHeartbeat;
      options.heartbeat_seconds = context_.heartbeat_seconds;
      options.on_gone = [weak = weak_from_this()] {
        if (auto self = weak.lock()) self->Cancel();
      };
      writer_ = responder_->StartStream(EventStreamHead(), std::move(options));
      writer_->Write(kPreamble, nullptr);
      responder_ = nullptr;
    }
    return writer_;
  }

  std::shared_ptr<RpcStream> stream() {
    MutexLock lock(mutex_);
    return stream_;
  }

  void Cancel() {
    if (const auto rpc = stream()) rpc->Cancel();
  }

  void Relay(const std::string& bytes) {
    const auto writer = Begin();
    const auto rpc = stream();
    std::unique_ptr<Message> message(google::protobuf::MessageFactory::generated_factory()->GetPrototype(type_)->New());
    absl::StatusOr<std::string> event =
        message->ParseFromString(bytes)
            ? FormatEvent(*message)
            : MakeError(absl::StatusCode::kInternal, "NOT_READABLE", "a message of the stream cannot be read");
    if (!event.ok()) {
      {
        MutexLock lock(mutex_);
        failure_ = event.status();
      }
      rpc->Cancel();
      rpc->Next();
      return;
    }
    writer->Write(*std::move(event), [rpc](bool ok) {
      if (!ok) rpc->Cancel();
      rpc->Next();
    });
  }

  void End(absl::Status status) {
    std::shared_ptr<Responder> responder;
    {
      MutexLock lock(mutex_);
      stream_ = nullptr;
      if (!failure_.ok()) status = failure_;
      if (!status.ok()) responder = std::exchange(responder_, nullptr);
    }
    if (context_.is_stopping && status.code() == absl::StatusCode::kCancelled) {
      status =
          MakeError(absl::StatusCode::kUnavailable, "STOPPING", "the server is stopping; resume from the last event");
    }
    if (responder != nullptr) {
      responder->Send(ErrorResponse(status));
      return;
    }
    const auto writer = Begin();
    if (!status.ok()) writer->Write(ErrorEvent(status), nullptr);
    writer->Close();
  }

  EventRelayContext& context_;
  const google::protobuf::Descriptor* const type_;
  Mutex mutex_;
  std::shared_ptr<Responder> responder_ GUARDED_BY(mutex_);  // Until the head or an error is sent.
  std::shared_ptr<StreamWriter> writer_ GUARDED_BY(mutex_);  // From then on.
  std::shared_ptr<RpcStream> stream_ GUARDED_BY(mutex_);     // Until it ends.
  absl::Status failure_ GUARDED_BY(mutex_);                  // Why we cancelled it.
};

}  // namespace

void StartEventRelay(EventRelayContext& context, const Route& route, const Message& rpc_request,
                     const CallOptions& options, std::shared_ptr<Responder> responder) {
  if (++context.streams > context.max_streams) {
    --context.streams;
    const absl::Status full = MakeError(absl::StatusCode::kResourceExhausted, "TOO_MANY_STREAMS",
                                        "the server has as many event streams as it allows; try again later");
    responder->Send(ErrorResponse(WithRetryAfter(full, std::chrono::seconds(5)), 503));
    return;
  }
  std::make_shared<EventRelay>(context, route, std::move(responder))->Start(route.rpc_path, rpc_request, options);
}

HttpResponse EventStreamHead() {
  HttpResponse head;
  head.headers = {
      {"Content-Type", "text/event-stream"}, {"Cache-Control", "no-cache, no-transform"}, {"X-Accel-Buffering", "no"}};
  return head;
}

absl::StatusOr<std::string> FormatEvent(const Message& message) {
  ASSIGN_OR_RETURN(const std::string json, ToJson(message));
  std::string event;
  const FieldDescriptor* revision = message.GetDescriptor()->FindFieldByName("revision");
  if (revision != nullptr && revision->cpp_type() == FieldDescriptor::CPPTYPE_INT64 && !revision->is_repeated()) {
    event = "id: " + std::to_string(message.GetReflection()->GetInt64(message, revision)) + "\n";
  }
  return event + "data: " + json + "\n\n";
}

}  // namespace benchwire::gateway
