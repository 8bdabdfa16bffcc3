package serve

import (
	"errors"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"
)

// checkRunKind requires that a workload implements exactly one way of running its samples.
func checkRunKind(w sdk.Workload) error {
	var ways []string
	if _, ok := w.(sdk.Batcher); ok {
		ways = append(ways, "sdk.Batcher (Collate, Postprocess)")
	}
	if _, ok := w.(sdk.Runner); ok {
		ways = append(ways, "sdk.Runner (NewRun, MaxBatch)")
	}
	if _, ok := w.(sdk.Generative); ok {
		ways = append(ways, "sdk.Generative (Prompt, AppendTokens)")
	}
	switch len(ways) {
	case 0:
		return fmt.Errorf("workload %T says in no way how its samples are run: implement one of sdk.Batcher (Collate, "+
			"Postprocess), "+
			"sdk.Runner (NewRun, MaxBatch) and sdk.Generative (Prompt, AppendTokens)", w)
	case 1:
		return nil
	}
	return fmt.Errorf("workload %T says in %d ways how its samples are run, %s: implement one of them", w, len(ways),
		strings.Join(ways, " and "))
}

// reservedPrefixes returns the prefixes of options that backends define themselves.
func reservedPrefixes() []string { return []string{"config", "provider", "model"} }

// checkParts checks the parts of a workload. Its error lists all faults.
func checkParts(w sdk.Workload, parts []sdk.Part) error {
	var faults []error
	if len(parts) == 0 {
		faults = append(faults, errors.New("the workload has no part: Parts must name its model"))
	}
	if _, ok := w.(sdk.Batcher); ok && len(parts) > 1 {
		faults = append(faults, fmt.Errorf("a workload of batches (Collate, Postprocess) has one part, this one has %d: "+
			"sdk.Runner is for several", len(parts)))
	}
	for i, p := range parts {
		faults = append(faults, checkName(p, len(parts)))
		for _, o := range parts[:i] {
			if o.Name == p.Name {
				faults = append(faults, fmt.Errorf("two parts are called %q", p.Name))
			}
			if p.Model.Path != "" && o.Model.Path == p.Model.Path {
				faults = append(faults, sdk.Usage(fmt.Errorf("parts %s and %s have one file, %s: want one for each", o.Name, p.Name,
					p.Model.Path)))
			}
		}
		if p.LeftOut() && len(parts) == 1 {
			faults = append(faults, errors.New("the only part of the workload is left out"))
		}
	}
	return errors.Join(faults...)
}

func checkName(p sdk.Part, of int) error {
	switch {
	case p.Name == "" && of > 1:
		return errors.New("a part without a name, where there are several")
	case strings.Trim(p.Name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "":
		return fmt.Errorf("a part is called %q, want letters, digits, \"-\" and \"_\"", p.Name)
	}
	for _, name := range reservedPrefixes() {
		if p.Name == name {
			return fmt.Errorf("a part is called %q, which is the beginning of options of backends (%s.KEY): choose another name",
				name, name)
		}
	}
	return nil
}
