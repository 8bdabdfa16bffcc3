package conformance

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

func TestWhatWasOpenedIsWhatIsDescribed(t *testing.T) {
	m := sdk.ModelInfo{
		Name:     "m",
		Files:    []sdk.ModelFile{{Name: "weights", Embedded: true, SHA256: "aa"}, {Name: "official", SHA256: "bb"}},
		Datasets: []sdk.DatasetInfo{{Name: "d", Embedded: true, Samples: 10}},
	}
	good := sdk.WorkloadInfo{
		Model: "M", ModelFile: "weights", Embedded: true, ModelSHA256: "AA", DatasetSize: 10, PerformanceSampleCount: 5,
		Batch: 1, Sessions: 1,
	}
	for _, c := range []struct {
		name  string
		spoil func(*sdk.WorkloadInfo)
		want  string // of the error; empty: none
	}{
		{"good", func(*sdk.WorkloadInfo) {}, ""},
		{"other weights", func(i *sdk.WorkloadInfo) { i.ModelSHA256 = "ab" },
			`model file weights was opened with the sha256 "ab", the description says "aa"`},
		{"no checksum known", func(i *sdk.WorkloadInfo) { i.ModelSHA256 = "" }, ""},
		{"a file of the user's", func(i *sdk.WorkloadInfo) {
			i.Embedded, i.ModelFile, i.ModelSHA256 = false, "official",
				"cc"
		}, ""},
		{"other data", func(i *sdk.WorkloadInfo) { i.DatasetSize = 9 },
			"the data set has 9 samples, the description says 10"},
		{"other model", func(i *sdk.WorkloadInfo) { i.Model = "n" }, `the model "n" was opened, want "m"`},
		{"no sessions", func(i *sdk.WorkloadInfo) { i.Sessions = 0 }, "batches of 1, 0 sessions"},
		{"more in memory than there is", func(i *sdk.WorkloadInfo) { i.PerformanceSampleCount = 11 },
			"10 samples, 11 in memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			info := good
			c.spoil(&info)
			err := infoFaults(info, m, sdk.Options{})
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
