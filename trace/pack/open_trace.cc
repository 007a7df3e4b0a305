#include "trace/pack/open_trace.h"

#include <memory>
#include <utility>

#include "schema/db/rows.h"
#include "trace/pack/pack_file.h"
#include "trace/queries.h"

namespace benchhud::trace {

using schema::Connection;
using schema::ContentHash;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::TraceId;

namespace {

Expected<ContentHash> content_of(Connection& store, TraceId trace) {
  schema::Statement query = store.cached(sql::kContentOfTrace);
  query.bind(1, trace);
  ContentHash hash;
  if (query.step()) hash = hash_of(query, 0);
  BENCHHUD_TRY(query.status());
  return hash;
}

/// Where the traces are that are not in the store.
Expected<TracePlace> place_of_packs(Connection& store) {
  BENCHHUD_ASSIGN(auto place, trace_place(store));
  if (place) return *std::move(place);
  return Error{ErrorCode::kPlaceRefused,
               "The trace was moved out of the store, and this copy of the store does not say "
               "where to. Look at it where the copy was made, or make a copy with `benchhud "
               "backup`, which does say so."};
}

}  // namespace

Expected<OpenTrace> OpenTrace::open(Connection& store, TraceId trace, PackWait wait) {
  OpenTrace open;
  open.database_ = &store;
  open.number_ = trace;
  BENCHHUD_ASSIGN(const auto pack, pack_of_trace(store, trace));
  if (!pack) return open;
  BENCHHUD_ASSIGN(const TracePlace place, place_of_packs(store));
  BENCHHUD_ASSIGN(const ContentHash content, content_of(store, trace));
  BENCHHUD_ASSIGN(open.pack_, lend_pack(place, *pack, content, wait));
  open.pack_key_ = pack->key;
  open.database_ = open.pack_.get();
  open.number_ = kPackedTrace;
  return open;
}

Expected<OpenTrace> OpenTrace::open(Connection& store, const CheckedTrace& checked) {
  BENCHHUD_ASSIGN(const auto pack, pack_of_trace(store, checked.trace));
  if (!pack || pack->key != checked.pack_key) return open(store, checked.trace);
  auto opened = open_pack(checked.pack_file);
  BENCHHUD_ASSIGN(const ContentHash content, content_of(store, checked.trace));
  // It may have changed since.
  if (!opened || !check_content(*opened, *pack, content)) return open(store, checked.trace);
  OpenTrace made;
  made.pack_ = std::make_shared<Connection>(*std::move(opened));
  made.pack_key_ = pack->key;
  made.database_ = made.pack_.get();
  made.number_ = kPackedTrace;
  return made;
}

Expected<CheckedTrace> OpenTrace::checked(Connection& store, TraceId trace) const {
  CheckedTrace found{trace, pack_key_, ""};
  if (!pack_) return found;
  BENCHHUD_ASSIGN(const auto pack, pack_of_trace(store, trace));
  // It is elsewhere by now.
  if (!pack || pack->key != pack_key_) return CheckedTrace{trace, "", ""};
  BENCHHUD_ASSIGN(const TracePlace place, place_of_packs(store));
  // What is open may have been removed from the cache since.
  BENCHHUD_ASSIGN(PackFile file, placed_pack_file(place, *pack, PackWait::kShort));
  found.pack_file = file.path.string();
  found.kept = std::move(file.kept);
  return found;
}

}  // namespace benchhud::trace
