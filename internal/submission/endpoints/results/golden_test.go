package results

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// unpack writes a made submission to a folder org/sub.
func unpack(t *testing.T, archive string) (org string) {
	t.Helper()
	org = filepath.Join(t.TempDir(), "org")
	golden.Unpack(t, archive, filepath.Join(org, "sub"))
	return org
}

// differences are the places at which two values of JSON differ, numbers by more than 1e-12 of them.
func differences(at string, got, want any) (all []string) {
	switch want := want.(type) {
	case map[string]any:
		got, _ := got.(map[string]any)
		for key := range want {
			all = append(all, differences(at+"."+key, got[key], want[key])...)
		}
		for key := range got {
			if _, ok := want[key]; !ok {
				all = append(all, at+"."+key+" is too much")
			}
		}
		return all
	case []any:
		got, _ := got.([]any)
		if len(got) != len(want) {
			return []string{at + " has another length"}
		}
		for i := range want {
			all = append(all, differences(at+"[]", got[i], want[i])...)
		}
		return all
	case float64:
		if x, ok := got.(float64); ok && math.Abs(x-want) <= 1e-12*math.Abs(want) {
			return nil
		}
	}
	if !reflect.DeepEqual(got, want) {
		text, _ := json.Marshal([]any{got, want})
		return []string{at + ": " + string(text)}
	}
	return nil
}

// TestGoldenBundles: the bundle of each made submission is that of the official visualizer, in every field, and the
// figures of the points are those that it derives.
func TestGoldenBundles(t *testing.T) {
	seen := 0
	golden.Each(t, "endpoints/viz/*.json", func(t *testing.T, file string) {
		seen++
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		org := unpack(t, filepath.Join(filepath.Dir(file), "..", "base", name+".tar.gz"))
		r, err := Read(org, endpoints.NewestRules())
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := r.WriteViz(&out, time.Unix(0, 0)); err != nil {
			t.Fatal(err)
		}
		var got, want map[string]any
		golden.ReadJSON(t, file, &want)
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if got["generated_at"] != "1970-01-01T00:00:00+00:00" {
			t.Errorf("generated_at is %v", got["generated_at"])
		}
		delete(got, "generated_at")
		for _, d := range differences("", got, want) {
			t.Error(d)
		}
		runs, n := want["runs"].([]any), 0
		for _, c := range r.Curves {
			for _, p := range c.Points {
				derived := runs[n].(map[string]any)["run"].(map[string]any)["derived_fields"].(map[string]any)
				for key, x := range map[string]*float64{"system_tps": p.SystemTPS, "tps_per_user": p.TPSPerUser, "qps": p.QPS,
					"ttft": p.TTFT, "tps_utilization": p.Utilization} {
					if x == nil || *x != derived[key] {
						t.Errorf("%s %s: %s is %v, want %v", c.System, p.Name, key, x, derived[key])
					}
				}
				n++
			}
		}
		if n != len(runs) {
			t.Errorf("%d points, want %d", n, len(runs))
		}
	})
	if seen < 5 && !t.Skipped() {
		t.Errorf("%d bundles", seen)
	}
}
