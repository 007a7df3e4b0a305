#include "views/dropped_trace_json.h"

#include "views/answers.h"

namespace benchhud::views {

void write_dropped_trace(schema::JsonWriter& json, const trace::DroppedTrace& dropped) {
  json.begin_object();
  json.field("id", to_int(dropped.trace));
  json.field("name", dropped.name);
  json.field("byte_count", dropped.byte_count);
  json.field("problem_count", dropped.problem_count);
  json.key("at");
  write_time(json, dropped.at);
  json.key("until");
  if (dropped.until > 0) {
    write_time(json, dropped.until);
  } else {
    json.null();
  }
  json.end_object();
}

}  // namespace benchhud::views
