package manifest

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

// TestStructsDeclareParameters adds a parameter with the help and the default of a tag to the manifest's parameters.
func TestStructsDeclareParameters(t *testing.T) {
	i := sizes()
	i.Params = []any{struct {
		Size int    `param:"size" min:"1" max:"int32"`
		Mode string `param:"mode" choices:"fast,slow" default:"fast" help:"how"`
	}{}, struct {
		Again string `param:"mode"`
	}{}}
	m, err := readManifest(text, folder(), i)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range m.Models {
		last := e.Params[len(e.Params)-1]
		if len(e.Params) != 2 || last != (sdk.ParamInfo{Name: "mode", Default: "fast", Help: "how"}) {
			t.Errorf("%s: parameters %+v", e.Name, e.Params)
		}
	}
}

func TestADefaultOfTheManifestStands(t *testing.T) {
	i := sizes()
	i.Params = []any{struct {
		Size int    `param:"size" min:"1" max:"int32" default:"7"`
		Mode string `param:"mode" default:"fast" help:"how"`
	}{}}
	m, err := readManifest(strings.Replace(text, `"size": "800"`, `"size": "800", "mode": "slow"`, 1), folder(), i)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []sdk.ParamInfo{
		{Name: "mode", Default: "fast", Help: "how"}, {Name: "mode", Default: "slow", Help: "how", EmbeddedDefault: "fast"},
	} {
		if got := m.Models[k].Params; got[1] != want || got[0].Default == "7" {
			t.Errorf("%s: %+v, want %+v", m.Models[k].Name, got, want)
		}
	}
}

func TestStructsAndManifestThatDisagree(t *testing.T) {
	type size struct {
		Size int `param:"size" min:"1" max:"int32"`
	}
	for want, structs := range map[string][]any{
		`"size" has help in the manifest and in a tag`: {struct {
			Size int `param:"size" min:"1" max:"int32" help:"h"`
		}{}},
		`"mode" of a field has no help`: {size{}, struct {
			Mode string `param:"mode"`
		}{}},
		`"mode" has no default`: {size{}, struct {
			Mode string `param:"mode" help:"how"`
		}{}},
		`"size" of the manifest is bound to no field`: {struct {
			Mode string `param:"mode" default:"" help:"how"`
		}{}},
		`min:""`: {struct {
			Size int `param:"size" max:"3"`
		}{}},
	} {
		i := sizes()
		i.Params = structs
		if _, err := readManifest(text, folder(), i); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
