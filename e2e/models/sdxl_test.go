package models

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// drawn is a folder with a small text-to-image model, its data set and the scorer's models.
type drawn struct{ dir string }

func newDrawn(t *testing.T) drawn {
	t.Helper()
	d := sdxlDoors()[0]
	dir := t.TempDir()
	for path, graph := range d.files {
		if err := graph.Write(filepath.Join(dir, path)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.data(dir); err != nil {
		t.Fatal(err)
	}
	return drawn{dir}
}

// arguments returns the arguments of an accuracy run.
func (d drawn) arguments(more ...string) []string {
	at := func(name string) string { return filepath.Join(d.dir, name) }
	return append([]string{"run", "stable-diffusion-xl", "--model", at("sdxl"), "--dataset", at("coco2014"),
		"--scorer-model", "clip=" + at("clip/model.onnx"), "--scorer-model", "inception=" + at("inception.onnx"),
		"--mode", "accuracy", "--scenario", "Offline", "--smoke", "--out", at("out"), "--force"}, more...)
}

// TestTextToImageBadInput gives the benchmark one faulty input at a time.
func TestTextToImageBadInput(t *testing.T) {
	d := newDrawn(t)
	drawer := officialdata.SDXL()
	last, wide := drawer, drawer
	last.Last, wide.Hidden = true, 7
	model := func(name string, g *onnxfile.Graph) string {
		path := filepath.Join(d.dir, name+".onnx")
		if err := g.Write(path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := func(name, text string) string { return testfile.Write(t, filepath.Join(d.dir, name), text) }
	hostile := file("hostile.pt", zipped(t, "latents/data.pkl", "\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R."))
	config := d.with(t, "scheduler/scheduler_config.json", `{"_class_name": "DDIMScheduler", "beta_schedule": "cosine"}`)
	for _, c := range []struct {
		name    string
		args    []string
		message []string
	}{
		{"no hidden states", []string{"text_encoder=" + model("last", last.TextEncoder())},
			[]string{"text_encoder has no outputs hidden_states.0", "last_hidden_state"}},
		{"widths", []string{"unet=" + model("wide", wide.UNet(64))}, []string{"encoder_hidden_states", "[N,N,7]", "width 5"}},
		{"scheduler", []string{"config=" + config}, []string{"DDIMScheduler", "want \"EulerDiscreteScheduler\"", "cosine"}},
		{"hostile latents", []string{"latents=" + hostile}, []string{"os.system", "latents.npy"}},
		{"shape of latents", []string{"latents=" + file("wide.npy", numpyZeros("(1, 3, 8, 8)", 4*3*64))},
			[]string{"the UNet takes \"sample\" of [N,4,N,N], and the latent's channels are 3"}},
		{"statistics of another width", []string{"statistics=" + file("two.npz", zipped(t,
			"mu.npy", numpyZeros("(2,)", 8), "sigma.npy", numpyZeros("(2, 2)", 16)))}, []string{"has 1, the statistics", "2"}},
		{"statistics that are none", []string{"statistics=" + file("nan.npz", zipped(t,
			"mu.npy", numpyZeros("(1,)", 0)+"\x00\x00\xc0\x7f", "sigma.npy", numpyZeros("(1, 1)", 4)))}, []string{"NaN"}},
		{"steps", []string{"steps=1001"}, []string{"1001"}},
		{"no scorer's models", nil, []string{"give --scorer-model clip=PATH"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := d.arguments()
			for _, a := range c.args {
				args = append(args, map[bool]string{true: "--model", false: "--param"}[strings.HasSuffix(a, ".onnx")], a)
			}
			if len(c.args) == 0 {
				args = append(args[:6:6], args[10:]...)
			} else if strings.HasSuffix(c.args[0], ".onnx") {
				args = d.partByPart(args, c.args[0])
			}
			r := harness.Run(t, args...)
			if r.Code != 6 && r.Code != 2 {
				t.Errorf("exit code %d, want 6 or 2; it printed:\n%s", r.Code, r.Both())
			}
			harness.WantParts(t, r.Both(), c.message...)
			if strings.Contains(r.Both(), "goroutine ") {
				t.Errorf("a stack trace:\n%s", r.Both())
			}
		})
	}
}

// partByPart names each part's file, except the one at the end of args.
func (d drawn) partByPart(args []string, other string) []string {
	name, _, _ := strings.Cut(other, "=")
	var parts []string
	for _, p := range []string{"text_encoder", "text_encoder_2", "unet", "vae_decoder"} {
		if p != name {
			parts = append(parts, "--model", p+"="+filepath.Join(d.dir, "sdxl", p, "model.onnx"))
		}
	}
	parts = append(parts, "--param", "config="+filepath.Join(d.dir, "sdxl"))
	return append(append(args[:2:2], args[4:]...), parts...)
}

// with returns a copy of the model's configurations with another file.
func (d drawn) with(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := officialdata.SDXLFolder(dir); err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, filepath.Join(dir, name), text)
	return dir
}

// zipped returns an archive of members and their texts.
func zipped(t *testing.T, members ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		w, err := z.Create(members[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(members[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// numpyZeros returns an array of float32 with a given number of zero bytes after its header.
func numpyZeros(shape string, size int) string {
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }"
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), 0}) + header + strings.Repeat("\x00", size)
}

// TestTextToImageScores cuts a log in the middle of a picture, shrinks a picture, and writes the pictures of a round.
func TestTextToImageScores(t *testing.T) {
	d := newDrawn(t)
	harness.Run(t, d.arguments("--rules", "v6.0")...).WantCode(t, 0)
	folder := filepath.Join(d.dir, "out", "stable-diffusion-xl", "Offline", "accuracy")
	if _, err := os.Stat(filepath.Join(folder, "images")); !os.IsNotExist(err) {
		t.Errorf("pictures of a round whose samples the data set does not have: %v", err)
	}
	log := testfile.Read(t, filepath.Join(folder, "mlperf_log_accuracy.json"))
	if left, err := filepath.Glob(filepath.Join(folder, "*.features-*")); err != nil || len(left) > 0 {
		t.Errorf("features are left: %v, %v", left, err)
	}
	middle := strings.Index(log, `"data" : "`) + 1000
	for name, c := range map[string]struct{ log, message string }{
		"cut":     {log[:middle], "ends"},
		"smaller": {log[:middle] + log[middle+2:], "12287 bytes, want 12288: 64x64 pixels"},
	} {
		path := testfile.Write(t, filepath.Join(t.TempDir(), "mlperf_log_accuracy.json"), c.log)
		r := harness.Run(t, "score", path, "--benchmark", "stable-diffusion-xl", "--dataset", filepath.Join(d.dir,
			"coco2014"),
			"--scorer-model", "clip="+filepath.Join(d.dir, "clip/model.onnx"),
			"--scorer-model", "inception="+filepath.Join(d.dir, "inception.onnx"))
		if r.Code != 6 || !strings.Contains(r.Both(), c.message) {
			t.Errorf("%s: code %d:\n%s", name, r.Code, r.Both())
		}
	}
}
