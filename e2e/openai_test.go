package e2e

import (
	"strings"
	"testing"
)

// TestServerWithoutMinimum: llama.cpp has no field for the fewest tokens of an answer. It is asked all the same, with
// no extra flag, and its answers are judged.
func TestServerWithoutMinimum(t *testing.T) {
	run := func(url string, more ...string) result {
		return harness(t, append([]string{
			"run", "llama3.1-8b", "--backend", "openai", "--backend-opt", "url=" + url, "--scenario", "Offline",
			"--mode", "performance", "--set", "min_query_count=16", "--out", t.TempDir(), "--quiet",
		}, more...)...)
	}
	run(startMock(t, openaiMock, nil, "-listen", "127.0.0.1:0", "-owner", "llamacpp", "-vocabulary",
		"1400")).wantCode(t, 0)
	short := startMock(t, openaiMock, nil, "-listen", "127.0.0.1:0", "-owner", "llamacpp", "-vocabulary",
		"1400", "-tokens", "2")
	r := run(short, "--param", "min_new_tokens=3").wantCode(t, 2)
	if want := "--param min_new_tokens=2 takes such answers"; !strings.Contains(r.stderr, want) {
		t.Errorf("it printed %q, want it to hold %q", r.stderr, want)
	}
	run(short, "--param", "min_new_tokens=2").wantCode(t, 0)
}
