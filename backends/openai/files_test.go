package openai

import (
	"errors"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestOwnLimitOfFiles checks that this machine's limit of open files is not reported as a fault of the server.
func TestOwnLimitOfFiles(t *testing.T) {
	base, err := url.Parse("http://127.0.0.1:1/v1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		errno syscall.Errno
		own   bool
	}{{syscall.EMFILE, true}, {syscall.ENFILE, true}, {syscall.ECONNREFUSED, false}, {syscall.EHOSTUNREACH, false}} {
		dial := &dialError{error: &os.SyscallError{Syscall: "socket", Err: c.errno}}
		text := explainDiscovery(dial, base, &openaiSettings{}, false).Error()
		if strings.Contains(text, "ulimit -n") != c.own || strings.Contains(text, "nothing listens") == c.own {
			t.Errorf("%v: %s", c.errno, text)
		}
		if !errors.Is(explainDiscovery(dial, base, &openaiSettings{}, false), c.errno) {
			t.Errorf("%v is not in the error's chain", c.errno)
		}
	}
}
