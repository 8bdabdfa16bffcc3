package check

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// seedRows are the rules of the seeds of a curve.
func (c *checker) seedRows(curve string, points []*point) {
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
		c.either(len(sets) == 1, "seed-set-consistency", Error, curve, "all points have one seed set: "+sets[0],
			fmt.Sprintf("the points have %d seed sets: %s", len(sets), listed(sets)))
	}
	for _, p := range points {
		if p.config.Has("seed_set") {
			id := p.config.Text("seed_set")
			c.either(c.rules.SeedSetOf(id) != nil, "seed-set-membership", Error, p.yaml(), "the seed set "+id+" is published",
				fmt.Sprintf("the seed set %q is not published; these are: %s", id, listed(published)))
		}
	}
	for _, p := range points {
		if set := c.rules.SeedSetOf(p.config.Text("seed_set")); set != nil {
			c.seedValues(p, set)
		}
	}
	cohorts := c.rules.AdoptionCohorts()
	for _, p := range points {
		if c.rules.SeedSetOf(p.config.Text("seed_set")) != nil && p.config.Has("target_cohort") {
			cohort := p.config.Text("target_cohort")
			c.either(slices.Contains(cohorts, cohort), "seed-set-adoption", Error, p.yaml(),
				"the seed set may be used in "+cohort,
				fmt.Sprintf("the seed set may be used in %s, not in %q", listed(cohorts), cohort))
		}
	}
}

func (c *checker) seedValues(p *point, set *endpoints.SeedSet) {
	var wrong []string
	for _, seed := range []struct {
		name string
		want uint64
	}{{"scheduler_rng_seed", set.Scheduler}, {"sample_index_rng_seed", set.SampleIndex}, {"model_seed", set.Model}} {
		got := p.seed(seed.name)
		if got == nil || got.Cmp(new(big.Int).SetUint64(seed.want)) != 0 {
			wrong = append(wrong, fmt.Sprintf("%s is %s, want %d", seed.name, seedText(got), seed.want))
		}
	}
	c.either(len(wrong) == 0, "seed-runtime-match", Error, p.yaml(), "the seeds are those of the set "+set.ID,
		strings.Join(wrong, "; "))
	runtime := p.config.Record("runtime_settings").Record("runtime")
	if (runtime.Has("scheduler_random_seed") || runtime.Has("dataloader_random_seed")) && !runtime.Has("model_seed") {
		c.row("seed-runtime-match", Warning, p.yaml(), "the seeds have the names of round v0.7")
	}
}

// drafterRows are the rules of models for speculative decoding.
func (c *checker) drafterRows(model string, points []*point) {
	approved := c.rules.DraftersOf(model)
	matched := map[*point]*endpoints.Drafter{}
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
			c.row("approved-drafter", Error, p.yaml(), "%s has no approved drafter: speculative decoding is not allowed", model)
		case matched[p] == nil:
			c.row("approved-drafter", Error, p.yaml(), "no approved drafter of %s has this weight_checksum", model)
		default:
			c.row("approved-drafter", Info, p.yaml(), "the drafter is approved: %s", matched[p].ID)
		}
	}
	for _, p := range points {
		if d := matched[p]; d != nil {
			c.leadTime(p, d)
		}
	}
}

func (c *checker) leadTime(p *point, d *endpoints.Drafter) {
	const rule = "drafter-approval-lead-time"
	cohort := p.config.Text("target_cohort")
	target, ok := endpoints.ParseCohort(strings.TrimSpace(cohort))
	approved, ok2 := endpoints.ParseCohort(d.Cohort)
	first := approved.After(c.rules.DrafterLead)
	switch {
	case !ok || !ok2:
		c.row(rule, Warning, p.yaml(), "not judged: the cohorts are %q and %q", cohort, d.Cohort)
	case target.Compare(first) < 0:
		c.row(rule, Error, p.yaml(), "the drafter was approved in %s and may be used from %s on, not in %s", d.Cohort, first,
			target)
	default:
		c.row(rule, Info, p.yaml(), "the drafter may be used from %s on", first)
	}
}
