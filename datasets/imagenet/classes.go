package imagenet

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// ReadClasses reads a file of classes by picture, a model's predictions say, in the form of val_map.txt: lines "name
// class", with a class of [0, classes). The error lists every fault.
func ReadClasses(path string, classes int) (map[string]int, error) {
	text, err := bounded.ReadFile(path, mapMost)
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
