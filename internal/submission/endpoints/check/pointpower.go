package check

import (
	"fmt"
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/schema"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/power"
)

// modelDivision describes how a point divides its model over accelerators. A missing dimension is 1 if others are
// declared.
type modelDivision struct {
	replica       int // accelerators per replica
	replicas      int
	disaggregated bool
}

func (d modelDivision) acceleratorCount() int { return d.replica * d.replicas }

// readDivision reads the model division from a point's own system_desc.json. ok is false if the file declares none.
func (c *submissionChecker) readDivision(p *curvePoint) (d modelDivision, ok bool) {
	desc := c.readObject(p.systemPath())
	inner, _ := pyvalue.Field[*pyvalue.Dict](desc, "config_summary")
	value := func(name string) any {
		if v, there := desc.Get(name); there {
			return v
		}
		v, _ := inner.Get(name)
		return v
	}
	of := map[string]int{}
	for _, name := range parallelism {
		of[name] = 1
		if n, isInt := wholeNumber(value(name)); isInt {
			of[name], ok = n, true
		}
	}
	flag := value("disaggregated")
	n, isInt := wholeNumber(flag)
	return modelDivision{of["tensor_parallel"] * of["pipeline_parallel"] * of["expert_parallel"], of["data_parallel"],
		flag == true || isInt && n > 1}, ok
}

// checkPointPower checks the rules on a point's power.
func (c *submissionChecker) checkPointPower(p *curvePoint, system *power.Computation) {
	d, known := c.readDivision(p)
	nodes, valid := c.checkNodesUsed(p, system, d, known)
	c.checkEngagement(p, system, d, known)
	if !valid {
		return
	}
	kw, ok := system.PointKW(nodes)
	if !ok || kw <= 0 {
		return
	}
	p.powerKW = kw
	derived := p.summary.tokensPerSecond() / kw
	value, _ := p.summary.record.Raw.Get("system_tps_per_kw")
	if stored, has := jsonNumber(value); has && !withinOnePercent(stored, derived) {
		c.addRow("metric-consistency-tps-per-kw", Error, p.resultsPath(),
			"system_tps_per_kw is %v, but %.3f tokens/s over %.2f kW "+
				"give %.4f", stored, p.summary.tokensPerSecond(), kw, derived)
		return
	}
	c.addRow("metric-consistency-tps-per-kw", Info, p.resultsPath(), "system_tps_per_kw is %.4f, over %.2f kW", derived,
		kw)
}

// checkNodesUsed returns the nodes that a point uses, by set. It returns none if the point uses all.
func (c *submissionChecker) checkNodesUsed(p *curvePoint, system *power.Computation, d modelDivision,
	known bool) (nodes map[int]int,
	valid bool) {
	nodes = map[int]int{}
	if !p.config.Has("nodes_used") {
		return nodes, true
	}
	var problems []string
	seen := map[int]bool{}
	for _, one := range p.config.List("nodes_used") {
		entry := one.(*schema.Record)
		ensemble, n := entry.Int("system_node_ensemble_id"), entry.Int("nodes")
		var match *power.NodeSet
		matches := 0
		for i, s := range system.Sets {
			if s.Ensemble == ensemble {
				match, matches = &system.Sets[i], matches+1
			}
		}
		switch {
		case seen[ensemble]:
			problems = append(problems, fmt.Sprintf("nodes %d are named twice", ensemble))
		case matches != 1:
			problems = append(problems, fmt.Sprintf("%d sets of system_power.json have nodes %d, want one", matches, ensemble))
		case n < 1 || n > match.Nodes:
			problems = append(problems, fmt.Sprintf("%d of %d nodes %d are used", n, match.Nodes, ensemble))
		default:
			nodes[match.ID] = n
		}
		seen[ensemble] = true
	}
	if len(problems) == 0 && known && !d.disaggregated {
		problems = c.checkCapacity(p, system, d, nodes)
	}
	if len(problems) > 0 {
		c.addRow("nodes-used", Error, p.yamlPath(), "%s", strings.Join(problems, "; "))
		return nil, false
	}
	c.addRow("nodes-used", Info, p.yamlPath(), "the nodes that are used are there")
	return nodes, true
}

// checkCapacity checks that the used nodes contain the used accelerators and that no node is superfluous.
func (c *submissionChecker) checkCapacity(p *curvePoint, system *power.Computation, d modelDivision,
	nodes map[int]int) []string {
	held, engaged := 0, map[int]int{}
	for _, s := range system.Sets {
		if s.AcceleratorsPerNode < 0 {
			return nil
		}
		engaged[s.ID] = s.Nodes
		if n, named := nodes[s.ID]; named {
			engaged[s.ID] = n
		}
	}
	for _, s := range system.Sets {
		held += engaged[s.ID] * s.AcceleratorsPerNode
	}
	used := d.acceleratorCount()
	if held < used {
		return []string{fmt.Sprintf("the nodes hold %d accelerators, but %d replicas of %d need %d", held, d.replicas,
			d.replica, used)}
	}
	for _, s := range system.Sets {
		if engaged[s.ID] > 0 && held-s.AcceleratorsPerNode >= used {
			c.addRow("nodes-used", Warning, p.yamlPath(),
				"fewer nodes hold the %d accelerators that are used; more only raise the "+
					"point's power", used)
			return nil
		}
	}
	return nil
}

// checkEngagement checks that the maximum number of replicas runs on the system.
func (c *submissionChecker) checkEngagement(p *curvePoint, system *power.Computation, d modelDivision, known bool) {
	const rule = "maximal-engagement"
	provisioned, complete := 0, true
	for _, s := range system.Sets {
		complete = complete && s.AcceleratorsPerNode >= 0
		provisioned += s.Nodes * s.AcceleratorsPerNode
	}
	unchecked := ""
	switch {
	case !known:
		unchecked = "system_desc.json says nothing of tensor_parallel, pipeline_parallel, expert_parallel, data_parallel"
	case d.disaggregated:
		unchecked = "the rules do not say what a replica of a disaggregated deployment is"
	case !complete:
		unchecked = "it is not known how many accelerators each node has"
	}
	if unchecked != "" {
		c.addRow(rule, Warning, p.yamlPath(), "not judged: %s", unchecked)
		return
	}
	if d.replica < 1 || d.replicas < 1 {
		c.addRow(rule, Error, p.yamlPath(), "%d replicas of %d accelerators, want at least 1 of each", d.replicas, d.replica)
		return
	}
	most := int(math.Floor(float64(provisioned) / float64(d.replica)))
	text := fmt.Sprintf("%d replicas of %d accelerators; the %d of the system hold %d", d.replicas, d.replica, provisioned,
		most)
	c.checkShortfall(rule, text, p, d, most)
}

// checkShortfall compares the number of running replicas with the maximum.
func (c *submissionChecker) checkShortfall(rule, text string, p *curvePoint, d modelDivision, most int) {
	shortfall := p.config.Record("dp_shortfall")
	switch {
	case d.replicas > most:
		c.addRow(rule, Error, p.yamlPath(), "%s", text)
	case d.replicas == most && shortfall != nil:
		c.addRow(rule, Warning, p.yamlPath(), "%s: dp_shortfall is not needed", text)
	case d.replicas == most:
		c.addRow(rule, Info, p.yamlPath(), "%s", text)
	case shortfall == nil:
		c.addRow(rule, Error, p.yamlPath(), "%s: declare dp_shortfall, with the reason", text)
	case shortfall.Int("dp_actual") != d.replicas || shortfall.Int("dp_formula") != most:
		c.addRow(rule, Error, p.yamlPath(), "%s, but dp_shortfall says %d of %d", text, shortfall.Int("dp_actual"),
			shortfall.Int("dp_formula"))
	default:
		c.addRow(rule, Warning, p.yamlPath(), "%s, for a reason: %s", text, shortfall.Text("reason"))
	}
}
