package manifesttest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// unknown is a parameter that no benchmark has.
const unknown = "no-such-parameter"

// refusalCase is a wrong request that a benchmark must refuse.
type refusalCase struct {
	name  string
	o     sdk.Options
	class error
	want  []string
}

func (s benchmarkSuite) checkRefusals(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.onnx")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := append(s.missingFiles(), []refusalCase{
		{"unknown model", sdk.Options{Model: "no-such-model"}, sdk.ErrUsage, []string{`"no-such-model"`, s.modelNames()}},
		{"unknown precision", sdk.Options{Precision: "int3"}, sdk.ErrUsage, []string{`"int3"`, "want one of"}},
		{"no such file", sdk.Options{ModelFile: "none.onnx"}, sdk.ErrData, []string{"none.onnx"}},
		{"empty file", sdk.Options{ModelFile: empty}, sdk.ErrData, []string{"is empty"}},
		{"device", sdk.Options{ModelFile: os.DevNull}, sdk.ErrData, []string{"want a file or a folder"}},
		{"no data set", sdk.Options{Dataset: filepath.Join(filepath.Dir(empty), "none")}, sdk.ErrData, []string{"none"}},
		{"negative count", sdk.Options{Count: -1}, sdk.ErrUsage, []string{"count = -1"}},
		{"too large a count", sdk.Options{Count: 1 << 20}, sdk.ErrUsage, []string{"count = 1048576, want at most"}},
		{"unknown parameter", sdk.Options{Params: map[string]string{unknown: "1"}}, sdk.ErrUsage,
			[]string{`unknown parameter "` + unknown}},
	}...)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.Open(t.Context(), c.o)
			sdktest.WantError(t, err, c.want...)
			if !errors.Is(err, c.class) {
				t.Errorf("error %q, want one of class %v", err, c.class)
			}
		})
	}
}

// missingFiles returns requests for the official files by name, which are not in the working folder.
func (s benchmarkSuite) missingFiles() []refusalCase {
	var cases []refusalCase
	for _, m := range s.described.Models {
		for _, f := range m.Files {
			if f.Embedded {
				continue
			}
			o := sdk.Options{Model: m.Name, ModelFile: f.Name, Params: s.params}
			if f.Part != "" {
				o.ModelFile, o.PartFiles = "", map[string]string{f.Part: f.Name}
			}
			want := []string{f.Name, "harness fetch " + m.Name, f.URL}
			cases = append(cases, refusalCase{"not fetched: " + f.Name, o, sdk.ErrData, want})
		}
	}
	return cases
}

func (s benchmarkSuite) modelNames() string {
	var names []string
	for _, m := range s.described.Models {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

func (s benchmarkSuite) checkScoreRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		o     sdk.ScoreOptions
		class error
		want  []string
	}{
		"unknown model": {sdk.ScoreOptions{Model: "no-such-model"}, sdk.ErrUsage,
			[]string{`"no-such-model"`, s.modelNames()}},
		"no data set": {sdk.ScoreOptions{Dataset: filepath.Join(t.TempDir(), "none"), Params: s.params},
			sdk.ErrData, []string{"none"}},
		"negative count": {sdk.ScoreOptions{Count: -1}, sdk.ErrUsage, []string{"count = -1"}},
		"unknown parameter": {sdk.ScoreOptions{Params: map[string]string{unknown: "1"}}, sdk.ErrUsage,
			[]string{`unknown parameter "` + unknown}},
	} {
		_, err := s.OpenScorer(t.Context(), c.o)
		sdktest.WantError(t, err, c.want...)
		if !errors.Is(err, c.class) {
			t.Errorf("%s: error %q, want one of class %v", name, err, c.class)
		}
	}
}

// checkAllFaultsReported opens with wrong values of several kinds and requires an error that lists all of them.
func (s benchmarkSuite) checkAllFaultsReported(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	_, err := s.Open(t.Context(), sdk.Options{
		Precision: "int3", Count: -1, Dataset: nowhere, Params: map[string]string{unknown: "1"},
	})
	sdktest.WantError(t, err, "open "+s.described.Models[0].Name+": ", `"int3"`, "count = -1", nowhere, unknown)
	if !errors.Is(err, sdk.ErrUsage) || !errors.Is(err, sdk.ErrData) {
		t.Errorf("error %q, want both classes", err)
	}
}
