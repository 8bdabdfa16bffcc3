package assemble

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

func TestTreeOfTheRounds(t *testing.T) {
	for round, want := range map[string][]string{
		"v6.1": {
			"closed/Lab/documentation/calibration.md",
			"closed/Lab/results/box/bert-99/Offline/README.md",
			"closed/Lab/results/box/bert-99/Offline/TEST01/accuracy/mlperf_log_accuracy.json",
			"closed/Lab/results/box/bert-99/Offline/TEST01/performance/run_1/mlperf_log_detail.txt",
			"closed/Lab/results/box/bert-99/Offline/TEST01/performance/run_1/mlperf_log_summary.txt",
			"closed/Lab/results/box/bert-99/Offline/TEST01/verify_accuracy.txt",
			"closed/Lab/results/box/bert-99/Offline/TEST01/verify_performance.txt",
			"closed/Lab/results/box/bert-99/Offline/accuracy/accuracy.txt",
			"closed/Lab/results/box/bert-99/Offline/accuracy/mlperf_log_accuracy.json",
			"closed/Lab/results/box/bert-99/Offline/accuracy/mlperf_log_detail.txt",
			"closed/Lab/results/box/bert-99/Offline/accuracy/mlperf_log_summary.txt",
			"closed/Lab/results/box/bert-99/Offline/measurements.json",
			"closed/Lab/results/box/bert-99/Offline/performance/run_1/mlperf_log_detail.txt",
			"closed/Lab/results/box/bert-99/Offline/performance/run_1/mlperf_log_summary.txt",
			"closed/Lab/results/box/bert-99/Offline/user.conf",
			"closed/Lab/src/README.md",
			"closed/Lab/systems/box.json",
		},
		"v5.1": {
			"closed/Lab/code/README.md",
			"closed/Lab/compliance/box/bert-99/Offline/TEST01/accuracy/mlperf_log_accuracy.json",
			"closed/Lab/compliance/box/bert-99/Offline/TEST01/performance/run_1/mlperf_log_detail.txt",
			"closed/Lab/compliance/box/bert-99/Offline/TEST01/performance/run_1/mlperf_log_summary.txt",
			"closed/Lab/compliance/box/bert-99/Offline/TEST01/verify_accuracy.txt",
			"closed/Lab/compliance/box/bert-99/Offline/TEST01/verify_performance.txt",
			"closed/Lab/documentation/calibration.md",
			"closed/Lab/measurements/box/bert-99/Offline/README.md",
			"closed/Lab/measurements/box/bert-99/Offline/box_Offline.json",
			"closed/Lab/measurements/box/bert-99/Offline/user.conf",
			"closed/Lab/results/box/bert-99/Offline/accuracy/accuracy.txt",
			"closed/Lab/results/box/bert-99/Offline/accuracy/mlperf_log_accuracy.json",
			"closed/Lab/results/box/bert-99/Offline/accuracy/mlperf_log_detail.txt",
			"closed/Lab/results/box/bert-99/Offline/accuracy/mlperf_log_summary.txt",
			"closed/Lab/results/box/bert-99/Offline/performance/run_1/mlperf_log_detail.txt",
			"closed/Lab/results/box/bert-99/Offline/performance/run_1/mlperf_log_summary.txt",
			"closed/Lab/systems/box.json",
		},
	} {
		of := func(r *record.Run) { r.Rules = round }
		w := workspace(t, InitOptions{System: "box"})
		out := newOut(t).both("bert-99", "Offline", of).audit("bert-99", "Offline", "TEST01")
		out.runs[2].Rules = round
		out.save()
		add(t, w, AddOptions{}, out)
		p := plan(t, w, PlanOptions{})
		if got := paths(p); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s", round, strings.Join(got, "\n"))
		}
		if want := []string{"closed/Lab/results/box/bert-99/SingleStream"}; len(p.Missing) != 1 ||
			!strings.HasPrefix(p.Missing[0], want[0]) {
			t.Errorf("%s: missing %q", round, p.Missing)
		}
	}
}

func TestWriteIsWholeAndKeepsOriginals(t *testing.T) {
	w := workspace(t, InitOptions{})
	out := newOut(t).both("bert-99", "Offline").audit("bert-99", "Offline", "TEST01")
	before := snapshot(t, out.dir)
	add(t, w, AddOptions{}, out)
	to := filepath.Join(t.TempDir(), "tree")
	done, err := plan(t, w, PlanOptions{}).Write(t.Context(), to, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := snapshot(t, out.dir); got != before {
		t.Errorf("the runs have changed:\n%s\n%s", before, got)
	}
	result := filepath.Join(to, "closed/Lab/results/system/bert-99/Offline")
	if n := len(text(t, filepath.Join(result, "accuracy", tree.AccuracyLog))); n > 10240 {
		t.Errorf("the accuracy log has %d bytes", n)
	}
	if len(done.Logs) != 2 || done.Logs[1].Original == "" ||
		text(t, done.Logs[1].Original) != strings.Repeat("[0123456789 Offline]\n", 2000) {
		t.Errorf("originals %+v", done.Logs)
	}
	if got := text(t, filepath.Join(result, tree.UserConf)); !strings.Contains(got, "\nkey.Offline.target_qps = 20\n") ||
		strings.Contains(got, "min_duration") {
		t.Errorf("user.conf: %s", got)
	}
	got := text(t, filepath.Join(result, tree.Readme))
	if !strings.Contains(got, "    harness run bert-99 --note 'a b'\n") {
		t.Errorf("README.md: %s", got)
	}
	listing := text(t, done.Listing)
	for _, name := range []string{"TEST01/accuracy/accuracy.txt", "systems/system.json", done.Logs[1].Original} {
		if !strings.Contains(listing, name) {
			t.Errorf("the list of files has no %s: %s", name, listing)
		}
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(to), ".*"))
	if len(left) != 1 || filepath.Base(left[0]) != ".tree.lock" {
		t.Errorf("left behind: %q, want the lock alone", left)
	}
}

// TestInterruptedBuild ends a build at moments of it: the tree that it was to replace stays, and nothing is beside it.
func TestInterruptedBuild(t *testing.T) {
	w := workspace(t, InitOptions{})
	add(t, w, AddOptions{}, newOut(t).both("bert-99", "Offline").audit("bert-99", "Offline", "TEST01"))
	to := filepath.Join(t.TempDir(), "tree")
	p := plan(t, w, PlanOptions{})
	if _, err := p.Write(t.Context(), to, false); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(to, "closed", "mark"), "the earlier one")
	before, moments := snapshot(t, filepath.Dir(to)), 0
	for at := 0; ; at += 1 + at/4 {
		_, err := p.Write(treeops.ContextEndingAfter(at), to, true)
		if err == nil {
			break
		}
		if moments++; !errors.Is(err, context.Canceled) {
			t.Fatalf("moment %d: %v", at, err)
		}
		if now := snapshot(t, filepath.Dir(to)); now != before {
			t.Fatalf("moment %d: there is\n%s\nwant\n%s", at, now, before)
		}
	}
	if moments < 5 {
		t.Errorf("it can end at %d moments alone", moments)
	}
}

// snapshot is the names, modes and contents of all files of a folder.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		fmt.Fprintf(&all, "%s %v %q\n", name, info.Mode(), text(t, name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestATreeIsReplacedByForceAlone(t *testing.T) {
	w := workspace(t, InitOptions{})
	add(t, w, AddOptions{}, newOut(t).both("bert-99", "Offline"))
	p, to := plan(t, w, PlanOptions{}), filepath.Join(t.TempDir(), "tree")
	put(t, filepath.Join(to, "closed/old.txt"), "old")
	if _, err := p.Write(t.Context(), to, false); !errors.Is(err, ErrExists) {
		t.Errorf("without force: %v", err)
	}
	done, err := p.Write(t.Context(), to, true)
	if err != nil || !done.Replaced {
		t.Errorf("with force: %+v, %v", done, err)
	}
	if _, err := os.Stat(filepath.Join(to, "closed/old.txt")); err == nil {
		t.Error("the old tree is still there")
	}
	put(t, filepath.Join(to, "thesis.txt"), "mine")
	if _, err := p.Write(t.Context(), to, true); err == nil || !strings.Contains(err.Error(), "thesis.txt") {
		t.Errorf("over what is no tree: %v", err)
	}
	for _, to := range []string{filepath.Dir(w.Dir), w.Dir, filepath.Join(w.Dir, OriginalsDir, "x")} {
		if _, err := p.Write(t.Context(), to, true); err == nil || !strings.Contains(err.Error(), "--out") {
			t.Errorf("%s: %v", to, err)
		}
	}
}

func TestWhatIsRefused(t *testing.T) {
	rules := func(name string) func(*record.Run) { return func(r *record.Run) { r.Rules = name } }
	for name, c := range map[string]struct {
		add     func(t *testing.T) []*made
		options AddOptions
		want    string
	}{
		"the folder twice": {func(t *testing.T) []*made {
			m := newOut(t).both("bert-99", "Offline")
			return []*made{m, m}
		}, AddOptions{}, "was added already"},
		"a copy of the folder": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("bert-99", "Offline"), newOut(t).both("bert-99", "Offline")}
		}, AddOptions{}, "are those that were added from"},
		"two rounds": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("bert-99", "Offline"), newOut(t).both("bert-99", "SingleStream", rules("v6.0"))}
		}, AddOptions{}, "one round"},
		"an unknown round": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("bert-99", "Offline", rules("v9"))}
		}, AddOptions{}, `unknown rules "v9"`},
		"INVALID": {func(t *testing.T) []*made {
			return []*made{newOut(t).run("bert-99", "Offline", "performance", func(r *record.Run) {
				r.Performance.Valid, r.Reasons = false, []record.Reason{{Rule: "min_duration", Measured: "3 s", Needed: "600 s"}}
			})}
		}, AddOptions{}, "INVALID: closed/system/bert-99/Offline performance (min_duration 3 s, needed: 600 s)"},
		"interrupted": {func(t *testing.T) []*made {
			return []*made{newOut(t).run("bert-99", "Offline", "performance", func(r *record.Run) {
				r.Status = record.Interrupted
			})}
		}, AddOptions{}, "the run is interrupted"},
		"smoke": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("bert-99", "Offline", func(r *record.Run) { r.Profile = "smoke" })}
		}, AddOptions{}, "settings of the profile smoke: closed/system/bert-99/Offline performance cannot be submitted"},
		"embedded": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("bert-99", "Offline", func(r *record.Run) { r.Workload.Embedded = true })}
		}, AddOptions{}, "run again with --model and --dataset, or take them all the same, marked, with --rehearsal"},
		"an estimate": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("bert-99", "Offline", func(r *record.Run) {
				r.Estimates = []string{"tokens: counted here"}
			})}
		}, AddOptions{}, "an estimate: closed/system/bert-99/Offline performance (tokens: counted here)"},
		"an accuracy below its target": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("bert-99", "Offline", func(r *record.Run) {
				if r.Verdict = "BELOW TARGET"; r.Accuracy != nil {
					r.Accuracy.Outcome = judge.Below
				}
			})}
		}, AddOptions{}, "Offline accuracy (BELOW TARGET)"},
		"a benchmark that is not for the system's type": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("rgat", "Offline")}
		}, AddOptions{}, "rules v6.1 have no rgat for systems of type edge, as system is; they have 3d-unet-99,"},
		"a failed audit": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("bert-99", "Offline").audit("bert-99", "Offline", "TEST01", func(r *record.Run) {
				r.TestVerdict = record.TestFailed
			})}
		}, AddOptions{}, "an audit that did not pass: closed/system/bert-99/Offline/TEST01 performance (it failed"},
		"an audit without a verdict": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("bert-99", "Offline").audit("bert-99", "Offline", "TEST01", func(r *record.Run) {
				r.TestVerdict = record.TestNotJudged
			})}
		}, AddOptions{}, "TEST01 performance (its logs were not judged)"},
		"no run of the scenario": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("bert-99", "Offline")}
		}, AddOptions{OnlyScenarios: []string{"singlestream"}}, "bert-99/Offline: only SingleStream was asked for"},
		"an unknown scenario": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("bert-99", "Offline")}
		}, AddOptions{OnlyScenarios: []string{"Onfline"}}, `the scenario "Onfline"`},
		"an unknown division": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("bert-99", "Offline")}
		}, AddOptions{Division: "free"}, `division "free"`},
		"another division": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("bert-99", "Offline", func(r *record.Run) { r.Division = "network" })}
		}, AddOptions{}, "of the network division"},
		"another benchmark": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("bert-99", "Offline")}
		}, AddOptions{Benchmark: "resnet"}, "whose benchmark is bert-99"},
		"a benchmark that the round lacks": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("gptj-99", "Offline")}
		}, AddOptions{}, "have no benchmark gptj-99"},
		"BraTS, which 3d-unet meant up to v1.1": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("3d-unet-brats-99", "Offline")}
		}, AddOptions{}, "have no benchmark 3d-unet-brats-99"},
		"BraTS for KiTS19": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("3d-unet-brats-99", "Offline")}
		}, AddOptions{Benchmark: "3d-unet-99"}, "whose benchmark is 3d-unet-brats-99"},
		"an unknown system": {func(t *testing.T) []*made {
			return []*made{newOut(t).both("bert-99", "Offline")}
		}, AddOptions{System: "other"}, "no description"},
		"nothing for a submission": {func(t *testing.T) []*made {
			return []*made{newOut(t).run("bert-99", "Offline", "findpeak")}
		}, AddOptions{}, "of mode findpeak"},
		"a closed loop": {func(t *testing.T) []*made {
			return []*made{newOut(t).run("bert-99", "", record.ModeServing, func(r *record.Run) {
				r.Serving = &record.Serving{Label: "no LoadGen scenario: closed loop"}
			})}
		}, AddOptions{}, "no LoadGen scenario: closed loop"},
		"no run": {func(t *testing.T) []*made {
			return []*made{{t: t, dir: t.TempDir()}}
		}, AddOptions{}, "it has no result.json"},
	} {
		t.Run(name, func(t *testing.T) {
			w := workspace(t, InitOptions{})
			_, err := w.Add(dirs(c.add(t)), c.options)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if len(w.Results) > 0 {
				t.Errorf("taken all the same: %v", w.Results)
			}
		})
	}
}

func TestARehearsalIsMarked(t *testing.T) {
	w := workspace(t, InitOptions{})
	out := newOut(t).both("bert-99", "Offline")
	log := path.Join(out.runs[0].Dir, tree.DetailLog)
	const own = "plumbline 1.0 (compatible with 6.0.17)"
	out.write(log, strings.Replace(text(t, filepath.Join(out.dir, log)), official, own, 1))
	_, err := w.Add([]string{out.dir}, AddOptions{})
	if err == nil || !strings.Contains(err.Error(), "--rehearsal") {
		t.Fatalf("not allowed: %v", err)
	}
	add(t, w, AddOptions{Rehearsal: true}, out)
	for _, f := range plan(t, w, PlanOptions{}).Files {
		if path.Base(f.Path) != tree.MeasurementFile {
			continue
		}
		var fields map[string]any
		err := json.Unmarshal(f.Text, &fields)
		if err != nil || !strings.Contains(fmt.Sprint(fields[tree.MarksField]), "rehearsal") {
			t.Errorf("measurements %s: %v", f.Text, err)
		}
	}
}

func TestReplaceAndChangedRuns(t *testing.T) {
	w := workspace(t, InitOptions{})
	first := newOut(t).both("bert-99", "Offline")
	add(t, w, AddOptions{Now: time.Unix(0, 0)}, first)
	second := newOut(t).run("bert-99", "Offline", "performance")
	second.write(path.Join(second.runs[0].Dir, tree.DetailLog), shortLog)
	if _, err := w.Add([]string{second.dir}, AddOptions{}); err == nil || !strings.Contains(err.Error(), "--replace") {
		t.Errorf("a second run: %v", err)
	}
	add(t, w, AddOptions{Replace: true}, second)
	again, err := OpenWorkspace(w.Dir)
	if err != nil || len(again.Results) != 2 || again.Results[1].Out != second.dir {
		t.Fatalf("%+v, %v", again, err)
	}
	add(t, again, AddOptions{Replace: true}, second)
	if len(again.Results) != 2 {
		t.Errorf("the same runs once more: %v", again.Results)
	}
	second.write(path.Join(second.runs[0].Dir, tree.DetailLog), "another run\n")
	if _, err := again.NewPlan(PlanOptions{}); err == nil || !strings.Contains(err.Error(), "is not what was added") {
		t.Errorf("a run that has changed: %v", err)
	}
}

func TestInferredResults(t *testing.T) {
	for name, c := range map[string]struct {
		kind, model string
		measured    []string
		options     PlanOptions
		want        []string // place, source
	}{
		"SingleStream alone": {"edge", "resnet", []string{"SingleStream"}, PlanOptions{},
			[]string{"MultiStream SingleStream", "Offline SingleStream"}},
		"MultiStream is the better source": {"edge", "resnet", []string{"SingleStream", "MultiStream"}, PlanOptions{},
			[]string{"Offline MultiStream"}},
		"all measured":      {"edge", "resnet", []string{"SingleStream", "MultiStream", "Offline"}, PlanOptions{}, nil},
		"not wanted":        {"edge", "resnet", []string{"SingleStream"}, PlanOptions{NoInfer: true}, nil},
		"no source":         {"edge", "resnet", []string{"Offline"}, PlanOptions{}, nil},
		"datacenter":        {"datacenter", "3d-unet-99", []string{"Offline"}, PlanOptions{}, nil},
		"results of tokens": {"edge", "llama3.1-8b-edge", []string{"SingleStream"}, PlanOptions{}, nil},
		"scenarios it has not": {"edge", "bert-99", []string{"SingleStream"}, PlanOptions{},
			[]string{"Offline SingleStream"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := workspace(t, InitOptions{SystemType: c.kind})
			out := newOut(t)
			for _, scenario := range c.measured {
				out.both(c.model, scenario)
			}
			add(t, w, AddOptions{}, out)
			var got []string
			p := plan(t, w, c.options)
			for _, d := range p.Derived {
				got = append(got, path.Base(d.Place)+" "+path.Base(d.From))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if len(slices.Compact(paths(p))) != len(p.Files) {
				t.Errorf("a file twice: %q", paths(p))
			}
		})
	}
}

func TestLowAccuracyFromHigh(t *testing.T) {
	w := workspace(t, InitOptions{})
	put(t, filepath.Join(w.Dir, SourceDir, "bert-99.9", "run.sh"), "true\n")
	add(t, w, AddOptions{Benchmark: "bert-99.9"}, newOut(t).both("bert-99", "Offline").both("bert-99", "SingleStream"))
	p := plan(t, w, PlanOptions{})
	if len(p.Derived) != 2 || !strings.HasSuffix(p.Derived[0].Place, "bert-99/Offline") ||
		!strings.HasSuffix(p.Derived[0].From, "bert-99.9/Offline") {
		t.Errorf("derived %+v", p.Derived)
	}
	if !slices.Contains(paths(p), "closed/Lab/src/bert-99/run.sh") {
		t.Errorf("files %q", paths(p))
	}
	if p := plan(t, w, PlanOptions{NoLower: true}); len(p.Derived) > 0 {
		t.Errorf("not wanted: %+v", p.Derived)
	}
	measured := newOut(t).both("bert-99", "Offline", func(r *record.Run) { r.Dir = "own/" + r.Dir })
	measured.write(measured.runs[0].Dir+"/"+tree.DetailLog, shortLog)
	measured.write(measured.runs[1].Dir+"/"+tree.DetailLog, shortLog+"#\n")
	add(t, w, AddOptions{}, measured)
	for _, d := range plan(t, w, PlanOptions{}).Derived {
		if strings.Contains(d.Reason, "low accuracy") {
			t.Errorf("in the place of what was measured: %+v", d)
		}
	}
}

func TestOpenDivision(t *testing.T) {
	w := workspace(t, InitOptions{Division: "open"})
	add(t, w, AddOptions{Benchmark: "tinynet"}, newOut(t).both("resnet", "Offline"))
	p := plan(t, w, PlanOptions{})
	i := slices.IndexFunc(p.Files, func(f File) bool { return f.Path == "open/Lab/model_mapping.json" })
	if i < 0 || !strings.Contains(string(p.Files[i].Text), `"tinynet": "resnet"`) {
		t.Errorf("files %q", paths(p))
	}
	if len(p.Missing)+len(p.Derived) > 0 {
		t.Errorf("missing %q, derived %v", p.Missing, p.Derived)
	}
}

func TestPower(t *testing.T) {
	for _, official := range []bool{false, true} {
		w := workspace(t, InitOptions{})
		out := newOut(t).both("bert-99", "Offline")
		out.run("bert-99", "Offline", "ranging", func(r *record.Run) { r.Dir = "bert-99/Offline/performance/ranging" })
		out.write("bert-99/Offline/performance/run_1/spl.txt", "Time,...\n")
		out.write("bert-99/Offline/performance/ranging/spl.txt", "Time,...\n")
		if official {
			for _, name := range tree.PowerFiles() {
				out.write("bert-99/Offline/performance/power/"+name, "{}\n")
			}
		}
		add(t, w, AddOptions{}, out)
		var got []string
		for _, name := range paths(plan(t, w, PlanOptions{})) {
			if _, within, ok := strings.Cut(name, "Offline/performance/"); ok && !strings.Contains(within, "mlperf_log") {
				got = append(got, within)
			}
		}
		var want []string
		if official {
			want = []string{"power/client.json", "power/client.log", "power/ptd_logs.txt", "power/server.json",
				"power/server.log", "ranging/spl.txt", "run_1/spl.txt"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("official tools %v: %q", official, got)
		}
	}
}

func TestInteractiveRuns(t *testing.T) {
	w := workspace(t, InitOptions{SystemType: "datacenter"})
	add(t, w, AddOptions{}, newOut(t).both("llama3.1-8b", "Server", func(r *record.Run) {
		r.LoadGenKey = "llama3_1-8b-interactive"
	}))
	if got := w.Results[0].Scenario; got != "Interactive" {
		t.Errorf("scenario %s", got)
	}
}

func TestNetworkDivision(t *testing.T) {
	w := workspace(t, InitOptions{Division: "network", SystemType: "datacenter"})
	sheet := text(t, filepath.Join(w.Dir, "systems/system.json"))
	if !strings.Contains(sheet, `"is_network": "true"`) || !strings.Contains(sheet, `"network_protocol": "1"`) {
		t.Errorf("the description: %s", sheet)
	}
	out := newOut(t).both("3d-unet-99", "Offline", func(r *record.Run) { r.Division = "network" })
	add(t, w, AddOptions{}, out)
	if got := paths(plan(t, w, PlanOptions{}))[0]; !strings.HasPrefix(got, "network/Lab/") {
		t.Errorf("first file %s", got)
	}
}
