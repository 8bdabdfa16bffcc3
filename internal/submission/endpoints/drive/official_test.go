package drive_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/internal/serving/client"
	"github.com/plumbline-ml/plumbline/internal/serving/steady"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/drive"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/sdk"
)

// officialScript does what the official client does, but for asking a server: it wants its arguments and the point's
// configuration, and writes the files of a run whose super-passes take 200 s each.
const officialScript = `#!/bin/sh
[ "$1 $2 $3 $4 $5" = "-m inference_endpoint.main benchmark from-config --config" ] || exit 7
name=${6%.yaml}
grep -q "^report_dir: $name$" "$6" || exit 8
n=$(sed -n 's/^ *n_samples_to_issue: //p' "$6")
echo "mode $8 of $n samples"
if [ -e "../broken" ]; then echo "ValidationError: no such server" >&2; exit 1; fi
mkdir -p "$name/performance" || exit 9
printf '{"n_samples_issued":%s,"n_samples_completed":%s,"n_samples_failed":0,"duration_ns":1e12}' $n $n \
  >"$name/performance/result_summary.json"
awk -v n=$n -v size=12 -v pass="${PASS:-200}" 'BEGIN {
  line = "{\"event_type\":\"%s\",\"timestamp_ns\":%.0f,\"sample_uuid\":\"%s\",\"data\":%s}\n"
  printf line, "session.start_performance_tracking", 0, "", "null"
  for (i = 0; i < n; i++) {
    at = 1 + i * pass * 1e9 / size
    printf line, "sample.issued", at, i, "null"
    printf line, "sample.recv_first", at + 2e8, i, "null"
    printf line, "sample.complete", at + 4e8, i, "[\"text\",[\"a\",\"bbbbbbbbbb\"]]"
  }
  printf line, "session.stop_performance_tracking", at + 1e9, "", "null"
}' >"$name/events.jsonl"
`

// newOfficial is a trial whose client is a program that stands for the official one; its set is small.
func newOfficial(t *testing.T) (tr *trial, own *drive.OfficialClient) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the client of this test is a script")
	}
	tr = newTrial(t, serve(t, openaitest.New(openaitest.Options{Owner: "vllm", Version: "1"})))
	dir := filepath.Dir(tr.Out)
	python, tokenizer := filepath.Join(dir, "python"), filepath.Join(dir, "tokenizer.json")
	write(t, python, officialScript)
	if err := os.Chmod(python, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, tokenizer, `{"model":{"type":"BPE","vocab":{"a":0,"b":1},"merges":[]},
"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"use_regex":false},"decoder":{"type":"ByteLevel"}}`)
	rules := *tr.Rules
	rules.PerformanceSets = map[string]int{tr.Plan.Model: rows}
	tokens, err := client.OpenTokenizer(tokenizer)
	if err != nil {
		t.Fatal(err)
	}
	own = &drive.OfficialClient{Python: python, Plan: tr.Plan, Rules: &rules, Tokenizer: tokens, Say: tr.Say}
	tr.Rules, tr.Client, tr.TimeDivisor = &rules, own, 1
	return tr, own
}

// TestOfficial: the official client is driven by the configuration of each point, and its files make the steady state.
func TestOfficial(t *testing.T) {
	tr, _ := newOfficial(t)
	curve, err := drive.RunCurve(t.Context(), tr.Options)
	if err != nil || len(curve.Points) != 7 || curve.Rehearsal {
		t.Fatalf("%+v, %v", curve, err)
	}
	for _, k := range curve.Points {
		windowable := k.Point.WindowSeconds == 600
		want := steady.InsufficientDuration
		if windowable {
			want = steady.Windowable
		}
		if k.Issued != 5*rows || k.Steady == nil || k.Steady.Status != want || k.Steady.Window.Size != rows {
			t.Errorf("%s: %d requests, %+v, want %s", k.Point.Name(), k.Issued, k.Steady, want)
		}
		dir := filepath.Join(tr.Out, k.Point.Name())
		text, err := os.ReadFile(filepath.Join(dir, drive.PointFile))
		if err != nil || strings.Contains(string(text), "rehearsal") ||
			!strings.Contains(string(text), "client: official\n") {
			t.Errorf("%v\n%s", err, text)
		}
		mode := "mode perf"
		if k.Point.Accuracy {
			mode = "mode both"
		}
		if log, err := os.ReadFile(dir + ".client.log"); err != nil || !strings.Contains(string(log), mode) {
			t.Errorf("%s: %s, %v, want %s", k.Point.Name(), log, err, mode)
		}
	}
	tr.wantSaid(t, "r40: the window of 13 min 3 s is too short: 8 passes in the plan would make one of 20 min")
}

// TestOfficialFails: whose fault it is that the client gives no result.
func TestOfficialFails(t *testing.T) {
	tr, own := newOfficial(t)
	write(t, filepath.Join(filepath.Dir(tr.Out), "broken"), "")
	if _, err := drive.RunCurve(t.Context(), tr.Options); !errors.Is(err, plugin.ErrFault) ||
		!strings.Contains(err.Error(), "mode both of 60 samples | ValidationError: no such server") {
		t.Errorf("error %v, want the client's last words", err)
	}
	own.Python = filepath.Join(t.TempDir(), "none")
	_, err := drive.RunCurve(t.Context(), tr.Options)
	if !errors.Is(err, sdk.ErrUsage) || !strings.Contains(err.Error(), "none") {
		t.Errorf("error %v, want one of the interpreter", err)
	}
	tr.TimeDivisor = 2
	if _, err := drive.RunCurve(t.Context(), tr.Options); !errors.Is(err, sdk.ErrUsage) {
		t.Errorf("error %v, want that times are not divided", err)
	}
	own.Rehearsal, own.Python = true, filepath.Join(filepath.Dir(tr.Out), "python")
	if err := os.Remove(filepath.Join(filepath.Dir(tr.Out), "broken")); err != nil {
		t.Fatal(err)
	}
	tr.Plan.Points = tr.Plan.Points[:1]
	curve, err := drive.RunCurve(t.Context(), tr.Options)
	if err != nil || !curve.Rehearsal {
		t.Errorf("a rehearsal by the official client: %+v, %v", curve, err)
	}
	tr.wantSaid(t, "r1: no accuracy run: the official client wrote none")
}
