package mlconf_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

var update = flag.Bool("update", false, "rewrite docs/settings.md")

// TestSettingsDoc keeps docs/settings.md equal to the table of settings.
func TestSettingsDoc(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "settings.md")
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		t.Skipf("this checkout has no docs: %v", err)
	}
	want := settingsDoc(t)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the table of settings says: run `go generate ./mlconf` in loadgen", path)
	}
}

const settingsIntro = `# Settings

Generated from the table of settings, loadgen/fields.go, by ` + "`go generate ./mlconf`" + ` in loadgen; do not edit.

A configuration file (user.conf, audit.config) has lines

    MODEL.SCENARIO.KEY = NUMBER

with white space around =. MODEL and SCENARIO may be *. If several lines of a file fit a run, the first of
MODEL.SCENARIO, *.SCENARIO, MODEL.*, *.* counts; if keys are equal, the last line. A later source overrides an earlier
one, even if the earlier key is more specific: LoadGen's defaults, the rules of the round, user.conf, flags
(` + "`--set KEY=NUMBER`" + `), audit.config. A line that begins with # and a space is a comment. Numbers may be
decimal, hexadecimal (0x) or octal (leading 0); switches are 0 or 1.
` + "`harness settings MODEL --scenario S`" + ` prints every value with its source.

"Under" is the scenario under whose name a key is read, whatever the scenario of the run; * is that of the run.
"Default" is LoadGen's, before the rules. loadgen.Fields names the field of TestSettings for each key. A line that would
be ignored, or cannot be read, is an error with file and line.

Lines for other models are noted and ignored. Unknown keys and scenarios are errors that name the nearest one;
` + "`--ignore-unknown-keys`" + ` notes and ignores them too. In an audit.config only lines for * take effect. Keys
for an audit's own script (` + "`test07_accuracy_threshold`" + `) are noted and kept in the file. Both must be regular
files of up to 1 MiB: each run reads them once, so write a pipe (` + "`<(...)`" + `) to a file first. The first 50
faults of a file are reported.

`

func settingsDoc(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(settingsIntro)
	section(&b, "Keys of configuration files", "", func(f loadgen.Field) bool { return f.Key != "" && !f.RulesOnly })
	section(&b, "Keys that only the rules set",
		"In a user.conf these are errors, because the official LoadGen ignores them there. `--set` can change them; a run\n"+
			"then deviates from the rules.\n\n"+
			"The round (`--rules`) decides which keys a user.conf may have. Up to v4.1 LoadGen read the seeds, test05 and\n"+
			"accuracy_log_probability from it, so they count there. Up to v1.1 it read `target_qps` of MultiStream, the\n"+
			"arrival interval (15 queries per second are 66.666666 ms), and `max_async_queries`, which must be 1 here. It\n"+
			"ignored unknown keys, such as `Server.target_duration`; a note names them.",
		func(f loadgen.Field) bool { return f.RulesOnly })
	section(&b, "Settings without a key", "No configuration file can set these; `--set` takes the name given here.",
		func(f loadgen.Field) bool { return f.Key == "" })
	rounds(t, &b)
	b.WriteString("\n[Index](index.md)\n")
	return b.String()
}

func section(b *strings.Builder, title, note string, in func(loadgen.Field) bool) {
	fmt.Fprintf(b, "## %s\n\n", title)
	if note != "" {
		b.WriteString(note + "\n\n")
	}
	b.WriteString("| Key | Under | Unit | Default | Meaning |\n|---|---|---|---|---|\n")
	for _, f := range loadgen.Fields() {
		if in(f) {
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n",
				f.UserKey(), orElse(f.Scenario, "*"), f.Unit, f.Text(loadgen.DefaultTestSettings()), f.Doc)
		}
	}
	b.WriteString("\n")
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

const roundsIntro = `## Rounds

The newest round is the default; ` + "`--rules`" + ` selects another. The settings of v5.0 to v6.0 are those of v6.1
with the round's seeds. Those of v0.5 to v4.1 come from each round's mlperf.conf and submission checker; the files in
loadgen/mlconf/internal/roundfiles/rules name the source of each number. In v0.5 to v1.1 MultiStream issues queries at
the arrival interval of target_qps: 66.666666 ms for 15 queries/s (ssd-resnet34), although mlperf.conf also has a
target_latency of 66. Settings and targets are compared with those of the published runs of v0.5, v0.7, v1.0, v4.1, v5.1
and v6.0 (loadgen/mlconf/testdata/ran). If the text of a round differs, the runs count:

| settings | the text, sections 3 and 4 | what the round ran, and ` + "`--rules`" + ` offers |
|---|---|---|
| target_latency_percentile of v0.5, MultiStream | 90 | 99 (gnmt 97) |
| min_query_count of v0.5, MultiStream | 24,576 | 270,336 (gnmt 90,112) |
| arrival interval of v0.5, mobilenet and ssd-resnet34 | 66 ms and 50 ms | 50 ms and 66.666666 ms |
| accuracy of v0.5, mobilenet | 99 % of 71.68 % | 98 % of 71.68 % |
| accuracy of v0.5, ssd-mobilenet | 99 % of 23.0 mAP | 99 % of 22.0 mAP |
| target_latency_percentile of v0.7, Server, bert, dlrm and rnnt | 97 | 99 |
| min_query_count of v0.7, Server, bert, dlrm and rnnt | 90,112 | 270,336 |

` + "`harness settings MODEL --scenario MultiStream --rules v0.5 --official`" + ` shows both. For the values of the
text, use ` + "`--set target_latency_percentile=90 --set min_query_count=24576`" + `; such a run is labelled as leaving
the rules.

| Round | Models | qsl_rng_seed | sample_index_rng_seed | schedule_rng_seed |
|---|---|---|---|---|
`

func rounds(t *testing.T, b *strings.Builder) {
	t.Helper()
	b.WriteString(roundsIntro)
	for _, name := range mlconf.Rounds() {
		r := rules(t, name)
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d |\n",
			name, len(r.Models()), r.Seeds.QSL, r.Seeds.SampleIndex, r.Seeds.Schedule)
	}
}
