package host_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/host"
)

// TestKilledWhileItStarts kills plugins before their first answer. The start must end then and not at its time limit.
func TestKilledWhileItStarts(t *testing.T) {
	for _, fault := range []string{"silent-start", "print-half-a-line", "nobody-listens", "hang-open", ""} {
		for way, o := range map[string]host.LaunchOptions{"ring": {}, "stream": {StreamOnly: true}, "TLS": {TLS: true}} {
			t.Run(fault+" "+way, func(t *testing.T) {
				t.Parallel()
				ended, killed := make(chan struct{}), make(chan struct{})
				go func() {
					defer close(killed)
					if pid := markedProcess(t, ended); pid > 0 {
						time.Sleep(time.Duration(len(t.Name())) * time.Millisecond) // at some time during its start
						_ = syscall.Kill(pid, syscall.SIGKILL)                      // it may have ended by itself
					}
				}()
				p, err := launchWith(t, fault, o)
				close(ended)
				<-killed
				if err == nil { // it started earlier
					ctx, cancel := p.Context(t.Context())
					defer cancel()
					<-ctx.Done()
				}
			})
		}
	}
}

// markedProcess waits for the plugin that launchWith starts for the test. It returns 0 if the start has ended without
// one.
func markedProcess(t *testing.T, ended chan struct{}) (pid int) {
	mark := []byte("\x00PLUMBLINE_TEST_MARK=" + t.Name() + " ")
	for last := false; ; time.Sleep(time.Millisecond) {
		all, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, path := range all {
			if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, mark) {
				pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(path)))
				return pid
			}
		}
		if last {
			return 0
		}
		select {
		case <-ended:
			last = true
		default:
		}
	}
}
