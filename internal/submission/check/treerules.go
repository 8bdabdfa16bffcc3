package check

import (
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// checkTree checks all files and folders of the tree.
func (c *treeChecker) checkTree() {
	for _, fault := range c.tree.Faults {
		c.addFinding(Reject, ruleTree, fault.Path, "the folder cannot be read", fault.Err.Error(), "",
			"give this user the right to read it")
	}
	if len(c.results) == 0 {
		c.addFinding(Reject, ruleTree, ".", "there is not one result", "",
			"DIVISION/SUBMITTER/results/SYSTEM/BENCHMARK/SCENARIO",
			"add results; the official checker calls this good")
	}
	c.checkTop()
	for e := range c.tree.All {
		if c.isChecked(e.Path) {
			c.checkEntry(e)
		}
	}
}

// checkTop checks for files and folders next to the divisions.
func (c *treeChecker) checkTop() {
	for _, e := range c.tree.Entries(".") {
		lower := strings.ToLower(e.Name)
		switch {
		case e.Dir && slices.Contains(tree.Divisions(), e.Name):
			for _, name := range c.tree.Files(e.Name) {
				c.addFinding(Warn, ruleFiles, path.Join(e.Name, name), "a file in a division", name, "folders of submitters",
					"remove it")
			}
		case e.Dir && slices.Contains(tree.Divisions(), lower):
			c.addFinding(Reject, ruleNames, e.Name, "a division in capitals is not seen", e.Name, lower, "rename the folder")
		case strings.HasPrefix(e.Name, "."): // checkEntry reports it
		default:
			c.addFinding(Warn, ruleFiles, e.Name, "it is no part of a submission", e.Name, "closed, open, network",
				"remove it")
		}
	}
}

// warnStray warns of a file or folder that no rule mentions.
func (c *treeChecker) warnStray(name, expected string) {
	if base := path.Base(name); !tree.IsExtra(base) && !strings.HasPrefix(base, ".") {
		severity, do := unaskedSeverity(base)
		if c.tree.HasDir(name) { // a submitter's programs
			severity, do = Note, adviceNothing
		}
		c.addFinding(severity, ruleFiles, name, "no rule knows it", base, expected, do)
	}
}

// adviceNothing is the advice on a harmless file.
const adviceNothing = "nothing, if it is meant so"

// unaskedSeverity returns the severity of, and advice on, a file that no rule requires.
func unaskedSeverity(name string) (severity Severity, do string) {
	if tree.IsHarmless(name) {
		return Note, adviceNothing
	}
	return Warn, "remove it"
}

// isChecked reports whether a path belongs to the checked submitters.
func (c *treeChecker) isChecked(name string) bool {
	if c.options.Submitter == "" {
		return true
	}
	parts := strings.SplitN(name, "/", 3)
	return len(parts) < 2 || parts[1] == c.options.Submitter
}
