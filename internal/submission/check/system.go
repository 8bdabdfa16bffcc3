package check

import (
	"fmt"
	"math/big"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unique"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	description "github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// systemFolder is a system's folder of results with its description.
type systemFolder struct {
	tree.System
	submitter *submitterFolder
	checker   *treeChecker
	fields    map[string]any    // of the description; nil: none
	kind      mlconf.SystemType // empty: unknown
	network   bool
	handle    unique.Handle[string] // cached result of machineHandle

	findings []Finding
}

func newSystem(sub *submitterFolder, folder tree.System) *systemFolder {
	s := &systemFolder{System: folder, submitter: sub, checker: sub.checker}
	s.readDescription()
	s.kind, _ = description.ParseType(textValue(s.fields["system_type"]))
	if s.checker.features.OneType && s.kind == mlconf.DatacenterEdge {
		s.kind = ""
	}
	s.network = strings.EqualFold(textValue(s.fields[description.IsNetwork]), "true")
	return s
}

func textValue(v any) string {
	s, _ := v.(string)
	return s
}

func (s *systemFolder) addFinding(severity Severity, rule, what, found, expected, do string) {
	s.findings = append(s.findings, Finding{Severity: severity, Rule: rule, Path: s.SystemFile(), What: what,
		Found: found, Expected: expected, Source: ruleSource(rule), Do: do})
}

func (s *systemFolder) addReject(what, found, expected, do string) {
	s.addFinding(Reject, ruleSystem, what, found, expected, do)
}

func (s *systemFolder) readDescription() {
	if !s.checker.tree.HasFile(s.SystemFile()) {
		s.addReject("the description of the system is missing", "", s.SystemFile(),
			"write it: harness submission init makes a draft from this machine; its name is that of the folder in results")
		return
	}
	o, err := s.checker.readObject(s.SystemFile())
	if err != nil {
		s.addReject("the description of the system cannot be read", err.Error(), "a JSON object", "mend the file")
		return
	}
	s.fields = o.fields
	for _, name := range o.duplicates {
		s.addFinding(Warn, ruleSystem, "a field is there twice", name, "", "remove the one that does not count, the first")
	}
}

func (s *systemFolder) checkSystem() {
	if len(s.Benchmarks) == 0 {
		s.checker.addFinding(Warn, ruleTree, s.Results(), "the system has no benchmark", "", "",
			"remove the folder, or add results")
	}
	for _, name := range s.checker.tree.Files(s.Results()) {
		if name != tree.PrivateIDFile && !tree.IsExtra(name) {
			s.checker.warnStray(path.Join(s.Results(), name), "folders of benchmarks")
		}
	}
	if s.fields == nil {
		return
	}
	s.checkValues()
	s.checkFields()
	s.checkSummarized()
	s.checkCounts()
	s.checkNetwork()
	s.checkNameplate()
}

// checkValues checks the fields with fixed values.
func (s *systemFolder) checkValues() {
	if s.kind == "" && !s.checker.features.AnySystem {
		s.addReject("system_type is unknown", quoteValue(s.fields["system_type"]),
			"datacenter, edge, datacenter,edge or edge,datacenter, without blanks and capitals", "write it so")
	}
	statuses := []string{"available", "preview", "rdi"}
	if !slices.Contains(statuses, pyvalue.Lower(textValue(s.fields["status"]))) {
		s.addReject("status is unknown", quoteValue(s.fields["status"]), strings.Join(statuses, ", "), "write one of them")
	}
	for field, folder := range map[string]string{"submitter": s.Submitter, "division": s.Division} {
		if pyvalue.Lower(textValue(s.fields[field])) != pyvalue.Lower(folder) {
			s.addReject(field+" is not that of the folder", quoteValue(s.fields[field]), folder,
				"make the field and the folder equal")
		}
	}
}

// checkFields checks for missing and empty fields.
func (s *systemFolder) checkFields() {
	for _, f := range description.Fields() {
		value, has := s.fields[f.Name]
		switch {
		case slices.Contains(s.checker.features.FieldsLater, f.Name) && isEmptyValue(value):
		case !has:
			s.addReject("a field is missing", f.Name, f.Ask, "add it")
		case f.Required && isEmptyValue(value) && !s.checker.options.Skip.EmptyFields:
			s.addFinding(s.checker.descriptionSeverity(), ruleSystem, "a field is empty", f.Name+": "+quoteValue(value), f.Ask,
				emptyField(value))
		case slices.Contains(noteFields, f.Name) && !isText(value):
			s.addReject("a field is no text", f.Name+": "+quoteValue(value), f.Ask,
				"write it as one text: the official checker dies of it, for all submitters")
		case !isScalar(value):
			s.addFinding(Warn, ruleSystem, "a field is no text", f.Name+": "+quoteValue(value), f.Ask, "write it as one text")
		}
	}
	for _, field := range unfilledFields(s.fields) {
		s.addReject("a field is not filled in", field+": "+quoteValue(s.fields[field]), "", "fill it in")
	}
}

// summarizedFields lists the fields that the official summary quotes. Notes may have several lines.
var summarizedFields = append([]string{
	"system_name", "number_of_nodes", "host_processor_model_name", "host_processors_per_node",
	"host_processor_core_count", "accelerator_model_name", "accelerators_per_node", "framework", "operating_system",
}, noteFields...)

// noteFields lists the fields that the official summary joins.
var noteFields = []string{"hw_notes", "sw_notes"}

// checkSummarized checks for texts that break the official summary.
func (s *systemFolder) checkSummarized() {
	for _, name := range summarizedFields {
		value := textValue(s.fields[name])
		broken := !slices.Contains(noteFields, name) && strings.ContainsFunc(value, unicode.IsControl)
		if broken || strings.Contains(value, `"`) {
			s.addFinding(Warn, ruleSystem, "a field has a quote or the end of a line", name+": "+quoteValue(value),
				"one line without quotes", "write it without: the official summary holds it as it is, and is not read back")
		}
	}
}

func isText(v any) bool {
	_, is := v.(string)
	return is
}

func emptyField(value any) string {
	switch value {
	case int64(0), float64(0):
		return `write "0" with quotes: the official checker takes the number 0 for an empty field`
	}
	return "fill it in; N/A where it does not apply"
}

func isScalar(v any) bool {
	switch v.(type) {
	case string, int64, *big.Int, float64:
		return true
	}
	return false
}

// checkCounts checks the fields that become numbers in the table of results.
func (s *systemFolder) checkCounts() {
	for _, name := range []string{"number_of_nodes", "accelerators_per_node", "host_processors_per_node"} {
		value, has := s.fields[name]
		if has && !isEmptyValue(value) && !isCount(value) {
			severity, do := Reject, "write the number alone: the official checker stops at it without a table"
			if s.checker.tree.Layout.Only != mlconf.ToMake {
				severity, do = Warn, "write the number alone" // checkers before v5.0 did not add these numbers
			}
			s.addFinding(severity, ruleSystem, "a number is not a whole number", name+": "+quoteValue(value),
				`a whole number such as "1"`, do)
		}
	}
}

func isCount(v any) bool {
	switch v := v.(type) {
	case int64:
		return v >= 0
	case float64:
		return v >= 0 && v == float64(int64(v))
	case string:
		_, err := strconv.ParseUint(strings.TrimSpace(v), 10, 32)
		return err == nil
	}
	return false
}

// checkNetwork checks is_network against the division.
func (s *systemFolder) checkNetwork() {
	value, has := s.fields[description.IsNetwork]
	reject := func(what, expected, do string) {
		s.addFinding(Reject, ruleNetwork, what, quoteValue(value), expected, do)
	}
	word := textValue(value)
	switch {
	case has && !strings.EqualFold(word, "true") && !strings.EqualFold(word, "false"):
		reject("is_network is neither true nor false", `the text "true" or "false"`, "write one of them, in quotes")
	case s.Division == tree.DivisionNetwork && !s.network:
		reject("a system of the network division is not behind a network", `is_network: "true"`,
			"say so, or submit to another division")
	case s.Division == tree.DivisionClosed && s.network:
		reject("a system of the closed division is behind a network", `is_network: "false", or no such field`,
			"submit to the network division")
	}
	if word != "" {
		s.checkNetworkFields()
	}
}

// checkNetworkFields checks for the network fields. The official checker requires them if is_network has any value,
// even "false".
func (s *systemFolder) checkNetworkFields() {
	do := "add it"
	if !s.network {
		do = "remove is_network, as the system has no network: the official checker asks for the field wherever it is"
	}
	for _, f := range description.NetworkFields() {
		value, has := s.fields[f.Name]
		if !has {
			s.addFinding(Reject, ruleNetwork, "a field is missing", f.Name, f.Ask, do)
		} else if s.network && isEmptyValue(value) {
			s.addFinding(Warn, ruleNetwork, "a field is empty", f.Name, f.Ask, fmt.Sprintf("fill it in: %s", f.Ask))
		}
	}
}
