package host

import (
	"context"
	"errors"
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/convert"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// Workload is an open workload in a plugin.
type Workload struct {
	plugin *Plugin
	number uint64 // the workload's number in frames
	info   sdk.WorkloadInfo
	sut    *pluginSUT
	qsl    *pluginQSL

	closing sync.Once
	closed  error
}

func newWorkload(p *Plugin, number uint64, info sdk.WorkloadInfo, s loadgen.Scenario, network bool) *Workload {
	w := &Workload{plugin: p, number: number, info: info}
	w.sut, w.qsl = newSUT(w, s, network), &pluginQSL{workload: w}
	var r answerReceiver = w.sut
	p.link.receiver.Store(&r)
	return w
}

// SUT returns a SUT that issues queries to the plugin over one stream.
func (w *Workload) SUT() loadgen.SUT { return w.sut }

// nodeNames requests the names of the machines that run the model.
func (w *Workload) nodeNames(ctx context.Context) ([]string, error) {
	r, err := callUnary(ctx, w.plugin, "asking the nodes for their names", w.plugin.rpc.NodeNames,
		&pluginpb.NodeNamesRequest{})
	return r.GetNames(), err
}

// QSL returns a QSL that loads samples in the plugin.
func (w *Workload) QSL() loadgen.QSL { return w.qsl }

// LeaveOrder disables the workload's own sample order, so checks of single samples get answers to the issued samples.
// Call it before the first query.
func (w *Workload) LeaveOrder() { w.sut.order = nil }

// Info describes the open workload. After Close it includes the backend's final description.
func (w *Workload) Info() sdk.WorkloadInfo { return w.info }

// Heartbeat is a heartbeat of a workload.
type Heartbeat struct {
	Number             uint64 // counted from 1; 0: none received yet
	Received, Answered uint64 // numbers of samples since Open, counted by the plugin
}

// Heartbeat returns the last received heartbeat of the workload.
func (w *Workload) Heartbeat() Heartbeat {
	if h := w.sut.lastBeat.Load(); h != nil {
		return *h
	}
	return Heartbeat{}
}

// Close closes the workload; the plugin keeps running. It waits for batches in progress and drops queued samples. It
// may be called more than once.
func (w *Workload) Close() error {
	w.closing.Do(func() {
		w.plugin.link.receiver.Store(nil)
		var r *pluginpb.CloseResponse
		r, w.closed = callUnary(context.Background(), w.plugin, "close", w.plugin.rpc.Close, &pluginpb.CloseRequest{})
		if about := r.GetBackendInfo(); len(about) > 0 {
			w.info.BackendInfo = about
		}
		if work := r.GetClientWork(); len(work) > 0 {
			w.info.ClientWork = work
		}
		w.info.Shares = convert.To[[]backend.WorkShare](r.GetShares())
		w.info.RunNotes = sdk.RunNotes{Notes: r.GetNotes(), Estimates: r.GetEstimates()}
		if w.sut.order != nil {
			w.info.RunNotes.Notes = append(w.info.RunNotes.Notes, "the benchmark hands out its samples in an order of its own: "+
				"indices in the logs (qsl_idx) are not samples")
		}
		w.info.Batching = convert.To[sdk.BatchingReport](r.GetBatching())
		if err := checkBatching(w.info.Batching); err != nil {
			w.info.Batching = sdk.BatchingReport{}
			w.info.RunNotes.Notes = append(w.info.RunNotes.Notes, "the plugin says of its batches what cannot be: "+err.Error())
		}
		if fault := r.GetFault(); fault != "" {
			w.closed = errors.New(w.plugin.messageText(fault))
		}
		w.sut.closeSender()
	})
	return w.closed
}
