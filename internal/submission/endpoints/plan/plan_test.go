package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// choose makes a plan that must be one.
func choose(t *testing.T, o Options) *Plan {
	t.Helper()
	p, err := ChoosePlan(o, endpoints.NewestRules())
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	return p
}

// shown are the points of a plan: concurrencies, with a for accuracy, and Offline's kind.
func shown(p *Plan) string {
	var all []string
	for _, q := range p.Points {
		text := fmt.Sprint(q.Concurrency)
		if q.Accuracy {
			text += "a"
		}
		all = append(all, strings.TrimSpace(text+" "+q.Offline))
	}
	return strings.Join(all, ", ")
}

func TestChoose(t *testing.T) {
	for want, o := range map[string]Options{
		"1a, 4a, 10, 25a, 113, 241, 512a, 6396a dedicated": {Model: "gpt-oss-120b", CMax: 512},
		"1a, 4a, 10, 25a, 113, 241, 512a elected":          {Model: "gpt-oss-120b", CMax: 512, Offline: Elected},
		"16a, 21a, 56a, 116, 239, 495, 1024a elected":      {Model: "llama3_1-8b", CMax: 1024, CMin: 16, Offline: Elected},
		"1a, 6a, 24, 95a, 882, 2688, 8192a elected":        {Model: "gpt-oss-120b", CMax: 8192},
		"2a, 5a, 10, 19a, 36, 70, 256a":                    {Model: "kimi-k3", CMax: 256, CMin: 2},
	} {
		if got := shown(choose(t, o)); got != want {
			t.Errorf("%+v: %s, want %s", o, got, want)
		}
	}
}

// TestChosenPlansAreLegal: whatever is asked for, a plan that is made has no fault, and is the same when it is read.
func TestChosenPlansAreLegal(t *testing.T) {
	rules := endpoints.NewestRules()
	made := 0
	for _, model := range []string{"gpt-oss-120b", "deepseek-r1", "kimi-k3"} {
		for _, cMax := range []int{33, 40, 256, 4388, 4389, 6000, 100_000} {
			for _, cMin := range []int{0, 8, 32} {
				for _, points := range []int{0, 20} {
					for _, offline := range []string{"", Dedicated, Elected} {
						o := Options{Model: model, CMax: cMax, CMin: cMin, Points: points, Offline: offline}
						p, err := ChoosePlan(o, rules)
						if err != nil {
							continue
						}
						made++
						text, err := p.YAML()
						if err != nil {
							t.Fatal(err)
						}
						again, err := ParsePlan(text)
						if err != nil {
							t.Fatalf("%+v: %v\n%s", o, err, text)
						}
						if all := JudgePlan(again, rules); len(all) > 0 || shown(p) != shown(again) {
							t.Errorf("%+v: %s: %v", o, shown(p), all)
						}
						if points != 0 && len(p.Points) != points {
							t.Errorf("%+v: %d points", o, len(p.Points))
						}
					}
				}
			}
		}
	}
	if made < 150 {
		t.Errorf("%d plans were made", made)
	}
}

// TestChooseRefuses: options that allow no plan are named in one line.
func TestChooseRefuses(t *testing.T) {
	for want, o := range map[string]Options{
		`the model is "llama3.1-8b", write llama3_1-8b`:              {Model: "llama3.1-8b", CMax: 64},
		`the model is "openai/GPT-OSS-120B", write gpt-oss-120b`:     {Model: "openai/GPT-OSS-120B", CMax: 64},
		`did you mean "deepseek-r1"`:                                 {Model: "deepseek-r2", CMax: 64},
		"the model is missing":                                       {CMax: 64},
		"C_max is 32, want more than 32":                             {Model: "kimi-k3", CMax: 32},
		"C_max is 0, want more":                                      {Model: "kimi-k3"},
		"the C_max of 4611686018427387904 is above the limit":        {Model: "kimi-k3", CMax: 1 << 62},
		"C_min is 33, want 1 to 32":                                  {Model: "kimi-k3", CMax: 64, CMin: 33},
		"C_min is -1, want 1 to 32":                                  {Model: "kimi-k3", CMax: 64, CMin: -1},
		"the C_max of 33 is too near to C_min, 32":                   {Model: "kimi-k3", CMax: 33, CMin: 32},
		"6 points, want 7 to 32":                                     {Model: "kimi-k3", CMax: 64, Points: 6},
		"7 points, want 8 to 32":                                     {Model: "gpt-oss-120b", CMax: 64, Points: 7},
		"33 points, want 7 to 32":                                    {Model: "kimi-k3", CMax: 64, Points: 33},
		"there are too few concurrencies for so many points; only 9": {Model: "kimi-k3", CMax: 40, CMin: 32, Points: 10},
		"kimi-k3 is agentic: its curve has no Offline point":         {Model: "kimi-k3", CMax: 64, Offline: Elected},
		`offline is "none", want dedicated or elected`:               {Model: "gpt-oss-120b", CMax: 64, Offline: "none"},
		"has 4388 samples, fewer than C_max, 5000: want elected":     {Model: "deepseek-r1", CMax: 5000, Offline: Dedicated},
		`the target cohort is "2026-10-C0"`:                          {Model: "kimi-k3", CMax: 64, Cohort: "2026-10-C0"},
	} {
		_, err := ChoosePlan(o, endpoints.NewestRules())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

// TestJudge: each edit that the rules do not allow is one line, in whatever way it is made.
func TestJudge(t *testing.T) {
	dedicated, elected := Options{Model: "gpt-oss-120b", CMax: 512},
		Options{Model: "gpt-oss-120b", CMax: 512, Offline: Elected}
	agentic := Options{Model: "kimi-k3", CMax: 256, CMin: 2}
	at := func(i int, edit func(q *Point)) func(p *Plan) { return func(p *Plan) { edit(&p.Points[i]) } }
	concurrency := func(n int) func(q *Point) { return func(q *Point) { q.Concurrency, q.Region = n, "" } }
	offline := func(word string) func(q *Point) { return func(q *Point) { q.Offline = word } }
	accuracy := func(yes bool) func(q *Point) { return func(q *Point) { q.Accuracy = yes } }
	for _, c := range []struct {
		o    Options
		edit func(p *Plan)
		want []string
	}{
		{dedicated, at(5, concurrency(565)), []string{"error: r565: the concurrency is out of range, want 1 to 564"}},
		{dedicated, at(5, concurrency(564)), nil},
		{dedicated, at(5, concurrency(512)), []string{"error: r512: several points have this concurrency"}},
		{dedicated, at(1, concurrency(11)), []string{"error: no point lies in low_concurrency: want one of 2 to 9",
			"error: no accuracy run is left for low_concurrency: want accuracy: true at one point of 2 to 9",
			"error: r25: this region's accuracy run is at another point"}},
		{dedicated, func(p *Plan) { at(1, accuracy(false))(p); at(2, accuracy(true))(p) }, []string{
			"error: no accuracy run is left for low_concurrency: want accuracy: true at one point of 2 to 9",
			"error: r25: this region's accuracy run is at another point"}},
		{dedicated, func(p *Plan) { p.Points = p.Points[1:] }, []string{"error: too few points: 7, want at least 8",
			"warning: r4: the region is \"low_concurrency\", but 4 lies in low_latency", "warning: r10: the region",
			"error: no accuracy run is left for low_concurrency: want accuracy: true at one point of 5 to 12"}},
		{elected, func(p *Plan) { p.Points = slices.Delete(p.Points, 2, 3) },
			[]string{"error: too few points: 6, want at least 7"}},
		{elected, func(p *Plan) {
			for n := range 26 {
				p.Points = append(p.Points, Point{Concurrency: 120 + n, Passes: 5, WindowSeconds: 1200})
			}
		}, []string{"error: too many points: 33, want at most 32"}},
		{dedicated, at(6, offline(Elected)), []string{"error: 2 points are Offline, want one: r512, r6396"}},
		{elected, at(5, offline(Elected)), []string{"error: r241: the elected Offline point is at C_max, 512",
			"error: 2 points are Offline", "error: r241: the Offline point needs an accuracy run"}},
		{elected, at(6, offline("")), []string{"error: no point is Offline: want offline: dedicated at one of 6396"}},
		{elected, at(6, offline(Dedicated)), []string{"error: too few points: 7, want at least 8",
			"error: r512: the concurrency of an Offline run of its own is that of the performance set, 6396",
			"error: no accuracy run is left for high_concurrency"}},
		{dedicated, at(7, accuracy(false)), []string{"error: r6396: the Offline point needs an accuracy run"}},
		{elected, at(6, accuracy(false)), []string{"error: r512: the Offline point needs", "error: no accuracy run is left"}},
		{elected, at(5, accuracy(true)), nil}, // the elected one accounts for Offline
		{elected, at(2, accuracy(true)), []string{"error: r25: this region's accuracy run is at another point"}},
		{agentic, at(6, offline(Elected)), []string{"error: kimi-k3 is agentic and has no Offline point, but r256 is one"}},
		{dedicated, func(p *Plan) {
			p.CMax = 7000
			for i := range p.Points {
				p.Points[i].Region = ""
			}
		}, []string{"error: r6396: the performance set has 6396 samples, fewer than C_max, 7000",
			"warning: r6396: window_seconds is 0, want at least 1200"}},
		{dedicated, func(p *Plan) { p.CMax = 32 }, []string{"error: the highest concurrency is too low: C_max is 32"}},
		{dedicated, func(p *Plan) { p.CMin = 3 }, []string{"error: c_min_override is 3, but no point has that concurrency"}},
		{dedicated, func(p *Plan) { p.CMin = 1 }, nil},
		{dedicated, func(p *Plan) { p.CMin = 33; at(1, concurrency(33))(p) }, []string{
			"error: the lowest concurrency is not"}},
		{dedicated, func(p *Plan) { p.Model = "GPT_OSS 120b" }, []string{
			`error: the model is "GPT_OSS 120b", write gpt-oss-120b`}},
		{dedicated, func(p *Plan) { p.Rules = "endpoints-0.7" }, []string{"error: the rules are"}},
		{dedicated, func(p *Plan) { p.SeedSet = "B" }, []string{`error: unknown seed set "B"`}},
		{dedicated, func(p *Plan) { p.Cohort = "2027-01-C0" }, []string{`error: the target cohort is "2027-01-C0"`}},
		{dedicated, at(1, func(q *Point) { q.Region = endpoints.High }), []string{
			"warning: r4: the region is \"high_concurrency\", but 4 lies in low_concurrency"}},
		{dedicated, at(1, func(q *Point) { q.Region = endpoints.SubmittersChoice }), nil},
		{dedicated, at(6, func(q *Point) { q.WindowSeconds = 600 }), []string{
			"warning: r512: window_seconds is 600, want at least 1200"}},
		{agentic, at(6, func(q *Point) { q.WindowSeconds = 1200 }), []string{
			"warning: r256: window_seconds is 1200, want at least 2400"}},
		{dedicated, at(6, func(q *Point) { q.Passes = 4 }), []string{"warning: r512: 4 passes make no steady window"}},
	} {
		p := choose(t, c.o)
		c.edit(p)
		got := JudgePlan(p, endpoints.NewestRules())
		same := len(got) == len(c.want)
		for i := range min(len(got), len(c.want)) {
			same = same && strings.HasPrefix(got[i].String(), c.want[i]) && !strings.Contains(got[i].String(), "\n")
		}
		if !same {
			t.Errorf("%s: %q, want %q", shown(p), got, c.want)
		}
	}
}

// TestReadRefuses: what is no plan is said with its place.
func TestReadRefuses(t *testing.T) {
	good, err := choose(t, Options{Model: "kimi-k3", CMax: 64}).YAML()
	if err != nil {
		t.Fatal(err)
	}
	bomb := "a: &a [x]\n"
	for i := range 30 {
		bomb += fmt.Sprintf("a%d: &a%d [*a, *a, *a]\n", i, i)
	}
	with := func(from, to string) string { return strings.Replace(string(good), from, to, 1) }
	for want, text := range map[string]string{
		"the file is empty":                          "",
		"it holds [1], want a mapping":               "[1]",
		"the file is no YAML":                        "model: [",
		"rules: missing":                             "model: kimi-k3",
		"c_maks: no such key":                        string(good) + "c_maks: 64\n",
		`"c_max" already defined`:                    string(good) + "c_max: 64\n",
		"c_max: want a whole number":                 with("c_max: 64", "c_max: many"),
		"found true":                                 with("c_max: 64", "c_max: true"),
		"found 64.5":                                 with("c_max: 64", "c_max: 64.5"),
		"found 1e+99":                                with("c_max: 64", "c_max: 1.0e+99"),
		"points.0.concurrency: want a whole":         with("concurrency: 1\n", "concurrency: -1\n"),
		`points.0.accuracy: want true or`:            with("accuracy: true", `accuracy: "true"`),
		"points.0.passes: want a whole":              with("passes: 1", "passes: 0"),
		"points.0.offline: want dedicated":           with("passes: 1", "passes: 1\n  offline: no"),
		"want a whole number from 1 to 10000, found": with("passes: 1", "passes: 10001"),
		"window_seconds: want a whole":               with("seconds: 600", "seconds: .nan"),
		"aliases":                                    bomb,
	} {
		if _, err := ParsePlan([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := ParsePlan(good); err != nil {
		t.Error(err)
	}
	if _, err := ReadPlan(t.TempDir()); err == nil {
		t.Error("a folder was read")
	}
}
