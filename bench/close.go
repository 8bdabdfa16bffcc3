package bench

import (
	"context"
	"time"

	"github.com/plumbline-ml/plumbline/bench/plugin"
)

// closeGrace is how long a plugin has to close its workload after the user ended the run. One that hangs would be
// noticed too, but only when its heartbeat is overdue.
const closeGrace = 5 * time.Second

// closeWorkload closes a workload. If ctx has ended, or ends meanwhile, the plugin is killed that
// does not close it in time.
func closeWorkload(ctx context.Context, pl plugin.Plugin, w plugin.Workload) error {
	closed := make(chan struct{})
	defer close(closed)
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-closed:
		case <-time.After(closeGrace):
			pl.Kill()
		}
	})
	defer stop()
	return w.Close()
}
