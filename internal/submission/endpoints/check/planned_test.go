package check

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/testkit/madetrees"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/plan"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// placementRules are those that a plan settles before anything is run.
var placementRules = []string{"accuracy-coverage", "benchmark-type-consistency", "concurrency-in-range",
	"high-concurrency-coverage", "low-concurrency-coverage", "max-concurrency-declared",
	"med-concurrency-coverage", "model-name-valid",
	"offline-point-present", "point-cap", "point-count", "region-basis", "region-computation", "region-placement",
	"seed-runtime-match", "seed-set-adoption", "seed-set-membership", "ultra-low-concurrency-coverage"}

// template are the files of a point of the base, by name.
type template map[string][]byte

// templates are points of a base curve: with and without an accuracy run, and a dedicated Offline run.
func templates(base fstest.MapFS, curve string) (measured, plain, dedicated template) {
	points := map[string]template{}
	for name, f := range base {
		if dir := path.Dir(name); path.Dir(dir) == curve {
			if points[dir] == nil {
				points[dir] = template{}
			}
			points[dir][path.Base(name)] = f.Data
		}
	}
	for _, one := range points {
		scores := one[accuracyFile]
		switch {
		case bytes.Contains(one[pointFile], []byte("offline: dedicated")):
			dedicated = one
		case scores == nil || bytes.Contains(scores, []byte("performance")) && !bytes.Contains(scores, []byte(sweBench)):
			plain = one
		default:
			measured = one
		}
	}
	return measured, plain, dedicated
}

// planned is a tree of a base with the points of a plan.
func planned(base fstest.MapFS, curve string, p *plan.Plan) fstest.MapFS {
	tree := fstest.MapFS{}
	for name, f := range base {
		if !strings.HasPrefix(name, curve+"/") {
			tree[name] = f
		}
	}
	measured, plain, dedicated := templates(base, curve)
	for _, q := range p.Points {
		from := plain
		switch {
		case q.Offline == plan.Dedicated && q.Accuracy:
			from = dedicated
		case q.Accuracy:
			from = measured
		}
		for name, text := range from {
			switch name {
			case pointFile:
				text = regexp.MustCompile(`(?m)^(offline|region):.*\n`).ReplaceAll(text, nil)
				text = regexp.MustCompile(`(?m)^concurrency:.*`).ReplaceAll(text,
					fmt.Appendf(nil, "concurrency: %d", q.Concurrency))
				text = fmt.Appendf(text, "region: %s\n", q.Region)
				if q.Offline != "" {
					text = fmt.Appendf(text, "offline: %s\n", q.Offline)
				}
				text = regexp.MustCompile(`(?m)^target_cohort:.*`).ReplaceAll(text, []byte("target_cohort: "+p.Cohort))
			case systemFile:
				text = regexp.MustCompile(`"max_supported_concurrency": \d+`).ReplaceAll(text,
					fmt.Appendf(nil, `"max_supported_concurrency": %d`, p.CMax))
			}
			tree[path.Join(curve, q.Name(), name)] = &fstest.MapFile{Data: text}
		}
	}
	return tree
}

// placed are the rows of a tree's points by the rules of placement that do not hold, of some severities.
func placed(t *testing.T, tree fstest.MapFS, curve string, severities ...Severity) (all []string) {
	t.Helper()
	c := &submissionChecker{rules: endpoints.NewestRules()}
	if err := c.checkFolder(tree, "org"); err != nil {
		t.Fatal(err)
	}
	for _, r := range c.report.Rows {
		ours := slices.Contains(placementRules, r.Rule) && strings.HasPrefix("sub/"+r.Path, curve)
		if ours && slices.Contains(severities, r.Severity) {
			all = append(all, r.Rule+": "+r.Message)
		}
	}
	return all
}

// TestPlansPassTheCheck: trees with the points of chosen plans hold to all rules of regions and counts, and of changed
// plans the check and the plan's own judge say alike whether they do.
func TestPlansPassTheCheck(t *testing.T) {
	for archive, curve := range map[string]string{"dedicated": "sub/results/X200x8/gpt-oss-120b",
		"elected": "sub/results/X200x32/llama3_1-8b", "agentic": "sub/results/X200x16/kimi-k3"} {
		golden.Each(t, "endpoints/base/"+archive+".tar.gz", func(t *testing.T, file string) {
			base, random := madetrees.Unpack(t, file), rand.New(rand.NewPCG(7, 25))
			held, failed := 0, 0
			for i := range 24 {
				o := plan.Options{Model: path.Base(curve), CMax: 64 + random.IntN(1000), CMin: random.IntN(9),
					Points: 8 + random.IntN(4)}
				if archive == "elected" {
					o.Offline = plan.Elected
				}
				p, err := plan.ChoosePlan(o, endpoints.NewestRules())
				if err != nil {
					t.Fatal(err)
				}
				if all := placed(t, planned(base, curve, p), curve, Error, Warning); len(all) > 0 {
					t.Errorf("%+v: %q", o, all)
				}
				change(p, random, i)
				findings := plan.JudgePlan(p, endpoints.NewestRules())
				wrong := slices.ContainsFunc(findings, func(f plan.Finding) bool { return !f.Warning })
				if all := placed(t, planned(base, curve, p), curve, Error); wrong != (len(all) > 0) {
					t.Errorf("%+v: the plan says %q, the check %q", p.Points, findings, all)
				}
				if wrong {
					failed++
				} else {
					held++
				}
			}
			if held < 3 || failed < 8 {
				t.Errorf("%d plans held, %d failed", held, failed)
			}
		})
	}
}

// change edits a plan as a person might.
func change(p *plan.Plan, random *rand.Rand, kind int) {
	i := random.IntN(len(p.Points))
	q := &p.Points[i]
	switch kind % 6 {
	case 0:
		q.Accuracy = !q.Accuracy
	case 1, 2:
		if taken := 1 + random.IntN(p.CMax*6/5); q.Offline == "" && !slices.ContainsFunc(p.Points,
			func(o plan.Point) bool { return o.Concurrency == taken }) {
			q.Concurrency = taken
		}
	case 3:
		p.Points = slices.Delete(p.Points, i, i+1)
	case 4:
		p.Points = slices.Delete(p.Points, 0, min(3, len(p.Points)-5))
	case 5:
		if q.Offline == "" {
			q.Offline = plan.Elected
		}
	}
}
