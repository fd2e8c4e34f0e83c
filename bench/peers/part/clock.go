package part

import (
	"syscall"
	"unsafe"
)

const clockMonotonic = 1

// nowMs reads CLOCK_MONOTONIC, which every process of the machine shares, in milliseconds.
// Go's own monotonic reading counts from the start of the process, so two processes could not
// compare theirs.
func nowMs() float64 {
	var at syscall.Timespec
	pointer := uintptr(unsafe.Pointer(&at))
	_, _, problem := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, pointer, 0)
	if problem != 0 {
		panic("clock_gettime: " + problem.Error())
	}
	return float64(at.Sec)*1e3 + float64(at.Nsec)/1e6
}
