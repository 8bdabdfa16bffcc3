package mlconf

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed rules
var rulesFiles embed.FS

// rulesFile holds the rules' default settings of a round as a configuration file: those of v6.1, the seeds those of
// the round.
func rulesFile(round *Rules) (file, error) {
	f := file{source: "rules " + round.Name, values: map[string]value{}}
	var keys map[string]map[string]map[string]json.Number // key, scenario, model
	if err := decodeRules("settings", &keys); err != nil {
		return f, err
	}
	for key, scenarios := range keys {
		for scenario, models := range scenarios {
			for model, number := range models {
				if err := f.add(model+"."+scenario+"."+key, number.String()); err != nil {
					return f, err
				}
			}
		}
	}
	for _, seed := range []struct {
		key   string
		value uint64
	}{
		{"qsl_rng_seed", round.Seeds.QSL},
		{"sample_index_rng_seed", round.Seeds.SampleIndex},
		{"schedule_rng_seed", round.Seeds.Schedule},
	} {
		if err := f.add("*.*."+seed.key, fmt.Sprint(seed.value)); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (f file) add(key, text string) error {
	v, ok := parseValue(text)
	if !ok {
		return fmt.Errorf("rules: %s = %s is not a number", key, text)
	}
	f.values[key] = v
	return nil
}

// models are the model names that the file has values for.
func (f file) models() map[string]bool {
	names := map[string]bool{}
	for key := range f.values {
		if model, _, _, ok := splitKey(key); ok && model != "*" {
			names[model] = true
		}
	}
	return names
}

// splitKey takes a full key apart. A model's name may contain dots.
func splitKey(full string) (model, scenario, key string, ok bool) {
	i := strings.LastIndexByte(full, '.')
	if i < 0 {
		return "", "", "", false
	}
	j := strings.LastIndexByte(full[:i], '.')
	if j < 0 {
		return "", "", "", false
	}
	return full[:j], full[j+1 : i], full[i+1:], true
}

func decodeRules(name string, into any) error {
	data, err := rulesFiles.ReadFile("rules/" + name + ".json")
	if err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("rules %s: %w", name, err)
	}
	return nil
}
