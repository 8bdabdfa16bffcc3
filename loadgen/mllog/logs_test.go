package mllog_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// TestGoldenLogFiles reads every log file of the official LoadGen and writes it again. The bytes must be equal.
func TestGoldenLogFiles(t *testing.T) {
	roundTrips(t, filepath.Join(golden.Root(t), "loadgen", "logs"))
}

// TestLogFiles does the same with the files in this repository.
func TestLogFiles(t *testing.T) { roundTrips(t, "testdata") }

func roundTrips(t *testing.T, dir string) {
	files := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		for part, check := range map[string]func(*testing.T, []byte){
			"_detail": detailRoundTrip, "_summary": summaryRoundTrip, "_accuracy": accuracyRoundTrip, "_trace": traceReads,
		} {
			if !entry.IsDir() && strings.Contains(entry.Name(), part) {
				files++
				name, _ := filepath.Rel(dir, path)
				t.Run(name, func(t *testing.T) { check(t, read(t, path)) })
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d log files in %s: %v", files, dir, err)
	}
}

func detailRoundTrip(t *testing.T, text []byte) {
	entries, err := mllog.ReadDetail(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	w := mllog.NewDetailWriter(&again)
	for _, e := range entries {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	same(t, again.Bytes(), text)
}

func summaryRoundTrip(t *testing.T, text []byte) {
	s, err := mllog.ReadSummary(bytes.NewReader(text))
	if len(text) == 0 { // the run was killed
		wantFormat(t, err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := mllog.WriteSummary(&again, s); err != nil {
		t.Fatal(err)
	}
	same(t, again.Bytes(), text)
}

func accuracyRoundTrip(t *testing.T, text []byte) {
	var again bytes.Buffer
	w := mllog.NewAccuracyWriter(&again)
	err := eachEntry(bytes.NewReader(text), w.WriteEntry)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if string(text) == "[" { // the run was killed
		wantFormat(t, err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	same(t, again.Bytes(), text)
}

func traceReads(t *testing.T, text []byte) {
	r := mllog.NewTraceReader(bytes.NewReader(text))
	samples := map[bool]int{}
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e.Name == "Sample" {
			_, begins := e.Sample()
			samples[begins]++
		}
	}
	if samples[true] != samples[false] || samples[true] == 0 && bytes.Contains(text, []byte(`"Sample"`)) {
		t.Errorf("%d samples begin, %d end", samples[true], samples[false])
	}
}

// eachEntry passes all entries of an accuracy log to f.
func eachEntry(r io.Reader, f func(mllog.AccuracyEntry) error) error {
	a := mllog.NewAccuracyReader(r)
	for {
		e, err := a.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f(e)
		}
		if err != nil {
			return err
		}
	}
}

func same(t *testing.T, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range w {
		if i >= len(g) || g[i] != w[i] {
			t.Fatalf("line %d:\n got %.300q\nwant %.300q", i+1, append(g, "<end>")[min(i, len(g))], w[i])
		}
	}
	t.Fatalf("%d lines, want %d", len(g), len(w))
}

func wantFormat(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, mllog.ErrFormat) {
		t.Errorf("error %v, want ErrFormat", err)
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
