// A connection to a SQLite database, statements bound by name, transactions. What else calls SQLite
// itself: the layer that checks pages (page_checksums.h) and queries over traces (trace_sql.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "schema/base/errors.h"

struct sqlite3;
struct sqlite3_stmt;

namespace benchhud::schema {

class Connection;

/// A prepared statement. Parameters are `$1`, `$2`, … and bound by their number in that name
/// (SQLite by itself numbers them by first use, PostgreSQL by name). Errors stick: after one,
/// step() is false and status() tells it; so a loop needs one check at its end. It ends with its
/// scope, wherever that is left: none that still stands on a row keeps the connection reading an
/// old state of the store. Must not outlive its connection.
class Statement {
 public:
  Statement() = default;

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, int value) { return bind(parameter, std::int64_t{value}); }
  Statement& bind(int parameter, bool value) { return bind(parameter, std::int64_t{value}); }
  Statement& bind(int parameter, double value);
  Statement& bind(int parameter, std::string_view text);  ///< copied
  Statement& bind(int parameter, const char* text) {
    return bind(parameter, std::string_view(text));
  }
  Statement& bind_blob(int parameter, std::string_view bytes);  ///< copied
  /// Not copied: `bytes` must outlive the next reset() or the statement.
  Statement& bind_blob_view(int parameter, std::string_view bytes);
  Statement& bind_text_view(int parameter, std::string_view text);
  Statement& bind_null(int parameter);
  /// What the other statement's row has in this column, whatever it is; copied.
  Statement& bind_column(int parameter, const Statement& row, int column);
  template <class T>
  Statement& bind(int parameter, const std::optional<T>& value) {
    return value ? bind(parameter, *value) : bind_null(parameter);
  }
  template <class Id>
    requires std::is_enum_v<Id>
  Statement& bind(int parameter, Id id) {
    return bind(parameter, static_cast<std::int64_t>(id));
  }

  /// Goes to the next row; false at the end and after an error.
  bool step();
  /// For statements without rows: runs it and makes it ready to be bound again.
  Expected<void> run();
  /// Ready to be bound and run again. Bound values stay until bound anew.
  void reset();
  /// The error that stopped it, if any.
  Expected<void> status() const;

  // The current row's columns, from 0. Texts and blobs are valid until the next step() or reset().
  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;
  std::string_view blob(int column) const;
  std::optional<std::int64_t> optional_integer(int column) const;
  std::optional<double> optional_real(int column) const;
  std::optional<std::string> optional_text(int column) const;

 private:
  friend class Connection;
  struct Prepared;
  /// Gives one that the connection keeps back to it, and ends any other.
  struct Release {
    void operator()(Prepared* prepared) const;
  };
  using Handle = std::unique_ptr<Prepared, Release>;
  explicit Statement(Handle prepared) : prepared_(std::move(prepared)) {}
  explicit Statement(Error error) : error_(std::move(error)) {}
  void check(int code);
  int index(int parameter) const;
  sqlite3_stmt* get() const;

  Handle prepared_;
  std::optional<Error> error_;
};

/// How a store is opened. The last two are for rescues: pages that are not what benchhud wrote are
/// read as they are.
enum class OpenMode { kReadOnly, kReadWrite, kReadWriteCreate, kRescueReadOnly, kRescueReadWrite };

/// A connection to a store. Not shared between threads.
class Connection {
 public:
  /// Opens the file `path`. Errors: kNotFound, kIo, kCorrupt (not a database), kBusy.
  static Expected<Connection> open(const std::string& path, OpenMode mode);

  /// A new database that nobody else sees and that ends with the connection, for what is made ready
  /// before it goes into the store at `store`. Its file is beside that one ("": where the system's
  /// temporary files are) and has no name once it is open. It has no journal, so what fails leaves
  /// it unusable; and it keeps 2 MB of pages in memory. Errors: kIo, kFull, kReadOnly.
  static Expected<Connection> open_scratch(const std::string& store);

  /// A new database in the file `path`, which must not be there, or be empty: for what is written
  /// once and then never changed. Its pages have checksums, and so many bytes. It has no journal,
  /// so what fails leaves a file to be thrown away; nothing is synced. Errors: kIo, kFull,
  /// kReadOnly.
  static Expected<Connection> create_unchanging(const std::string& path, int page_bytes);
  /// Opens a file to read it that nobody writes any more, whoever made it: there is no lock and no
  /// log, and who may write its folder does not matter. Errors: kNotFound, kIo, kCorrupt.
  static Expected<Connection> open_unchanging(const std::string& path);

  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;
  ~Connection();

  /// Prepares one statement. An SQL error is told by the statement's status().
  Statement prepare(std::string_view sql);
  /// The statement of `sql`, prepared once and kept by the connection, with nothing bound. `sql`
  /// must be a constant: it is known by its address. While one of it is in use another is prepared.
  /// One that could not be prepared is not kept: the next call tries again.
  Statement cached(std::string_view sql);
  /// Runs a script of statements without results.
  Expected<void> execute(std::string_view script);
  /// Copies the whole store, as it is at one moment, into the database file `path`, without a log;
  /// what was in it is gone. Who reads and writes this store goes on. Errors: kIo, kFull, kBusy,
  /// kCorrupt.
  Expected<void> copy_to(const std::string& path);
  /// How long each statement waits for others who write, a minute unless told. While it waits it
  /// tries again every few milliseconds.
  void set_patience(std::chrono::milliseconds patience);
  /// Whether the store's pages have checksums, so that what is damaged is never taken for what was
  /// written: reading it is an error, kCorrupt. A store gets them when it is made or written anew.
  bool has_page_checksums() const;
  std::int64_t last_insert_id() const;
  std::int64_t changes() const;
  /// Whether the file has been moved, deleted or replaced since it was opened: what is written then
  /// is seen by nobody who opens the store by its name.
  bool has_moved() const;
  /// Changes whenever another connection has committed to the store.
  Expected<std::int64_t> data_version();
  /// False once it has met an error that may lie in the connection itself (memory, the disk, the
  /// file), or a transaction is still open: whoever keeps connections for others should close it.
  bool is_sound() const;

 private:
  friend class Statement;
  friend class Transaction;
  struct State;
  explicit Connection(std::unique_ptr<State> state);
  /// Resets whatever stands on a row.
  void stop_statements();
  std::unique_ptr<State> state_;
};

/// A transaction: rolled back unless committed. With it end the statements that still stand on a
/// row: one would keep the connection reading the store as it was then, and the next writing
/// transaction would fail at once instead of waiting for its turn.
class Transaction {
 public:
  /// kWrite takes the write lock at once and waits up to the connection's patience for another
  /// writer to finish.
  enum class Kind { kRead, kWrite };
  static Expected<Transaction> begin(Connection& connection, Kind kind);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Expected<void> commit();

 private:
  explicit Transaction(Connection& connection) : connection_(&connection) {}
  Connection* connection_;
};

}  // namespace benchhud::schema
