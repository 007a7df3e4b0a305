// Reads what torch._dynamo.utils.compile_times() returns.
#pragma once

#include <string_view>
#include <vector>

#include "schema/model/compile_times.h"
#include "schema/model/profile.h"

namespace benchhud::ingest {

struct CompileTimesText {
  schema::CompileTimes times;
  std::vector<schema::DumpProblem> problems;
};

/// Reads repr="str" (the heading "Function, Runtimes (s)" and a row a function, cut by commas or,
/// where Python has `tabulate`, by spaces below a ruler) and repr="csv" as Python prints it: a list
/// of functions and a list of their times, in one tuple or one after the other. Other text may
/// stand around it. A time that is none is a problem and left out.
///
/// Before the heading and the rows of a table a logger's prefix may stand, the same one but for its
/// clock (level, rank, process and line of code are equal), or before the heading alone. A table
/// ends at the first line with another prefix that is not of another open table (processes that
/// share a log); a row behind that is a problem and left out.
///
/// A process's times only grow: of several tables of a process a row that goes on from what came
/// before takes its place, any other adds to it. Processes are told by prefixes; that times of
/// several are added up is a problem.
CompileTimesText read_compile_times(std::string_view text);

}  // namespace benchhud::ingest
