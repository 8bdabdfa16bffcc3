package serving_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"

	"github.com/plumbline-ml/plumbline/serving"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/objective"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// The example measures a server with two numbers of users and judges it by an objective.
func Example() {
	server := httptest.NewServer(openaitest.New(openaitest.Options{})) // replaces http://HOST:8000
	defer server.Close()
	slo, err := objective.Parse("p50 ttft < 60s")
	if err != nil {
		log.Fatal(err)
	}
	doc, err := serving.Measure(context.Background(), server.URL, serving.Plan{
		Prompts: prompts.PromptOptions{ISL: "32", OSL: "8"},
		Loads: []arrival.Pattern{
			{Kind: arrival.Users, Users: 2, Requests: 10}, {Kind: arrival.Users, Users: 4, Requests: 20},
		},
		Objectives: slo, WholeWindow: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range doc.Points {
		f := r.Serving.Figures
		fmt.Printf("%s: %d requests, %d failed, kept: %t\n", r.Dir, f.Requests, f.FailedTotal(), *r.Serving.Holds)
	}
	// Output:
	// users-2: 10 requests, 0 failed, kept: true
	// users-4: 20 requests, 0 failed, kept: true
}
