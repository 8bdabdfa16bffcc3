package plan

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Request is what a user asks for, in sections: each flag of harness run, and what a process knows of itself. Zero
// values mean the default. Errors name a field as its flag does.
type Request struct {
	Plugins Plugins // where they are, and how they are started and watched
	Model   Model   // what is run, and how
	Data    Data    // what it is run on, and how its accuracy is judged
	Load    Load    // which runs are made, and what asks the model
	Rules   Rules   // what decides about settings
	Power   Power   // what is measured beside the runs
	Output  Output  // where results go, and what they say of the runs
}

// prepareRequest reads the secrets and the round, without which nothing else is looked at.
func (r *Request) prepareRequest() error {
	if r.Model.Secrets == nil {
		r.Model.Secrets = new(Secrets)
	}
	if err := r.Model.readSecrets(); err != nil {
		return err
	}
	if r.Plugins.Launch.Hide == nil {
		r.Plugins.Launch.Hide = r.Model.Secrets.Hide
	}
	round, err := mlconf.Round(r.Rules.Round)
	if err != nil {
		return fmt.Errorf("--rules: %w", err)
	}
	r.Rules.Round = round.Name
	return nil
}

// checkNumbers wants a number above 0 of flags that are given with another one: those of the data, then the model's.
func (r *Request) checkNumbers() (faults []error) {
	for _, section := range []any{&r.Data, &r.Model} {
		value := reflect.ValueOf(section).Elem()
		for i := range value.NumField() {
			name, how, _ := strings.Cut(value.Type().Field(i).Tag.Get(flagTag), ",")
			if how == "positive" && value.Field(i).Int() < 0 {
				faults = append(faults, fmt.Errorf("--%s %d: want a number above 0", name, value.Field(i).Int()))
			}
		}
	}
	return faults
}
