package host

// MemoryFree is how many bytes of memory are available without swapping.
func MemoryFree() int64 { return memoryAvailable("/proc/meminfo") }
