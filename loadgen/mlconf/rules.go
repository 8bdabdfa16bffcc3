package mlconf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf/internal/roundfiles"
)

// keyTable contains numbers by key, scenario and model.
type keyTable map[string]map[string]map[string]json.Number

// rulesFile returns the default settings of a round as a configuration file. If the round has no settings of its own,
// it returns the newest ones with the seeds of the round.
func rulesFile(round *Rules) (confFile, error) {
	f := confFile{source: "rules " + round.Name, values: map[string]confValue{}}
	if round.data.Settings != nil {
		return f, errors.Join(f.addTable(round.data.Settings), f.addText(round.data.Text))
	}
	var newest keyTable
	if err := decodeRules("settings", &newest); err != nil {
		return f, err
	}
	if err := f.addTable(newest); err != nil {
		return f, err
	}
	return f, f.addTable(keyTable{
		"qsl_rng_seed":          {"*": {"*": decimalNumber(round.Seeds.QSL)}},
		"sample_index_rng_seed": {"*": {"*": decimalNumber(round.Seeds.SampleIndex)}},
		"schedule_rng_seed":     {"*": {"*": decimalNumber(round.Seeds.Schedule)}},
	})
}

func decimalNumber(v uint64) json.Number { return json.Number(strconv.FormatUint(v, 10)) }

func (f confFile) addTable(t keyTable) error {
	for key, number := range t.numbers() {
		if err := f.addValue(key, number.String()); err != nil {
			return err
		}
	}
	return nil
}

// addText records the values in the round's text that differ from those in the file.
func (f confFile) addText(t keyTable) error {
	for key, number := range t.numbers() {
		v, ok := f.values[key]
		if !ok {
			return fmt.Errorf("rules: the text has %s = %s, the settings have no such key", key, number)
		}
		v.otherwise = number.String()
		f.values[key] = v
	}
	return nil
}

// numbers returns the numbers by full key.
func (t keyTable) numbers() iter.Seq2[string, json.Number] {
	return func(yield func(string, json.Number) bool) {
		for key, scenarios := range t {
			for scenario, models := range scenarios {
				for model, number := range models {
					if !yield(model+"."+scenario+"."+key, number) {
						return
					}
				}
			}
		}
	}
}

func (f confFile) addValue(key, text string) error {
	v, ok := parseValue(text)
	if !ok {
		return fmt.Errorf("rules: %s = %s is not a number", key, text)
	}
	f.values[key] = v
	return nil
}

// splitKey splits a full key. A model's name may contain dots.
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
	data, err := roundfiles.Read(name)
	if err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	return decodeStrictly(name, data, into)
}

// decodeStrictly decodes a text and rejects unknown fields.
func decodeStrictly(name string, data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("rules %s: %w", name, err)
	}
	return nil
}
