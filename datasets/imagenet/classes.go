package imagenet

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// ReadClasses reads the class of each picture, such as a model's predictions, from a file in the form of val_map.txt.
// Its lines are "name class", with classes in [0, classes). The error lists every fault.
func ReadClasses(path string, classes int) (map[string]int, error) {
	text, err := bounded.ReadFile(path, maxMapBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: want a text of lines \"name class\": %w", ErrDataset, err)
	}
	entries, faults := parseMap(string(text), classes)
	if len(faults) > 0 {
		return nil, newFaultError(path, faults)
	}
	byName := make(map[string]int, len(entries))
	for _, e := range entries {
		byName[e.name] = e.label
	}
	return byName, nil
}
