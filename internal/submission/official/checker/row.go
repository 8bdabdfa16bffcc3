package checker

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/detail"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// addRows adds the rows of a folder that passed. Errors are crashes.
func (c *checker) addRows(f *folder) error {
	row, err := c.newRow(f)
	if err != nil {
		return err
	}
	if pyvalue.IsTrue(f.metric) {
		c.report.Results++
	} else if f.metric == nil {
		none := []Reason{{"performance", "there is no result"}}
		c.report.Rejected = append(c.report.Rejected, Rejection{f.place.Results(), none})
	} else {
		c.report.Zero = append(c.report.Zero, f.place.Results())
	}
	c.report.Rows = append(c.report.Rows, row)
	if row.HasPower {
		c.report.Power++
		row.Result, row.Units = pyvalue.Text(f.watts), c.powerUnit(row.Scenario)
		c.report.Rows = append(c.report.Rows, row)
	}
	return nil
}

func (c *checker) newRow(f *folder) (result.Row, error) {
	total, err := totalAccelerators(f)
	notes, err2 := joinNotes(f)
	units, err3 := c.unitOf(f)
	if err := errors.Join(err, err2, err3); err != nil {
		return result.Row{}, err
	}
	field := func(name string) string {
		v, _ := f.fields.Get(name)
		return pyvalue.Text(v)
	}
	weights, _ := f.measurements.(*pyvalue.Dict).Get("weight_data_types")
	r := result.Row{
		Organization: f.place.Submitter, Availability: field("status"), Division: f.place.Division,
		SystemType: field("system_type"), SystemName: field("system_name"), Platform: f.place.System,
		Model: f.place.Benchmark, MLPerfModel: f.model, Scenario: f.place.Scenario,
		Result: pyvalue.Text(f.metric), Accuracy: accuracyColumn(f.accuracyValues),
		Nodes: field("number_of_nodes"), HostProcessor: field("host_processor_model_name"),
		HostProcessors: field("host_processors_per_node"), HostCores: field("host_processor_core_count"),
		Accelerator: field("accelerator_model_name"), AcceleratorsPerNode: field("accelerators_per_node"),
		TotalAccelerators: total, Location: f.place.Run(), Framework: field("framework"),
		OperatingSystem: field("operating_system"), Notes: notes, Compliance: f.place.Division, Version: c.rules.Name,
		Inferred: pyvalue.Text(f.performance.Get(detail.KeyScenario)) != f.place.Scenario,
		HasPower: c.hasPower(f), Units: units, WeightDataTypes: pyvalue.Text(weights), DesignPower: f.designPower,
		PrivateID: f.privateID, Logged: pyvalue.Text(f.performance.Get(detail.KeyScenario)),
	}
	return r, checkUTF8(r)
}

// checkUTF8 returns an error if a row cannot be encoded in UTF-8. JSON can contain half a surrogate pair.
func checkUTF8(r result.Row) error {
	for _, field := range r.Fields() {
		if !utf8.ValidString(field) {
			return fmt.Errorf("%q cannot be written as UTF-8", field)
		}
	}
	return nil
}

func totalAccelerators(f *folder) (string, error) {
	product := big.NewInt(1)
	for _, name := range []string{"number_of_nodes", "accelerators_per_node"} {
		v, _ := f.fields.Get(name)
		n, err := pyvalue.Int(v)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		product.Mul(product, n)
	}
	return product.String(), nil
}

// joinNotes joins the notes on hardware and software. It returns an error if they are not texts.
func joinNotes(f *folder) (string, error) {
	hw, _ := f.fields.Get("hw_notes")
	sw, _ := f.fields.Get("sw_notes")
	if !pyvalue.IsTrue(sw) {
		return pyvalue.Text(hw), nil
	}
	software, ok := sw.(string)
	hardware, ok2 := hw.(string)
	switch {
	case !ok || !ok2 && pyvalue.IsTrue(hw):
		return "", errors.New("hw_notes or sw_notes is no text")
	case hardware == "":
		return software, nil
	}
	return hardware + ". " + software, nil
}

// unitOf returns the unit of the result. It requires the scenario's name in the rules' spelling or in lower case.
func (c *checker) unitOf(f *folder) (string, error) {
	scenario, ok := tree.CanonicalScenario(f.place.Scenario)
	if !ok {
		return "", fmt.Errorf("the folder's name is %s, want %s or %s", f.place.Scenario,
			strings.Join(tree.Scenarios(), ", "), "these in lower case")
	}
	m, _ := c.rules.Metric(f.model, scenario)
	return m.Unit, nil
}

func (c *checker) powerUnit(folder string) string {
	scenario, _ := tree.CanonicalScenario(folder)
	m, _ := c.rules.Metric("", scenario)
	return m.PowerUnit
}

// accuracyColumn returns the metrics as JSON without brackets and quotes.
func accuracyColumn(v any) string {
	marks := strings.NewReplacer(",", " ", `"`, "", "{", "", "}", "")
	return strings.TrimFunc(marks.Replace(pyvalue.JSON(v)), pyfloat.IsSpace)
}
