package check

import (
	"fmt"
	"math/big"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/serving/steady"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/schema"
)

// The ways in which a point represents Offline.
const (
	offlineDedicated = "dedicated" // a separate run
	offlineElected   = "elected"   // the point with the highest concurrency
)

// The load patterns of all points except dedicated Offline runs.
const (
	patternConcurrency = "concurrency"
	patternAgentic     = "agentic_inference"
)

// curvePoint is a folder rN. If its point.yaml cannot be read, config is nil, and concurrency comes from the readable
// part of the file or from the folder's name.
type curvePoint struct {
	dir, name   string
	config      *schema.Record
	concurrency int
	summary     *resultSummary // nil: missing or invalid
	powerKW     float64        // power of the used nodes; 0: unknown
}

func (p *curvePoint) yamlPath() string    { return path.Join(p.dir, pointFile) }
func (p *curvePoint) systemPath() string  { return path.Join(p.dir, systemFile) }
func (p *curvePoint) resultsPath() string { return path.Join(p.dir, summaryFile) }
func (p *curvePoint) offlineKind() string { return p.config.Text("offline") }

// isDedicated reports whether the point is a separate Offline run.
func (p *curvePoint) isDedicated() bool {
	return p.config != nil && p.offlineKind() == offlineDedicated
}

func (p *curvePoint) isElected() bool { return p.config != nil && p.offlineKind() == offlineElected }

// loadPattern returns the point's load pattern.
func (p *curvePoint) loadPattern() string {
	if settings := p.config.Record("runtime_settings"); settings.Has("load_pattern") {
		return settings.Text("load_pattern")
	}
	return patternConcurrency
}

// loadPoints reads the points of a curve.
func (c *submissionChecker) loadPoints(curve string, names []string) (all []*curvePoint) {
	readable := false
	for _, name := range names {
		p := &curvePoint{dir: path.Join(curve, name), name: name}
		p.concurrency, _ = concurrencyInName(name)
		all = append(all, p)
		c.checkConfiguration(p)
		if !c.fileExists(p.yamlPath()) {
			c.addRow("measurement-points-present", Error, p.yamlPath(), "%s is missing", pointFile)
			continue
		}
		c.loadPoint(p)
		readable = readable || p.config != nil
	}
	if !readable && len(all) > 0 {
		c.addRow("measurement-points-present", Error, curve, "no point has a %s that can be read", pointFile)
	}
	return all
}

func (c *submissionChecker) loadPoint(p *curvePoint) {
	d, err := c.readYAML(p.yamlPath())
	if err != nil {
		c.addRow("point-config-valid", Error, p.yamlPath(), "%s cannot be read: %v", pointFile, err)
		return
	}
	p.config = c.checkForm("point-config-valid", p.yamlPath(), d, pointForm)
	if p.config == nil {
		raw, _ := d.Get("concurrency")
		if n, ok := raw.(*big.Int); ok && n.Sign() > 0 && n.IsInt64() {
			p.concurrency = int(n.Int64())
		}
		return
	}
	named := p.concurrency
	p.concurrency = p.config.Int("concurrency")
	c.checkPointFile(p)
	if named != p.concurrency {
		c.addRow("point-dirname-concurrency", Warning, p.yamlPath(), "the folder is %s, but the concurrency is %d", p.name,
			p.concurrency)
	}
}

// checkConfiguration requires the client's config.yaml. It adds no row if the file exists.
func (c *submissionChecker) checkConfiguration(p *curvePoint) {
	file := path.Join(p.dir, configFile)
	if !c.isFile(file) {
		c.addRow("config-file-present", Error, file, "%s is missing: the configuration that the client ran", configFile)
	} else if _, err := c.readYAML(file); err != nil {
		c.addRow("config-file-present", Error, file, "%s cannot be read: %v", configFile, err)
	}
}

// checkPointFile checks the rules on point.yaml itself.
func (c *submissionChecker) checkPointFile(p *curvePoint) {
	r, file := p.config, p.yamlPath()
	if r.Has("offline") {
		words := []string{offlineDedicated, offlineElected, "none"}
		c.addEither(slices.Contains(words, p.offlineKind()), "offline-declared", Error, file, "offline is "+p.offlineKind(),
			fmt.Sprintf("offline is %q, want %s", p.offlineKind(), strings.Join(words, ", ")))
	}
	c.checkSteadyState(p)
	var missing []string
	for _, name := range disclosedFields {
		if text, isText := r.Raw.Get(name); !r.Has(name) || isText && text == "" {
			missing = append(missing, name)
		}
	}
	c.addEither(len(missing) == 0, "point-disclosure-complete", Error, file, "all that must be disclosed is",
		"these say nothing: "+listNames(missing))
	if r.Has("target_cohort") {
		cohort := r.Text("target_cohort")
		c.addEither(endpoints.IsCohortForm(cohort), "target-cohort", Error, file, "the cohort is "+cohort,
			fmt.Sprintf("the cohort is %q, want YYYY-MM-C0 or YYYY-MM-C1", cohort))
	}
	c.checkLegacySeeds(p)
	c.checkWarmup(p)
	c.checkLoadPattern(p)
	c.addRow("streaming-config", Info, file,
		"stream_all_chunks says what the client forwards, not whether the server streams")
	if r.Has("region") {
		region := endpoints.Region(r.Text("region"))
		known := region == endpoints.SubmittersChoice || slices.Contains(endpoints.RegionNames(), region)
		c.addEither(known, "region-declared", Error, file, "the region is "+string(region),
			fmt.Sprintf("the region is %q, want one of %v or %s", region, endpoints.RegionNames(), endpoints.SubmittersChoice))
	}
}

func (c *submissionChecker) checkSteadyState(p *curvePoint) {
	block := p.config.Record("steady_state")
	if block == nil {
		return
	}
	var bad []string
	want := func(name, got string, known bool, words []string) {
		if known && !slices.Contains(words, got) {
			bad = append(bad, fmt.Sprintf("%s is %q, want one of %s", name, got, listNames(words)))
		}
	}
	want("status", block.Text("status"), block.Has("status"), steady.Statuses())
	want("verdict", block.Text("verdict"), block.Has("verdict"), steady.Verdicts())
	for name, state := range block.Map("state") {
		want("the state of "+name, fmt.Sprint(state), true, steady.States())
	}
	slices.Sort(bad)
	c.addEither(len(bad) == 0, "steady-state-valid", Error, p.yamlPath(), "the steady state uses the words of the rules",
		strings.Join(bad, "; "))
	if !block.Has("status") {
		return
	}
	bad = nil
	passes, known := superPasses(block)
	least := c.rules.MinSuperPasses
	switch status := steady.Status(block.Text("status")); {
	case status == steady.Windowable:
		if known && passes < least {
			bad = append(bad, fmt.Sprintf("the window has %d super-passes, want at least %d", passes, least))
		}
		if drifts := driftingMetrics(block); len(drifts) > 0 {
			bad = append(bad, "a window was found, but "+listNames(drifts)+" drift")
		}
	case status == steady.InsufficientPasses && known && passes >= least:
		bad = append(bad, fmt.Sprintf("the status is %s, but the window has %d super-passes", status, passes))
	}
	c.addEither(len(bad) == 0, "steady-state-consistency", Error, p.yamlPath(), "the status fits the window",
		strings.Join(bad, "; "))
}

// superPasses returns the number of super-passes in the window.
func superPasses(block *schema.Record) (n int, known bool) {
	w := block.Record("window")
	if !w.Has("super_pass_start") || !w.Has("super_pass_end") {
		return 0, false
	}
	return w.Int("super_pass_end") - w.Int("super_pass_start") + 1, true
}

// driftingMetrics returns the gating metrics without a plateau.
func driftingMetrics(block *schema.Record) (names []string) {
	for name, state := range block.Map("state") {
		if text, _ := state.(string); strings.HasPrefix(text, "Drifting") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// legacySeed is the value of every seed in round v0.7.
const legacySeed = 42

func (c *submissionChecker) checkLegacySeeds(p *curvePoint) {
	if p.config.Has("seed_set") {
		return
	}
	for _, name := range []string{"scheduler_rng_seed", "sample_index_rng_seed"} {
		seed := p.seedValue(name)
		if seed != nil && seed.Cmp(big.NewInt(legacySeed)) == 0 {
			c.addRow("seed-config-legacy", Warning, p.yamlPath(), "%s is 42, as in round v0.7: name a seed_set", name)
		} else {
			c.addRow("seed-config-legacy", Error, p.yamlPath(), "%s is %s, and no seed_set is named", name, seedText(seed))
		}
	}
}

// seedText returns a seed in the form of messages.
func seedText(seed *big.Int) string {
	if seed == nil {
		return "missing"
	}
	return seed.String()
}

// seedValue returns a seed by its present name, or by its name in round v0.7.
func (p *curvePoint) seedValue(name string) *big.Int {
	runtime := p.config.Record("runtime_settings").Record("runtime")
	older := map[string]string{"scheduler_rng_seed": "scheduler_random_seed",
		"sample_index_rng_seed": "dataloader_random_seed"}
	if n := runtime.Big(name); n != nil {
		return n
	}
	return runtime.Big(older[name])
}

func (c *submissionChecker) checkWarmup(p *curvePoint) {
	warmup := p.config.Record("warmup")
	c.addEither(warmup != nil, "warmup-present", Error, p.yamlPath(), "the warm-up is declared",
		"the warm-up is not declared")
	switch {
	case warmup == nil:
	case declaresNoWarmup(warmup):
		c.addRow("warmup-logs-retained", Info, p.yamlPath(), "there was no warm-up")
	default:
		c.addEither(warmup.Bool("logs_retained"), "warmup-logs-retained", Warning, p.yamlPath(),
			"the logs of the warm-up are kept",
			"warmup does not say logs_retained: true; reviewers may ask for the logs")
	}
	if p.config.Record("runtime_settings").Record("warmup").Bool("salt") {
		c.addRow("warmup-salt", Warning, p.yamlPath(), "the warm-up is salted")
	}
}

func (c *submissionChecker) checkLoadPattern(p *curvePoint) {
	pattern := p.loadPattern()
	switch {
	case p.isDedicated():
		c.addRowInSection(sectionOfflinePattern, "load-pattern", Info, p.yamlPath(),
			"Offline needs no fixed concurrency: %s", pattern)
	case pattern != patternConcurrency && pattern != patternAgentic:
		c.addRow("load-pattern", Error, p.yamlPath(), "the load pattern is %q, want %s or %s", pattern, patternConcurrency,
			patternAgentic)
	case p.concurrency <= 0:
		c.addRow("load-pattern", Error, p.yamlPath(), "the concurrency is %d, want at least 1", p.concurrency)
	default:
		c.addRow("load-pattern", Info, p.yamlPath(), "%d requests at a time, by %s", p.concurrency, pattern)
	}
}
