package submission

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/markdown"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// way is one of docs/submission.md from the first command to the archive: its heading, the files in the folder where
// the commands run, and the expected output.
type way struct {
	heading string
	files   map[string]*onnxfile.Graph
	data    func(dir string) error
	// short are flags that make runs very short on any machine: they end by their counts, and no latency exceeds their
	// limits.
	short []string
	// official is "" if this harness's own LoadGen drives the runs, "short" if the official one does, and "full" if it
	// does for as long as the rules require.
	official string
	says     map[string]string // a text of a command's output, by the command's name: "run", "submission add"
}

// ways are those of the page.
func ways() []way {
	language := func(dir string) error {
		return errors.Join(officialdata.Llama3Tokenizer(filepath.Join(dir, "models", "llama3.1-8b")),
			officialdata.WriteLanguage(filepath.Join(dir, "data", "cnn_eval.json"), officialdata.News()))
	}
	words, answer := officialdata.Llama3Answer()
	images := func(dir string) error { return officialdata.RightImageNet(filepath.Join(dir, "imagenet")) }
	tokens := []string{"--set", "min_query_count=700", "--set", "Server.target_qps=1000", "--set",
		"Server.ttft_latency=60000", "--set", "Server.tpot_latency=60000"}
	return []way{
		{
			heading: "An edge system", data: images, short: []string{"--set", "min_query_count=700"},
			files: map[string]*onnxfile.Graph{"resnet50_v1.onnx": tinymodel.ResNet50()},
			says: map[string]string{
				"run":   "left out: Server: rules v6.1 have none of resnet for systems of type edge",
				"audit": "left out: Server: rules v6.1 have none of resnet for systems of type edge",
			},
		},
		{
			heading: "A datacenter system", data: language, short: tokens,
			files: map[string]*onnxfile.Graph{"models/llama3.1-8b/model.onnx": tinymodel.Decoder(words, answer)},
		},
		{
			heading: "The network division", data: language, short: tokens,
			says: map[string]string{"submission build": "network division"},
		},
		{
			heading: "The open division", data: images, short: []string{"--set", "min_query_count=700"},
			files: map[string]*onnxfile.Graph{"tinynet.onnx": tinymodel.ResNet50()},
			says:  map[string]string{"submission build": "open division"},
		},
	}
}

// TestSubmissionPage follows the commands of docs/submission.md from the first to the archive, with runs of seconds
// that this harness's own LoadGen drives: the check finds only what those lack.
func TestSubmissionPage(t *testing.T) {
	// the sections that explain single commands lead to no submission
	commands, conf := markdown.Commands(t, built.Doc("submission.md"), "Describing the system")
	for _, p := range ways() {
		mine := commands[p.heading]
		delete(commands, p.heading)
		t.Run(p.heading, func(t *testing.T) {
			t.Parallel()
			p.walk(t, mine, conf)
		})
	}
	if len(commands) > 0 {
		t.Errorf("docs/submission.md has commands under %v, which no test walks", slices.Sorted(maps.Keys(commands)))
	}
}

// TestSubmissionByTheOfficialLoadGen follows the edge system's way with the official LoadGen, as
// PLUMBLINE_SUBMISSION_OFFICIAL selects: "full" runs the rules' times, one hour and a half including nine runs of ten
// minutes, and then both checkers accept the tree; "short" makes runs of seconds.
func TestSubmissionByTheOfficialLoadGen(t *testing.T) {
	long := os.Getenv("PLUMBLINE_SUBMISSION_OFFICIAL")
	if long != "full" && long != "short" {
		t.Skipf("PLUMBLINE_SUBMISSION_OFFICIAL is %q, not full or short: make test-official OF=submission runs this", long)
	}
	built.NeedOfficial(t)
	if long == "full" && os.Getenv("PLUMBLINE_MLC") == "" {
		t.Fatal("PLUMBLINE_MLC names no checkout with the official checker, which is to judge the tree: give MLC=DIR")
	}
	// the sections that explain single commands lead to no submission
	commands, conf := markdown.Commands(t, built.Doc("submission.md"), "Describing the system")
	p := ways()[0]
	if p.official = long; long == "full" {
		p.data = func(dir string) error { return officialdata.WholeImageNet(filepath.Join(dir, "imagenet")) }
	}
	p.walk(t, commands[p.heading], conf)
}

// walk runs the commands in a folder with the files.
func (p way) walk(t *testing.T, commands [][]string, conf string) {
	dir := t.TempDir()
	for path, graph := range p.files {
		if err := graph.Write(filepath.Join(dir, filepath.FromSlash(path))); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.data(dir); err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, filepath.Join(dir, "user.conf"), conf)
	node := ""
	for _, c := range commands {
		for i := range c {
			if strings.Contains(c[i], "http://node-a:8000/v1") {
				if node == "" {
					node = harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-model",
						"llama3.1-8b", "-alias", "node-a",
						"-says", "256,257,128009")
				}
				c[i] = strings.Replace(c[i], "http://node-a:8000/v1", node, 1)
			}
		}
		p.give(t, dir, c)
	}
	if p.official == "full" {
		officialVerdict(t, filepath.Join(dir, "tree"), testfile.Read(t, filepath.Join(dir, "summary.csv")))
		return
	}
	p.wantFindings(t, dir)
}

// rehearsed returns a command's name, and its arguments for a rehearsal of seconds.
func (p way) rehearsed(args []string) (name string, all []string) {
	name = args[0]
	if name == "submission" {
		name += " " + args[1]
	}
	all = slices.Clone(args)
	if p.official == "full" {
		return name, all
	}
	if i := slices.Index(all, "--loadgen"); i >= 0 && p.official == "" {
		all = slices.Delete(all, i, i+2) // because the official one may be missing
	}
	switch name {
	case "tune":
		all = append(all, "--try-batch", "1", "--try-sessions", "1", "--try-threads", "1", "--time", "100ms")
	case "run", "audit":
		all = slices.Concat(all, []string{"--smoke", "--quiet", "--set", "min_duration=0"}, p.short)
	case "submission add":
		all = append(all, "--rehearsal")
	case "submission pack":
		all = append(all, "--allow-rejected")
	}
	return name, all
}

// give runs a command of the page.
func (p way) give(t *testing.T, dir string, args []string) {
	t.Helper()
	name, all := p.rehearsed(args)
	most := time.Hour
	if p.official == "full" {
		most = 3 * time.Hour
	}
	cmd := harness.LongCommand(t, most, built.Harness(), all...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PLUMBLINE_CONFIG="+filepath.Join(dir, "settings"))
	r := harness.Finish(t, cmd)
	switch {
	case p.official == "full":
		r.WantCode(t, 0)
	case name == "audit" && r.Code == 3: // on a busy machine two runs may differ
		if strings.Contains(r.Stdout, "accuracy fail") {
			t.Errorf("%q: answers differ:\n%s", args, r.Both())
		}
	case name == "submission check" && slices.Contains(args, "--compatible"):
		r.WantCode(t, 1).WantOutput(t, "official: errors")
	case name == "submission check", name == "submission results": // runs of seconds are not results
		r.WantCode(t, 3)
	default:
		r.WantCode(t, 0)
	}
	if !strings.Contains(r.Stdout, p.says[name]) {
		t.Errorf("%q: it does not say %q:\n%s", args, p.says[name], r.Both())
	}
	fillIn(t, dir, r.Stdout)
}

// asked matches a line that names a field to fill in.
var asked = regexp.MustCompile(`(?m)^  (\S+\.json)  (\S+): `)

// fillIn fills in the fields that a command lists, as a person does.
func fillIn(t *testing.T, dir, printed string) {
	t.Helper()
	for _, m := range asked.FindAllStringSubmatch(printed, -1) {
		path := filepath.Join(dir, m[1])
		var fields map[string]string
		testfile.ReadJSON(t, path, &fields)
		if !strings.HasPrefix(fields[m[2]], "FILL IN") {
			t.Errorf("%s: %s is %q, want a mark with what is to be written", m[1], m[2], fields[m[2]])
		}
		if fields[m[2]] = "known to a person"; m[2] == "status" {
			fields[m[2]] = "available"
		}
		testfile.WriteJSON(t, path, fields)
	}
}

// wantFindings compares the check's findings with those expected of runs of seconds on small data sets, and expects the
// archive to contain the tree.
func (p way) wantFindings(t *testing.T, dir string) {
	t.Helper()
	harness.Run(t, "submission", "pack", "--unpack", filepath.Join(dir, "lab.tar.gz"), "--out", filepath.Join(dir, "out")).
		WantCode(t, 0)
	got := findings(t, filepath.Join(dir, "out"))
	var want []string
	for line := range strings.Lines(testfile.Read(t, filepath.Join("testdata", "submission-page.txt"))) {
		heading, finding, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if heading == p.heading && (p.official == "" || !strings.HasPrefix(finding, "reject | loadgen | ")) {
			want = append(want, finding)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the check finds\n%s: %s\nwant\n%s", p.heading, strings.Join(got, "\n"+p.heading+": "),
			strings.Join(want, "\n"))
	}
}

// findings returns the check's findings on a tree, one of each kind, except those caused by a busy machine: differences
// between an audit's two runs, and latencies above the rules' limits.
func findings(t *testing.T, tree string) (all []string) {
	t.Helper()
	r := harness.Run(t, "submission", "check", "--json", tree).WantCode(t, 3)
	var doc struct {
		Findings []struct{ Severity, Rule, Path, What string }
	}
	if err := json.Unmarshal([]byte(r.Stdout), &doc); err != nil {
		t.Fatal(err)
	}
	for _, f := range doc.Findings {
		_, where, _ := strings.Cut(f.Path, "/results/")
		if strings.HasPrefix(f.Rule, "audit-") && strings.Contains(where, "performance") ||
			f.Rule == "latency" && strings.Contains(f.What, "over the limit") {
			continue
		}
		_, where, _ = strings.Cut(where, "/")
		all = append(all, strings.Join([]string{f.Severity, f.Rule, where, f.What}, " | "))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
