package checker

import (
	"bufio"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
)

// odd is a change of the small tree that nobody makes, and a reader that is not the official one may take amiss.
type odd struct {
	name string
	ops  []treeops.Op
	args []string
}

const (
	smallAccuracy = smallFolder + "/accuracy"
	smallSystem   = "open/Lab/systems/box.json"
	skipPower     = "--skip-power-check"
)

// odds are all of them. testdata/odd.txt has what the official checker says of each.
func odds() []odd {
	return slices.Concat(oddNames(), oddValues(), oddYAML(), oddSamples(), oddErrors(), absent())
}

func write(name, text string) treeops.Op { return treeops.Op{Op: "write", Path: name, Text: &text} }

func move(from, to string) treeops.Op { return treeops.Op{Op: "move", From: from, To: to} }

// entry sets the value of a record, which is added where there is none.
func entry(log, key, value string) []treeops.Op {
	return []treeops.Op{
		{Op: "log-add", Path: log, Key: key, Value: []byte("1")},
		{Op: "log-set", Path: log, Key: key, Value: []byte(value)},
	}
}

func field(file, name, value string) treeops.Op {
	return treeops.Op{Op: "json-set", Path: file, At: []byte(strconv.Quote("/" + name)), Value: []byte(value)}
}

// renamed is the small result's folder of a scenario called so.
func renamed(scenario string) string { return path.Join(path.Dir(smallFolder), scenario) }

// The digits of Kawi are younger than Python 3.11, those of Garay than this package's tables of letters; the long s is
// an s for comparisons that fold cases, and none in lower case.
func oddNames() (all []odd) {
	add := func(name string, ops ...treeops.Op) { all = append(all, odd{name: name, ops: ops}) }
	number := func(name, text string) {
		accuracy := treeops.Op{Op: "replace", Path: smallAccuracy + "/accuracy.txt", Old: "76", New: text}
		add("accuracy with digits of "+name, accuracy)
		add("nodes with digits of "+name, field(smallSystem, "number_of_nodes", `"`+text+`"`))
	}
	number("Arabic", "٧٦")
	number("Kawi", "\U00011f57\U00011f56")
	number("Garay", "\U00010d47\U00010d46")
	add("a division in capitals", field(smallSystem, "division", `"OPEN"`))
	for name, pair := range map[string][2]string{"a Kelvin sign": {"La\u212ab", "lakb"}, "a long s": {"Las", "Laſ"}} {
		add("a submitter with "+name, move("open/Lab", "open/"+pair[0]),
			field("open/"+pair[0]+"/systems/box.json", "submitter", `"`+pair[1]+`"`))
	}
	add("a status with a dotted I", field(smallSystem, "status", `"RDİ"`))
	add("a folder with a long s", move(smallFolder, renamed("ſingleStream")))
	for _, name := range []string{"ſingleStream", "singleStream", "İnteractive", "Online"} {
		add("an empty folder "+name, treeops.Op{Op: "mkdir", Path: renamed(name)})
	}
	add("a linked folder", move(smallFolder, "elsewhere"),
		treeops.Op{Op: "symlink", Path: smallFolder, Target: "../../../../../elsewhere"})
	add("a link around", treeops.Op{Op: "symlink", Path: renamed("loop"), Target: ".."})
	return all
}

func oddValues() (all []odd) {
	for _, c := range []struct {
		key    string
		values []string
	}{
		{"effective_scenario", []string{`"singlestream"`, `"ſingleStream"`}},
		{"early_stopping_latency_ss", []string{"0", `"-0.0"`, `"5e-324"`, `"nan"`, "true"}},
	} {
		for _, v := range c.values {
			all = append(all, odd{name: c.key + " " + v, ops: entry(smallLog, c.key, v)[1:]})
		}
	}
	for _, v := range []string{
		`"5"`, "5", "true", "0", `[5]`, `{}`, `"x"`, "null", "1e400", "99999999999999999999999", "NaN", `""`,
	} {
		ops := entry(smallLog, "result_qps_without_loadgen_overhead", v)
		ops = append(ops, field(smallSystem, "system_type", `"edge"`))
		offline := move(smallFolder, renamed("Offline"))
		all = append(all, odd{name: "Offline inferred from " + v, ops: append(ops, offline)}, odd{
			name: "Offline with power inferred from " + v, ops: append(withPower(sample, "", ops...), offline),
			args: []string{skipPower},
		})
	}
	for key, values := range map[string][]string{
		"power_begin": {
			`"١١-22-2026 08:00:00.000"`, `"11-22-2026 08:00:00.000 "`, `5`, `null`, `["11-22-2026 08:00:00.000"]`,
			`"11-22-2026 08:00:0٠.000"`, `"11-22-2026 08:00:60.000"`, `"11-22-0000 08:00:00.000"`,
		},
		"result_query_count": {
			"0", "true", `"5"`, `" 5 "`, "5.7", "-5", "[5]", `"٥"`, "1e400", "null", "false", `"5.0"`, "99999999999999999999999",
		},
	} {
		for _, v := range values {
			all = append(all, odd{key + " " + v, withPower(sample, "", entry(smallLog, key, v)[1:]...), []string{skipPower}})
		}
	}
	return all
}

// withPower adds a measurement of power with these samples, and a nameplate file where it is not "".
func withPower(samples, nameplate string, more ...treeops.Op) []treeops.Op {
	const performance = smallFolder + "/performance/"
	ops := slices.Concat(entry(smallLog, "result_query_count", "100"),
		entry(smallLog, "power_begin", `"11-22-2026 08:00:00.000"`),
		entry(smallLog, "power_end", `"11-22-2026 08:10:00.000"`),
		[]treeops.Op{write(performance+"run_1/"+tree.SummaryLog, "x")}, more,
		[]treeops.Op{{Op: "copy", From: performance + "run_1", To: performance + "ranging"}})
	ops = append(ops, write(performance+"run_1/spl.txt", samples), write(performance+"ranging/spl.txt", samples))
	for _, name := range tree.PowerFiles() {
		ops = append(ops, write(performance+"power/"+name, "x"))
	}
	if nameplate != "" {
		ops = append(ops, write("open/Lab/systems/box_power.yaml", nameplate))
	}
	return ops
}

const sample = "Time,11-22-2026 08:05:00.000,Watts,100.0\n"

// oddYAML are nameplate files: numbers by YAML 1.1, and files of any form.
func oddYAML() (all []odd) {
	add := func(text string) {
		all = append(all, odd{"nameplate " + text, withPower(sample, text), []string{skipPower}})
	}
	supplies := func(needed, capacity string) {
		add("node:\n  PSUs:\n  - PowerCapacityWatts: " + capacity + "\n  Min PSUs Needed: " + needed + "\n")
	}
	for _, number := range []string{
		"100", "1:30", "1:90", "1:30.5", "0777", "09", "0_", "0o17", "0o7", "1_000", "1__0", "_5", "0b11", "0x1F", "0x",
		"1e3", "1.5e3", "1.5e+3", "1.e+3", ".5", "5.", "+5", "-5", "0", "1,000", ".inf", "-.inf", ".nan", "yes", "true", "~",
		"2026-11-22", "'5'", "!!int '5'", "!!float 5", "99999999999999999999", "٣", "=", "<<",
	} {
		supplies("1", number)
	}
	for _, number := range []string{"yes", "1:30", "1.0", "1e0", "~", "0x1", "01"} {
		supplies(number, "5")
	}
	for _, text := range []string{
		" ", "a", "- a", "a: b", "a: [1, 2]", "[[1]]", "null", "5", "'x'", "# only\n", "---\na: 1\n---\nb: 1\n",
		"a: 1\n...\n", "%YAML 1.1\n---\na: 1\n", "PSUs: []\nMin PSUs Needed: 0\n", "PSUs: {}\nMin PSUs Needed: 0\n",
		"PSUs: 5\nMin PSUs Needed: 0\n", "PSUS: [{PowerCapacityWatts: 5}]\nMIN PSUS NEEDED: 1\n",
		"a: {PSUs: [{}], Min PSUs Needed: 1}", "a: &x {PSUs: [{PowerCapacityWatts: 5}], Min PSUs Needed: 1}\nb: *x\n",
		"5: {PSUs: [], Min PSUs Needed: 0}", "~: 1\n", "1.5: x\n", "yes: x\n", "2026-01-01: x\n", "2026-13-41: x\n",
		"a: 2026-13-41\n", "? [a]\n: b\n", "? {a: b}\n: c\n", "a: !foo 1\n", "a: !!python/none x\n", "a: !!binary xx\n",
		"!!set {a, b}", "<<: {a: 1}\n", "a: *b\n", "\ta: 1\n", "a: 1\na: 2\n", "a: b: c\n", "\x00", "a: \x7f\n", "a: @b\n",
		"a: `b\n", "a: %b\n", "- - - a\n", "a: 'it''s'\n", "{a: 1", "a: |\n  x\n",
	} {
		add(text)
		nameplate := write("open/Lab/systems/box_power.yaml", text)
		all = append(all, odd{name: "nameplate without power " + text, ops: []treeops.Op{nameplate}})
	}
	return all
}

func oddSamples() (all []odd) {
	for _, text := range []string{
		"١١-22-2026 08:05:00.000,Watts,100.0\n", "11-22-٢٠٢٦ 08:05:00.000,Watts,١٠٠\n", "11-2٢-2026 08:05:00.000,Watts,100\n",
		"11-22-2026 08:0٥:00.000,Watts,1_0\n", "11-22-2026 08:05:00.٠٠٠,Watts,100\n", "11-22-2026 08:05:60.000,Watts,100\n",
		"11-22-2026 08:05:61.000,Watts,100\n", "11-22-2026\u00a008:05:00.000,Watts,100\n", "11-22-2026  08:05:00.0,Watts,1\n",
		" 11-22-2026 08:05:00.0,Watts,100\n", "11-22-2026 08:05:00.0 ,Watts,100\n", "11-22-2026 8:5:0.0,Watts,100\n",
		"11-22-2026 08:05:00.000,Watts,nan\n", "11-22-2026 08:05:00.000,Watts,inf\n", "11-22-2026 08:05:00.000,Watts,1e400\n",
		"11-22-2026 08:05:00.000,Watts,5e-324\n", "11-22-2026 08:05:00.000,Watts, 5 \n",
		"11-22-2026 08:05:00.000,Watts,\U00011f57\n", "11-22-2026 08:05:00.000\n" + sample,
		"11-22-2026 09:05:00.000\n" + sample, "2-29-2026 08:05:00.000,Watts,5\n" + sample,
		"11-22-2026 08:05:00.0000001,Watts,5\n" + sample, "11-22-2026 08:05:00.000,Watts,100.0\r" + sample,
		"11-22-2026 08:05:00.000,Watts,100.0\n\x96", "less\n" + sample,
	} {
		all = append(all, odd{"sample " + text, withPower("Time,"+text, ""), []string{skipPower}})
	}
	return append(all, odd{"a mark before the samples", withPower("\ufeff"+sample, ""), []string{skipPower}})
}

// oddErrors are errors of LoadGen that --submission-exceptions leaves out, or not.
func oddErrors() (all []odd) {
	for _, v := range []string{
		`"Loadgen built with uncommitted changes!"`, `["Loadgen built with uncommitted changes!"]`,
		`["x", "Loadgen built with uncommitted changes!"]`, `{"Loadgen built with uncommitted changes!": 1}`,
		`["ERROR: Loadgen built with uncommitted changes!"]`, "5", "null", "[]", `"x"`,
	} {
		for _, log := range []string{smallLog, smallAccuracy + "/" + tree.DetailLog} {
			ops := append(entry(log, "sut_name", v), treeops.Op{Op: "log-flag", Path: log, Key: "sut_name", Flag: "is_error",
				Value: []byte("true")})
			all = append(all, odd{"error " + v + " in " + log, ops, []string{"--submission-exceptions"}})
		}
	}
	return all
}

// absent are records without a value.
func absent() (all []odd) {
	for _, key := range []string{
		"sut_name", "result_validity", "effective_min_query_count", "effective_samples_per_query",
		"result_99.00_percentile_latency_ns", "early_stopping_result", "early_stopping_met", "result_mean_latency_ns",
		"result_qps_without_loadgen_overhead", "effective_target_latency_ns", "effective_accuracy_sample_count",
		"qsl_reported_total_count",
	} {
		text := ":::MLLOG {\"key\": \"" + key + "\", \"metadata\": {\"is_error\": false}}\n"
		for _, log := range []string{smallLog, smallAccuracy + "/" + tree.DetailLog} {
			ops := []treeops.Op{
				entry(log, key, "1")[0], {Op: "log-del", Path: log, Key: key}, {Op: "append", Path: log, Text: &text},
			}
			name := "no value of " + key + " in " + log
			all = append(all, odd{name: name, ops: ops}, odd{name: name + ", inferred", ops: append(ops,
				field(smallSystem, "system_type", `"edge"`), move(smallFolder, renamed("MultiStream")))})
		}
	}
	return all
}

// said is what testdata/odd.txt has of an odd tree: the official checker's verdict, and ours where it is another on
// purpose, for which docs/submission-results.md has the reason.
type said struct{ official, ours Verdict }

func oddVerdicts(t *testing.T) map[string]said {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "odd.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]said{}
	for s := bufio.NewScanner(f); s.Scan(); {
		verdict, quoted, _ := strings.Cut(s.Text(), " ")
		name, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("%s: %v", s.Text(), err)
		}
		official, ours, other := strings.Cut(verdict, "/")
		if !other {
			ours = official
		}
		all[name] = said{Verdict(official), Verdict(ours)}
	}
	return all
}

// TestOdd: odd trees get the official checker's verdict.
func TestOdd(t *testing.T) {
	verdicts := oddVerdicts(t)
	for _, o := range odds() {
		t.Run(o.name, func(t *testing.T) {
			want, known := verdicts[o.name]
			if delete(verdicts, o.name); !known {
				t.Fatalf("testdata/odd.txt has no line for %q", o.name)
			}
			root := smallTree(t)
			treeops.Apply(t, root, o.ops)
			r := check(t, root, options(t, checkCase{Args: o.args}))
			if r.Verdict != want.ours {
				t.Errorf("%s, want %s: %+v", r.Verdict, want.ours, r.Summary().Without)
			}
		})
	}
	for name := range verdicts {
		t.Errorf("testdata/odd.txt: no tree is called %q", name)
	}
}

// TestOfficialCheckerOdd compares the verdicts of testdata/odd.txt and the summaries with the official checker's.
func TestOfficialCheckerOdd(t *testing.T) {
	o := officialChecker(t)
	verdicts := oddVerdicts(t)
	for _, c := range odds() {
		t.Run(c.name, func(t *testing.T) {
			root := smallTree(t)
			treeops.Apply(t, root, c.ops)
			want := verdicts[c.name]
			if want.official == want.ours {
				o.compare(t, root, checkCase{Version: "v6.1", Args: c.args})
				return
			}
			j := <-o
			defer func() { o <- j }()
			got, err := j.run(root, c.args...)
			if verdict, _, _ := strings.Cut(got, " "); err != nil || Verdict(verdict) != want.official {
				t.Errorf("%s (%v), want %s", got, err, want.official)
			}
		})
	}
}

// TestLinksOutOfTheTree: they out of the tree are broken, as nothing behind them is handed in.
func TestLinksOutOfTheTree(t *testing.T) {
	root, outside := smallTree(t), t.TempDir()
	if err := os.Rename(filepath.Join(root, filepath.FromSlash(smallFolder)), filepath.Join(outside, "x")); err != nil {
		t.Fatal(err)
	}
	treeops.Apply(t, root, []treeops.Op{{Op: "symlink", Path: smallFolder, Target: filepath.Join(outside, "x")}})
	if r := check(t, root, Options{}); r.Results != 0 || r.Folders != 0 {
		t.Errorf("%+v", r)
	}
}

// TestTextsAreReadToTheirEndGolden: the official checker stops where it has seen TEST PASS, and so does not find what
// is no text far behind.
func TestTextsAreReadToTheirEndGolden(t *testing.T) {
	const file = "closed/Toylab/results/toy_edge/resnet50/Offline/TEST01/verify_performance.txt"
	far := strings.Repeat("#\n", 10_000) + "\x96"
	root := treeops.NewBaseTrees(t).Tree(t, "edge", []treeops.Op{{Op: "append", Path: file, Text: &far}})
	if r := check(t, root, Options{}); r.Verdict != Errors || len(r.Rejected) != 1 {
		t.Errorf("%s, %+v", r.Verdict, r.Rejected)
	}
}
