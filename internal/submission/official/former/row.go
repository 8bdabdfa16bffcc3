package former

import (
	"errors"
	"strconv"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
)

// summaryUnits returns the summary's units of a scenario's result and of its power, independent of what the result
// counts.
func (c *formerChecker) summaryUnits(scenario string) (result, power string, ok bool) {
	energy := "Joules"
	if c.book.Millijoules {
		energy = "millijoules"
	}
	switch scenario {
	case "SingleStream":
		return "Latency (ms)", energy, true
	case "MultiStream":
		if c.rules.HasStreams() {
			return "Streams", energy + "/Stream", true
		}
		return "Latency (ms)", energy, true
	case "Offline":
		return "Samples/s", "Watts", true
	case "Server":
		return "Queries/s", "Watts", true
	}
	return "", "", false
}

// addRow adds the rows of a result. Errors are crashes.
func (c *formerChecker) addRow(f *scenarioFolder) error {
	var faults []error
	text := func(name string) string {
		t, err := f.requiredText(name)
		faults = append(faults, err)
		return t
	}
	field := func(name string) string {
		v, _ := f.fields.Get(name)
		return pyvalue.Text(v)
	}
	optional := func(name string) string {
		if _, has := f.fields.Get(name); !has {
			return ""
		}
		return text(name)
	}
	unit, powerUnit, ok := c.summaryUnits(f.scenario)
	if !ok {
		return errors.New("the folder's name is no scenario")
	}
	notes, err := c.joinNotes(f)
	m, _ := c.rules.Metric(f.model, f.loggedScenario)
	if f.inferred {
		m, _ = c.rules.Metric("", f.scenario)
	}
	r := result.Row{
		Organization: f.place.Submitter, Availability: f.availability, Division: f.place.Division, SystemType: f.typeText,
		SystemName: text("system_name"), Platform: f.place.System, Model: f.place.Benchmark, MLPerfModel: f.checkerName,
		Scenario: f.scenario, Result: pyvalue.Text(f.entry.value), Accuracy: pyvalue.Text(f.accuracy),
		Nodes: field("number_of_nodes"), HostProcessor: text("host_processor_model_name"),
		HostProcessors: field("host_processors_per_node"), HostCores: field("host_processor_core_count"),
		Accelerator: text("accelerator_model_name"), AcceleratorsPerNode: field("accelerators_per_node"),
		Location: f.place.Results(), Framework: optional("framework"), OperatingSystem: optional("operating_system"),
		Notes: notes, Compliance: strconv.Itoa(f.compliance), Errors: f.errors, Version: c.rules.Name, Inferred: f.inferred,
		HasPower: f.watts > 0, Units: unit, Counted: m.Unit, Logged: f.loggedScenario, Metric: c.firstMetricName(f),
		Power: "0",
	}
	r.Result = pyvalue.Text(f.result)
	if err := errors.Join(append(faults, err)...); err != nil {
		return err
	}
	if f.watts > 0 {
		c.report.Power++
		r.Power = pyvalue.Text(f.watts)
	}
	c.report.Rows = append(c.report.Rows, r)
	if f.watts > 0 && c.book.Table != result.OneRow {
		r.Result, r.Units, r.Counted = pyvalue.Text(f.watts), powerUnit, ""
		c.report.Rows = append(c.report.Rows, r)
	}
	return nil
}

// firstMetricName returns the name of the accuracy metric in the summary.
func (c *formerChecker) firstMetricName(f *scenarioFolder) string {
	targets := c.rules.Targets(f.model, "")
	if len(targets) == 0 {
		return ""
	}
	return targets[0].Metric
}

// notes joins the notes on hardware and software. Notes that are not texts end the checker.
func (c *formerChecker) joinNotes(f *scenarioFolder) (string, error) {
	hw, has := f.fields.Get("hw_notes")
	sw, _ := f.fields.Get("sw_notes")
	hardware, isText := hw.(string)
	if !isText && has {
		return "", errors.New("hw_notes is no text")
	}
	if !pyvalue.IsTrue(sw) {
		return hardware, nil
	}
	software, isText := sw.(string)
	switch {
	case !isText:
		return "", errors.New("sw_notes is no text")
	case hardware == "" && c.book.HasNetwork:
		return software, nil
	}
	return hardware + ". " + software, nil
}
