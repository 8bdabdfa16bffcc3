// Package manifesttest checks a benchmark made by package manifest. The benchmark must open its embedded models with
// every model's defaults and reject wrong input with a clear error, and its files, their card and their README must
// agree.
//
//	func TestBenchmark(t *testing.T) { manifesttest.Run(t, New()) }
//
// In scope: requirements on every benchmark. Out of scope: the figures themselves, and the author's own code.
package manifesttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// Run performs all checks. params ("tokenizer=embedded") contains the parameters that a user's own model file requires.
func Run(t *testing.T, b sdk.Benchmark, params ...string) {
	s := benchmarkSuite{b, b.Describe(), parsePairs(t, params)}
	t.Run("description", func(t *testing.T) { sdktest.CheckDescription(t, s.described) })
	t.Run("embedded files", s.checkEmbeddedFiles)
	t.Run("sizes", s.checkSizes)
	t.Run("official defaults", s.checkOfficialDefaults)
	t.Run("refusals", s.checkRefusals)
	t.Run("refusals to score", s.checkScoreRefusals)
	t.Run("every fault", s.checkAllFaultsReported)
}

type benchmarkSuite struct {
	sdk.Benchmark
	described sdk.Description
	params    map[string]string
}

func parsePairs(t *testing.T, params []string) map[string]string {
	t.Helper()
	m := map[string]string{}
	for _, p := range params {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			t.Fatalf("parameter %q, want NAME=VALUE", p)
		}
		m[name] = value
	}
	return m
}

// Params returns the parameters of a model's official files, or of the embedded ones. Values in given override the
// defaults.
func Params(t testing.TB, b sdk.Benchmark, model string, embedded bool, given map[string]string) *option.Params {
	t.Helper()
	m, ok := manifest.Of(b)
	if !ok {
		t.Fatalf("benchmark %T was not made by package manifest", b)
	}
	values, err := m.Values(model, embedded, given)
	if err != nil {
		t.Fatal(err)
	}
	return option.NewParams(values)
}

// ModelFile writes a placeholder for a model file and returns its path. It works only if no backend reads the file.
func ModelFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, []byte("not a model"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
