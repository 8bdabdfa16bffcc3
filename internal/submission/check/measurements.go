package check

import (
	"slices"
	"strings"

	description "github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// checkMeasurements checks the description of a result's model.
func (r *resultFolder) checkMeasurements() {
	t := r.checker.tree
	for _, name := range []string{tree.UserConf, tree.Readme} {
		if name == tree.UserConf && r.isEndpoints() { // not used in this form
			continue
		}
		r.checkFilled(t.Layout.Measurements(r.Place) + "/" + name)
	}
	name, others, ok := t.MeasurementsFile(r.Place)
	if !ok {
		r.addFinding(r.checker.descriptionSeverity(), ruleMeasurements, t.Layout.MeasurementsFile(r.Place),
			"the description of the model is missing", "",
			"a JSON object", "write it: harness submission add makes it")
		return
	}
	for _, other := range others {
		r.addWarning(ruleMeasurements, other, "two files describe the model", other, name,
			"remove the one that does not count")
	}
	o, err := r.checker.readObject(name)
	if err != nil {
		r.addReject(ruleMeasurements, name, "the description of the model cannot be read", err.Error(), "a JSON object",
			"mend the file")
		return
	}
	for _, twice := range o.duplicates {
		r.addWarning(ruleMeasurements, name, "a field is there twice", twice, "",
			"remove the one that does not count, the first")
	}
	r.checkMarks(name, o.fields[tree.MarksField])
	r.checkModelFields(name, o.fields)
}

// descriptionSeverity returns the severity of an incomplete description or text. Checkers before v3.1 accepted such
// results.
func (c *treeChecker) descriptionSeverity() Severity {
	if c.features.LoosePapers {
		return Warn
	}
	return Reject
}

// checkMarks reports marks that prevent a submission: a plugin's embedded model, a rehearsal, or other settings.
func (r *resultFolder) checkMarks(name string, marks any) {
	if isEmptyValue(marks) {
		return
	}
	severity := Reject
	if !r.isClosed() {
		severity = Warn
	}
	r.addFinding(severity, ruleMeasurements, name, "the result is marked as not to be submitted", quoteValue(marks),
		"no "+tree.MarksField, "run again with the benchmark's model and data set, by the rules")
}

// checkFilled rejects a missing or empty file.
func (r *resultFolder) checkFilled(name string) {
	e, _ := r.checker.tree.Entry(name)
	switch {
	case !r.checker.tree.HasFile(name):
		r.addFinding(r.checker.descriptionSeverity(), ruleFiles, name, "a file is missing", "", name, "add it")
	case e.Size == 0 && !r.checker.options.Skip.EmptyFiles:
		r.addFinding(r.checker.descriptionSeverity(), ruleFiles, name, "a file is empty", "0 bytes", "", "write it")
	}
}

func (r *resultFolder) checkModelFields(name string, fields map[string]any) {
	for _, f := range description.Measurements() {
		value, has := fields[f.Name]
		switch {
		case !has:
			r.addFinding(r.checker.descriptionSeverity(), ruleMeasurements, name, "a field is missing", f.Name, f.Ask, "add it")
		case f.Name == "retraining":
			r.checkRetraining(name, value)
		case isEmptyValue(value) && !r.checker.options.Skip.EmptyFields:
			r.addFinding(r.checker.descriptionSeverity(), ruleMeasurements, name, "a field is empty",
				f.Name+": "+quoteValue(value), f.Ask,
				"fill it in")
		case !isScalar(value) && !isEmptyValue(value):
			r.addWarning(ruleMeasurements, name, "a field is no text", f.Name+": "+quoteValue(value), f.Ask,
				"write it as one text")
		}
	}
	for _, field := range unfilledFields(fields) {
		r.addReject(ruleMeasurements, name, "a field is not filled in", field+": "+quoteValue(fields[field]), "",
			"fill it in")
	}
}

// unfilledFields returns the fields that a person must still fill in, sorted.
func unfilledFields(fields map[string]any) []string {
	var names []string
	for name, value := range fields {
		if description.IsUnfilled(textValue(value)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (r *resultFolder) checkRetraining(name string, value any) {
	word := strings.ToLower(textValue(value))
	switch {
	case isEmptyValue(value) && r.checker.options.Skip.EmptyFields:
	case word == "":
		r.addFinding(r.checker.descriptionSeverity(), ruleMeasurements, name, "retraining is no text, or an empty one",
			quoteValue(value),
			`"N" or "Y"`, "write it in quotes: the official checker takes false for an empty field")
	case (word == "y" || word == "yes" || word == "true") && r.isClosed():
		r.addReject(ruleMeasurements, name, "the model was retrained", quoteValue(value), "N in the "+r.Division+" division",
			"submit to the open division, or a model without retraining")
	}
}
