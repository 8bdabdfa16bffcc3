package manifest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

// filed is a workload of the files in a folder.
type filed struct {
	sdk.Workload
	paths  []string
	closed *atomic.Int32
}

func (f filed) Len() int { return len(f.paths) }

func (f filed) Load(_ context.Context, i int) (sdk.Sample, error) {
	text, err := os.ReadFile(f.paths[i])
	if err == nil && string(text) == "broken" {
		err = fmt.Errorf("%s is broken", filepath.Base(f.paths[i]))
	}
	return text, err
}

func (f filed) Close() error {
	f.closed.Add(1)
	return nil
}

const filedText = `{"name": "b", "params": [{"name": "ending", "help": "of the files"}],
	"embedded": {"defaults": {"ending": ".txt"}, "files": [{"name": "e", "precision": "fp32"}]},
	"datasets": [{"name": "texts", "samples": 3, "layout": "a folder of texts", "note": "see example.org",
		"archives": [{"name": "known.bin", "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
			"size": 3}]}],
	"models": [{"name": "m", "defaults": {"ending": ".txt"}}]}`

// textFiles is a benchmark of the files in a folder. It also exports a file.
func textFiles(closed *atomic.Int32) sdk.Benchmark {
	return Benchmark(filedText, folder(), Implementation{
		Open: func(_ context.Context, r *Request) (sdk.Workload, error) {
			paths, _ := filepath.Glob(filepath.Join(r.Dataset, "*"+r.Params.Text("ending")))
			if len(paths) == 0 {
				return nil, sdk.Data(errors.New("no text"))
			}
			return filed{paths: paths[:min(r.SampleCount(len(paths), "texts"), len(paths))], closed: closed}, nil
		},
		Samples: 2,
		Export: DatasetExport{Sets: []string{"eval", "train"}, File: "a.txt",
			Write: func(_ context.Context, out, set string, first, n int) error {
				if set != "eval" {
					return fmt.Errorf("unknown set %q", set)
				}
				return os.WriteFile(out, fmt.Append(nil, first, n), 0o600)
			}},
	})
}

func verified(t *testing.T, dir string, params map[string]string) (string, error) {
	t.Helper()
	closed := new(atomic.Int32)
	b := textFiles(closed)
	r := sdk.DatasetRequest{Model: "m", Action: sdk.Verify, Input: dir, Params: params}
	r, err := r.Complete(b.Describe().Models[0])
	if err != nil {
		t.Fatal(err)
	}
	done, err := b.(sdk.DatasetWorker).WorkOnDataset(t.Context(), r, func(string) {})
	if n := closed.Load(); n > 1 || err == nil && n != 1 {
		t.Errorf("the workload was closed %d times", n)
	}
	return done, err
}

// write creates files in a new folder.
func write(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestVerify(t *testing.T) {
	whole := write(t, map[string]string{"1.txt": "a", "2.txt": "b", "3.txt": "c", "known.bin": "abc"})
	done, err := verified(t, whole, nil)
	if err != nil || done != "3 samples, all can be read; 4 files, 0.0 MB, 1 of them with the checksum that is known" {
		t.Errorf("%q, %v", done, err)
	}
	part := write(t, map[string]string{"1.md": "a"})
	if done, err = verified(t, part, map[string]string{"count": "1", "ending": ".md"}); err != nil {
		t.Errorf("%q, %v", done, err)
	}
}

// TestVerifySaysEveryFault requires an error with all faults that explains how to get missing files.
func TestVerifySaysEveryFault(t *testing.T) {
	dir := write(t, map[string]string{"1.txt": "broken", "2.txt": "broken", "3.txt": "", "4.txt": "d", "known.bin": "abd"})
	_, err := verified(t, dir, nil)
	if !errors.Is(err, sdk.ErrData) {
		t.Errorf("error %v, want one of the data", err)
	}
	wantAll(t, err, "sample 0: 1.txt is broken", "sample 1: 2.txt is broken", "3.txt is empty",
		"known.bin has the SHA-256", "4 samples, want 3 of texts", "--param count=4", "texts is a folder of texts",
		"see example.org", "harness fetch m")
	_, err = verified(t, write(t, map[string]string{"known.bin": "abcd", "1.txt": "x"}), map[string]string{"count": "2"})
	wantAll(t, err, "has 4 bytes, want 3", "count = 2, want at most the 1 texts")
	_, err = verified(t, write(t, nil), nil)
	wantAll(t, err, "no text", "see example.org")
	if _, err = verified(t, filepath.Join(dir, "no such"), nil); !errors.Is(err, sdk.ErrData) {
		t.Errorf("error %v, want one of the data", err)
	}
	if _, err = verified(t, dir, map[string]string{"count": "x"}); !errors.Is(err, sdk.ErrUsage) {
		t.Errorf("error %v, want one of usage", err)
	}
}

func TestVerifyNamesSomeOfManyFaults(t *testing.T) {
	texts := map[string]string{}
	for i := range 50 {
		texts[fmt.Sprint(i, ".txt")] = "broken"
	}
	_, err := verified(t, write(t, texts), map[string]string{"count": "50"})
	wantAll(t, err, "and 30 samples more")
	if n := strings.Count(err.Error(), "is broken"); n != maxFaults {
		t.Errorf("%d samples are named", n)
	}
}

func TestExport(t *testing.T) {
	b := textFiles(nil)
	export := func(params map[string]string) (string, error) {
		r := sdk.DatasetRequest{Model: "m", Action: sdk.Export, Output: t.TempDir(), Params: params}
		r, err := r.Complete(b.Describe().Models[0])
		if err != nil {
			t.Fatal(err)
		}
		done, err := b.(sdk.DatasetWorker).WorkOnDataset(t.Context(), r, nil)
		text, _ := os.ReadFile(filepath.Join(r.Output, "a.txt"))
		return done + ": " + string(text), err
	}
	if got, err := export(nil); err != nil || got != "the set eval is written to a.txt: 0 -1" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := export(map[string]string{"first": "5", "n": "2"}); err != nil || !strings.HasSuffix(got, ": 5 2") {
		t.Errorf("%q, %v", got, err)
	}
	for _, params := range []map[string]string{{"set": "x"}, {"n": "-1"}, {"first": "x"}} {
		if got, err := export(params); !errors.Is(err, sdk.ErrUsage) {
			t.Errorf("%v: %q, %v", params, got, err)
		}
	}
}
