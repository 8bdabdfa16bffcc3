package review

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// facts contains the fields of a system's description as texts. It is empty for an unreadable description, which the
// check reports.
type facts map[string]string

// maxFacts is the maximum size of a description in bytes.
const maxFacts = 4 << 20

func readFacts(t *tree.Tree, name string) facts {
	if !t.HasFile(name) {
		return nil
	}
	f, err := t.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	var fields map[string]any
	if json.NewDecoder(io.LimitReader(f, maxFacts)).Decode(&fields) != nil {
		return nil
	}
	all := facts{}
	for name, value := range fields {
		if text, is := value.(string); is {
			all[name] = strings.TrimSpace(text)
		} else {
			all[name] = fmt.Sprint(value)
		}
	}
	return all
}

// hardwareFields lists the fields that must be equal in two descriptions of one machine.
var hardwareFields = []string{"number_of_nodes", "host_processor_model_name", "host_processors_per_node",
	"accelerator_model_name", "accelerators_per_node", "host_memory_capacity"}

// hasHardware reports whether the description identifies the machine.
func (f facts) hasHardware() bool { return f["host_processor_model_name"] != "" }

func (f facts) hasSameHardware(o facts) bool {
	return !slices.ContainsFunc(hardwareFields, func(name string) bool { return !strings.EqualFold(f[name], o[name]) })
}

// irrelevantFields lists the fields that do not affect a system's speed.
var irrelevantFields = []string{"submitter", "division", "status", "system_type", "system_type_detail", "system_name"}

// differences returns the common fields with different values, in the order of descriptions.
func (f facts) differences(o facts) []Difference {
	var list []Difference
	for _, field := range append(system.Fields(), system.NetworkFields()...) {
		is, was := f[field.Name], o[field.Name]
		if is != "" && was != "" && !strings.EqualFold(is, was) && !slices.Contains(irrelevantFields, field.Name) {
			list = append(list, Difference{field.Name, is, was})
		}
	}
	return list
}
