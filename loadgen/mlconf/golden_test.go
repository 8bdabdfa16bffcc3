package mlconf

import (
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/internal/testkit/golden"
)

// configCase is one case of config_cases.json: FromConfig calls of the official LoadGen, their return codes, and the
// fields of TestSettings that they changed.
type configCase struct {
	Name  string
	Calls []struct {
		Text            *string
		Model, Scenario string
		ConfType        *ConfType `json:"conf_type"`
	}
	Preset      map[string]any
	ReturnCodes []int `json:"return_codes"`
	Changed     map[string]any
}

func TestGoldenConfigCases(t *testing.T) {
	runConfigCases(t, filepath.Join(golden.Root(t), "loadgen", "config_cases.json"))
}

func TestConfigCases(t *testing.T) {
	runConfigCases(t, filepath.Join("testdata", "config_cases.json"))
}

// TestConfigCasesOfOddFiles runs files with unusual numbers, white space, wildcards and combinations of keys.
func TestConfigCasesOfOddFiles(t *testing.T) {
	runConfigCases(t, filepath.Join("testdata", "config_odd.json"))
}

func runConfigCases(t *testing.T, path string) {
	data, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	d := json.NewDecoder(data)
	d.UseNumber()
	var cases []configCase
	if err := d.Decode(&cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) { c.run(t) })
	}
}

func (c configCase) run(t *testing.T) {
	s := loadgen.DefaultTestSettings()
	for name, v := range c.Preset {
		preset(t, &s, name, v)
	}
	var o Official
	for i, call := range c.Calls {
		conf := ConfUser
		if call.ConfType != nil {
			conf = *call.ConfType
		}
		code, err := o.FromConfig(&s, call.Text, call.Model, call.Scenario, conf)
		if err != nil {
			t.Fatal(err)
		}
		if code != c.ReturnCodes[i] {
			t.Errorf("call %d returned %d, want %d", i, code, c.ReturnCodes[i])
		}
	}
	c.compare(t, s)
}

// compare requires the changed fields' values, and the defaults in all others.
func (c configCase) compare(t *testing.T, s loadgen.TestSettings) {
	known := map[string]bool{}
	for _, f := range loadgen.Fields() {
		known[f.Official] = true
		want, got := official(f, loadgen.DefaultTestSettings()), official(f, s)
		if v, ok := c.Changed[f.Official]; ok {
			want = officialText(v)
		}
		if !sameNumber(got, want) {
			t.Errorf("%s = %s, want %s", f.Official, got, want)
		}
	}
	for name := range c.Changed {
		if !known[name] {
			t.Errorf("case changes %s, which no field has", name)
		}
	}
}

// official returns a field's value in the official LoadGen's form.
func official(f loadgen.Field, s loadgen.TestSettings) string {
	switch p := f.At(&s).(type) {
	case *float64:
		return big.NewFloat(*p).Text('g', 20)
	case *bool:
		return map[bool]string{true: "true", false: "false"}[*p]
	case *loadgen.Mode:
		return p.String()
	case *time.Duration:
		if f.Form == loadgen.WrapMillisForm || f.Form == loadgen.TokenMillisForm {
			return strconv.FormatUint(uint64(*p), 10)
		}
	}
	if f.Unit == "ms" && f.Official[len(f.Official)-3:] != "_ms" {
		ms, _ := new(big.Float).SetString(f.Text(s))
		return ms.Mul(ms, big.NewFloat(1e6)).Text('g', 20)
	}
	return f.Text(s)
}

func officialText(v any) string {
	switch v := v.(type) {
	case bool:
		return map[bool]string{true: "true", false: "false"}[v]
	case json.Number:
		return v.String()
	}
	return v.(string)
}

func sameNumber(a, b string) bool {
	x, okX := new(big.Float).SetPrec(64).SetString(a)
	y, okY := new(big.Float).SetPrec(64).SetString(b)
	if !okX || !okY {
		return a == b
	}
	f, _ := x.Float64()
	g, _ := y.Float64()
	return x.Cmp(y) == 0 || f == g && strings.ContainsAny(b, ".e")
}

func preset(t *testing.T, s *loadgen.TestSettings, name string, v any) {
	for _, f := range loadgen.Fields() {
		if p, ok := f.At(s).(*bool); ok && f.Official == name {
			*p = v.(bool)
			return
		}
	}
	t.Fatalf("no form for preset %s", name)
}
