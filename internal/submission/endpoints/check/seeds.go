package check

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// checkCurveSeeds checks the rules on the seeds of a curve.
func (c *submissionChecker) checkCurveSeeds(curve string, points []*curvePoint) {
	var sets, published []string
	for _, s := range c.rules.SeedSets {
		published = append(published, s.ID)
	}
	for _, p := range points {
		if id := p.config.Text("seed_set"); p.config.Has("seed_set") && !slices.Contains(sets, id) {
			sets = append(sets, id)
		}
	}
	if len(sets) > 0 {
		c.addEither(len(sets) == 1, "seed-set-consistency", Error, curve, "all points have one seed set: "+sets[0],
			fmt.Sprintf("the points have %d seed sets: %s", len(sets), listNames(sets)))
	}
	for _, p := range points {
		if p.config.Has("seed_set") {
			id := p.config.Text("seed_set")
			c.addEither(c.rules.SeedSetOf(id) != nil, "seed-set-membership", Error, p.yamlPath(),
				"the seed set "+id+" is published",
				fmt.Sprintf("the seed set %q is not published; these are: %s", id, listNames(published)))
		}
	}
	for _, p := range points {
		if set := c.rules.SeedSetOf(p.config.Text("seed_set")); set != nil {
			c.checkSeedValues(p, set)
		}
	}
	cohorts := c.rules.AdoptionCohorts()
	for _, p := range points {
		if c.rules.SeedSetOf(p.config.Text("seed_set")) != nil && p.config.Has("target_cohort") {
			cohort := p.config.Text("target_cohort")
			c.addEither(slices.Contains(cohorts, cohort), "seed-set-adoption", Error, p.yamlPath(),
				"the seed set may be used in "+cohort,
				fmt.Sprintf("the seed set may be used in %s, not in %q", listNames(cohorts), cohort))
		}
	}
}

func (c *submissionChecker) checkSeedValues(p *curvePoint, set *endpoints.SeedSet) {
	var wrong []string
	for _, seed := range []struct {
		name string
		want uint64
	}{{"scheduler_rng_seed", set.Scheduler}, {"sample_index_rng_seed", set.SampleIndex}, {"model_seed", set.Model}} {
		got := p.seedValue(seed.name)
		if got == nil || got.Cmp(new(big.Int).SetUint64(seed.want)) != 0 {
			wrong = append(wrong, fmt.Sprintf("%s is %s, want %d", seed.name, seedText(got), seed.want))
		}
	}
	c.addEither(len(wrong) == 0, "seed-runtime-match", Error, p.yamlPath(), "the seeds are those of the set "+set.ID,
		strings.Join(wrong, "; "))
	runtime := p.config.Record("runtime_settings").Record("runtime")
	if (runtime.Has("scheduler_random_seed") || runtime.Has("dataloader_random_seed")) && !runtime.Has("model_seed") {
		c.addRow("seed-runtime-match", Warning, p.yamlPath(), "the seeds have the names of round v0.7")
	}
}

// checkDrafters checks the rules on models for speculative decoding.
func (c *submissionChecker) checkDrafters(model string, points []*curvePoint) {
	approved := c.rules.DraftersOf(model)
	matched := map[*curvePoint]*endpoints.Drafter{}
	for _, p := range points {
		if len(p.config.Map("speculative_decoding")) == 0 {
			continue
		}
		declared, _ := p.config.Map("speculative_decoding")["weight_checksum"]
		for i, d := range approved {
			if pyvalue.Same(declared, d.Weights) {
				matched[p] = &approved[i]
				break
			}
		}
		switch {
		case len(approved) == 0:
			c.addRow("approved-drafter", Error, p.yamlPath(), "%s has no approved drafter: speculative decoding is not allowed",
				model)
		case matched[p] == nil:
			c.addRow("approved-drafter", Error, p.yamlPath(), "no approved drafter of %s has this weight_checksum", model)
		default:
			c.addRow("approved-drafter", Info, p.yamlPath(), "the drafter is approved: %s", matched[p].ID)
		}
	}
	for _, p := range points {
		if d := matched[p]; d != nil {
			c.checkLeadTime(p, d)
		}
	}
}

func (c *submissionChecker) checkLeadTime(p *curvePoint, d *endpoints.Drafter) {
	const rule = "drafter-approval-lead-time"
	cohort := p.config.Text("target_cohort")
	target, ok := endpoints.ParseCohort(strings.TrimSpace(cohort))
	approved, ok2 := endpoints.ParseCohort(d.Cohort)
	first := approved.Later(c.rules.DrafterLead)
	switch {
	case !ok || !ok2:
		c.addRow(rule, Warning, p.yamlPath(), "not judged: the cohorts are %q and %q", cohort, d.Cohort)
	case target.Compare(first) < 0:
		c.addRow(rule, Error, p.yamlPath(), "the drafter was approved in %s and may be used from %s on, not in %s", d.Cohort,
			first,
			target)
	default:
		c.addRow(rule, Info, p.yamlPath(), "the drafter may be used from %s on", first)
	}
}
