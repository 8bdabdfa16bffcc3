package plan

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/schema"
)

// maxFile is the maximum size of a plan's file in bytes.
const maxFile = 1 << 20

// ReadPlan reads a plan's file. Its error names each unknown or missing key and each value of a wrong type. Judge
// checks the plan against the rules.
func ReadPlan(file string) (*Plan, error) {
	text, err := bounded.ReadFile(file, maxFile)
	if err != nil {
		return nil, err
	}
	p, err := ParsePlan(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// IsPlan reports whether a file looks like a plan: it contains a plan's points.
func IsPlan(file string) bool {
	text, err := bounded.ReadFile(file, maxFile)
	if err != nil {
		return false
	}
	d, err := schema.ParseYAML(text, maxFile)
	if err != nil {
		return false
	}
	_, points := d.Get("points")
	_, cMax := d.Get("c_max")
	return points || cMax
}

// ParsePlan parses a plan.
func ParsePlan(text []byte) (*Plan, error) {
	d, err := schema.ParseYAML(text, maxFile)
	if err != nil {
		return nil, err
	}
	if _, err := parser.ParseBytes(text, 0); err != nil { // a duplicate key
		return nil, errors.New(yaml.FormatError(err, false, false))
	}
	var faults schema.Faults
	r, _ := planForm(d, "", &faults).(*schema.Record)
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
	p.Client = ClientSettings{client.Text("endpoint"), client.Text("tokenizer"), client.Text("performance_set"),
		client.Text("accuracy_set"), client.Text("served_model"), client.Text("swe_bench_service"),
		client.Int("num_workers")}
	for _, one := range r.List("points") {
		q := one.(*schema.Record)
		p.Points = append(p.Points, Point{Concurrency: q.Int("concurrency"), Region: endpoints.Region(q.Text("region")),
			Offline: q.Text("offline"), Passes: q.Int("passes"), WindowSeconds: q.Int("window_seconds"),
			Accuracy: q.Bool("accuracy"), Why: q.Text("why")})
	}
	return p, nil
}

// form is the schema of a plan's file.
var planForm = schema.ClosedObject(nil,
	requiredField("rules", schema.Text), requiredField("model", schema.Text), requiredField("c_max", wholeNumberWithin(1,
		maxConcurrency)),
	schema.Field{Name: "c_min_override", Kind: wholeNumberWithin(1, maxConcurrency)}, requiredField("seed_set",
		schema.Text),
	requiredField("target_cohort", schema.Text),
	requiredField("client", schema.ClosedObject(nil, requiredField("endpoint", schema.Text), requiredField("tokenizer",
		schema.Text),
		schema.Field{Name: "performance_set", Kind: schema.Text}, schema.Field{Name: "accuracy_set", Kind: schema.Text},
		schema.Field{Name: "served_model", Kind: schema.Text}, schema.Field{Name: "swe_bench_service", Kind: schema.Text},
		schema.Field{Name: "num_workers", Kind: wholeNumberWithin(1, maxWorkers)})),
	requiredField("points", schema.List(1, schema.ClosedObject(nil,
		requiredField("concurrency", wholeNumberWithin(1, maxConcurrency)), schema.Field{Name: "region", Kind: schema.Text},
		schema.Field{Name: "offline", Kind: schema.Word(Dedicated, Elected)}, requiredField("passes", wholeNumberWithin(1,
			maxPasses)),
		requiredField("window_seconds", wholeNumberWithin(0, maxSeconds)), requiredField("accuracy", trueOrFalse),
		schema.Field{Name: "why", Kind: schema.Text}))))

func requiredField(name string, kind schema.Kind) schema.Field {
	return schema.Field{Name: name, Kind: kind, Required: true}
}

// Maximum values in a plan. The times of 32 such points can be added without overflow.
const (
	maxPasses  = 10_000
	maxSeconds = 1_000_000
	maxWorkers = 4096
)

// wholeNumberWithin returns the kind of a whole number from low to high, without texts and booleans.
func wholeNumberWithin(low, high int64) schema.Kind {
	return func(v any, at string, f *schema.Faults) any {
		var n *big.Int
		switch v := v.(type) {
		case int64:
			n = big.NewInt(v)
		case *big.Int:
			n = v
		}
		if n == nil || !n.IsInt64() || n.Int64() < low || n.Int64() > high {
			f.Add(at, "want a whole number from %d to %d, found %s", low, high, schema.BriefText(v))
			return nil
		}
		return n
	}
}

// trueOrFalse accepts a boolean.
func trueOrFalse(v any, at string, f *schema.Faults) any {
	if _, ok := v.(bool); ok {
		return v
	}
	f.Add(at, "want true or false, found %s", schema.BriefText(v))
	return nil
}
