package host

import "time"

// endGrace is how long a process has to end after it was asked to, and again after SIGTERM.
const endGrace = 2 * time.Second

// endProcess ends the process: it calls ask, then sends SIGTERM, then SIGKILL. Nothing of its group is left. ask must
// return once the process has ended.
func (p *pluginProcess) endProcess(ask func()) {
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		ask()
	}()
	for _, send := range []func(int){endGroup, killGroup} {
		if p.endsWithin(endGrace) {
			break
		}
		p.signalGroup(send)
	}
	<-p.gone
	<-asked
}

func (p *pluginProcess) endsWithin(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}
