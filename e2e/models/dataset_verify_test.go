package models

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// exported are the plugins' own data sets in the official layouts: the number of samples, and the arguments for verify
// and run.
var exported = map[string]struct {
	export, verify []string
	spoil          string // a file that is then damaged: a pattern
}{
	"resnet50":           {[]string{"n=20"}, []string{"count=20"}, "*.png"},
	"retinanet":          {[]string{"n=5"}, []string{"count=5"}, "validation/data/*"},
	"yolo-99":            {[]string{"n=5"}, []string{"count=5", "dataset=openimages", "classes=10"}, "validation/data/*"},
	"pointpainting":      {[]string{"n=3"}, []string{"count=3"}, "training/image_2/*.jpg"},
	"dlrm-v2":            {[]string{"n=5000"}, []string{"count=18", "variant=sample"}, "*_labels*.npy"},
	"bert-99":            {[]string{"n=5"}, []string{"count=20", "vocab=embedded"}, "dev-v1.1.json"},
	"rnnt":               {[]string{"n=5"}, []string{"count=5"}, "dev-clean-wav/*/*/*.wav"},
	"llama3.1-8b":        {[]string{"n=5"}, []string{"count=5"}, "cnn_eval.json"},
	"qwen3-vl-235b-a22b": {[]string{"n=5"}, []string{"count=5"}, "data/*.parquet"},
	"e2e-rag-qna":        {nil, []string{"count=20"}, "frames_dataset.tsv"},
	"e2e-rag-db":         {nil, []string{"count=20"}, "A*.html"},
	"rgat":               {nil, []string{"count=1000"}, "tiny/processed/paper/node_feat.npy"},
	"3d-unet-brats":      {[]string{"first=4", "n=2"}, []string{"count=2", "shape=32x32x32"}, "*/*/*_flair.nii.gz"},
	"dlrm-v3": {nil, []string{"count=20", "train_periods=8", "items=1024", "categories=8", "max_sequence=87",
		"max_candidates=24"}, "0.csv"},
}

func params(list []string) (args []string) {
	for _, p := range list {
		args = append(args, "--param", p)
	}
	return args
}

// TestExportedDataIsSound exports the data set of each plugin, verifies it, and verifies it again with a damaged file.
func TestExportedDataIsSound(t *testing.T) {
	for model, c := range exported {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			harness.Run(t, append([]string{"dataset", "export", model, dir}, params(c.export)...)...).WantCode(t, 0)
			wantVerified(t, model, dir, c.verify, c.spoil)
		})
	}
}

// TestOfficialLayoutsAreVerified verifies data of benchmarks that export none.
func TestOfficialLayoutsAreVerified(t *testing.T) {
	for model, c := range map[string]struct {
		make   func(dir string) error
		verify []string
		spoil  string
	}{
		"3d-unet": {func(dir string) error {
			_, err := officialdata.KiTS19(dir)
			return err
		}, []string{"count=3"}, "*/*/imaging.nii.gz"},
		"whisper": {officialdata.WhisperTranscripts, []string{"count=20"}, "dev-clean/*/*/*.wav"},
	} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			if err := c.make(dir); err != nil {
				t.Fatal(err)
			}
			wantVerified(t, model, dir, c.verify, c.spoil)
		})
	}
}

// wantVerified expects verify to pass a data set, and to fail it with a damaged file, or with a pipe without a writer
// in its place. The limits of plugins apply here, too.
func wantVerified(t *testing.T, model, dir string, with []string, spoil string) {
	t.Helper()
	verify := append([]string{"dataset", "verify", model, dir}, params(with)...)
	harness.Run(t, append(verify, "--limit", "memory=8GiB,files=1024")...).WantCode(t, 0).WantOutput(t,
		" samples, all can be read; ")
	if host.LimitsSupported {
		harness.Run(t, append(verify, "--limit", "files=3")...).WantCode(t, 5) // with that limit no plugin starts
	}
	paths, err := filepath.Glob(filepath.Join(dir, spoil))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no %s among %v: %v", spoil, names(t, dir), err)
	}
	for _, spoil := range []func() error{
		func() error { return os.WriteFile(paths[0], nil, 0o600) },
		func() error { return errors.Join(os.Remove(paths[0]), syscall.Mkfifo(paths[0], 0o600)) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		r := harness.Run(t, verify...).WantCode(t, 6)
		if !strings.Contains(r.Stderr, filepath.Base(paths[0])) {
			t.Errorf("the spoilt file %s is not named:\n%s", paths[0], r.Stderr)
		}
	}
}
