package plan

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/submission/endpoints"
	"github.com/plumbline-ml/plumbline/submission/endpoints/internal/schema"
)

// maxFile is the size up to which a plan is read, in bytes.
const maxFile = 1 << 20

// ReadFile reads a plan's file. The error names each key that is unknown, missing or of another kind; whether the plan
// holds to the rules is for Judge to say.
func ReadFile(file string) (*Plan, error) {
	text, err := bounded.ReadFile(file, maxFile)
	if err != nil {
		return nil, err
	}
	p, err := Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// Read reads a plan.
func Read(text []byte) (*Plan, error) {
	d, err := schema.YAML(text, maxFile)
	if err != nil {
		return nil, err
	}
	if _, err := parser.ParseBytes(text, 0); err != nil { // a key is there twice
		return nil, errors.New(yaml.FormatError(err, false, false))
	}
	var faults schema.Faults
	r, _ := form(d, "", &faults).(*schema.Record)
	var all []error
	for _, f := range faults {
		all = append(all, errors.New(f.String()))
	}
	if err := errors.Join(all...); err != nil {
		return nil, err
	}
	p := &Plan{Rules: r.Text("rules"), Model: r.Text("model"), CMax: r.Int("c_max"), CMin: r.Int("c_min_override"),
		SeedSet: r.Text("seed_set"), Cohort: r.Text("target_cohort")}
	client := r.Record("client")
	p.Client = Client{client.Text("endpoint"), client.Text("performance_set"), client.Text("accuracy_set")}
	for _, one := range r.List("points") {
		q := one.(*schema.Record)
		p.Points = append(p.Points, Point{Concurrency: q.Int("concurrency"), Region: endpoints.Region(q.Text("region")),
			Offline: q.Text("offline"), Passes: q.Int("passes"), WindowSeconds: q.Int("window_seconds"),
			Accuracy: q.Bool("accuracy"), Why: q.Text("why")})
	}
	return p, nil
}

// form is a plan's file.
var form = schema.Closed(nil,
	needed("rules", schema.Text), needed("model", schema.Text), needed("c_max", count),
	schema.Field{Name: "c_min_override", Kind: count}, needed("seed_set", schema.Text),
	needed("target_cohort", schema.Text),
	needed("client", schema.Closed(nil, needed("endpoint", schema.Text), needed("performance_set", schema.Text),
		needed("accuracy_set", schema.Text))),
	needed("points", schema.List(1, schema.Closed(nil,
		needed("concurrency", count), schema.Field{Name: "region", Kind: schema.Text},
		schema.Field{Name: "offline", Kind: schema.Word(Dedicated, Elected)}, needed("passes", count),
		needed("window_seconds", seconds), needed("accuracy", truth), schema.Field{Name: "why", Kind: schema.Text}))))

func needed(name string, kind schema.Kind) schema.Field {
	return schema.Field{Name: name, Kind: kind, Required: true}
}

// count is a number from 1 to maxConcurrency; no text and no truth stands for one.
func count(v any, at string, f *schema.Faults) any { return within(1, v, at, f) }

// seconds are like a count, but may be 0.
func seconds(v any, at string, f *schema.Faults) any { return within(0, v, at, f) }

func within(low int64, v any, at string, f *schema.Faults) any {
	var n *big.Int
	switch v := v.(type) {
	case int64:
		n = big.NewInt(v)
	case *big.Int:
		n = v
	}
	if n == nil || !n.IsInt64() || n.Int64() < low || n.Int64() > maxConcurrency {
		f.Add(at, "want a whole number from %d to %d, found %s", low, maxConcurrency, schema.Brief(v))
		return nil
	}
	return n
}

// truth is true or false.
func truth(v any, at string, f *schema.Faults) any {
	if _, ok := v.(bool); ok {
		return v
	}
	f.Add(at, "want true or false, found %s", schema.Brief(v))
	return nil
}
