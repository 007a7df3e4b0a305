#pragma once

namespace benchhud::cli {

/// For a command that ends when its work is done: memory that is given back is kept for the next
/// use instead of being handed to the system, which would have to clear it every time. A trace's
/// import takes a tenth less time so.
void keep_memory();

/// For a server: keeps what its threads reserve of addresses below half a gigabyte, so that it
/// works where `ulimit -v` or a service manager allows one. As glibc has it, each thread takes 8
/// MiB for its stack, up to eight times as many arenas as there are processors take 64 MiB each,
/// and what is freed after one upload is kept there for the next. Of threads that are started
/// later.
void limit_addresses();

}  // namespace benchhud::cli
