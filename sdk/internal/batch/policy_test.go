package batch_test

import (
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
)

func TestChoose(t *testing.T) {
	const cpus = 4
	for _, c := range []struct {
		name    string
		request batch.PolicyRequest
		limits  backend.Limits
		want    batch.BatchPolicy
	}{
		{
			"one sample at a time",
			batch.PolicyRequest{Scenario: loadgen.SingleStream}, backend.Limits{PreferredBatch: 8},
			batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 1, Inline: true},
		},
		{
			"one sample at a time on a remote server",
			batch.PolicyRequest{Scenario: loadgen.SingleStream}, backend.Limits{Concurrency: 100},
			batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 1, Inline: true},
		},
		{
			"a query over all cores",
			batch.PolicyRequest{Scenario: loadgen.MultiStream}, backend.Limits{},
			batch.BatchPolicy{Sessions: cpus, Workers: cpus, MaxBatch: 2, Split: true},
		},
		{
			"what is queued",
			batch.PolicyRequest{Scenario: loadgen.Server}, backend.Limits{PreferredBatch: 8},
			batch.BatchPolicy{Sessions: cpus, Workers: cpus, MaxBatch: 8},
		},
		{
			"full batches on all cores",
			batch.PolicyRequest{Scenario: loadgen.Offline}, backend.Limits{PreferredBatch: 8, MaxBatch: 4},
			batch.BatchPolicy{Sessions: cpus, Workers: cpus, MaxBatch: 4, Full: true},
		},
		{
			"full batches on one device",
			batch.PolicyRequest{Scenario: loadgen.Offline}, backend.Limits{PreferredBatch: 64, Concurrency: 1},
			batch.BatchPolicy{Sessions: 1, Workers: 2, MaxBatch: 64, Full: true},
		},
		{
			"a remote server takes more than there are cores",
			batch.PolicyRequest{Scenario: loadgen.Server}, backend.Limits{PreferredBatch: 1, Concurrency: 100},
			batch.BatchPolicy{Sessions: 100, Workers: 100, MaxBatch: 1},
		},
		{
			"the user's word",
			batch.PolicyRequest{Scenario: loadgen.Server, Batch: 16, Sessions: 3}, backend.Limits{PreferredBatch: 1,
				Concurrency: 8},
			batch.BatchPolicy{Sessions: 3, Workers: 3, MaxBatch: 16},
		},
		{
			"the devices that the user names know best",
			batch.PolicyRequest{Scenario: loadgen.Server, Devices: 2}, backend.Limits{PreferredBatch: 1, Concurrency: 6},
			batch.BatchPolicy{Sessions: 6, Workers: 6, MaxBatch: 1, OwnTurns: true},
		},
		{
			"more devices than cores, without a preference",
			batch.PolicyRequest{Scenario: loadgen.Server, Devices: 8}, backend.Limits{},
			batch.BatchPolicy{Sessions: 8, Workers: 8, MaxBatch: 2, OwnTurns: true},
		},
		{
			"a batch ahead for each device that computes elsewhere",
			batch.PolicyRequest{Scenario: loadgen.Offline, Devices: 8}, backend.Limits{PreferredBatch: 4, Concurrency: 8},
			batch.BatchPolicy{Sessions: 8, Workers: 16, MaxBatch: 4, Full: true, OwnTurns: true},
		},
		{
			"and none where every core has a session that computes on it",
			batch.PolicyRequest{Scenario: loadgen.Offline, Devices: 8}, backend.Limits{PreferredBatch: 4, Concurrency: 8,
				Native: true},
			batch.BatchPolicy{Sessions: 8, Workers: 8, MaxBatch: 4, Full: true, OwnTurns: true},
		},
		{
			"the workload's preference",
			batch.PolicyRequest{Scenario: loadgen.Server, Preferred: 32}, backend.Limits{PreferredBatch: 8},
			batch.BatchPolicy{Sessions: cpus, Workers: cpus, MaxBatch: 32},
		},
		{
			"the user's word against the workload's preference",
			batch.PolicyRequest{Scenario: loadgen.Server, Batch: 4, Preferred: 32}, backend.Limits{PreferredBatch: 8},
			batch.BatchPolicy{Sessions: cpus, Workers: cpus, MaxBatch: 4},
		},
		{
			"the user's word, within the limits",
			batch.PolicyRequest{Scenario: loadgen.SingleStream, Batch: 16, Sessions: 9}, backend.Limits{MaxBatch: 8,
				Concurrency: 2},
			batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 8, Inline: true},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.request.CPUs = cpus
			if got := batch.ChoosePolicy(c.request, c.limits); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		request     batch.PolicyRequest
		concurrency int
		lowLatency  bool
	}{
		{batch.PolicyRequest{Scenario: loadgen.SingleStream, CPUs: 4}, 1, true},
		{batch.PolicyRequest{Scenario: loadgen.SingleStream, CPUs: 4, Sessions: 2}, 2, false},
		{batch.PolicyRequest{Scenario: loadgen.Server, CPUs: 4}, 4, false},
		{batch.PolicyRequest{Scenario: loadgen.Offline, CPUs: 4, Sessions: 7, Batch: 3}, 7, false},
		{batch.PolicyRequest{Scenario: loadgen.Offline}, 1, false},
		{batch.PolicyRequest{Scenario: loadgen.Offline, CPUs: 4, Devices: 2}, 0, false},
		{batch.PolicyRequest{Scenario: loadgen.Offline, CPUs: 4, Devices: 2, Sessions: 6}, 6, false},
		{batch.PolicyRequest{Scenario: loadgen.SingleStream, CPUs: 4, Devices: 2}, 1, true},
	} {
		got := c.request.Config()
		if got.Concurrency != c.concurrency || got.LowLatency != c.lowLatency || got.MaxBatch != c.request.Batch {
			t.Errorf("%+v: got %+v, want concurrency %d, low latency %v", c.request, got, c.concurrency, c.lowLatency)
		}
	}
}

func TestServerSharesWhatIsQueuedAmongSessionsOfThisMachine(t *testing.T) {
	for scenario, want := range map[loadgen.Scenario]bool{loadgen.Server: true, loadgen.Offline: false,
		loadgen.MultiStream: false} {
		if p := batch.ChoosePolicy(batch.PolicyRequest{Scenario: scenario, CPUs: 2},
			backend.Limits{Concurrency: 2, Native: true}); p.Share != want {
			t.Errorf("%v: shares %v", scenario, p.Share)
		}
	}
	if p := batch.ChoosePolicy(batch.PolicyRequest{Scenario: loadgen.Server, CPUs: 2},
		backend.Limits{Concurrency: 64, PreferredBatch: 8}); p.Share {
		t.Error("requests to a server on another machine are cut small")
	}
}
