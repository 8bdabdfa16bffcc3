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

// facts are the fields of a system's description, as texts. A description that cannot be read has none: the check says
// so.
type facts map[string]string

// maxFacts bounds a description, in bytes.
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

// hardwareFields are those by which two descriptions are of one machine.
var hardwareFields = []string{"number_of_nodes", "host_processor_model_name", "host_processors_per_node",
	"accelerator_model_name", "accelerators_per_node", "host_memory_capacity"}

// hardware says whether the description says what the machine is.
func (f facts) hardware() bool { return f["host_processor_model_name"] != "" }

func (f facts) sameHardware(o facts) bool {
	return !slices.ContainsFunc(hardwareFields, func(name string) bool { return !strings.EqualFold(f[name], o[name]) })
}

// aside are the fields that say nothing of how quick a system is.
var aside = []string{"submitter", "division", "status", "system_type", "system_type_detail", "system_name"}

// differ are the fields that both have, with different values, in the order of descriptions.
func (f facts) differ(o facts) []Difference {
	var list []Difference
	for _, field := range append(system.Fields(), system.NetworkFields()...) {
		is, was := f[field.Name], o[field.Name]
		if is != "" && was != "" && !strings.EqualFold(is, was) && !slices.Contains(aside, field.Name) {
			list = append(list, Difference{field.Name, is, was})
		}
	}
	return list
}
