package check

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/schema"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/power"
)

// modelCurve contains one system's points for one model.
type modelCurve struct {
	dir           string
	points        []*curvePoint // ordered by number
	readPoints    []*curvePoint // points with a readable point.yaml
	regions       *endpoints.Regions
	cMax          int // set if cMaxKnown
	cMaxKnown     bool
	accuracy      map[int]*pointAccuracy
	firstAccuracy string // first point with a usable accuracy
}

// checkCurve checks the folder of a model.
func (c *submissionChecker) checkCurve(dir string, system *power.Computation) {
	names := c.pointDirs(dir)
	if len(names) == 0 {
		c.addRow("point-dirs", Error, dir, "there is no folder of a point: want rN, N its concurrency")
		return
	}
	c.addRow("point-dirs", Info, dir, "%d points: %s", len(names), listNames(names))
	v := &modelCurve{dir: dir, points: c.loadPoints(dir, names), accuracy: map[int]*pointAccuracy{}}
	for _, p := range v.points {
		if p.config != nil {
			v.readPoints = append(v.readPoints, p)
		}
	}
	basis := c.checkDescriptions(v)
	override, declared, valid := c.readCMinOverride(v)
	c.checkModelNames(v)
	if valid {
		c.divideRegions(v, basis, override, declared)
	}
	for _, p := range v.readPoints {
		c.checkPoint(v, p, system)
	}
	for _, p := range v.points {
		if p.config == nil {
			c.checkUnreadable(p)
		}
	}
	c.checkSharedPaths(v.readPoints)
	c.checkCurveSeeds(dir, v.readPoints)
	c.checkDrafters(v.modelName(), v.readPoints)
	c.readAccuracies(v)
	c.checkWholeCurve(v)
	c.keepCurve(v, system)
}

// modelName returns the name in the points, or else the folder's name.
func (v *modelCurve) modelName() string {
	for _, p := range v.readPoints {
		if name := p.config.Text("model_name"); name != "" {
			return name
		}
	}
	return path.Base(v.dir)
}

// perPointFields lists the fields of system_desc.json that may differ between points.
var perPointFields = []string{"tps_utilization", "tensor_parallel", "pipeline_parallel", "expert_parallel",
	"data_parallel",
	"disaggregated", "batch", "config_summary", "config_summary_notes"}

// checkDescriptions checks the points' system_desc.json files. It takes C_max from the first one and returns that
// file's path.
func (c *submissionChecker) checkDescriptions(v *modelCurve) (basis string) {
	type copied struct {
		file string
		d    *pyvalue.Dict
	}
	var all []copied
	for _, p := range v.points {
		switch d := c.readObject(p.systemPath()); {
		case !c.fileExists(p.systemPath()):
			c.addRow("system-description-present", Error, p.systemPath(), "%s is missing", systemFile)
		case d == nil:
			c.addRow("system-description-valid", Error, p.systemPath(), "%s holds no JSON object", systemFile)
		default:
			all = append(all, copied{p.systemPath(), d})
		}
	}
	if len(all) == 0 {
		c.addRow("system-description-present", Error, v.dir, "no point has a %s", systemFile)
		return v.dir
	}
	first := all[0]
	same := true
	for _, other := range all[1:] {
		if names := differingKeys(first.d, other.d); len(names) > 0 {
			c.addRow("system-description-consistency", Error, other.file, "it differs from that of %s in %s",
				path.Base(path.Dir(first.file)), listNames(names))
			same = false
			break
		}
	}
	if same {
		c.addRow("system-description-consistency", Info, v.dir, "the points describe one system")
	}
	r := c.readForm("system-description-valid", first.file, systemForm(c.rules.MaxCMin))
	if r != nil {
		v.cMax, v.cMaxKnown = r.Int("max_supported_concurrency"), true
		c.addRow("system-description-valid", Info, first.file, "the description has all that it needs")
	} else if n, ok := wholeNumber(valueOf(first.d, "max_supported_concurrency")); ok && n > 0 {
		v.cMax, v.cMaxKnown = n, true
	}
	return first.file
}

func valueOf(d *pyvalue.Dict, key string) any {
	v, _ := d.Get(key)
	return v
}

// differingKeys returns the keys in which two descriptions of one system contradict each other.
func differingKeys(a, b *pyvalue.Dict) (names []string) {
	for _, key := range slices.Concat(a.Keys(), b.Keys()) {
		x, hasX := a.Get(key)
		y, hasY := b.Get(key)
		if (hasX != hasY || !pyvalue.Same(x, y)) && !slices.Contains(perPointFields, key) && !slices.Contains(names, key) {
			names = append(names, key)
		}
	}
	slices.Sort(names)
	return names
}

// readCMinOverride returns the minimum concurrency that the points declare. valid is false if the declarations are
// wrong.
func (c *submissionChecker) readCMinOverride(v *modelCurve) (n int, declared, valid bool) {
	const rule, key = "c-min-override", "c_min_override"
	for _, p := range v.points {
		_, there := c.readObject(p.systemPath()).Get(key)
		declared = declared || there
	}
	if !declared {
		return 0, false, true
	}
	var values []int
	valid = true
	for _, p := range v.points {
		value, there := c.readObject(p.systemPath()).Get(key)
		n, ok := wholeNumber(value)
		switch {
		case !there:
			valid = false
			c.addRow(rule, Error, p.systemPath(), "%s is missing here, but other points have it", key)
		case !ok || n < 1 || n > c.rules.MaxCMin:
			valid = false
			c.addRow(rule, Error, p.systemPath(), "%s is %s, want a whole number from 1 to %d", key, schema.BriefText(value),
				c.rules.MaxCMin)
		case !slices.Contains(values, n):
			values = append(values, n)
		}
	}
	if len(values) > 1 {
		valid = false
		c.addRow(rule, Error, v.dir, "the points have different values of %s: %v", key, values)
	}
	if !valid {
		return 0, true, false
	}
	return values[0], true, true
}

// divideRegions computes the regions of a curve's concurrencies.
func (c *submissionChecker) divideRegions(v *modelCurve, basis string, override int, declared bool) {
	if !v.cMaxKnown {
		c.addRow("region-basis", Warning, basis,
			"max_supported_concurrency is not known: what needs the regions is not judged")
		return
	}
	c.addRow("max-concurrency-declared", Info, basis, "C_max is %d", v.cMax)
	cMin, lowest := override, v.points[0].concurrency
	for _, p := range v.points {
		lowest = min(lowest, p.concurrency)
	}
	if declared {
		if !slices.ContainsFunc(v.points, func(p *curvePoint) bool { return p.concurrency == override && !p.isDedicated() }) {
			c.addRow("c-min-override", Error, v.dir, "c_min_override is %d, but no point has that concurrency", override)
			return
		}
	} else {
		cMin = min(lowest, c.rules.UltraLowMax)
		c.addRow("region-basis", Info, v.dir, "C_min is %d, of the lowest point, %d", cMin, lowest)
	}
	g, err := c.rules.RegionsOf(v.cMax, cMin, declared)
	if errors.Is(err, endpoints.ErrCMin) || errors.Is(err, endpoints.ErrCMax) {
		c.addRow("region-computation", Error, basis, "%v", err)
		return
	}
	if declared {
		c.addRow("region-basis", Info, v.dir, "C_min is %d, as c_min_override says", cMin)
	}
	v.regions = &g
}

// checkModelNames checks that each model name is exactly one of the rules' names. It reports each name once.
func (c *submissionChecker) checkModelNames(v *modelCurve) {
	seen := map[string]bool{}
	for _, p := range v.readPoints {
		name := p.config.Text("model_name")
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		bad := fmt.Sprintf("model_name is %q, want exactly one of %s", name, listNames(c.rules.Models))
		if canonical := endpoints.CanonicalName(name); slices.Contains(c.rules.Models, canonical) {
			bad = fmt.Sprintf("model_name is %q, write %s", name, canonical)
		}
		c.addEither(slices.Contains(c.rules.Models, name), "model-name-valid", Error, p.yamlPath(), "the model is "+name, bad)
	}
}

// checkPoint checks a point with a readable point.yaml.
func (c *submissionChecker) checkPoint(v *modelCurve, p *curvePoint, system *power.Computation) {
	if v.regions != nil {
		c.checkPlacement(p, v.regions)
	}
	if !c.readSummary(p) {
		return
	}
	c.checkResults(p, v.regions)
	if system != nil {
		c.checkPointPower(p, system)
	}
}

// readSummary reads a point's results.
func (c *submissionChecker) readSummary(p *curvePoint) bool {
	if !c.fileExists(p.resultsPath()) {
		c.addRow("result-summary-present", Error, p.resultsPath(), "%s is missing", summaryFile)
		return false
	}
	r := c.readForm("result-file-valid", p.resultsPath(), summaryForm)
	if r != nil {
		p.summary = &resultSummary{r}
	}
	return r != nil
}

// checkUnreadable runs the possible checks of a point whose point.yaml cannot be read.
func (c *submissionChecker) checkUnreadable(p *curvePoint) {
	c.readSummary(p)
	p.summary = nil
	c.addRow("point-rules-skipped", Warning, p.yamlPath(), "the rules that need point.yaml were not judged for %s", p.name)
}

func (c *submissionChecker) checkPlacement(p *curvePoint, g *endpoints.Regions) {
	region := g.RegionAt(p.concurrency)
	switch {
	case p.isDedicated():
		c.addRowInSection(sectionOffline, "concurrency-in-range", Info, p.yamlPath(),
			"Offline's concurrency, %d, is that of the data set",
			p.concurrency)
	case region == "":
		c.addRow("concurrency-in-range", Error, p.yamlPath(), "the concurrency is %d, want at most %d", p.concurrency,
			g.Bounds(endpoints.Margin).Last)
	default:
		c.addRow("concurrency-in-range", Info, p.yamlPath(), "the concurrency %d lies in %s", p.concurrency, region)
	}
	declared := endpoints.Region(p.config.Text("region"))
	if !p.config.Has("region") || declared == endpoints.SubmittersChoice || region == "" {
		return
	}
	c.addEither(region == declared, "region-placement", Warning, p.yamlPath(), "the region is the declared one",
		fmt.Sprintf("the region is declared as %s, but %d lies in %s", declared, p.concurrency, region))
}

// checkSharedPaths checks that shared_src and shared_docs name folders. It reports each value once.
func (c *submissionChecker) checkSharedPaths(points []*curvePoint) {
	type pointer struct{ field, value string }
	seen := map[pointer]bool{}
	var order []pointer
	first := map[pointer]*curvePoint{}
	for _, p := range points {
		for _, field := range []string{"shared_src", "shared_docs"} {
			at := pointer{field, p.config.Text(field)}
			if p.config.Has(field) && !seen[at] {
				seen[at], first[at] = true, p
				order = append(order, at)
			}
		}
	}
	for _, at := range order {
		c.addEither(c.isSharedDir(at.value), "shared-path-resolution", Error, first[at].yamlPath(), at.field+" is "+at.value,
			fmt.Sprintf("%s is %q, want a folder within the submission", at.field, at.value))
	}
}

func (c *submissionChecker) isSharedDir(value string) bool {
	value = strings.TrimSpace(value)
	if strings.HasPrefix(value, "/") || strings.HasPrefix(value, "~") {
		return false
	}
	var parts []string
	for _, part := range strings.Split(strings.ReplaceAll(value, `\`, "/"), "/") {
		switch part {
		case "", ".":
		case "..":
			return false
		default:
			parts = append(parts, part)
		}
	}
	return len(parts) > 0 && c.isDir(path.Join(parts...))
}

// readAccuracies reads the accuracies of all points, in the rules' order: first the points that could be read.
func (c *submissionChecker) readAccuracies(v *modelCurve) {
	ordered := slices.Clone(v.readPoints)
	for _, p := range v.points {
		if p.config == nil {
			ordered = append(ordered, p)
		}
	}
	for _, p := range ordered {
		if a := c.loadAccuracy(p); a != nil {
			v.accuracy[p.concurrency] = a
			if v.firstAccuracy == "" {
				v.firstAccuracy = p.dir
			}
		}
	}
}
