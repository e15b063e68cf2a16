// Sets how a worker's allocator (jemalloc) caches what was freed.
//
// By default a thread's cache is trimmed each time 64 KiB have been allocated: several times in a
// compile, which then asks for the same sizes again. Without that a compile of a small module takes
// 2 % less time. The cache's sizes are bounded all the same: at most 200 objects of each size up to
// 32 KiB, a few MiB in all.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "tcache_gc_incr_bytes:1073741824";
}
