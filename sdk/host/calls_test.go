package host_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

func TestDiscover(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for path, mode := range map[string]os.FileMode{
		a + "/plumbline-plugin-one": 0o755, a + "/plumbline-plugin-two": 0o755, b + "/plumbline-plugin-two": 0o755,
		b + "/plumbline-plugin-three": 0o755, b + "/plumbline-plugin-data": 0o644, b + "/plumbline-plugin-": 0o755,
		b + "/other": 0o755,
	} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(b+"/plumbline-plugin-folder", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(a+"/plumbline-plugin-one", b+"/plumbline-plugin-link"); err != nil {
		t.Fatal(err)
	}
	found, err := host.Discover([]string{a, filepath.Join(a, "none"), b})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.Name+" "+strings.TrimPrefix(strings.TrimPrefix(f.Path, a), b))
	}
	const want = "one /plumbline-plugin-one, two /plumbline-plugin-two, link /plumbline-plugin-link, three " +
		"/plumbline-plugin-three"
	if strings.Join(got, ", ") != want || found[1].Path != a+"/plumbline-plugin-two" {
		t.Errorf("found %s, want %s", strings.Join(got, ", "), want)
	}
	if _, err := host.Discover([]string{a + "/plumbline-plugin-one"}); err == nil {
		t.Error("a file in place of a directory is no error")
	}
}

func TestDescribe(t *testing.T) {
	d, err := launch(t).Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "null" || len(d.Models) != 1 || len(d.Models[0].Scenarios) != 4 ||
		strings.Join(d.Backends, " ") != "null racks" {
		t.Errorf("%+v", d)
	}
	inspected, err := host.Inspect(t.Context(), faulty(t))
	if err != nil || inspected.Name != "faulty" ||
		inspected.Models[0].Datasets[0].Samples != d.Models[0].Datasets[0].Samples {
		t.Errorf("%+v, error %v", inspected, err)
	}
}

// script writes a plugin as a shell script.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), host.BinaryPrefix+"script")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestInspectErrors(t *testing.T) {
	_, err := host.Inspect(t.Context(), script(t, "echo usage >&2; exit 2"))
	wantFailure(t, err, host.KindStart, "exit status 2", "usage")
	_, err = host.Inspect(t.Context(), script(t, "echo hello"))
	wantFailure(t, err, host.KindHandshake, "is no description")
	_, err = host.Inspect(t.Context(), script(t, "head -c 20000000 /dev/zero"))
	wantFailure(t, err, host.KindStart, "it prints more than 8388608 bytes")
	_, err = host.Inspect(t.Context(), script(t, "head -c 1000000 /dev/zero >&2; echo >&2; echo last words >&2; exit 2"))
	wantFailure(t, err, host.KindStart, "last words")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = host.Inspect(ctx, script(t, "sleep 3600 & wait"))
	wantFailure(t, err, host.KindStart)
}

// A binary that only describes itself also gets no secrets, and leaves nothing behind.
func TestInspectLetsNothingOutAndLeavesNothing(t *testing.T) {
	value := fmt.Sprintf("%s %d", t.Name(), time.Now().UnixNano())
	t.Setenv("PLUMBLINE_TEST_MARK", value)
	t.Setenv("ACME_TOKEN", "for the harness alone")
	binary := script(t, `sleep 60 >/dev/null 2>&1 &
printf '{"description": {"name": "%s.%s"}}' "$ACME_TOKEN" "$PLUMBLINE_TEST_MARK"`)
	d, err := host.Inspect(t.Context(), binary)
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "."+value {
		t.Errorf("a binary sees %q, want %q", d.Name, "."+value)
	}
	if runtime.GOOS == "linux" {
		awaitNothing(t, func() []string {
			return slices.DeleteFunc(marked(t, "PLUMBLINE_TEST_MARK="+value),
				func(p string) bool { return !strings.Contains(p, "sleep") })
		})
	}
}

func TestOpenErrors(t *testing.T) {
	p := launch(t)
	for _, c := range []struct {
		options sdk.Options
		part    string
	}{
		{sdk.Options{Backend: "cuda"}, `unknown backend "cuda", this plugin has null`},
		{sdk.Options{BackendOptions: map[string]string{"threads": "2"}}, "found threads"},
		{sdk.Options{Model: "resnet50"}, `unknown model "resnet50", plugin null has null`},
	} {
		_, err := p.Open(t.Context(), c.options)
		if !errors.Is(err, sdk.ErrUsage) || !strings.Contains(err.Error(), c.part) {
			t.Errorf("error %v, want usage: %s", err, c.part)
		}
	}
}

func TestSamplesThatAreNotThere(t *testing.T) {
	p := launch(t)
	w, err := openCount(t.Context(), p, loadgen.SingleStream, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.QSL().LoadSamplesToRAM(t.Context(), []loadgen.SampleIndex{3, 10}); err == nil ||
		!strings.Contains(err.Error(), "sample 10 does not exist") {
		t.Errorf("error %v", err)
	}
	if err := w.QSL().UnloadSamplesFromRAM(t.Context(), []loadgen.SampleIndex{3}); err == nil ||
		!strings.Contains(err.Error(), "not loaded") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := p.Context(t.Context())
	defer cancel()
	if err := w.SUT().IssueQuery(ctx, loadgen.Query{Samples: []loadgen.QuerySample{{ID: 0, Index: 5}}},
		newCounter(1)); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	wantFailure(t, context.Cause(ctx), host.KindFailed, "sample 5 is not loaded")
}

func TestScore(t *testing.T) {
	p := launch(t)
	s, err := p.OpenScorer(t.Context(), sdk.ScoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const n = 50000 // several frames
	payload := make([]byte, 4)
	for i := range n {
		if err := s.Add(mllog.AccuracyEntry{SeqID: uint64(i), QSLIndex: uint64(i), Data: payload,
			TokenCount: -1}); err != nil {
			t.Fatal(err)
		}
	}
	score, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	if score.Samples != n || score.Metrics[0].Value != 100.0/n || score.OfficialText != "accuracy=0.002%" {
		t.Errorf("%+v", score)
	}
}

// TestScoreLargePayloads sends payloads that need one frame and several frames, between small ones.
func TestScoreLargePayloads(t *testing.T) {
	s, err := launch(t).OpenScorer(t.Context(), sdk.ScoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const frame = 256 << 10
	data := make([]byte, 8*frame) // reused, like in a reader of logs
	sizes := []int{4, frame - 4, frame, frame + 4, 8, 2 * frame, 8*frame - 4, 4}
	for i, size := range sizes {
		for at := 0; at < size; at += 4 {
			binary.LittleEndian.PutUint32(data[at:], math.Float32bits(float32(i)))
		}
		e := mllog.AccuracyEntry{SeqID: uint64(i), QSLIndex: uint64(i), Data: data[:size], TokenData: []byte("abcd"),
			TokenCount: int64(i)}
		if err := s.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	score, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	if score.Samples != len(sizes) || score.Metrics[0].Value != 100 {
		t.Errorf("%+v, want %d samples, all right", score, len(sizes))
	}
}

func TestScoreErrors(t *testing.T) {
	s, err := launch(t).OpenScorer(t.Context(), sdk.ScoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100000 { // until the error arrives
		if err = s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: []byte("abc"), TokenCount: -1}); err != nil {
			break
		}
	}
	if err == nil { // everything was sent before the plugin read the first entry
		_, err = s.Result()
	}
	if !errors.Is(err, sdk.ErrData) || !strings.Contains(err.Error(),
		"accuracy log, seq_id 0, sample 0: a payload of 3 bytes, want a multiple of 4") {
		t.Errorf("error %v", err)
	}
	plugin, err := launchFaulty(t, "panic-scorer")
	if err != nil {
		t.Fatal(err)
	}
	_, err = plugin.OpenScorer(t.Context(), sdk.ScoreOptions{})
	wantFailure(t, err, host.KindFailed, "panic in OpenScorer", "benchmark.go")
	if plugin, err = launchFaulty(t, "error-scorer"); err != nil {
		t.Fatal(err)
	}
	if _, err = plugin.OpenScorer(t.Context(), sdk.ScoreOptions{}); !errors.Is(err, sdk.ErrData) {
		t.Errorf("error %v, want data", err)
	}
}
