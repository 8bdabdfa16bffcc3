package process

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc/keepalive"
)

// defaultPings tell a process that is frozen from one that is at work: gRPC answers them beside the batches. Servers end
// a connection that is pinged more often than every 5 minutes, unless they are told otherwise.
func defaultPings() keepalive.ClientParameters {
	return keepalive.ClientParameters{Time: 6 * time.Minute, Timeout: 30 * time.Second}
}

// stopped reports whether a process is alive and held by a signal or a debugger, as far as the system tells.
func stopped(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // number, name in parentheses, state ...
	if err != nil {
		return false
	}
	behind := text[bytes.LastIndexByte(text, ')')+1:]
	return bytes.HasPrefix(behind, []byte(" T")) || bytes.HasPrefix(behind, []byte(" t"))
}
