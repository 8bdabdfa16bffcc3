package feed

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestEveryFieldIsDocumented in docs/live.md, but for those of result.json.
func TestEveryFieldIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/live.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []any{Event{}, BeginData{}, PlanData{}, PlannedInfo{}, StartData{}, ProgressData{}, WindowData{},
		TimePercentiles{}, DistributionData{},
		NoteData{}, EndData{}} {
		for f := range reflect.TypeOf(body).Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !strings.Contains(string(text), "`"+name+"`") {
				t.Errorf("docs/live.md does not say what %s of %T is", name, body)
			}
		}
	}
	for _, phase := range Phases() {
		if !strings.Contains(string(text), phase) {
			t.Errorf("docs/live.md does not name the phase %s", phase)
		}
	}
}
