// Sets how kilnd's allocator (jemalloc) gives memory back.
//
// A burst of large requests must not stay resident: a thread of jemalloc's returns what has been
// free for a second to the system. glibc's allocator kept hundreds of MiB in the arenas of gRPC's
// threads. Nor must it stay mapped: where address space is limited (ulimit -v), memory that one
// thread freed must be available to another, so nothing is kept for growth. Workers keep jemalloc's
// own times: they use the same memory again for the next job.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf =
    "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0,retain:false";
}
