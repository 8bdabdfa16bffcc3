package build

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/assemble"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/power"
	"github.com/plumbline-ml/plumbline/internal/submission/system"
)

// describedSystem is a system as described in its sheets.
type describedSystem struct {
	name  string
	sheet *system.Sheet
	nodes []nodeKind
	// missing lists what a person must still write, apart from marked fields.
	missing []string
}

// nodeKind is a type of node.
type nodeKind struct {
	file  string
	sheet *system.Sheet
	count int // number of such nodes
	// accelerators is the number of accelerators per node.
	accelerators int
}

// describeSystem reads a system's sheets.
func (w *Workspace) describeSystem(name string) (*describedSystem, error) {
	d := &describedSystem{name: name}
	var err error
	if d.sheet, _, err = w.readSheet(systemFile(name), systemFields()); err != nil {
		return nil, err
	}
	for _, kind := range w.nodeKinds(name) {
		n := nodeKind{file: nodeFile(name, kind)}
		if n.sheet, _, err = w.readSheet(n.file, nodeFields()); err != nil {
			return nil, err
		}
		n.count = d.wholeField(n.file, n.sheet, "number_of_nodes", 1)
		n.accelerators = d.wholeField(n.file, n.sheet, "accelerators_per_node", 0)
		d.nodes = append(d.nodes, n)
	}
	if len(d.nodes) == 0 {
		return nil, fmt.Errorf("the system %s has no node: harness submission init --system %s on such a machine writes %s",
			name, name, filepath.Join(assemble.SystemsDir, name, nodesDir, "NODE.json"))
	}
	return d, nil
}

// wholeField returns the value of a field that is a whole number of min or more. Otherwise it returns 0 and records the
// field as missing.
func (d *describedSystem) wholeField(file string, s *system.Sheet, field string, min int) int {
	text := s.Text(field)
	n, err := strconv.Atoi(text)
	if text != "" && (err != nil || n < min) {
		d.missing = append(d.missing, fmt.Sprintf("%s: %s is %q, want a whole number from %d", file, field, text, min))
		return 0
	}
	return n
}

// numberField returns the value of a field that is a number of 0 or more. ok is false if the field is empty.
func (d *describedSystem) numberField(file string, s *system.Sheet, field string) (x float64, ok bool) {
	text := s.Text(field)
	if text == "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= 1e12) {
		d.missing = append(d.missing, fmt.Sprintf("%s: %s is %q, want a number", file, field, text))
		return 0, false
	}
	return x, true
}

// acceleratorCount returns the number of accelerators in the whole system.
func (d *describedSystem) acceleratorCount() (n int) {
	for _, one := range d.nodes {
		n += one.count * one.accelerators
	}
	return n
}

func (d *describedSystem) totalNodes() (n int) {
	for _, one := range d.nodes {
		n += one.count
	}
	return n
}

// numberFields lists the fields of sheets that are whole numbers in system_desc.json.
var numberFields = []string{"number_of_nodes", "host_processors_per_node", "host_processor_core_count",
	"accelerators_per_node", "tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel", "batch"}

// fieldValue returns a field's value for system_desc.json: a whole number, a boolean or a text.
func fieldValue(s *system.Sheet, field string) any {
	text := s.Text(field)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && slices.Contains(numberFields, field) {
		return n
	}
	if field == "disaggregated" && (text == "true" || text == "false") {
		return text == "true"
	}
	return text
}

// putFields copies the fields that are not empty.
func putFields(d *pyvalue.Dict, s *system.Sheet, fields ...string) {
	for _, f := range fields {
		if s.Text(f) != "" {
			d.Set(f, fieldValue(s, f))
		}
	}
}

// systemDescription returns the content of system_desc.json without the values of a single point.
func (d *describedSystem) systemDescription() *pyvalue.Dict {
	out := pyvalue.NewDict()
	putFields(out, d.sheet, "submitter_org_names", "division", "system_name", "shortened_system_name",
		"system_availability_status",
		"availability_url", "target_availability_date")
	size := fmt.Sprintf("%d accelerators", d.acceleratorCount())
	if d.acceleratorCount() == 0 {
		size = fmt.Sprintf("%d nodes", d.totalNodes())
	}
	out.Set("system_size", size)
	out.Set("system_node_ensemble_count", int64(len(d.nodes)))
	out.Set("system_node_ensemble_total", int64(d.totalNodes()))
	putFields(out, d.sheet, "serving_framework", "endpoint_url", "node_config")
	var kinds []any
	for i, n := range d.nodes {
		kinds = append(kinds, n.nodeDescription(i))
	}
	out.Set("node_types", kinds)
	putFields(out, d.sheet, "disaggregated", "tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel",
		"batch")
	out.Set("config_summary", fmt.Sprintf("TP%s PP%s EP%s DP%s", d.sheet.Text("tensor_parallel"),
		d.sheet.Text("pipeline_parallel"), d.sheet.Text("expert_parallel"), d.sheet.Text("data_parallel")))
	putFields(out, d.sheet, "config_summary_notes")
	return out
}

func (n nodeKind) nodeDescription(id int) *pyvalue.Dict {
	out := pyvalue.NewDict()
	out.Set("system_node_ensemble_id", int64(id))
	putFields(out, n.sheet, "number_of_nodes", "host_processor_model_name", "host_processors_per_node",
		"host_processor_core_count", "host_memory_capacity", "host_memory_configuration")
	info := []any{}
	if n.accelerators > 0 {
		one := pyvalue.NewDict()
		putFields(one, n.sheet, "accelerator_model_name", "accelerators_per_node", "accelerator_memory_capacity",
			"accelerator_memory_type", "accelerator_interconnect", "accelerator_host_interconnect")
		info = append(info, one)
	}
	out.Set("accelerator_info", info)
	putFields(out, n.sheet, "host_network_card_count", "host_networking", "host_storage_capacity", "host_storage_type",
		"cooling", "inference_backend", "driver", "operating_system", "filesystem", "container_link", "other_hardware",
		"other_software_stack", "hw_notes", "sw_notes")
	return out
}

// modelDivision describes how a point divides its model over accelerators.
type modelDivision struct {
	replica, replicas int
	disaggregated     bool
}

// readDivision reads the model division from a system_desc.json. ok is false if it is incomplete.
func readDivision(desc *pyvalue.Dict) (v modelDivision, ok bool) {
	v.replica = 1
	for _, name := range []string{"tensor_parallel", "pipeline_parallel", "expert_parallel"} {
		n := wholeNumber(desc, name)
		if n < 1 || v.replica > 1<<20 {
			return v, false
		}
		v.replica *= n
	}
	v.replicas = wholeNumber(desc, "data_parallel")
	v.disaggregated, _ = pyvalue.Field[bool](desc, "disaggregated")
	return v, v.replicas >= 1
}

// engagementOf returns point.yaml's keys for partly used systems: nodes_used if some nodes of the only type are idle,
// and dp_shortfall if fewer replicas run than fit on the accelerators. The error states what a person must write.
func (d *describedSystem) engagementOf(desc *pyvalue.Dict) (more []any, err error) {
	v, ok := readDivision(desc)
	if !ok || v.disaggregated || d.acceleratorCount() == 0 {
		return nil, nil
	}
	most := d.acceleratorCount() / v.replica
	if v.replicas > most {
		return nil, fmt.Errorf("%d replicas of %d accelerators, and the %d of %s hold %d: mend the parallelism",
			v.replicas, v.replica, d.acceleratorCount(), d.name, most)
	}
	if v.replicas < most {
		reason := d.sheet.Text("dp_shortfall_reason")
		if reason == "" {
			err = fmt.Errorf("%d replicas of %d accelerators run, and the %d of %s hold %d: say why in dp_shortfall_reason "+
				"of %s", v.replicas, v.replica, d.acceleratorCount(), d.name, most, systemFile(d.name))
		}
		short := pyvalue.NewDict()
		short.Set("dp_actual", int64(v.replicas))
		short.Set("dp_formula", int64(most))
		short.Set("reason", reason)
		more = append(more, "dp_shortfall", short)
	}
	if n := d.nodes[0]; len(d.nodes) == 1 {
		if used := (v.replica*v.replicas + n.accelerators - 1) / n.accelerators; used < n.count {
			one := pyvalue.NewDict()
			one.Set("system_node_ensemble_id", int64(0))
			one.Set("nodes", int64(used))
			more = append(more, "nodes_used", []any{one})
		}
	}
	return more, err
}

// parseSource parses the source of a figure: "URL", "KIND URL", or "D.1" to "D.4".
func parseSource(text string) (kind, source string, err error) {
	kind, source, two := strings.Cut(strings.TrimSpace(text), " ")
	source = strings.TrimSpace(source)
	switch {
	case !two && strings.HasPrefix(kind, "D."):
		return power.DefaultSource, kind, nil
	case !two:
		kind, source = "vendor_spec", kind
	}
	if kind != "vendor_spec" && kind != "publication" && kind != "public_statement" ||
		!strings.HasPrefix(source, "https://") && !strings.HasPrefix(source, "http://") {
		return "", "", errors.New("want the address of a public page, publication or public_statement before it, or D.1 to " +
			"D.4")
	}
	return kind, source, nil
}
