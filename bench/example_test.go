package bench_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/plumbline-ml/plumbline/bench"
)

func ExampleRun() {
	doc, err := bench.Run(context.Background(), bench.Request{
		Plugins: bench.Plugins{Dirs: []string{"bin/plugins"}},
		Model:   bench.Model{Name: "resnet50"},
		Output:  bench.Output{Dir: "out"},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range doc.Runs {
		fmt.Println(r)
	}
}

func ExampleNewPlan() {
	p, err := bench.NewPlan(context.Background(), bench.Request{
		Plugins: bench.Plugins{Dirs: []string{"bin/plugins"}},
		Model:   bench.Model{Name: "resnet50"},
		Rules:   bench.Rules{Set: []string{"Server.target_qps=50"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range p.Runs {
		for _, row := range r.Settings.Rows() {
			fmt.Println(r.Scenario, row.Key, row.Value, row.Unit, row.Origin)
		}
	}
}

func ExampleScore() {
	scores, err := bench.Score(context.Background(), bench.ScoreRequest{
		Plugins: bench.Plugins{Dirs: []string{"bin/plugins"}}, Path: "out",
	})
	for _, s := range scores {
		fmt.Println(s.Log, s.Verdict.Outcome)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func ExampleTune() {
	found, err := bench.Tune(context.Background(), bench.TuneRequest{
		Request: bench.Request{
			Plugins: bench.Plugins{Dirs: []string{"bin/plugins"}},
			Model:   bench.Model{Name: "resnet50", Profiles: "profiles"},
		},
		Batches: []int{1, 2, 4, 8}, Time: 2 * time.Second,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Path, found.Profile.Offline.Setting)
}
