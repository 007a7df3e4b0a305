// One connection as the server keeps it: what came and is not used yet, and what of an answer is
// not taken yet. Nothing here waits for the peer but what says so, so a connection that has nothing
// to do needs no thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schema/base/errors.h"
#include "server/http/http.h"

namespace benchhud::server {

class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  /// Takes the socket over. `options` and `is_cut_off` outlive it; once the latter is set, nothing
  /// waits for the peer any more.
  Connection(int socket, const HttpOptions& options, const std::atomic<bool>& is_cut_off);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  int socket() const { return socket_; }
  /// By which the waiting room knows it; 0: not at all yet.
  std::uint64_t number() const { return number_; }
  void set_number(std::uint64_t number) { number_ = number; }

  // ------------------------------------------------------------------------------------- requests

  /// What is there of a request. kWhole: head and body, but for a file's, which is read by
  /// read_file(). kRefused: error() says why.
  enum class Arrival { kWhole, kNotYet, kRefused, kGone };

  /// Reads what has come.
  Arrival receive();
  const schema::Error& error() const { return *error_; }
  /// Of a request that is whole. Valid until use_up().
  std::string_view head() const { return std::string_view(buffer_).substr(0, head_size_); }
  std::string_view body() const { return std::string_view(buffer_).substr(head_size_, body_size_); }
  bool is_file() const { return is_file_; }
  /// The request is answered. What came behind it is the next one's, which has its turn after those
  /// of others.
  void use_up();
  std::size_t used_up() const { return used_up_; }

  /// The next bytes of a file that is sent; 0 at its end. Waits for them, and first sends the word
  /// to go on to whom waits for it. Error: kInvalidArgument where they do not come.
  schema::Expected<std::size_t> read_file(char* bytes, std::size_t size);

  // -------------------------------------------------------------------------------------- answers

  /// What is appended from here on is a new answer. How long the peer may take to receive it is
  /// counted from here.
  void begin_answer();
  /// Adds to what is to be sent. Of many bytes, what the peer takes at once is sent at once, and
  /// need not be copied.
  void append(std::string_view bytes);
  /// Sends what the peer takes. False: it is gone.
  bool send_some();
  /// Sends all of it, and waits for the peer to take it. False: it is gone, takes it too slowly, or
  /// is cut off.
  bool send_all();
  bool has_unsent() const { return sent_ < unsent_.size(); }
  /// Whether the peer takes an answer as fast as it must: what its system has acknowledged counts,
  /// for the system of this machine makes room for more only once a large part has been taken.
  bool keeps_up();

  // ------------------------------------------------------------------------------------------ end

  /// Ends the connection so that the peer cannot take it for the end of an answer.
  void abort();
  /// The connection ends when the peer has what is unsent.
  void end_when_sent() { is_last_ = true; }
  bool is_last() const { return is_last_; }
  /// Says that nothing more comes, and waits a little for the peer to do so too: a close with
  /// unread bytes would cut what was sent last.
  void begin_to_end();
  bool is_ending() const { return is_ending_; }
  /// Reads what still comes to nobody. False: it is over.
  bool drain();

  // --------------------------------------------------------------------------------- waiting

  /// When it has waited too long for what it waits for.
  Clock::time_point deadline() const;
  /// Whether it waits for the peer to take something, or for its turn; else to send something.
  bool waits_to_write() const { return has_unsent() || wants_turn_; }
  /// Whether nothing of a request is here, so that it can be closed without anybody losing
  /// anything.
  bool is_idle() const { return buffer_.empty() && !has_unsent(); }
  /// Whether a part of a request is here.
  bool is_begun() const { return !buffer_.empty() && !has_unsent(); }
  /// Whether nothing has come that nobody read yet. A look at the socket.
  bool is_quiet() const;
  /// Whether the peer has closed its end, wholly or for sending. A look at the socket.
  bool has_left() const;
  /// Whether all that has come has been looked at.
  bool is_all_looked_at() const { return !wants_turn_ && is_quiet(); }
  /// Bytes of memory that it holds.
  std::size_t held_bytes() const { return buffer_.capacity() + unsent_.capacity(); }
  /// When what it waits for began.
  Clock::time_point since() const { return since_; }

 private:
  Arrival look();
  Arrival look_at_head();
  void begin_file();
  bool wait_for(short events, Clock::time_point until) const;

  const int socket_;
  const HttpOptions& options_;
  const std::atomic<bool>& is_cut_off_;
  std::uint64_t number_ = 0;
  std::string buffer_;
  std::size_t searched_ = 0;  // of the buffer, for the end of the head
  std::size_t head_size_ = 0;
  std::size_t body_size_ = 0;
  bool is_file_ = false;
  std::optional<schema::Error> error_;
  std::size_t used_up_ = 0;
  bool wants_turn_ = false;
  Clock::time_point since_ = Clock::now();

  std::string unsent_;
  std::size_t sent_ = 0;
  std::size_t taken_ = 0;          // by this system, of this answer, all its pieces
  std::size_t acknowledged_ = 0;   // by the peer's system, of these
  Clock::duration waited_{};       // for the peer to take them
  Clock::duration progressed_{};   // of that, until the peer last took some
  Clock::time_point looked_at_{};  // when waited_ was last counted
  bool is_last_ = false;
  bool is_ending_ = false;
  std::size_t drained_ = 0;

  // Of a file that is read in pieces.
  std::size_t file_size_ = 0;
  std::size_t file_left_ = 0;
  std::size_t file_given_ = 0;  // of what came with the head
  bool waits_for_word_ = false;
};

}  // namespace benchhud::server
