package serving_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// few returns requests of one user without a warm-up.
func few() serving.Plan {
	return serving.Plan{
		Prompts: prompts.PromptOptions{ISL: "16", OSL: "4"}, WarmUp: -1, WholeWindow: true,
		Loads: []arrival.Pattern{{Kind: arrival.Users, Users: 1, Requests: 3}},
	}
}

// start starts a separate server until the test ends.
func start(t *testing.T, h http.Handler) (url string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// TestMeasureErrors checks the classes of errors, and that an error that ends a measurement comes with a document.
func TestMeasureErrors(t *testing.T) {
	mock := start(t, openaitest.New(openaitest.Options{}))
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	fails := openaitest.New(openaitest.Options{})
	failing := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			http.Error(w, "out of memory", http.StatusInternalServerError)
			return
		}
		fails.ServeHTTP(w, r)
	}))
	for name, c := range map[string]struct {
		url   string
		plan  func(p *serving.Plan)
		class error
		text  string
	}{
		"nothing listens":      {gone.URL, nil, sdk.ErrData, "nothing listens at"},
		"no such model":        {mock, func(p *serving.Plan) { p.Connection.Model = "m" }, sdk.ErrData, `no model "m"`},
		"an unknown option":    {mock, option("colour", "red"), sdk.ErrUsage, "colour"},
		"an option of another": {mock, option("retries", "3"), sdk.ErrUsage, "sends each request once"},
		"no such length":       {mock, func(p *serving.Plan) { p.Prompts.ISL = "long" }, sdk.ErrUsage, "long"},
		"no such data": {mock, func(p *serving.Plan) { p.Prompts = prompts.PromptOptions{File: "none.jsonl"} }, sdk.ErrData,
			"none.jsonl"},
		"no such tokenizer":   {mock, func(p *serving.Plan) { p.Tokenizer = "none.json" }, sdk.ErrData, "none.json"},
		"a server that fails": {failing, nil, plugin.ErrFault, "the server fails"},
	} {
		t.Run(name, func(t *testing.T) {
			plan := few()
			if c.plan != nil {
				c.plan(&plan)
			}
			doc, err := serving.Measure(t.Context(), c.url, plan)
			if !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want one of %v with %q", err, c.class, c.text)
			}
			if (doc != nil) != errors.Is(c.class, plugin.ErrFault) {
				t.Errorf("document %v beside it", doc)
			}
		})
	}
}

func option(name, value string) func(*serving.Plan) {
	return func(p *serving.Plan) { p.Connection.Options = map[string]string{name: value} }
}

// TestMeasureInterrupted checks that the end of the context is returned unchanged, with the interrupted load.
func TestMeasureInterrupted(t *testing.T) {
	for _, reason := range []error{errors.New("enough"), context.DeadlineExceeded, context.Canceled} {
		t.Run(reason.Error(), func(t *testing.T) { testInterrupted(t, reason) })
	}
}

func testInterrupted(t *testing.T, reason error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	mock, asked := openaitest.New(openaitest.Options{}), 0
	url := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			if asked++; asked == 3 { // the first answer, and two of the load
				cancel(reason)
			}
		}
		mock.ServeHTTP(w, r)
	}))
	plan := few()
	plan.Loads[0].Requests = 1000
	doc, err := serving.Measure(ctx, url, plan)
	if !errors.Is(err, reason) || doc == nil || doc.Complete {
		t.Fatalf("document %+v, error %v", doc, err)
	}
	if len(doc.Points) != 1 || doc.Points[0].Status != record.Interrupted {
		t.Errorf("points %+v, want the one that was cut off", doc.Points)
	}
}

// TestMeasureTellsEachLoad checks that each load is reported with its requests and that the record describes the
// server, the requests and the machine.
func TestMeasureTellsEachLoad(t *testing.T) {
	plan := few()
	plan.Loads = append(plan.Loads,
		arrival.Pattern{Kind: arrival.Rate, Arrival: arrival.Constant, PerSecond: 50, Requests: 5})
	var names []string
	plan.Measured = func(p *sweep.SweepPoint) {
		names = append(names, sweep.PointFolderName(p.Load))
		if len(p.Requests) != p.Load.Requests {
			t.Errorf("%s: %d requests, want %d", sweep.PointFolderName(p.Load), len(p.Requests), p.Load.Requests)
		}
	}
	doc, err := serving.Measure(t.Context(), start(t, openaitest.New(openaitest.Options{Owner: "vllm", IDs: true})), plan)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(names, " "); got != "users-1 rate-50" || !doc.Complete {
		t.Errorf("%q, complete: %t", got, doc.Complete)
	}
	for _, r := range doc.Points {
		s := r.Serving
		if s.Server.Kind != "vllm" || s.Asked.ISL != "16" || s.Asked.OSL != "4" || r.System.CPU == "" ||
			r.Status != record.Complete {
			t.Errorf("%s: %+v", r.Dir, s)
		}
	}
}
