package plan

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/discover"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

// translation is a model with two required parts and an optional one, with embedded files and files to fetch.
func translation() discover.Served {
	s := served()
	s.Model.Parts = []sdk.PartInfo{{Name: "encoder"}, {Name: "decoder"}, {Name: "past", Optional: true}}
	s.Model.Files = []sdk.ModelFile{
		{Name: "embedded-fp32", Part: "encoder", Embedded: true, Precision: "fp32"},
		{Name: "embedded-fp32", Part: "decoder", Embedded: true, Precision: "fp32"},
		{Name: "large", Part: "encoder"}, {Name: "large", Part: "decoder"},
		{Name: "half", Part: "encoder"},
	}
	return s
}

// fetched provides some of the official files.
type fetched struct{}

func (fetched) Locate(_ sdk.ModelInfo, f sdk.ModelFile) (string, error) {
	if f.Name == "large" || f.Name == "half" {
		return "/cache/" + f.Part + "/" + f.Name, nil
	}
	return "", errors.New("it was not fetched")
}

// files creates files with these names in a folder.
func files(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("model"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPartsOfAModel(t *testing.T) {
	dir := files(t, "encoder.onnx", "decoder.bin", "past.x")
	if err := os.Mkdir(filepath.Join(dir, "past"), 0o755); err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		models []string
		want   map[string]string
	}{
		{[]string{"large"}, map[string]string{"encoder": "/cache/encoder/large", "decoder": "/cache/decoder/large"}},
		{[]string{"encoder=large", "decoder=" + in("decoder.bin")},
			map[string]string{"encoder": "/cache/encoder/large", "decoder": in("decoder.bin")}},
		{[]string{dir}, map[string]string{"encoder": in("encoder.onnx"), "decoder": in("decoder.bin"), "past": in("past")}},
		{[]string{"embedded-fp32"}, map[string]string{}},
	} {
		p, err := buildPlan(with(Request{Model: Model{Files: c.models}}, fetched{}), translation())
		if err != nil {
			t.Errorf("%q: %v", c.models, err)
			continue
		}
		if len(p.Options.PartFiles) != len(c.want) {
			t.Errorf("%q: %v, want %v", c.models, p.Options.PartFiles, c.want)
		}
		for part, path := range c.want {
			if p.Options.PartFiles[part] != path {
				t.Errorf("%q: part %s is %q, want %q", c.models, part, p.Options.PartFiles[part], path)
			}
		}
		if k := p.profileKey(); len(k.PartFiles) != len(c.want) {
			t.Errorf("%q: the profile's key has the parts %v", c.models, k.PartFiles)
		}
	}
}

func TestFaultsOfParts(t *testing.T) {
	dir := files(t, "encoder.onnx", "decoder.a", "decoder.b")
	empty := t.TempDir()
	for _, c := range []struct {
		models []string
		code   exitcode.Code
		want   []string
	}{
		{[]string{"half"}, exitcode.Usage, []string{"part decoder of", "is missing"}},
		{[]string{dir}, exitcode.Data, []string{
			"part decoder may be any of decoder.a, decoder.b: name its file, --model decoder=PATH",
		}},
		{[]string{empty}, exitcode.Data, []string{"part encoder is missing",
			"part decoder is missing: the folder has no file decoder.onnx, no folder decoder"}},
		{[]string{"encodr=x", "decoder=", "past"}, exitcode.Usage,
			[]string{`unknown part "encodr"; did you mean "encoder"`, "--model decoder=: want a path",
				`--model "past": want key=value`}},
		{[]string{"encoder=/no/such", "decoder=/none"}, exitcode.Data,
			[]string{"encoder=/no/such: no such file", "decoder=/none: no such file"}},
	} {
		_, err := buildPlan(with(Request{Model: Model{Files: c.models}}, fetched{}), translation())
		if exitcode.Of(err) != c.code {
			t.Errorf("%q: error %v of class %v, want %v", c.models, err, exitcode.Of(err), c.code)
		}
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: error %v, want it to hold %q", c.models, err, want)
			}
		}
	}
}
