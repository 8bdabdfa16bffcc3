package assemble

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatIsNotFilledIn(t *testing.T) {
	done, err := InitWorkspace(filepath.Join(t.TempDir(), "w"), InitOptions{SystemType: "edge"}, nil)
	if err != nil || len(done.OpenFields) < 20 {
		t.Fatalf("open %v, %v", done, err)
	}
	w := done.Workspace
	add(t, w, AddOptions{}, newOut(t).both("bert-99", "Offline"))
	_, err = w.NewPlan(PlanOptions{})
	for _, want := range []string{
		"submission.json  submitter", "systems/system.json  cooling", "measurements/bert-99.json  input_data_types",
	} {
		if !errors.Is(err, ErrUnfilled) || !strings.Contains(filepath.ToSlash(err.Error()), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if strings.Contains(err.Error(), "framework") {
		t.Errorf("what the run says is asked for: %v", err)
	}
	if p := plan(t, w, PlanOptions{AllowUnfilled: true}); !strings.HasPrefix(p.Files[0].Path, "closed/unnamed/") {
		t.Errorf("files %q", paths(p))
	}
}

func TestInitTwiceChangesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "w")
	if _, err := InitWorkspace(dir, InitOptions{Submitter: "Lab"}, map[string]string{"cooling": "air"}); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, dir)
	again, err := InitWorkspace(dir, InitOptions{}, map[string]string{"cooling": "water"})
	if err != nil || len(again.Written) > 0 || snapshot(t, dir) != before {
		t.Errorf("%+v, %v", again, err)
	}
	_, err = InitWorkspace(dir, InitOptions{Submitter: "Other"}, nil)
	if err == nil || !strings.Contains(err.Error(), "found Lab") {
		t.Errorf("another submitter: %v", err)
	}
}

func TestCheckName(t *testing.T) {
	for _, good := range []string{"Lab", "Лаборатория", "研究所", "Forschung_Süd", "a-b.c+d", "1"} {
		if err := CheckName("submitter", good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{
		"", ".", "..", ".hidden", "-x", "a b", "a/b", `a\b`, "a\nb", "a\x00b", "u\u0308", "\u202eabc", "a:b", "\xff",
		strings.Repeat("x", 201),
	} {
		if err := CheckName("submitter", bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func FuzzOpenWorkspace(f *testing.F) {
	f.Add([]byte(`{"schema": "plumbline.submission", "schema_version": 1, "submitter": "Lab", "division": "closed",
		"results": [{"system": "s", "benchmark": "bert-99", "scenario": "Offline", "mode": "accuracy", "dir": "a/b"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, WorkspaceFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
		w, err := OpenWorkspace(dir)
		if err != nil {
			return
		}
		for _, r := range w.Results {
			if !filepath.IsLocal(filepath.FromSlash(r.Dir)) || CheckName("system", r.System) != nil {
				t.Errorf("taken: %+v", r)
			}
		}
	})
}
